"""What is in a pipe (issue, section 9): data as they were at the copy, and nothing of an earlier launch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttl
from support.failing import fails
from support.tensors import TILE, blank, numbered_tiles, numbers, tiled, values
from ttl import settings


@pytest.mark.parametrize("seed", [None, 0, 1, 2, 3])
def test_a_pipe_sends_the_data_as_they_were_at_copy(seed: int | None) -> None:
    """The sender overwrites its block, its tensor and releases the block before anyone receives."""

    @ttl.operation(grid=(3, 1))
    def op(a: Any, out: Any) -> None:
        me = ttl.node(dims=1)
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(slice(1, 3), 0))])
        late = ttl.Semaphore()
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:

                def send(pipe: Any) -> None:
                    ttl.copy(a[0, 0], blk).wait()
                    ttl.copy(blk, pipe).wait()
                    ttl.copy(a[0, 1], blk).wait()
                    ttl.copy(blk, a[0, 0]).wait()
                    late.get_remote((1, 0)).set(1)
                    late.get_remote((2, 0)).set(1)

                def receive(pipe: Any) -> None:
                    late.wait_eq(1)
                    ttl.copy(pipe, blk).wait()

                net.if_src(send)
                net.if_dst(receive)
                ttl.copy(blk, out[0, me]).wait()

    out = blank((32, 96))
    with settings.override(schedule_seed=seed):
        op(tiled(numbered_tiles(1, 2)), out)
    assert values(out)[0, ::TILE].tolist() == [2, 1, 1]


def test_a_value_of_an_accumulator_is_the_one_at_copy() -> None:
    """A compute kernel goes on with the block's buffer while the pipe still holds its first value."""

    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
        sum_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)
        got_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.compute()
        def compute() -> None:
            for value in (1, 2, 3):
                if net.is_src():
                    with sum_dfb.reserve() as blk:
                        blk.store(ttl.block.fill(value, shape=(1, 1)))

        @ttl.datamovement()
        def move() -> None:
            for step in range(3):

                def send(pipe: Any) -> None:
                    with sum_dfb.wait() as blk:
                        ttl.copy(blk, pipe).wait()

                def receive(pipe: Any) -> None:
                    with got_dfb.reserve() as blk:
                        ttl.copy(pipe, blk).wait()
                        ttl.copy(blk, out[0, step]).wait()

                net.if_src(send)
                net.if_dst(receive)

        @ttl.datamovement()
        def drain() -> None:
            for _ in range(3 if net.is_dst() else 0):
                with got_dfb.wait() as blk:
                    ttl.copy(blk, out[0, 3]).wait()

    out = blank((32, 128))
    op(tiled(numbers(32, 32)), out)
    assert values(out)[0, ::TILE].tolist() == [1, 2, 3, 3]


def test_nothing_left_in_a_pipe_reaches_the_next_call() -> None:
    """The first launch fails with two sends under way; the second one, over the same net object, is clean."""
    net: Any = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])

    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any, tile: int, receive: bool) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                if net.is_src() or not receive:
                    ttl.copy(a[0, tile], blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                if receive:
                    net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                    ttl.copy(blk, out[0, ttl.node(dims=1)]).wait()

    a = tiled(numbered_tiles(1, 2))
    for _ in range(2):
        out = blank((32, 64))
        with fails("TTL0903"):
            op(a, out, 0, False)
        op(a, out, 1, True)
        assert values(out)[0, ::TILE].tolist() == [2, 2]


def test_a_semaphore_starts_anew_in_every_launch() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        semaphore = ttl.Semaphore(1)

        @ttl.datamovement()
        def move() -> None:
            semaphore.wait_eq(1)
            semaphore.set(5)

    for _ in range(3):
        op(tiled(numbers(32, 32)))


def test_a_net_that_an_operation_does_not_use_has_no_effect() -> None:
    """Not even, outside of the body, when its coordinates are of another grid."""
    elsewhere: Any = ttl.PipeNet([ttl.Pipe(src=(7, 7), dst=(6, slice(0, 8)))])

    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        me = ttl.node(dims=1)
        unused = ttl.PipeNet([ttl.Pipe(src=(1, 0), dst=(0, 0))])
        used = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
        also_unused = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
        kept = (elsewhere, unused, also_unused)
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            assert len(kept) == 3
            with dfb.reserve() as blk:
                if used.is_src():
                    ttl.copy(a[0, 0], blk).wait()
                used.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                used.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                ttl.copy(blk, out[0, me]).wait()

    a, out = numbers(32, 32), blank((32, 64))
    op(tiled(a), out)
    assert np.array_equal(values(out), np.tile(a, 2))


def test_one_transfer_at_a_time_a_second_send_waits_for_all_destinations() -> None:
    """Bounded: the second send of a multicast leaves only when both destinations have received the first."""
    events: list[str] = []

    @ttl.operation(grid=(3, 1))
    def op(a: Any) -> None:
        me = ttl.node(dims=1)
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(slice(1, 3), 0))])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:

                def send(pipe: Any) -> None:
                    ttl.copy(a[0, 0], blk).wait()
                    for number in range(3):
                        ttl.copy(blk, pipe).wait()
                        events.append(f"sent {number}")

                def receive(pipe: Any) -> None:
                    for number in range(3):
                        events.append(f"received {number} on {me}")
                        ttl.copy(pipe, blk).wait()
                        ttl.copy(blk, a[0, me]).wait()

                net.if_src(send)
                net.if_dst(receive)

    for seed in (None, 0, 1, 2, 3):
        events.clear()
        with settings.override(schedule_seed=seed):
            op(tiled(numbered_tiles(1, 3)))
        for number in range(1, 3):
            left = events.index(f"sent {number}")
            for node in (1, 2):
                assert events.index(f"received {number - 1} on {node}") < left
