"""``y = a * b + c`` in blocks of one tile, every node another number of them: node n has 2n + 1 tiles, from n² on.

So 64 nodes have the 64 x 64 tiles of a tensor of 2048 x 2048 elements.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import ttl

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random


def operation(grid: tuple[int, int]) -> Any:
    """The operation, for a square of as many tiles along a side as there are nodes."""

    @ttl.operation(grid=grid)
    def fma(a: Any, b: Any, c: Any, y: Any) -> None:
        col_tiles = a.shape[1] // 32
        node = ttl.node(dims=1)
        own_tiles = range(node * node, (node + 1) * (node + 1))

        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1), block_count=2)
        c_dfb = ttl.make_dataflow_buffer_like(c, shape=(1, 1), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for tile in own_tiles:
                row = tile // col_tiles
                col = tile % col_tiles
                with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk, c_dfb.reserve() as c_blk:
                    a_xf = ttl.copy(a[row, col], a_blk)
                    b_xf = ttl.copy(b[row, col], b_blk)
                    c_xf = ttl.copy(c[row, col], c_blk)
                    a_xf.wait()
                    b_xf.wait()
                    c_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own_tiles:
                with (
                    a_dfb.wait() as a_blk,
                    b_dfb.wait() as b_blk,
                    c_dfb.wait() as c_blk,
                    y_dfb.reserve() as y_blk,
                ):
                    y_blk.store(a_blk * b_blk + c_blk)

        @ttl.datamovement()
        def write() -> None:
            for tile in own_tiles:
                row = tile // col_tiles
                col = tile % col_tiles
                with y_dfb.wait() as y_blk:
                    y_xf = ttl.copy(y_blk, y[row, col])
                    y_xf.wait()

    return fma


def prepare(grid: tuple[int, int] = (4, 2)) -> Program:
    """Square tensors, as many tiles along a side as there are nodes."""
    side = 32 * grid[0] * grid[1]
    inputs = tuple(random(side, side, seed=seed) for seed in range(3))
    return launched(opened(), operation(grid), inputs, (side, side), in_torch=lambda a, b, c: a * b + c)


if __name__ == "__main__":
    main(prepare)
