"""A message goes to a destination that has started a receive, without waiting for its `wait` (specification, "Pipe")."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import ttnn

import ttl
from ttl import DeadlockError


def tensor() -> Any:
    data = torch.arange(32 * 96, dtype=torch.float32).reshape(32, 96)
    return ttnn.from_torch(data, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)


def blank(shape: tuple[int, int]) -> Any:
    return ttnn.zeros(shape, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)


def test_a_started_receive_frees_the_pipe() -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any, y: Any) -> None:
        net, go = (ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))]) for _ in range(2))
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=3)

        @ttl.datamovement()
        def move() -> None:
            if net.is_src():
                for each, tile in ((net, 0), (net, 1), (go, 2)):
                    with dfb.reserve() as blk:
                        ttl.copy(a[0, tile], blk).wait()
                        each.if_src(lambda pipe, blk=blk: ttl.copy(blk, pipe).wait())
            else:
                blocks = [dfb.reserve() for _ in range(3)]
                started: list[Any] = []
                net.if_dst(lambda pipe: started.append(ttl.copy(pipe, blocks[0])))
                go.if_dst(lambda pipe: ttl.copy(pipe, blocks[2]).wait())
                started[0].wait()
                net.if_dst(lambda pipe: ttl.copy(pipe, blocks[1]).wait())
                for blk in blocks:
                    blk.push()

        @ttl.datamovement()
        def write() -> None:
            for tile in range(3):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[ttl.node(dims=1), tile]).wait()

    a, y = tensor(), blank((64, 96))
    op(a, y)
    assert torch.equal(ttnn.to_torch(y), ttnn.to_torch(a).repeat(2, 1))


def test_without_a_started_receive_the_second_send_waits() -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any, y: Any) -> None:
        net, go = (ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))]) for _ in range(2))
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=3)

        @ttl.datamovement()
        def move() -> None:
            if net.is_src():
                for each, tile in ((net, 0), (net, 1), (go, 2)):
                    with dfb.reserve() as blk:
                        ttl.copy(a[0, tile], blk).wait()
                        each.if_src(lambda pipe, blk=blk: ttl.copy(blk, pipe).wait())
            else:
                for each in (go, net, net):
                    with dfb.reserve() as blk:
                        each.if_dst(lambda pipe, blk=blk: ttl.copy(pipe, blk).wait())

        @ttl.datamovement()
        def write() -> None:
            for tile in range(3):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[ttl.node(dims=1), tile]).wait()

    with pytest.raises(DeadlockError):
        op(tensor(), blank((64, 96)))
