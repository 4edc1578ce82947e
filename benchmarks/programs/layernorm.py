"""Layer normalization of rows, a row of tiles in a block."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
import ttl

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random

EPSILON = 1e-5


def operation(grid: tuple[int, int]) -> Any:
    """The operation, ``(x - mean) / sqrt(variance + EPSILON) * gamma + beta``; node n takes every so many rows of
    tiles, from n on."""

    @ttl.operation(grid=grid)
    def layer_norm(x: Any, gamma: Any, beta: Any, y: Any) -> None:
        columns = x.shape[1]
        row_tiles = x.shape[0] // 32
        col_tiles = x.shape[1] // 32
        own_rows = range(ttl.node(dims=1), row_tiles, ttl.grid_size(dims=1))

        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, col_tiles), block_count=2)
        gamma_dfb = ttl.make_dataflow_buffer_like(gamma, shape=(1, col_tiles), block_count=1)
        beta_dfb = ttl.make_dataflow_buffer_like(beta, shape=(1, col_tiles), block_count=1)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, col_tiles), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for row in own_rows:
                with x_dfb.reserve() as x_blk:
                    x_xf = ttl.copy(x[row, :], x_blk)
                    x_xf.wait()
                # While the first row is computed, what all rows are multiplied by and what is added to them
                if row == own_rows.start:
                    with gamma_dfb.reserve() as gamma_blk, beta_dfb.reserve() as beta_blk:
                        gamma_xf = ttl.copy(gamma[0, :], gamma_blk)
                        beta_xf = ttl.copy(beta[0, :], beta_blk)
                        gamma_xf.wait()
                        beta_xf.wait()

        @ttl.compute()
        def compute() -> None:
            if len(own_rows) > 0:
                with gamma_dfb.wait() as gamma_blk, beta_dfb.wait() as beta_blk:
                    gamma_rows = ttl.block.broadcast(gamma_blk, dims=[0], shape=(1, col_tiles))
                    beta_rows = ttl.block.broadcast(beta_blk, dims=[0], shape=(1, col_tiles))
                    for _ in own_rows:
                        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                            mean = ttl.math.reduce_sum(x_blk, dims=[-1], shape=(1, 1)) * (1 / columns)
                            centered = x_blk - ttl.block.broadcast(mean, dims=[-1], shape=(1, col_tiles))
                            squares = ttl.math.reduce_sum(ttl.math.square(centered), dims=[-1], shape=(1, 1))
                            scale = ttl.math.rsqrt(squares * (1 / columns) + EPSILON)
                            scale_rows = ttl.block.broadcast(scale, dims=[-1], shape=(1, col_tiles))
                            y_blk.store(centered * scale_rows * gamma_rows + beta_rows)

        @ttl.datamovement()
        def write() -> None:
            for row in own_rows:
                with y_dfb.wait() as y_blk:
                    y_xf = ttl.copy(y_blk, y[row, :])
                    y_xf.wait()

    return layer_norm


def in_torch(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor) -> torch.Tensor:
    """The same, in the type of the operands."""
    return torch.nn.functional.layer_norm(x, [x.shape[1]], gamma[0], beta[0], eps=EPSILON)


def prepare(rows: int = 128, cols: int = 128, grid: tuple[int, int] = (2, 2)) -> Program:
    """A tensor of ``rows`` x ``cols`` elements."""
    inputs = (random(rows, cols, seed=0), random(1, cols, seed=1), random(1, cols, seed=2))
    return launched(opened(), operation(grid), inputs, (rows, cols), in_torch=in_torch)


if __name__ == "__main__":
    main(prepare)
