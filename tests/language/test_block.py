"""Specification, "Block": expressions, store, accumulation, ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.failing import fails, pointed_at
from support.moving import compute_one
from support.tensors import bf16, blank, numbered_tiles, numbers, row_major, tiled, values
from ttl.lang.types import TILE_SHAPE


def run_compute(body: Any, *inputs: Any, out_tiles: int = 1, dtype: Any = ttnn.bfloat16) -> Any:
    """``body(blocks, out_dfb)`` in a compute kernel; all ``out_tiles`` blocks it pushes, side by side."""

    @ttl.operation(grid=(1, 1))
    def op(*tensors: Any) -> None:
        sources, target = tensors[:-1], tensors[-1]
        dfbs = [ttl.make_dataflow_buffer_like(source, shape=(1, 1)) for source in sources]
        out_dfb = ttl.make_dataflow_buffer_like(target, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            for source, dfb in zip(sources, dfbs, strict=True):
                with dfb.reserve() as blk:
                    ttl.copy(source[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            body([dfb.wait() for dfb in dfbs], out_dfb)

        @ttl.datamovement()
        def write() -> None:
            for tile in range(out_tiles):
                with out_dfb.wait() as blk:
                    ttl.copy(blk, target[0, tile]).wait()

    out = blank((32, 32 * out_tiles), dtype)
    op(*(tiled(each, dtype) for each in inputs), out)
    return values(out)


def test_an_expression_of_several_blocks() -> None:
    a, b, c = (numbers(64, 96, seed=seed) for seed in range(3))
    out = blank((64, 96))
    compute_one(lambda x, y, z: (x + y) * z - x, tiled(a), tiled(b), tiled(c), out=out)
    assert np.array_equal(values(out), bf16((a + b) * c - a))


@pytest.mark.parametrize("shape", [(32, 32), (2, 32, 64), (2, 3, 64, 32)])
def test_blocks_of_two_to_four_dimensions_of_tiles(shape: tuple[int, ...]) -> None:
    a, b = numbers(*shape), numbers(*shape, seed=1)
    out = blank(shape)
    compute_one(lambda x, y: x * y + 1, tiled(a), tiled(b), out=out)
    assert np.array_equal(values(out), a * b + 1)


@pytest.mark.parametrize("shape", [(5,), (3, 7), (2, 3, 7), (2, 2, 3, 7)])
def test_blocks_of_one_to_four_dimensions_of_elements(shape: tuple[int, ...]) -> None:
    a, b = numbers(*shape), numbers(*shape, seed=1)
    out = blank(shape, layout=ttnn.ROW_MAJOR_LAYOUT)
    compute_one(lambda x, y: x * y + 1, row_major(a), row_major(b), out=out)
    assert np.array_equal(values(out), a * b + 1)


def test_store_of_a_block_copies_its_value() -> None:
    def body(blocks: list[Any], out_dfb: Any) -> None:
        with out_dfb.reserve() as out_blk:
            out_blk.store(blocks[0])
        blocks[0].pop()

    a = numbers(32, 32)
    assert np.array_equal(run_compute(body, a), a)


def test_a_stored_value_does_not_change_when_its_operands_do() -> None:
    """``store`` takes the value of now: what is stored into the operand later does not matter."""

    def body(blocks: list[Any], out_dfb: Any) -> None:
        (a,) = blocks
        with out_dfb.reserve() as first:
            first.store(a + 1)
        a.store(ttl.block.fill(5, shape=(1, 1)))
        with out_dfb.reserve() as second:
            second.store(a * 2)
        a.pop()

    a = numbers(32, 32)
    result = run_compute(body, a, out_tiles=2)
    assert np.array_equal(result, np.concatenate([a + 1, np.full_like(a, 10)], axis=1))


def test_an_expression_has_the_values_of_its_operands_when_it_is_built() -> None:
    """Decided in LANGUAGE.md's spirit: reading a block is a step, and it happens where it is written."""

    def body(blocks: list[Any], out_dfb: Any) -> None:
        (a,) = blocks
        before = a + 0
        a.store(a * 10)
        with out_dfb.reserve() as out_blk:
            out_blk.store(before + a)
        a.pop()

    a = numbers(32, 32)
    assert np.array_equal(run_compute(body, a), bf16(a + bf16(a * 10)))


