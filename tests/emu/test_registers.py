"""What registers hold that nothing has written, and what is lost on the way through a source register.

Sources: ``_llk_pack_dest_section_done_`` (a release drops the flags of rows and leaves their bits) and
``llk_math_reduce.h`` of both generations; the numbers were measured on a full-system simulator of the chip.
"""

from __future__ import annotations

import numpy as np
import pytest

from emu.harness import GENERATIONS, OUT, Values, compute
from ttl.diag import ProgramError
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.row import Generation

RNG = np.random.default_rng(13)
both = pytest.mark.parametrize("generation", GENERATIONS)
ONES = np.zeros((32, 32), np.float32)
ONES[::16] = 1


def section(body: str) -> str:
    return (
        f"tile_regs_acquire(); {body} tile_regs_commit(); cb_reserve_back({OUT}, 1); tile_regs_wait();"
        f"pack_tile(0, {OUT}); tile_regs_release(); cb_push_back({OUT}, 1);"
    )


def vector(body: str) -> str:
    """A section with tile 0 of buffer 0, which is copied by ``copy_tile``."""
    return f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); copy_tile_init(0);" + section(body)


TILE = RNG.standard_normal((32, 32)).astype(np.float32)


@both
@pytest.mark.parametrize(
    "body",
    [
        "copy_tile(0, 0, 1); add_binary_tile_init();\nadd_binary_tile(0, 1, 0);",
        "copy_tile(0, 0, 1); add_binary_tile_init();\nadd_binary_tile(2, 1, 0);",
        "abs_tile_init();\nabs_tile(0);",
        "sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();\nsfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_COL>(0);",
    ],
)
def test_the_vector_unit_reads_no_register_that_nothing_wrote(generation: Generation, body: str) -> None:
    with pytest.raises(ProgramError, match="TTL1517") as caught:
        compute(generation, vector(body), [TILE])
    assert ("odd columns" in str(caught.value)) == ("_tile(2, 1, 0)" not in body)


@both
def test_a_register_that_is_filled_first_is_read(generation: Generation) -> None:
    body = "copy_tile(0, 0, 1); fill_tile_init(); fill_tile(0, 0.0f); add_binary_tile_init(); add_binary_tile(0, 1, 0);"
    found = compute(generation, vector(body), [TILE])
    np.testing.assert_array_equal(found, BFLOAT16.load(BFLOAT16.store(TILE)))


@both
def test_the_matrix_unit_and_the_packer_read_zeros_there(generation: Generation) -> None:
    """After a section that left values in both registers, and with a row of faces that nothing wrote."""
    dirty = "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 0, 1); tile_regs_commit(); tile_regs_wait(); tile_regs_release();"
    init = "mul_init" if generation == "0.81" else "mul_tiles_init"
    body = vector("").replace("tile_regs_acquire", dirty * 2 + f"{init}(0, 0); tile_regs_acquire")
    found = compute(generation, body.replace("acquire();  ", "acquire(); mul_tiles(0, 0, 0, 0, 0); "), [TILE])
    rounded = BFLOAT16.load(BFLOAT16.store(TILE))
    np.testing.assert_array_equal(found, BFLOAT16.load(BFLOAT16.store(rounded * rounded)))
    body = vector("").replace("tile_regs_acquire", dirty * 2 + "tile_regs_acquire")
    np.testing.assert_array_equal(compute(generation, body, [TILE]), np.zeros((32, 32)))


def reduction(
    generation: Generation, pool: str, dim: str, tiles: int, between: str = "", more: str = ""
) -> str:
    name = f"PoolType::{pool}, ReduceDim::REDUCE_{dim}{more}"
    swapped = generation == "0.81" and (pool, dim) == ("SUM", "ROW")
    steps = f"for (int i = 0; i < {tiles}; ++i) reduce_tile<{name}>(0, 1, i, 0, 0);"
    start = f"compute_kernel_hw_startup({'1, 0' if swapped else '0, 1'}, {OUT}); cb_wait_front(0, {tiles}); cb_wait_front(1, 1);"
    return f"{start} reduce_init<{name}>(0, 1, {OUT});" + section(steps + between) + "reduce_uninit();"


def reduced(values: Values, generation: Generation, body: str, dtype: str) -> Values:
    ones = "bfloat16" if dtype == "bfloat16" else "float32"
    return compute(generation, body, [values, ONES], dtypes=[dtype, ones], out_dtype="float32", fp32_dst=True)


