"""``y = a * b + c``, every node its rectangle of blocks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import ttl

from harness import Benchmark, Prepared
from programs.tensors import blank, check, random, tiled

# Milliseconds asked for, by the tiles along a side of a block.
_TARGETS = {1: 150.0, 4: 30.0}


def operation(grid: tuple[int, int], block: int) -> Any:
    """The operation, in blocks of ``block`` x ``block`` tiles."""

    @ttl.operation(grid=grid)
    def fma(a: Any, b: Any, c: Any, y: Any) -> None:
        grid_x, grid_y = ttl.grid_size(dims=2)
        node_x, node_y = ttl.node(dims=2)
        rows, cols = (extent // 32 // block for extent in a.shape)
        rows_per_node, cols_per_node = -(-rows // grid_y), -(-cols // grid_x)
        shape = (block, block)
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=shape)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=shape)
        c_dfb = ttl.make_dataflow_buffer_like(c, shape=shape)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=shape)

        def blocks() -> Iterator[tuple[slice, slice]]:
            for row in range(node_y * rows_per_node, min((node_y + 1) * rows_per_node, rows)):
                for col in range(node_x * cols_per_node, min((node_x + 1) * cols_per_node, cols)):
                    yield slice(row * block, (row + 1) * block), slice(col * block, (col + 1) * block)

        @ttl.datamovement()
        def read() -> None:
            for rows, cols in blocks():
                with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk, c_dfb.reserve() as c_blk:
                    a_xf = ttl.copy(a[rows, cols], a_blk)
                    b_xf = ttl.copy(b[rows, cols], b_blk)
                    c_xf = ttl.copy(c[rows, cols], c_blk)
                    a_xf.wait()
                    b_xf.wait()
                    c_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in blocks():
                with (
                    a_dfb.wait() as a_blk,
                    b_dfb.wait() as b_blk,
                    c_dfb.wait() as c_blk,
                    y_dfb.reserve() as y_blk,
                ):
                    y_blk.store(a_blk * b_blk + c_blk)

        @ttl.datamovement()
        def write() -> None:
            for rows, cols in blocks():
                with y_dfb.wait() as y_blk:
                    y_xf = ttl.copy(y_blk, y[rows, cols])
                    y_xf.wait()

    return fma


def prepare(size: int, grid: tuple[int, int], block: int) -> Prepared:
    """Square tensors of ``size`` elements along a side."""
    a, b, c = (random(size, size, seed=seed) for seed in range(3))
    tensors = [tiled(each) for each in (a, b, c)]
    y = blank(size, size)
    fma = operation(grid, block)
    return Prepared(
        run=lambda: fma(*tensors, y),
        torch=lambda: a * b + c,
        check=lambda: check(y, a.double() * b.double() + c.double()),
    )


def benchmark(size: int, grid: tuple[int, int], block: int, target_ms: float | None = None) -> Benchmark:
    """With these parameters."""
    return Benchmark(
        name="eltwise a*b+c",
        parameters={"size": (size, size), "grid": grid, "block": (block, block)},
        prepare=partial(prepare, size, grid, block),
        target_ms=target_ms,
    )


def benchmarks(*, quick: bool) -> list[Benchmark]:
    """Blocks of 1x1, 2x2 and 4x4 tiles."""
    if quick:
        return [benchmark(256, (4, 4), block) for block in (1, 2)]
    return [benchmark(2048, (8, 8), block, _TARGETS.get(block)) for block in (1, 2, 4)]
