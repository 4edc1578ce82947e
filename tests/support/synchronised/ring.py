"""Every node adds up the tiles of all four by passing them round a ring of unicast pipes."""

from typing import Any

import numpy as np

import ttl
from support.tensors import TILE, Values, blank, numbers, tiled, values

NODES = 4
A = numbers(TILE, TILE * NODES, seed=5)


def run() -> Values:
    @ttl.operation(grid=(1, NODES))
    def op(a: Any, y: Any) -> None:
        _, me = ttl.node()
        net = ttl.PipeNet([ttl.Pipe(src=(0, n), dst=(0, (n + 1) % NODES)) for n in range(NODES)])
        mine_dfb, passed_dfb, sum_dfb = (
            ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=count) for count in (1, NODES, 2)
        )

        @ttl.datamovement()
        def move() -> None:
            mine_blk = mine_dfb.reserve()
            mine_xf = ttl.copy(a[0, me], mine_blk)
            mine_xf.wait()
            current = mine_blk
            for _ in range(NODES - 1):
                next_blk = passed_dfb.reserve()

                def send(pipe: Any) -> None:
                    sent_xf = ttl.copy(current, pipe)
                    sent_xf.wait()

                def receive(pipe: Any) -> None:
                    received_xf = ttl.copy(pipe, next_blk)
                    received_xf.wait()

                net.if_src(send)
                net.if_dst(receive)
                current.push()
                current = next_blk
            current.push()

        @ttl.compute()
        def compute() -> None:
            with sum_dfb.reserve() as sum_blk:
                with mine_dfb.wait() as own_blk:
                    total = own_blk + 0
                for _ in range(NODES - 1):
                    with passed_dfb.wait() as other_blk:
                        total = total + other_blk
                sum_blk.store(total)

        @ttl.datamovement()
        def write() -> None:
            with sum_dfb.wait() as sum_out:
                y_xf = ttl.copy(sum_out, y[0, me])
                y_xf.wait()

    y = blank(A.shape)
    op(tiled(A), y)
    return values(y)


def expected() -> Values:
    total = A.reshape(TILE, NODES, TILE).sum(axis=1)
    return np.tile(total, NODES)