def test_one_expression_used_twice() -> None:
    def body(blocks: list[Any], out_dfb: Any) -> None:
        shared = blocks[0] + 1
        with out_dfb.reserve() as out_blk:
            out_blk.store(shared * shared + shared)
        blocks[0].pop()

    a = numbers(32, 32, low=-3, high=3)
    assert np.array_equal(run_compute(body, a), (a + 1) * (a + 1) + (a + 1))


def test_one_rounding_per_store() -> None:
    """Inside an expression nothing is rounded; each store rounds once."""
    a = np.full((32, 32), 256, np.float32)

    def in_one(blocks: list[Any], out_dfb: Any) -> None:
        with out_dfb.reserve() as out_blk:
            out_blk.store((blocks[0] + 1) - 256)
        blocks[0].pop()

    def through_a_block(blocks: list[Any], out_dfb: Any) -> None:
        with out_dfb.reserve() as out_blk:
            out_blk.store(blocks[0] + 1)
            out_blk.store(out_blk - 256)
        blocks[0].pop()

    assert np.all(run_compute(in_one, a) == 1)
    assert np.all(run_compute(through_a_block, a) == 0)


def test_in_place_addition_to_an_expression_rebinds_it() -> None:
    def body(blocks: list[Any], out_dfb: Any) -> None:
        total = ttl.block.fill(0, shape=(1, 1))
        for _ in range(3):
            total += blocks[0]
        with out_dfb.reserve() as out_blk:
            out_blk.store(total)
        blocks[0].pop()

    a = numbers(32, 32)
    assert np.array_equal(run_compute(body, a), 3 * a)


@pytest.mark.parametrize(("reserved", "code"), [(False, "TTL0405"), (True, "TTL0332")])
def test_in_place_addition_of_another_shape_says_that_the_name_is_a_block_itself(
    reserved: bool, code: str
) -> None:
    def body(blocks: list[Any], out_dfb: Any) -> None:
        total = out_dfb.reserve() if reserved else blocks[0]
        total += ttl.block.fill(1, shape=(2, 1))

    with pytest.raises(ttl.ProgramError) as caught:
        run_compute(body, numbers(32, 32))
    assert caught.value.code == code
    assert caught.value.diagnostic.notes[0].startswith("the left side of += is a block of ")


def test_in_place_addition_to_a_reserved_block_stores_first_and_then_accumulates() -> None:
    def body(blocks: list[Any], out_dfb: Any) -> None:
        with out_dfb.reserve() as out_blk:
            for _ in range(3):
                out_blk += blocks[0]
        blocks[0].pop()

    a = numbers(32, 32)
    assert np.array_equal(run_compute(body, a), 3 * a)


def test_scalars_on_either_side() -> None:
    a = numbers(32, 32, low=1, high=8)
    out = blank((32, 32), ttnn.float32)
    compute_one(lambda x: 2 * x + 1 - (3 - x) / 2 + 8 / x, tiled(a, ttnn.float32), out=out)
    assert np.allclose(values(out), 2 * a + 1 - (3 - a) / 2 + 8 / a, rtol=1e-6)


def test_block_and_expression_tell_shape_and_dtype() -> None:
    def body(blocks: list[Any], out_dfb: Any) -> None:
        (a,) = blocks
        total = a + 1
        assert (a.shape, a.dtype) == (total.shape, total.dtype) == ((1, 1), ttnn.bfloat16)
        with out_dfb.reserve() as out_blk:
            out_blk.store(total)
        a.pop()

    run_compute(body, numbers(32, 32))
    assert TILE_SHAPE == (32, 32) == ttl.TILE_SHAPE


def test_matmul_of_blocks_of_several_tiles() -> None:
    a, b = numbers(64, 96), numbers(96, 32, seed=1)
    out = blank((64, 32), ttnn.float32)
    compute_one(lambda x, y: x @ y, tiled(a, ttnn.float32), tiled(b, ttnn.float32), out=out)
    assert np.array_equal(values(out), a @ b)


def test_matmul_with_outer_dimensions() -> None:
    a, b = numbers(2, 3, 32, 64), numbers(2, 3, 64, 32, seed=1)
    out = blank((2, 3, 32, 32), ttnn.float32)
    compute_one(lambda x, y: x @ y, tiled(a, ttnn.float32), tiled(b, ttnn.float32), out=out)
    assert np.array_equal(values(out), a @ b)


