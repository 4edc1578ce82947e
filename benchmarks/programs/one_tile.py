"""``y = x + x`` with one tile per node: what a launch costs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import ttl

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random


def operation(grid: tuple[int, ...]) -> Any:
    """Every node has one tile of its own, or of its device's shard where the grid begins with the extent of a mesh."""

    @ttl.operation(grid=grid)
    def double(x: Any, y: Any) -> None:
        col, row = ttl.node(dims=len(grid))[-2:]
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, col], x_blk)
                x_xf.wait()

        @ttl.compute()
        def compute() -> None:
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(x_blk + x_blk)

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, col])
                y_xf.wait()

    return double


def prepare(grid: tuple[int, int] = (2, 2)) -> Program:
    """As many tiles as nodes."""
    shape = (32 * grid[1], 32 * grid[0])
    return launched(opened(), operation(grid), (random(*shape, seed=0),), shape, in_torch=lambda x: x + x)


if __name__ == "__main__":
    main(prepare)
