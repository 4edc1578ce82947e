"""Tensors that one operation both reads and writes: what is read is what the schedule says, aliases included.

DESIGN.md, "The simulator": such a tensor takes effect at ``ttl.copy``, in schedule order. Every test compares with a
plain model: NumPy executed statement by statement in the order the kernels ran.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.tensors import TILE, blank, numbered_tiles, numbers, row_major, tiled, values
from ttl import settings


def transform(tensor: ttnn.Tensor, out: ttnn.Tensor, tiles: int, *, factor: int = 2, add: int = 0) -> None:
    """``out[t] = factor * tensor[t] + add``, tile by tile, in three kernels."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, y: Any) -> None:
        a_dfb, y_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, y))

        @ttl.datamovement()
        def read() -> None:
            for tile in range(tiles):
                with a_dfb.reserve() as blk:
                    ttl.copy(a[0, tile], blk).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in range(tiles):
                with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(factor * a_blk + add)

        @ttl.datamovement()
        def write() -> None:
            for tile in range(tiles):
                with y_dfb.wait() as blk:
                    ttl.copy(blk, y[0, tile]).wait()

    op(tensor, out)


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_in_place(seed: int | None) -> None:
    a = numbers(32, 32 * 6)
    tensor = tiled(a)
    with settings.override(schedule_seed=seed):
        transform(tensor, tensor, 6, factor=3, add=1)
    assert np.array_equal(values(tensor), 3 * a + 1)


def test_one_tensor_as_two_arguments_is_one_memory() -> None:
    a = numbered_tiles(1, 4)
    tensor = tiled(a)

    @ttl.operation(grid=(1, 1))
    def op(x: Any, y: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=8)

        @ttl.datamovement()
        def move() -> None:
            def through(source: Any, target: Any) -> None:
                with dfb.reserve() as blk:
                    ttl.copy(source, blk).wait()
                    ttl.copy(blk, target).wait()

            through(x[0, 0], y[0, 1])
            through(y[0, 1], x[0, 2])
            through(x[0, 2], out[0, 0])

    out = blank((32, 32))
    op(tensor, tensor, out)
    assert np.all(values(out) == 1)
    assert values(tensor)[0, ::TILE].tolist() == [1, 1, 1, 4]


def test_a_reshaped_view_is_an_alias() -> None:
    """Two tensors over one memory in row-major layout, of different shapes."""
    a = numbers(4, 8)
    tensor = row_major(a)
    view = ttnn.reshape(tensor, (8, 4))

    @ttl.operation(grid=(1, 1))
    def op(x: Any, y: Any, out: Any) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 8))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 4))

        @ttl.datamovement()
        def move() -> None:
            with x_dfb.reserve() as blk:
                ttl.copy(x[0, :], blk).wait()
                ttl.copy(blk, x[1, :]).wait()
            with y_dfb.reserve() as blk:
                ttl.copy(y[2, :], blk).wait()
                ttl.copy(blk, out[0, :]).wait()

    out = blank((1, 4), layout=ttnn.ROW_MAJOR_LAYOUT)
    op(tensor, view, out)
    # A reshape shares memory or has copied it: a program can tell, and either is a model of TT-NN's.
    shared = values(view)[2].tolist() == a[0, :4].tolist()
    assert values(out)[0].tolist() == (a[0, :4] if shared else a[1, :4]).tolist()
    assert np.array_equal(values(tensor)[1], a[0])


def test_a_block_keeps_what_it_read_when_the_tensor_changes_afterwards() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=3)

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as first, dfb.reserve() as second:
                ttl.copy(a[0, 0], first).wait()
                ttl.copy(a[0, 1], second).wait()
                ttl.copy(second, a[0, 0]).wait()
                ttl.copy(first, a[0, 1]).wait()
                ttl.copy(first, out[0, 0]).wait()
                ttl.copy(second, out[0, 1]).wait()

    tensor, out = tiled(numbered_tiles(1, 2)), blank((32, 64))
    op(tensor, out)
    assert values(tensor)[0, ::TILE].tolist() == [2, 1]
    assert values(out)[0, ::TILE].tolist() == [1, 2]


def test_the_last_of_several_writes_wins() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=8)

        @ttl.datamovement()
        def move() -> None:
            for tile in (0, 2, 1):
                with dfb.reserve() as blk:
                    ttl.copy(a[0, tile], blk).wait()
                    ttl.copy(blk, out[0, 0]).wait()

    out = blank((32, 32))
    op(tiled(numbered_tiles(1, 3)), out)
    assert np.all(values(out) == 2)


