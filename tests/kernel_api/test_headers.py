"""The real headers of both generations accept every spelling of every row."""

from __future__ import annotations

from typing import get_args

import pytest

from kernel_api.cpp import ACCESSORS, kernel
from support.kernel_check import check, needs_compiler
from ttl.kernel_api import CALLS
from ttl.kernel_api.function_rows import BASE_HEADERS
from ttl.rows.row import Generation

pytestmark = [needs_compiler]


@pytest.mark.parametrize("generation", get_args(Generation))
def test_every_call_of_the_compute_kernel(generation: Generation) -> None:
    assert check(generation, "compute", kernel("tensix", generation)) is None


@pytest.mark.parametrize("generation", get_args(Generation))
def test_every_call_of_data_movement(generation: Generation) -> None:
    assert check(generation, "datamovement", kernel("noc", generation), [ACCESSORS]) is None


@pytest.mark.parametrize("generation", get_args(Generation))
def test_the_headers_of_a_row_need_no_other(generation: Generation, pytestconfig: pytest.Config) -> None:
    """A kernel that calls nothing else includes no more: its three units compile, and that of the mathematics most of all.

    The unit of one processor leaves out what the headers of the others need (codegen-pitfalls, point 19).
    """
    common = BASE_HEADERS["tensix"]
    rows = [call for call in CALLS.values() if call.thread == "tensix" and generation in call.headers]
    reductions = "#define REDUCE_OP PoolType::SUM\n#define REDUCE_DIM ReduceDim::REDUCE_ROW\n"
    names = sorted({tuple(sorted({*common, *call.headers[generation]})) for call in rows})
    part = names if pytestconfig.getoption("--long") else names[::4]
    texts = ["".join(f'#include "{header}"\n' for header in each) for each in part]
    kernels = [
        (each if "reduce.h" not in each else reductions + each) + "void kernel_main() {}\n" for each in texts
    ]
    assert {text: said for text in kernels if (said := check(generation, "compute", text)) is not None} == {}


def test_a_header_that_needs_another_is_refused() -> None:
    """0.69's comparisons of integers alone: the mathematics processor's compiler does not know their constants."""
    text = '#include "api/compute/binary_comp.h"\nvoid kernel_main() { lt_int32_tile(0, 1, 2); }\n'
    said = check("0.69", "compute", text)
    assert said is not None and "SFPSETCC_MOD1_LREG_EQ0" in said
    mended = f'#include "api/compute/binary_bitwise_sfpu.h"\n{text}'
    assert check("0.69", "compute", mended) is None


@pytest.mark.parametrize(
    ("written", "generation", "wrong"),
    [("add_init(0, 0);", "0.69", "add_init"), ("add_tiles_init(0, 0);", "0.81", "add_tiles_init")],
)
def test_a_name_of_the_other_generation_is_refused(written: str, generation: Generation, wrong: str) -> None:
    """The judge sees what the rows are there for."""
    text = f'#include "api/compute/eltwise_binary.h"\nvoid kernel_main() {{ {written} }}\n'
    said = check(generation, "compute", text)
    assert said is not None and wrong in said
