"""The real headers of both generations accept every spelling of every row."""

from __future__ import annotations

from typing import get_args

import pytest

from kernel_api.cpp import ACCESSORS, kernel
from support.kernel_check import check, needs_compiler
from ttl.ops.row import Generation

pytestmark = [needs_compiler]


@pytest.mark.parametrize("generation", get_args(Generation))
def test_every_call_of_the_compute_kernel(generation: Generation) -> None:
    assert check(generation, "compute", kernel("tensix", generation)) is None


@pytest.mark.parametrize("generation", get_args(Generation))
def test_every_call_of_data_movement(generation: Generation) -> None:
    assert check(generation, "datamovement", kernel("noc", generation), [ACCESSORS]) is None


@pytest.mark.parametrize(
    ("written", "generation", "wrong"),
    [("add_init(0, 0);", "0.69", "add_init"), ("add_tiles_init(0, 0);", "0.81", "add_tiles_init")],
)
def test_a_name_of_the_other_generation_is_refused(written: str, generation: Generation, wrong: str) -> None:
    """The judge sees what the rows are there for."""
    text = f'#include "api/compute/eltwise_binary.h"\nvoid kernel_main() {{ {written} }}\n'
    said = check(generation, "compute", text)
    assert said is not None and wrong in said
