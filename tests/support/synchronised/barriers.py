"""Many-to-one, then one-to-many: node 0 reverses what the others wrote, and they copy what it wrote."""

from typing import Any

import numpy as np

import ttl
from support.tensors import TILE, Values, blank, numbers, tiled, values

NODES = 4
A = numbers(TILE, TILE * NODES, seed=7)


def run() -> Values:
    @ttl.operation(grid=(NODES, 1))
    def op(a: Any, scratch: Any, reversed_: Any, y: Any) -> None:
        me = ttl.node(dims=1)
        arrived = ttl.Semaphore()
        first_node = arrived.get_remote((0, 0))
        ready = ttl.Semaphore()
        everyone = ready.get_remote_multicast()
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2 + NODES)

        @ttl.datamovement()
        def move() -> None:
            def through(source: Any, target: Any) -> None:
                with dfb.reserve() as blk:
                    in_xf = ttl.copy(source, blk)
                    in_xf.wait()
                    out_xf = ttl.copy(blk, target)
                    out_xf.wait()

            through(a[0, me], scratch[0, me])
            if me == 0:
                arrived.wait_eq(NODES - 1)
                for other in range(NODES):
                    through(scratch[0, other], reversed_[0, NODES - 1 - other])
                everyone.set(1)
            else:
                first_node.inc(1)
                ready.wait_ge(1)
            through(reversed_[0, me], y[0, me])

    scratch, reversed_, y = (blank(A.shape) for _ in range(3))
    op(tiled(A), scratch, reversed_, y)
    return values(y)


def expected() -> Values:
    return np.concatenate(np.split(A, NODES, axis=1)[::-1], axis=1)
