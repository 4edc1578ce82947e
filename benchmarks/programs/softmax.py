"""Softmax of rows, a row of tiles in a block: examples/softmax.py for any size."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import ttl

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random


def operation(grid: tuple[int, int]) -> Any:
    """The operation; node n takes every so many rows of tiles, from n on."""

    @ttl.operation(grid=grid)
    def softmax(x: Any, y: Any) -> None:
        row_tiles = x.shape[0] // 32
        col_tiles = x.shape[1] // 32
        own_rows = range(ttl.node(dims=1), row_tiles, ttl.grid_size(dims=1))

        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, col_tiles), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, col_tiles), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for row in own_rows:
                with x_dfb.reserve() as x_blk:
                    x_xf = ttl.copy(x[row, :], x_blk)
                    x_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own_rows:
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    largest = ttl.math.reduce_max(x_blk, dims=[-1], shape=(1, 1))
                    powers = ttl.math.exp(
                        x_blk - ttl.block.broadcast(largest, dims=[-1], shape=(1, col_tiles))
                    )
                    total = ttl.math.reduce_sum(powers, dims=[-1], shape=(1, 1))
                    y_blk.store(
                        powers * ttl.block.broadcast(ttl.math.recip(total), dims=[-1], shape=(1, col_tiles))
                    )

        @ttl.datamovement()
        def write() -> None:
            for row in own_rows:
                with y_dfb.wait() as y_blk:
                    y_xf = ttl.copy(y_blk, y[row, :])
                    y_xf.wait()

    return softmax


def prepare(rows: int = 128, cols: int = 128, grid: tuple[int, int] = (2, 2)) -> Program:
    """A tensor of ``rows`` x ``cols`` elements."""
    return launched(
        opened(),
        operation(grid),
        (random(rows, cols, seed=0, scale=4),),
        (rows, cols),
        in_torch=lambda x: x.softmax(dim=-1),
    )


if __name__ == "__main__":
    main(prepare)
