"""Emitted kernels of 32-bit elements, each with one thing less, or one thing wrong, that 0.69 needs: all are caught.

The mutants are of the kind that a simulator of the whole chip found in kernels which the emulated chip had called right: what a
call leaves in the configuration of one processor, and another call relies on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from differential.expressions import run_each
from support.kernel_check import check, needs_compiler
from support.kernel_mutations import Launch, noted
from ttl.diag import ProgramError

_FLOATS = """
y.store(a - ttl.block.broadcast(r, dims=[0], shape=(2, 2)))
z.store(ttl.block.broadcast(c, dims=[-1], shape=(2, 2)) + ttl.block.transpose(a))
m.store(ttl.math.reduce_sum(b, dims=[0], shape=(1, 2)))
p.store(b @ b)
"""
_MIXED = """
x.store(ttl.math.lt(i, j))
y.store(f * f)
"""
_ADDRESS = (
    r"MATH\(\(math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>\(([^)]*)\)\)\);"
)
_UNPACK_INIT = r"UNPACK\(\(llk_unpack_A_init<BroadcastType::{0}[^;]*\)\);"
_MATH_INIT = (
    r"MATH\(\(llk_math_eltwise_unary_datacopy_init<A2D, DST_ACCUM_MODE, BroadcastType::{0}>\((\w+)\)\)\);"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Mutant:
    """What is done to the compute kernel, and what the emulated chip says."""

    program: str
    pattern: str
    replacement: str
    code: str
    says: str
    count: int = 1


def _floats(pattern: str, replacement: str, code: str, says: str, count: int = 1) -> Mutant:
    return Mutant(
        program="floats", pattern=pattern, replacement=replacement, code=code, says=says, count=count
    )


def _mixed(pattern: str, replacement: str, code: str, says: str) -> Mutant:
    return Mutant(program="mixed", pattern=pattern, replacement=replacement, code=code, says=says)


MUTANTS = {
    "the broadcast does not address its tile": _floats(
        _ADDRESS, "", "TTL1519", "the mathematics addresses tile 0 in line"
    ),
    "the second broadcast alone does not": _floats(
        rf"(?s)({_ADDRESS}.*?){_ADDRESS}", r"\1", "TTL1519", "puts into tile 1 of DST, and the mathematics addresses tile 0"
    ),
    "it addresses the first tile once": _floats(
        rf"(for \(uint32_t i = 0; i < 2; \+\+i\) \{{)\s*{_ADDRESS}",
        r"MATH((math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(2))); \1",
        "TTL1519",
        "puts into tile 3 of DST, and the mathematics addresses tile 2 in line",
    ),
    "it addresses the tile beside": _floats(
        r"SrcRegs>\(i \+ 2\)", "SrcRegs>(i + 1)", "TTL1519", "addresses tile 1 in line"
    ),
    "it addresses the tile afterwards": _floats(
        rf"({_ADDRESS})\s*(unary_bcast<[^;]*;)", r"\3 \1", "TTL1519", "addresses tile 0 in line"
    ),
    "the bit is cleared after each broadcast": _floats(
        r"(unary_bcast<BroadcastType::ROW>\(\w+, [^;]*;\s*\})",
        r"\1 unary_bcast_uninit<BroadcastType::ROW>(r_dfb);",
        "TTL1519",
        "their order is not defined",
    ),
    "the bit is cleared after the last broadcast of a section": _floats(
        r"(unary_bcast<BroadcastType::COL>\(\w+, [^;]*;\s*\})",
        r"\1 unary_bcast_uninit<BroadcastType::COL>(c_dfb);",
        "TTL1519",
        "their order is not defined",
    ),
    "the bit is cleared between the init and the broadcast": _floats(
        rf"({_MATH_INIT.format('ROW')})",
        r"\1 unary_bcast_uninit<BroadcastType::ROW>(r_dfb);",
        "TTL1519",
        "bit 11 of RISCV_DEBUG_REG_DBG_FEATURE_DISABLE",
    ),
    "the unpacker is not set up": _floats(
        _UNPACK_INIT.format("ROW"), "", "TTL1513", "needs the unpacker set up for a row broadcast straight to DST"
    ),
    "the mathematics is not set up": _floats(
        _MATH_INIT.format("ROW"), "", "TTL1513", "needs the matrix unit set up for a row broadcast straight to DST"
    ),
    "the unpacker is set up for columns": _floats(
        r"llk_unpack_A_init<BroadcastType::ROW",
        "llk_unpack_A_init<BroadcastType::COL",
        "TTL1513",
        "last set up for a column broadcast straight to DST in line",
    ),
    "the mathematics is set up for a scalar": _floats(
        r"DST_ACCUM_MODE, BroadcastType::ROW",
        "DST_ACCUM_MODE, BroadcastType::SCALAR",
        "TTL1513",
        "last set up for a scalar broadcast straight to DST in line",
    ),
    "both are set up for the other way": _floats(
        rf"{_UNPACK_INIT.format('ROW')}\s*{_MATH_INIT.format('ROW')}",
        "reconfigure_unary_bcast<BroadcastType::NONE, BroadcastType::ROW>(r_dfb, r_dfb, y_dfb, y_dfb);",
        "TTL1513",
        "and it was last set up for a row broadcast in line",
    ),
    "the init of the broadcast is not repeated after that of the copy": _floats(
        rf"(?s)(for \(uint32_t row = 0; row < 2; \+\+row\) \{{)(.*?)({_UNPACK_INIT.format('ROW')}\s*{_MATH_INIT.format('ROW')})",
        r"\3 \1 \2",
        "TTL1513",
        "and it was last set up for copies straight to DST in line",
    ),
    "the init of the copy is not repeated after that of the broadcast": _floats(
        r"(for \(uint32_t row = 0; row < 2; \+\+row\) \{\s*tile_regs_acquire\(\);)\s*(copy_tile_to_dst_init_short\(a_dfb\);)",
        r"\2 \1",
        "TTL1513",
        "needs the unpacker set up for copies straight to DST",
    ),
    "the transposition is not set up": _floats(
        r"transpose_wh_init_short\(a_dfb\);", "", "TTL1513", "set up for transpositions straight to DST"
    ),
    "copies are set up to transpose": _floats(
        r"copy_tile_to_dst_init_short\(a_dfb\);",
        "copy_tile_to_dst_init_short(a_dfb, 1);",
        "TTL1513",
        "last set up for transposed copies",
    ),
    "the product is set up for another inner extent": _floats(
        r"mm_block_init_short\(b_dfb, b_dfb, 0, 2, 2, 2\)",
        "mm_block_init_short(b_dfb, b_dfb, 0, 2, 2, 1)",
        "TTL1513",
        "2 x 2 tiles at a time with 1 tile in a row",
    ),
    "the product is set up to transpose": _floats(
        r"mm_block_init_short\(b_dfb, b_dfb, 0, 2, 2, 2\)",
        "mm_block_init_short(b_dfb, b_dfb, 1, 2, 2, 2)",
        "TTL1513",
        "the right one transposed",
    ),
    "the reduction is not set up": _floats(
        r"sfpu_reduce_init<[^;]*;", "", "TTL1513", "calls sfpu_reduce, and the vector unit was last set up by"
    ),
    "the reduction is set up for the largest": _floats(
        r"sfpu_reduce_init<PoolType::SUM", "sfpu_reduce_init<PoolType::MAX", "TTL1513", "calls sfpu_reduce"
    ),
    "the vector unit is not set up": _floats(
        r"add_binary_tile_init\(\);", "", "TTL1513", "and the vector unit was last set up by sub_binary_tile_init in line"
    ),
    "the matrix unit is started for integers": _mixed(
        r"compute_kernel_hw_startup\(f_dfb, f_dfb",
        "compute_kernel_hw_startup(i_dfb, i_dfb",
        "TTL1514",
        "computes with float32, and the matrix unit was set up for integers in line",
    ),
    "it changes over to integers and not back": _mixed(
        r"reconfig_data_format\(i_dfb, i_dfb\)|reconfig_data_format_srca\(i_dfb\)",
        "reconfig_data_format<true>(i_dfb, i_dfb)",
        "TTL1514",
        "the matrix unit was set up for integers in line",
    ),
    "the unpacker alone changes its format": _mixed(
        r"reconfig_data_format(?:_srca)?\((?:f_dfb, )?f_dfb\);",
        "UNPACK((llk_unpack_reconfig_data_format_srca(j_dfb, f_dfb)));",
        "TTL1514",
        "set up for int32 in line",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Launch]:
    """The programs, run once as they are: they give what the simulator does."""
    numbers = np.random.default_rng(1)

    def whole(*shape: int) -> Any:
        return numbers.integers(-4, 5, shape).astype(np.float32)

    square, row, column = (64, 64), (32, 64), (64, 32)
    found = {}
    for name, body, inputs, outputs, integers in (
        (
            "floats",
            _FLOATS,
            {"a": whole(*square), "b": whole(*square), "r": whole(*row), "c": whole(*column)},
            {"y": square, "z": square, "m": row, "p": square},
            "",
        ),
        (
            "mixed",
            _MIXED,
            {"i": whole(*square), "j": whole(*square), "f": whole(*square)},
            {"x": square, "y": square},
            "ijx",
        ),
    ):
        dtypes = {each: "int32" if each in integers else "float32" for each in (*inputs, *outputs)}
        with noted() as launches:
            folder = tmp_path_factory.mktemp(name)
            simulated, emulated = run_each(body, inputs, outputs, folder, ("sim", "0.69"), dtypes=dtypes)
        for output in outputs:
            kept = np.s_[:1] if output == "m" else np.s_[:]
            np.testing.assert_array_equal(emulated[output][kept], simulated[output][kept])
        (found[name],) = launches
    return found


def _mutated(launch: Launch, mutant: Mutant) -> Launch:
    kernels = []
    for kernel in launch.description.kernels:
        source = kernel.source
        if kernel.thread == "tensix":
            source = re.sub(mutant.pattern, mutant.replacement, source, count=mutant.count)
            assert source != kernel.source, "nothing to change"
        kernels.append(replace(kernel, source=source))
    return replace(launch, description=replace(launch.description, kernels=tuple(kernels)))


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_caught(name: str, emitted: dict[str, Launch]) -> None:
    mutant = MUTANTS[name]
    launch = _mutated(emitted[mutant.program], mutant)
    with pytest.raises(ProgramError) as caught:
        launch.results(launch.description)
    assert caught.value.diagnostics[0].code == mutant.code
    assert mutant.says in str(caught.value).splitlines()[0]


def _compute(launch: Launch) -> Iterator[str]:
    return (kernel.source for kernel in launch.description.kernels if kernel.thread == "tensix")


@pytest.mark.headers
@needs_compiler
def test_a_mutant_without_an_include_is_caught(emitted: dict[str, Launch]) -> None:
    """Comparisons of integers without the header that theirs takes for granted: the mathematics does not compile."""
    (source,) = _compute(emitted["mixed"])
    include = '#include "api/compute/binary_bitwise_sfpu.h"\n'
    assert include in source
    assert check("0.69", "compute", source) is None
    said = check("0.69", "compute", source.replace(include, ""))
    assert said is not None and "SFPSETCC_MOD1_LREG_EQ0" in said
