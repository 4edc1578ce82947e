"""All nodes meet at a barrier of semaphores, then copy a tile: what semaphores cost as nodes grow."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import ttl

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random


def operation(grid: tuple[int, int]) -> Any:
    """Every node tells node 0 that it is there; node 0 waits for all and lets them go."""

    @ttl.operation(grid=grid)
    def meet(x: Any, y: Any) -> None:
        col, row = ttl.node(dims=2)
        others = ttl.grid_size(dims=1) - 1
        is_first = ttl.node(dims=1) == 0
        arrived = ttl.Semaphore()
        released = ttl.Semaphore()
        arrived_at_first = arrived.get_remote((0, 0))
        released_everywhere = released.get_remote_multicast()
        dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                x_xf = ttl.copy(x[row, col], blk)
                x_xf.wait()

        @ttl.datamovement()
        def write() -> None:
            if is_first:
                if others > 0:
                    arrived.wait_eq(others)
                    released_everywhere.set(1)
            else:
                arrived_at_first.inc(1)
                released.wait_eq(1)
            with dfb.wait() as blk:
                y_xf = ttl.copy(blk, y[row, col])
                y_xf.wait()

    return meet


def prepare(grid: tuple[int, int] = (4, 2)) -> Program:
    """As many tiles as nodes."""
    shape = (32 * grid[1], 32 * grid[0])
    return launched(
        opened(),
        operation(grid),
        (random(*shape, seed=0),),
        shape,
        in_torch=lambda x: x.clone(),
    )


if __name__ == "__main__":
    main(prepare)
