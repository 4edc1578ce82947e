"""A one-tile operation on many nodes: what a launch costs."""

from __future__ import annotations

from functools import partial
from typing import Any

import ttl

from harness import Benchmark, Prepared
from programs.tensors import blank, check, random, tiled


def operation(grid: tuple[int, int]) -> Any:
    """Every node has one tile of its own."""

    @ttl.operation(grid=grid)
    def double(x: Any, y: Any) -> None:
        col, row = ttl.node(dims=2)
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

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


def prepare(grid: tuple[int, int]) -> Prepared:
    """As many tiles as nodes."""
    x = random(32 * grid[1], 32 * grid[0], seed=0)
    x_tiled, y = tiled(x), blank(*x.shape)
    double = operation(grid)
    return Prepared(
        run=lambda: double(x_tiled, y), torch=lambda: x + x, check=lambda: check(y, 2 * x.double())
    )


def benchmark(grid: tuple[int, int], target_ms: float | None = None) -> Benchmark:
    """With these parameters."""
    return Benchmark(
        name="one tile per node",
        parameters={"grid": grid},
        prepare=partial(prepare, grid),
        target_ms=target_ms,
    )


def benchmarks(*, quick: bool) -> list[Benchmark]:
    """On the whole grid of a Wormhole chip."""
    return [benchmark((2, 2))] if quick else [benchmark((8, 8), 5.0)]
