"""Which lanes of a tile in DST an operation writes: not more than the hardware does."""

from __future__ import annotations

import numpy as np
import pytest

from emu.harness import GENERATIONS, OUT, Values, compute
from ttl.rows.row import Generation

# A function works on all faces, the upper two, the left two, or the first.
MODES = {"RC": (2, 2), "R": (1, 2), "C": (2, 1), "None": (1, 1)}
both = pytest.mark.parametrize("generation", GENERATIONS)


def after(generation: Generation, calls: str, given: Values) -> Values:
    """What is in tile 0 of DST after the calls, which find ``given`` there."""
    copy = "copy_init" if generation == "0.81" else "copy_tile_init"
    body = (
        f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); cb_reserve_back({OUT}, 1); tile_regs_acquire(); {copy}(0);"
        f"copy_tile(0, 0, 0); {calls} tile_regs_commit(); tile_regs_wait(); pack_tile(0, {OUT}); tile_regs_release();"
        f"cb_push_back({OUT}, 1); cb_pop_front(0, 1);"
    )
    return compute(generation, body, [given], dtype="float32", fp32_dst=True, unpack_to_dst=True)


def spelled(generation: Generation, mode: str) -> str:
    return f"VectorMode::{mode}" if generation == "0.81" else f"(int)VectorMode::{mode}"


@both
@pytest.mark.parametrize("mode", MODES)
def test_a_function_writes_the_faces_of_its_mode(generation: Generation, mode: str) -> None:
    given = np.linspace(1, 4, 1024, dtype=np.float32).reshape(32, 32)
    found = after(generation, f"recip_tile_init(); recip_tile(0, {spelled(generation, mode)});", given)
    high, wide = MODES[mode]
    written = np.zeros((32, 32), bool)
    written[: 16 * high, : 16 * wide] = True
    np.testing.assert_allclose(found[written], 1 / given[written], rtol=2.0**-20)
    np.testing.assert_array_equal(found[~written], given[~written])


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_is_a_parameter_of_the_template_of_others(mode: str) -> None:
    given = np.linspace(-4, 4, 1024, dtype=np.float32).reshape(32, 32)
    found = after("0.81", f"sigmoid_tile_init(); sigmoid_tile<VectorMode::{mode}>(0);", given)
    high, wide = MODES[mode]
    assert (found[: 16 * high, : 16 * wide] != given[: 16 * high, : 16 * wide]).any()
    assert np.count_nonzero(found != given) <= 256 * high * wide


def test_a_sum_of_columns_by_the_vector_unit_is_in_the_first_row_only() -> None:
    given = np.ones((32, 32), np.float32)
    call = "sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_COL>(0);"
    found = after("0.81", f"sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>(); {call}", given)
    assert (found[0] == 32).all()
    assert (found[1:] != 1).all() and (found[1:] != 32).all()


@both
@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("dim", ["ROW", "COL", "SCALAR"])
def test_what_is_beside_a_reduction_is_kept_out_of_memory_by_the_packer(
    generation: Generation, dim: str, ended: bool
) -> None:
    """So a kernel that ends the reduction before it packs finds there what was added up on the way."""
    ones, kind = np.ones((32, 32), np.float32), f"<PoolType::SUM, ReduceDim::REDUCE_{dim}>"
    ends = ("reduce_uninit();", "") if ended else ("", "reduce_uninit();")
    found = compute(
        generation,
        f"compute_kernel_hw_startup(0, 1, {OUT}); cb_wait_front(0, 1); cb_wait_front(1, 1); cb_reserve_back({OUT}, 1);"
        f"reduce_init{kind}(0, 1, {OUT}); tile_regs_acquire(); reduce_tile{kind}(0, 1, 0, 0, 0); tile_regs_commit(); {ends[0]}"
        f"tile_regs_wait(); pack_tile(0, {OUT}); tile_regs_release(); {ends[1]} cb_push_back({OUT}, 1); cb_pop_front(0, 1); cb_pop_front(1, 1);",
        [ones, ones],
    )
    result = {"ROW": found[:, :1], "COL": found[:1], "SCALAR": found[:1, :1]}[dim]
    beside = {"ROW": found[:, 1:16], "COL": found[1:16], "SCALAR": found[:1, 1:16]}[dim]
    assert (result == (1024 if dim == "SCALAR" else 32)).all()
    assert np.count_nonzero(beside) == (beside.size if ended else 0)