@both
def test_what_a_reduction_leaves_unwritten_is_no_result(generation: Generation) -> None:
    """A sum along rows writes two faces of four; a function of the whole tile is right in those that are packed."""
    values = RNG.random((32, 64), np.float32) + 1
    between = "recip_tile_init(); recip_tile(0);"
    found = reduced(values, generation, reduction(generation, "SUM", "ROW", 2, between), "float32")
    np.testing.assert_allclose(found[:, 0], 1 / values.sum(1), rtol=2e-2)
    body = reduction(generation, "SUM", "ROW", 2, between).replace("pack_tile", "reduce_uninit(); pack_tile")
    with pytest.raises(ProgramError, match="TTL1517") as caught:
        reduced(values, generation, body, "float32")
    text = str(caught.value)
    assert "writes a tile of circular buffer 16 to a tensor with undefined elements" in text
    assert "with rows that the vector unit computed, in line" in text and "at write.cpp:" in text


def softmax_end(generation: Generation, use: str, init: str) -> str:
    """As TT-NN's softmax ends: what ``recip_tile`` made of a sum along rows goes through buffer 24, all of the tile."""
    between = "reduce_uninit(); recip_tile_init(); recip_tile(0);"
    first = (
        reduction(generation, "SUM", "ROW", 2, between)
        .removesuffix("reduce_uninit();")
        .replace(f"{OUT}", "24")
    )
    back = f"reconfig_data_format(0, 24); {init} cb_wait_front(24, 1);"
    return first + f"pack_reconfig_data_format(24, {OUT});" + back + section(use) + "cb_pop_front(24, 1);"


def through_memory(generation: Generation, use: str, init: str, values: Values) -> Values:
    return compute(
        generation, softmax_end(generation, use, init), [values, ONES], dtype="bfloat16", scratch=(24,)
    )


@both
def test_elements_that_nobody_reads_may_be_anything(generation: Generation) -> None:
    """A column broadcast of what was packed reads the column that was reduced to, and no other."""
    values = RNG.random((32, 64), np.float32) + 1
    init = "mul_bcast_cols_init_short(0, 24);"
    use = "mul_tiles_bcast<BroadcastType::COL>(0, 24, 0, 0, 0);"
    found = through_memory(generation, use, init, values)
    np.testing.assert_allclose(found, values[:, :32] / values.sum(1, keepdims=True), rtol=3e-2)


@both
def test_elements_that_are_no_values_make_others_none(generation: Generation) -> None:
    """Where they are used: the odd columns of the right half of the tile."""
    values = RNG.random((32, 64), np.float32) + 1
    init = "reconfig_data_format_srca(24); copy_tile_init(24);"
    found = through_memory(generation, "copy_tile(24, 0, 0);", init, values)
    assert np.isnan(found[:, 17::2]).all() and not np.isnan(found[:, :16]).any()


def lost(generation: Generation, pool: str, dim: str, tiles: int, dtype: str, more: str = "") -> Values:
    """By what part reductions of positive values of 64 rows (or columns) are too small."""
    parts = []
    generator = np.random.default_rng(2)
    for _ in range(2):
        values = generator.random((32, 32 * tiles), np.float32)
        if dtype == "bfloat16":
            values = BFLOAT16.load(BFLOAT16.store(values))
        given = values.T.copy() if dim == "COL" else values
        found = reduced(given, generation, reduction(generation, pool, dim, tiles, more=more), dtype)
        result = found[:, 0] if dim == "ROW" else found[0] if dim == "COL" else found[:1, 0]
        exact = values.astype(np.float64)
        axis = None if dim == "SCALAR" else 1
        expected = exact.sum(axis) if pool == "SUM" else exact.max(axis)
        parts.append(np.atleast_1d(1 - result / expected))
    return np.concatenate(parts)


# Measured: the largest part of a result that was lost. Within a tenth: the values were others.
@pytest.mark.parametrize(
    ("pool", "dim", "tiles", "dtype", "measured"),
    [
        ("SUM", "ROW", 32, "bfloat16", 0.059), ("SUM", "ROW", 32, "float32", 0.059),
        ("SUM", "ROW", 4, "bfloat16", 0.012), ("SUM", "ROW", 4, "float32", 0.012),
        ("SUM", "SCALAR", 32, "bfloat16", 0.0028), ("MAX", "ROW", 4, "float32", 0.0037),
    ],
)  # fmt: skip
def test_reductions_lose_what_was_measured(
    pool: str, dim: str, tiles: int, dtype: str, measured: float
) -> None:
    found = lost("0.69", pool, dim, tiles, dtype)
    assert found.min() >= -1e-6
    assert found.max() == pytest.approx(measured, rel=0.1)


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_what_is_not_carried_is_not_cut(dtype: str) -> None:
    """Columns, float32 accumulation in the older generation, and sums along rows in the newer one: TF32 at most."""
    assert abs(lost("0.69", "SUM", "COL", 32, dtype)).max() < 6e-4
    assert abs(lost("0.69", "SUM", "ROW", 32, dtype, ", true")).max() < 6e-4
    assert abs(lost("0.81", "SUM", "ROW", 32, dtype)).max() < 6e-4