def test_shapes_and_not_tile_counts_are_compared() -> None:
    with fails(
        "TTL0332", match=r"\(4, 1\) tiles = \(128, 32\) elements.*\(1, 4\) tiles = \(32, 128\) elements"
    ):
        compute_one(lambda x: x + 0, tiled(numbers(128, 32)), out=blank((32, 128)))
    with fails("TTL0332"):
        compute_one(lambda x: x, tiled(numbers(128, 32)), out=blank((32, 128)))


def test_operands_of_different_shapes() -> None:
    with pytest.raises(ttl.ProgramError) as caught:
        compute_one(lambda x, y: x + y, tiled(numbers(32, 64)), tiled(numbers(32, 32)), out=blank((32, 64)))
    assert caught.value.code.startswith("TTL04")
    assert pointed_at(caught) == "x + y"


def test_floats_and_integers_do_not_mix_silently() -> None:
    counts = ttnn.from_numpy(np.ones((32, 32), np.int32), ttnn.int32, layout=ttnn.TILE_LAYOUT)
    with fails("TTL0334"):
        compute_one(lambda x: x, counts, out=blank((32, 32)))


def test_store_of_something_that_is_no_expression() -> None:
    for wrong in (1.0, None, "x"):
        with fails("TTL0330"):
            compute_one(lambda x, wrong=wrong: wrong, tiled(numbers(32, 32)), out=blank((32, 32)))


def test_a_block_of_another_kernel() -> None:
    leaked: list[Any] = []

    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def first() -> None:
            blk = dfb.reserve()
            leaked.append(blk)
            ttl.copy(a[0, 0], blk).wait()
            blk.push()

        @ttl.datamovement()
        def second() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, a[0, 0]).wait()
            ttl.copy(a[0, 0], leaked[0])

    with fails("TTL0324", "TTL0307"):
        op(tiled(numbers(32, 32)))


def test_what_the_last_turn_of_a_loop_made_for_the_next_is_no_forgotten_store(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def body(blocks: list[Any], out_dfb: Any) -> None:
        total = largest = ttl.block.fill(0, shape=(1, 1))
        for blk in blocks:
            with out_dfb.reserve() as out_blk:
                out_blk.store(total + largest + blk)
            total += blk
            larger = ttl.math.max(largest, blk)
            largest = larger
            blk.pop()

    run_compute(body, numbered_tiles(1, 1), numbered_tiles(1, 1))
    assert "TTL0905" not in capsys.readouterr().err


def test_a_sum_that_no_turn_stores_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    def body(blocks: list[Any], out_dfb: Any) -> None:
        total = ttl.block.fill(0, shape=(1, 1))
        for blk in blocks:
            with out_dfb.reserve() as out_blk:
                out_blk.store(blk)
            total += blk
            blk.pop()

    run_compute(body, numbered_tiles(1, 1), numbered_tiles(1, 1))
    told = capsys.readouterr().err
    assert "warning[TTL0905]" in told and "total += blk" in told


def test_a_value_that_some_nodes_store_is_no_forgotten_store(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))
        (column, _) = ttl.node()

        @ttl.datamovement()
        def read() -> None:
            with a_dfb.reserve() as blk:
                ttl.copy(a[0, column], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with a_dfb.wait() as a_blk, out_dfb.reserve() as out_blk:
                doubled = a_blk + a_blk
                out_blk.store(doubled if column == 0 else a_blk)

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, out[0, column]).wait()

    op(tiled(numbered_tiles(1, 2)), tiled(np.zeros((32, 64))))
    assert "TTL0905" not in capsys.readouterr().err


def test_a_value_that_is_replaced_before_it_is_read_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    def body(blocks: list[Any], out_dfb: Any) -> None:
        (a,) = blocks
        result = a * 3
        result = a + 1
        with out_dfb.reserve() as out_blk:
            out_blk.store(result)
        a.pop()

    run_compute(body, numbered_tiles(1, 1))
    told = capsys.readouterr().err
    assert told.count("warning[TTL0905]") == 1 and "result = a * 3" in told


def test_a_value_that_is_never_stored_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    def body(blocks: list[Any], out_dfb: Any) -> None:
        (a,) = blocks
        a * 2
        with out_dfb.reserve() as out_blk:
            out_blk.store(a + 1)
        a.pop()

    run_compute(body, numbered_tiles(1, 1))
    told = capsys.readouterr().err
    assert "warning[TTL0905]" in told and "a * 2" in told
    run_compute(
        lambda blocks, out: (out.reserve().store(blocks[0] + 1), blocks[0].pop()), numbered_tiles(1, 1)
    )
