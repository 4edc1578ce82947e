"""``y = a @ b``, every node reads its rows of ``a`` and columns of ``b`` itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
import ttl

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random


def operation(grid: tuple[int, int], block: tuple[int, int, int]) -> Any:
    """The operation, in blocks of so many tiles along M, N and K."""
    m_tiles, n_tiles, k_tiles = block

    @ttl.operation(grid=grid)
    def matmul(a: Any, b: Any, y: Any) -> None:
        grid_x, grid_y = ttl.grid_size(dims=2)
        node_x, node_y = ttl.node(dims=2)
        m_blocks = a.shape[0] // 32 // m_tiles
        n_blocks = b.shape[1] // 32 // n_tiles
        k_blocks = a.shape[1] // 32 // k_tiles
        m_per_node = -(-m_blocks // grid_y)
        n_per_node = -(-n_blocks // grid_x)
        own_m = range(node_y * m_per_node, min((node_y + 1) * m_per_node, m_blocks))
        own_n = range(node_x * n_per_node, min((node_x + 1) * n_per_node, n_blocks))

        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(m_tiles, k_tiles), block_count=2)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(k_tiles, n_tiles), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(m_tiles, n_tiles), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for m in own_m:
                rows = slice(m * m_tiles, (m + 1) * m_tiles)
                for n in own_n:
                    cols = slice(n * n_tiles, (n + 1) * n_tiles)
                    for k in range(k_blocks):
                        inner = slice(k * k_tiles, (k + 1) * k_tiles)
                        with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                            a_xf = ttl.copy(a[rows, inner], a_blk)
                            b_xf = ttl.copy(b[inner, cols], b_blk)
                            a_xf.wait()
                            b_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own_m:
                for _ in own_n:
                    with y_dfb.reserve() as y_blk:
                        total = ttl.block.fill(0, shape=(m_tiles, n_tiles))
                        for _ in range(k_blocks):
                            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                                total += a_blk @ b_blk
                        y_blk.store(total)

        @ttl.datamovement()
        def write() -> None:
            for m in own_m:
                rows = slice(m * m_tiles, (m + 1) * m_tiles)
                for n in own_n:
                    cols = slice(n * n_tiles, (n + 1) * n_tiles)
                    with y_dfb.wait() as y_blk:
                        y_xf = ttl.copy(y_blk, y[rows, cols])
                        y_xf.wait()

    return matmul


def prepare(
    size: int = 128,
    grid: tuple[int, int] = (2, 2),
    block: tuple[int, int, int] = (1, 1, 1),
    inner: int | None = None,
) -> Program:
    """Square matrices of ``size`` elements along a side; ``inner``, if given, is the extent that is summed over."""
    inputs = (random(size, inner or size, seed=0), random(inner or size, size, seed=1))
    return launched(opened(), operation(grid, block), inputs, (size, size), in_torch=torch.matmul)


if __name__ == "__main__":
    main(prepare)
