"""``y = a @ b``, every node reads its rows of ``a`` and columns of ``b`` itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import ttl

from harness import Benchmark, Prepared
from programs.tensors import blank, check, random, tiled

_TARGETS = {1: 700.0, 4: 60.0}


def operation(grid: tuple[int, int], block: int) -> Any:
    """The operation, in blocks of ``block`` tiles along each of M, N and K."""

    @ttl.operation(grid=grid)
    def matmul(a: Any, b: Any, y: Any) -> None:
        grid_x, grid_y = ttl.grid_size(dims=2)
        node_x, node_y = ttl.node(dims=2)
        m_blocks, k_blocks = (extent // 32 // block for extent in a.shape)
        n_blocks = b.shape[1] // 32 // block
        m_per_node, n_per_node = -(-m_blocks // grid_y), -(-n_blocks // grid_x)
        own_m = range(node_y * m_per_node, min((node_y + 1) * m_per_node, m_blocks))
        own_n = range(node_x * n_per_node, min((node_x + 1) * n_per_node, n_blocks))
        shape = (block, block)
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=shape)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=shape)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=shape)

        @ttl.datamovement()
        def read() -> None:
            for m in own_m:
                for n in own_n:
                    for k in range(k_blocks):
                        with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                            rows, cols = slice(m * block, (m + 1) * block), slice(n * block, (n + 1) * block)
                            inner = slice(k * block, (k + 1) * block)
                            a_xf = ttl.copy(a[rows, inner], a_blk)
                            b_xf = ttl.copy(b[inner, cols], b_blk)
                            a_xf.wait()
                            b_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own_m:
                for _ in own_n:
                    with y_dfb.reserve() as y_blk:
                        total = ttl.block.fill(0, shape=shape)
                        for _ in range(k_blocks):
                            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                                total += a_blk @ b_blk
                        y_blk.store(total)

        @ttl.datamovement()
        def write() -> None:
            for m in own_m:
                for n in own_n:
                    with y_dfb.wait() as y_blk:
                        y_xf = ttl.copy(y_blk, y[m * block : (m + 1) * block, n * block : (n + 1) * block])
                        y_xf.wait()

    return matmul


def prepare(size: int, grid: tuple[int, int], block: int) -> Prepared:
    """Square matrices of ``size`` elements along a side."""
    a, b = (random(size, size, seed=seed) for seed in range(2))
    a_tiled, b_tiled, y = tiled(a), tiled(b), blank(size, size)
    matmul = operation(grid, block)
    return Prepared(
        run=lambda: matmul(a_tiled, b_tiled, y),
        torch=lambda: a @ b,
        check=lambda: check(y, a.double() @ b.double()),
    )


def benchmark(size: int, grid: tuple[int, int], block: int, target_ms: float | None = None) -> Benchmark:
    """With these parameters."""
    return Benchmark(
        name="matmul",
        parameters={"size": (size, size, size), "grid": grid, "block": (block, block, block)},
        prepare=partial(prepare, size, grid, block),
        target_ms=target_ms,
    )


def benchmarks(*, quick: bool) -> list[Benchmark]:
    """Blocks of 1x1x1 and 4x4x4 tiles."""
    if quick:
        return [benchmark(128, (2, 2), block) for block in (1, 2)]
    return [benchmark(1024, (8, 8), block, _TARGETS.get(block)) for block in (1, 4)]
