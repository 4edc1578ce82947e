"""``y = a * b + c``, every node its rectangle of blocks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import ttl

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random


def operation(grid: tuple[int, int], block: int) -> Any:
    """The operation, in blocks of ``block`` x ``block`` tiles."""

    @ttl.operation(grid=grid)
    def fma(a: Any, b: Any, c: Any, y: Any) -> None:
        grid_x, grid_y = ttl.grid_size(dims=2)
        node_x, node_y = ttl.node(dims=2)
        row_blocks = a.shape[0] // 32 // block
        col_blocks = a.shape[1] // 32 // block
        rows_per_node = -(-row_blocks // grid_y)
        cols_per_node = -(-col_blocks // grid_x)
        own_rows = range(node_y * rows_per_node, min((node_y + 1) * rows_per_node, row_blocks))
        own_cols = range(node_x * cols_per_node, min((node_x + 1) * cols_per_node, col_blocks))

        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(block, block), block_count=2)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(block, block), block_count=2)
        c_dfb = ttl.make_dataflow_buffer_like(c, shape=(block, block), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(block, block), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for row in own_rows:
                for col in own_cols:
                    rows = slice(row * block, (row + 1) * block)
                    cols = slice(col * block, (col + 1) * block)
                    with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk, c_dfb.reserve() as c_blk:
                        a_xf = ttl.copy(a[rows, cols], a_blk)
                        b_xf = ttl.copy(b[rows, cols], b_blk)
                        c_xf = ttl.copy(c[rows, cols], c_blk)
                        a_xf.wait()
                        b_xf.wait()
                        c_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own_rows:
                for _ in own_cols:
                    with (
                        a_dfb.wait() as a_blk,
                        b_dfb.wait() as b_blk,
                        c_dfb.wait() as c_blk,
                        y_dfb.reserve() as y_blk,
                    ):
                        y_blk.store(a_blk * b_blk + c_blk)

        @ttl.datamovement()
        def write() -> None:
            for row in own_rows:
                for col in own_cols:
                    rows = slice(row * block, (row + 1) * block)
                    cols = slice(col * block, (col + 1) * block)
                    with y_dfb.wait() as y_blk:
                        y_xf = ttl.copy(y_blk, y[rows, cols])
                        y_xf.wait()

    return fma


def prepare(rows: int = 256, cols: int = 256, grid: tuple[int, int] = (4, 4), block: int = 1) -> Program:
    """Tensors of ``rows`` x ``cols`` elements."""
    inputs = tuple(random(rows, cols, seed=seed) for seed in range(3))
    return launched(
        opened(), operation(grid, block), inputs, (rows, cols), in_torch=lambda a, b, c: a * b + c
    )


if __name__ == "__main__":
    main(prepare)
