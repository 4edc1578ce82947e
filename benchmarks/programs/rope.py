"""Rotary positions: halves of rows, turned against each other by angles that belong to the row."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
import ttl

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random


def operation(grid: tuple[int, int]) -> Any:
    """The operation, ``x * cos + rotated(x) * sin``; node n takes every so many rows of tiles, from n on."""

    @ttl.operation(grid=grid)
    def rope(x: Any, cos: Any, sin: Any, y: Any) -> None:
        half = x.shape[1] // 64
        own_rows = range(ttl.node(dims=1), x.shape[0] // 32, ttl.grid_size(dims=1))
        first_dfb, second_dfb, cos_dfb, sin_dfb, y_dfb = (
            ttl.make_dataflow_buffer_like(x, shape=(1, half), block_count=2) for _ in range(5)
        )

        @ttl.datamovement()
        def read() -> None:
            for row in own_rows:
                with first_dfb.reserve() as first, second_dfb.reserve() as second:
                    first_xf = ttl.copy(x[row, 0:half], first)
                    second_xf = ttl.copy(x[row, half : 2 * half], second)
                    first_xf.wait()
                    second_xf.wait()
                with cos_dfb.reserve() as cos_blk, sin_dfb.reserve() as sin_blk:
                    cos_xf, sin_xf = ttl.copy(cos[row, :], cos_blk), ttl.copy(sin[row, :], sin_blk)
                    cos_xf.wait()
                    sin_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own_rows:
                with (
                    first_dfb.wait() as first,
                    second_dfb.wait() as second,
                    cos_dfb.wait() as cos_blk,
                    sin_dfb.wait() as sin_blk,
                ):
                    with y_dfb.reserve() as y_blk:
                        y_blk.store(first * cos_blk - second * sin_blk)
                    with y_dfb.reserve() as y_blk:
                        y_blk.store(second * cos_blk + first * sin_blk)

        @ttl.datamovement()
        def write() -> None:
            for row in own_rows:
                for column in (0, half):
                    with y_dfb.wait() as y_blk:
                        ttl.copy(y_blk, y[row, column : column + half]).wait()

    return rope


def in_torch(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """The same, in the type of the operands."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def prepare(rows: int = 128, cols: int = 128, grid: tuple[int, int] = (2, 2)) -> Program:
    """A tensor of ``rows`` x ``cols`` elements, and angles as a model has them."""
    angles = torch.arange(rows)[:, None] / 10000 ** (torch.arange(cols // 2) * 2 / cols)
    inputs = (random(rows, cols, seed=0), angles.cos().bfloat16(), angles.sin().bfloat16())
    return launched(opened(), operation(grid), inputs, (rows, cols), in_torch=in_torch)


if __name__ == "__main__":
    main(prepare)
