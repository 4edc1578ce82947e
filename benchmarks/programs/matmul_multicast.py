"""``y = a @ b`` with every block read from memory once: two-dimensional multicast over pipes.

The first node of a row reads the blocks of ``a`` that the row needs and multicasts them along it; the first node of
a column does it for ``b``. The kernel that only reads uses NoC 0, where what comes down to the nodes of the first row
shares no links; the one that writes uses NoC 1, which is the better one for writing.
"""

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
        m_per_node = a.shape[0] // 32 // m_tiles // grid_y
        n_per_node = b.shape[1] // 32 // n_tiles // grid_x
        k_blocks = a.shape[1] // 32 // k_tiles
        own_m = range(node_y * m_per_node, (node_y + 1) * m_per_node)
        own_n = range(node_x * n_per_node, (node_x + 1) * n_per_node)

        a_net = ttl.PipeNet([ttl.Pipe(src=(0, row), dst=(slice(1, grid_x), row)) for row in range(grid_y)])
        b_net = ttl.PipeNet([ttl.Pipe(src=(col, 0), dst=(col, slice(1, grid_y))) for col in range(grid_x)])

        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(m_tiles, k_tiles), block_count=2)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(k_tiles, n_tiles), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(m_tiles, n_tiles), block_count=2)

        @ttl.datamovement()
        def read_b() -> None:
            for _ in own_m:
                for n in own_n:
                    cols = slice(n * n_tiles, (n + 1) * n_tiles)
                    for k in range(k_blocks):
                        inner = slice(k * k_tiles, (k + 1) * k_tiles)
                        with b_dfb.reserve() as b_blk:

                            def send(pipe: Any) -> None:
                                b_xf = ttl.copy(b[inner, cols], b_blk)
                                b_xf.wait()
                                xf = ttl.copy(b_blk, pipe)
                                xf.wait()

                            def receive(pipe: Any) -> None:
                                xf = ttl.copy(pipe, b_blk)
                                xf.wait()

                            b_net.if_src(send)
                            b_net.if_dst(receive)

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
        def read_a_and_write() -> None:
            for m in own_m:
                rows = slice(m * m_tiles, (m + 1) * m_tiles)
                for n in own_n:
                    cols = slice(n * n_tiles, (n + 1) * n_tiles)
                    for k in range(k_blocks):
                        inner = slice(k * k_tiles, (k + 1) * k_tiles)
                        with a_dfb.reserve() as a_blk:

                            def send(pipe: Any) -> None:
                                a_xf = ttl.copy(a[rows, inner], a_blk)
                                a_xf.wait()
                                xf = ttl.copy(a_blk, pipe)
                                xf.wait()

                            def receive(pipe: Any) -> None:
                                xf = ttl.copy(pipe, a_blk)
                                xf.wait()

                            a_net.if_src(send)
                            a_net.if_dst(receive)
                    with y_dfb.wait() as y_blk:
                        y_xf = ttl.copy(y_blk, y[rows, cols])
                        y_xf.wait()

    return matmul


def prepare(
    size: int = 128, grid: tuple[int, int] = (2, 2), block: tuple[int, int, int] = (1, 1, 1)
) -> Program:
    """Square matrices of ``size`` elements along a side, whose blocks divide evenly over the grid."""
    inputs = tuple(random(size, size, seed=seed) for seed in range(2))
    return launched(opened(), operation(grid, block), inputs, (size, size), in_torch=torch.matmul)


if __name__ == "__main__":
    main(prepare)
