"""``y = relu(a @ b + c)`` with the running sum in a dataflow buffer of float32, which the compute kernel fills and
empties itself: every step depends on the one before."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
import ttl
import ttnn

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random, tiled


def operation(grid: tuple[int, int], block: tuple[int, int, int]) -> Any:
    """The operation, in blocks of so many tiles along M, N and K."""
    m_tiles, n_tiles, k_tiles = block

    @ttl.operation(grid=grid)
    def linear_relu(a: Any, b: Any, c: Any, sum_like: Any, y: Any) -> None:
        grid_x, grid_y = ttl.grid_size(dims=2)
        node_x, node_y = ttl.node(dims=2)
        m_per_node = a.shape[0] // 32 // m_tiles // grid_y
        n_per_node = b.shape[1] // 32 // n_tiles // grid_x
        k_blocks = a.shape[1] // 32 // k_tiles
        own_m = range(node_y * m_per_node, (node_y + 1) * m_per_node)
        own_n = range(node_x * n_per_node, (node_x + 1) * n_per_node)

        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(m_tiles, k_tiles), block_count=2)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(k_tiles, n_tiles), block_count=2)
        c_dfb = ttl.make_dataflow_buffer_like(c, shape=(m_tiles, n_tiles), block_count=2)
        sum_dfb = ttl.make_dataflow_buffer_like(sum_like, shape=(m_tiles, n_tiles), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(m_tiles, n_tiles), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for m in own_m:
                rows = slice(m * m_tiles, (m + 1) * m_tiles)
                for n in own_n:
                    cols = slice(n * n_tiles, (n + 1) * n_tiles)
                    with c_dfb.reserve() as c_blk:
                        c_xf = ttl.copy(c[rows, cols], c_blk)
                        c_xf.wait()
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
                    with c_dfb.wait() as c_blk, sum_dfb.reserve() as sum_blk:
                        sum_blk.store(c_blk)
                    for _ in range(k_blocks):
                        with (
                            a_dfb.wait() as a_blk,
                            b_dfb.wait() as b_blk,
                            sum_dfb.wait() as previous_blk,
                            sum_dfb.reserve() as sum_blk,
                        ):
                            sum_blk.store(previous_blk + a_blk @ b_blk)
                    with sum_dfb.wait() as sum_blk, y_dfb.reserve() as y_blk:
                        y_blk.store(ttl.math.relu(sum_blk))

        @ttl.datamovement()
        def write() -> None:
            for m in own_m:
                rows = slice(m * m_tiles, (m + 1) * m_tiles)
                for n in own_n:
                    cols = slice(n * n_tiles, (n + 1) * n_tiles)
                    with y_dfb.wait() as y_blk:
                        y_xf = ttl.copy(y_blk, y[rows, cols])
                        y_xf.wait()

    return linear_relu


def prepare(
    size: int = 128,
    grid: tuple[int, int] = (2, 2),
    block: tuple[int, int, int] = (1, 1, 1),
    inner: int | None = None,
) -> Program:
    """Square matrices of ``size`` elements along a side, whose blocks divide evenly over the grid; ``inner``, if given,
    is the extent that is summed over."""
    device = opened()
    extents = ((size, inner or size), (inner or size, size), (size, size))
    return launched(
        device,
        operation(grid, block),
        tuple(random(*shape, seed=seed) for seed, shape in enumerate(extents)),
        (size, size),
        more=(tiled(torch.ones(32, 32), device, ttnn.float32),),
        in_torch=lambda a, b, c: torch.relu(torch.addmm(c, a, b)),
    )


if __name__ == "__main__":
    main(prepare)