def test_read_after_write_by_another_node_behind_a_semaphore() -> None:
    """A chain: each node adds one to what the node before it wrote, in a tensor they share."""
    nodes = 5

    @ttl.operation(grid=(nodes, 1))
    def op(shared: Any) -> None:
        me = ttl.node(dims=1)
        turn = ttl.Semaphore()
        in_dfb, out_dfb = (ttl.make_dataflow_buffer_like(shared, shape=(1, 1)) for _ in range(2))

        @ttl.datamovement()
        def read() -> None:
            if me > 0:
                turn.wait_ge(1)
            with in_dfb.reserve() as blk:
                ttl.copy(shared[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with in_dfb.wait() as in_blk, out_dfb.reserve() as out_blk:
                out_blk.store(in_blk * 2 + 1)

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, shared[0, 0]).wait()
            if me + 1 < nodes:
                turn.get_remote((me + 1, 0)).inc(1)

    expected = 3.0
    for _ in range(nodes):
        expected = expected * 2 + 1
    for seed in (None, *range(5)):
        tensor = tiled(np.full((32, 32), 3))
        with settings.override(schedule_seed=seed):
            op(tensor)
        assert np.all(values(tensor) == expected)


def test_write_then_read_by_different_kernels_of_a_node_through_a_token() -> None:
    """The writer pushes a token block when the tensor is written; the reader waits for it."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, scratch: Any, out: Any) -> None:
        token_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        back_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4)

        @ttl.datamovement()
        def writer() -> None:
            for tile in range(3):
                with dfb.reserve() as blk:
                    ttl.copy(a[0, tile], blk).wait()
                    ttl.copy(blk, scratch[0, tile]).wait()
                with token_dfb.reserve() as token:
                    ttl.copy(a[0, 0], token).wait()

        @ttl.compute()
        def drain() -> None:
            for _ in range(3):
                with dfb.wait() as blk:
                    blk.store(blk + 0)
                    blk + 0

        @ttl.datamovement()
        def reader() -> None:
            for tile in range(3):
                with token_dfb.wait() as token:
                    ttl.copy(token, out[0, 3]).wait()
                with back_dfb.reserve() as blk:
                    ttl.copy(scratch[0, tile], blk).wait()
                    ttl.copy(blk, out[0, 2 - tile]).wait()

    a = numbered_tiles(1, 3)
    for seed in (None, *range(6)):
        scratch, out = blank((32, 96)), blank((32, 128))
        with settings.override(schedule_seed=seed):
            op(tiled(a), scratch, out)
        assert values(out)[0, ::TILE].tolist() == [3, 2, 1, 1]


def test_a_random_program_on_one_shared_tensor_agrees_with_numpy() -> None:
    """300 copies between random tiles of two tensors, with arithmetic in between, statement by statement."""
    generator = np.random.default_rng(3)
    steps = [tuple(int(n) for n in generator.integers(0, 4, 4)) for _ in range(300)]

    @ttl.operation(grid=(1, 1))
    def op(x: Any, y: Any) -> None:
        tensors = (x, y)
        in_dfb, out_dfb = (ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=1) for _ in range(2))

        @ttl.datamovement()
        def move() -> None:
            for source, source_tile, target, target_tile in steps:
                with in_dfb.reserve() as blk:
                    ttl.copy(tensors[source % 2][0, source_tile], blk).wait()
                with out_dfb.wait() as blk:
                    ttl.copy(blk, tensors[target % 2][0, target_tile]).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in steps:
                with in_dfb.wait() as in_blk, out_dfb.reserve() as out_blk:
                    out_blk.store(in_blk * -1 + 1)

    arrays = [numbered_tiles(1, 4), -numbered_tiles(1, 4)]
    tensors = [tiled(array) for array in arrays]
    op(*tensors)
    for source, source_tile, target, target_tile in steps:
        tile = arrays[source % 2][:, source_tile * TILE : (source_tile + 1) * TILE] * -1 + 1
        arrays[target % 2][:, target_tile * TILE : (target_tile + 1) * TILE] = tile
    for tensor, array in zip(tensors, arrays, strict=True):
        assert np.array_equal(values(tensor), array)


def test_the_callers_array_is_not_changed_by_an_operation_that_writes_the_tensor() -> None:
    import torch

    a = torch.arange(1024, dtype=torch.float32).reshape(32, 32)
    before = a.clone()
    tensor = ttnn.from_torch(a, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
    earlier = ttnn.to_torch(tensor)
    transform(tensor, tensor, 1)
    assert torch.equal(a, before)
    assert torch.equal(earlier, before)
    assert torch.equal(ttnn.to_torch(tensor), 2 * before)


def test_a_result_read_by_the_program_does_not_change_in_the_next_launch() -> None:
    tensor = tiled(numbers(32, 32), ttnn.float32)
    first = ttnn.to_numpy(tensor)
    kept = first.copy()
    transform(tensor, tensor, 1)
    assert np.array_equal(first, kept)
    assert np.array_equal(values(tensor), 2 * kept)
