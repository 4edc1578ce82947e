"""Products of matrices: of any size, each block read once, and of a few rows with large weights."""

from __future__ import annotations

from typing import Any

import numpy as np

import ttl
from ttl.lang.library import TILE, require_fit, require_shapes, require_shares


def matmul_reference(a: Any, b: Any) -> Any:
    """``a @ b`` of arrays, in float64."""
    return np.matmul(np.asarray(a, np.float64), np.asarray(b, np.float64))


def make_matmul(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int, int, int] = (1, 1, 1)
) -> ttl.Operation:
    """``y = a @ b`` with ``a`` of (m, k), ``b`` of (k, n) and ``y`` of (m, n); ``sizes`` is (m, k, n) in elements.

    A node has the part of ``y`` that is in its row and column of ``grid`` (columns, rows), in ``blocks`` of (m, k, n)
    tiles. Blocks of ``a`` are read once for each row of nodes and multicast along it, blocks of ``b`` once for each
    column. Sums are kept in float32 and rounded when they are stored. The operation is called with ``a``, ``b`` and
    ``y``; its stage with a dataflow buffer for each and ``steps``, the number of blocks of ``k``: it makes one block of
    ``y``.

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes of tensors. Specification: "Pipe net", multicast.
    """
    require_fit("matmul", (sizes, "m k n"), grid, (blocks, "m k n"))
    m, k, n = blocks
    require_shares("matmul", m=(sizes[0] // TILE // m, grid[1]), n=(sizes[2] // TILE // n, grid[0]))
    rows, columns = sizes[0] // TILE // m // grid[1], sizes[2] // TILE // n // grid[0]
    k_blocks = sizes[1] // TILE // k

    @ttl.operation()
    def stage(a_dfb: ttl.DFB, b_dfb: ttl.DFB, y_dfb: ttl.DFB, steps: int) -> None:
        with y_dfb.reserve() as y_blk:
            total = ttl.block.fill(0, shape=(m, n))
            for _ in range(steps):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                    total += a_blk @ b_blk
            y_blk.store(total)

    @ttl.operation(grid=grid)
    def matmul(a: Any, b: Any, y: Any) -> None:
        require_shapes("matmul", a=(a, sizes[:2]), b=(b, sizes[1:]), y=(y, (sizes[0], sizes[2])))
        node_x, node_y = ttl.node(dims=2)
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(m, k))
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(k, n))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(m, n))
        if grid[0] > 1:
            a_net = ttl.PipeNet([ttl.Pipe((0, y), (slice(1, grid[0]), y)) for y in range(grid[1])])
        if grid[1] > 1:
            b_net = ttl.PipeNet([ttl.Pipe((x, 0), (x, slice(1, grid[1]))) for x in range(grid[0])])
        for block in range(rows * columns):
            row = (node_y * rows + block // columns) * m
            column = (node_x * columns + block % columns) * n
            for step in range(k_blocks):
                with a_dfb.reserve() as a_blk:
                    if node_x == 0:
                        ttl.copy(a[row : row + m, step * k : (step + 1) * k], a_blk).wait()
                    if grid[0] > 1:
                        a_net.if_src(lambda pipe: ttl.copy(a_blk, pipe).wait())
                        a_net.if_dst(lambda pipe: ttl.copy(pipe, a_blk).wait())
                with b_dfb.reserve() as b_blk:
                    if node_y == 0:
                        ttl.copy(b[step * k : (step + 1) * k, column : column + n], b_blk).wait()
                    if grid[1] > 1:
                        b_net.if_src(lambda pipe: ttl.copy(b_blk, pipe).wait())
                        b_net.if_dst(lambda pipe: ttl.copy(pipe, b_blk).wait())
            stage(a_dfb, b_dfb, y_dfb, k_blocks)
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row : row + m, column : column + n]).wait()

    matmul.stage, matmul.reference = stage, matmul_reference
    return matmul


def make_gemv(sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int] = (1,)) -> ttl.Operation:
    """``y = x @ w`` for a few rows: ``x`` of (rows, k), ``w`` of (k, n), ``y`` of (rows, n); ``sizes`` is (rows, k, n).

    The rows, such as tokens of a batch, need not fill a tile. ``x`` is kept in L1 as a whole; the nodes of ``grid`` take
    ``blocks`` of (n,) tiles in turn, with all of ``k``: every weight is read once. The operation is called with ``x``,
    ``w`` and ``y``. Its stage is called with a dataflow buffer for each and ``count``: it takes one block of ``x``, all
    of (rows, k), and ``count`` blocks of (k, n).

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes of tensors.
    """
    require_fit("gemv", (sizes, "rows k n"), grid, (blocks, "n"), whole="k")
    (n,) = blocks
    height, depth = -(-sizes[0] // TILE), sizes[1] // TILE
    total = sizes[2] // TILE // n

    @ttl.operation()
    def stage(x_dfb: ttl.DFB, w_dfb: ttl.DFB, y_dfb: ttl.DFB, count: int) -> None:
        with x_dfb.wait() as x_blk:
            for _ in range(count):
                with w_dfb.wait() as w_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(x_blk @ w_blk)

    @ttl.operation(grid=grid)
    def gemv(x: Any, w: Any, y: Any) -> None:
        require_shapes("gemv", x=(x, sizes[:2]), w=(w, sizes[1:]), y=(y, (sizes[0], sizes[2])))
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(height, depth), block_count=1)
        w_dfb = ttl.make_dataflow_buffer_like(w, shape=(depth, n))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(height, n))
        own = range(ttl.node(dims=1), total, ttl.grid_size(dims=1))
        if len(own) > 0:
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[:, :], x_blk).wait()
            stage(x_dfb, w_dfb, y_dfb, len(own))
            for block in own:
                with w_dfb.reserve() as w_blk:
                    ttl.copy(w[:, block * n : (block + 1) * n], w_blk).wait()
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[:, block * n : (block + 1) * n]).wait()

    gemv.stage, gemv.reference = stage, matmul_reference
    return gemv


def swiglu_reference(x: Any, gate: Any, up: Any) -> Any:
    """``silu(x @ gate) * (x @ up)`` of arrays, in float64."""
    gated = matmul_reference(x, gate)
    return gated / (1 + np.exp(-gated)) * matmul_reference(x, up)


def make_swiglu(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int, int, int] = (1, 1, 1)
) -> ttl.Operation:
    """``y = silu(x @ gate) * (x @ up)``, the first half of a feed-forward network; ``sizes`` is (rows, k, n) in elements.

    ``x`` is of (rows, k), ``gate`` and ``up`` of (k, n), ``y`` of (rows, n). The rows need not fill a tile. The nodes of
    ``grid`` take blocks of ``y`` in turn, of ``blocks`` (rows, k, n) tiles. The operation is called with ``x``, ``gate``,
    ``up`` and ``y``; its stage with a dataflow buffer for each and ``steps``, the number of blocks of ``k``: it makes one
    block of ``y``.

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes of tensors. Source: Shazeer, "GLU Variants Improve Transformer" (2020).
    """
    require_fit("swiglu", (sizes, "rows k n"), grid, (blocks, "rows k n"), padded="rows")
    padded = -(-sizes[0] // TILE) * TILE
    m, k, n = blocks
    across = sizes[2] // TILE // n
    total = padded // TILE // m * across
    k_blocks = sizes[1] // TILE // k

    @ttl.operation()
    def stage(x_dfb: ttl.DFB, gate_dfb: ttl.DFB, up_dfb: ttl.DFB, y_dfb: ttl.DFB, steps: int) -> None:
        with y_dfb.reserve() as y_blk:
            gated = ttl.block.fill(0, shape=(m, n))
            total = ttl.block.fill(0, shape=(m, n))
            for _ in range(steps):
                with x_dfb.wait() as x_blk, gate_dfb.wait() as gate_blk, up_dfb.wait() as up_blk:
                    gated += x_blk @ gate_blk
                    total += x_blk @ up_blk
            y_blk.store(ttl.math.silu(gated) * total)

    @ttl.operation(grid=grid)
    def swiglu(x: Any, gate: Any, up: Any, y: Any) -> None:
        require_shapes(
            "swiglu",
            x=(x, sizes[:2]),
            gate=(gate, sizes[1:]),
            up=(up, sizes[1:]),
            y=(y, (sizes[0], sizes[2])),
        )
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(m, k))
        gate_dfb = ttl.make_dataflow_buffer_like(gate, shape=(k, n))
        up_dfb = ttl.make_dataflow_buffer_like(up, shape=(k, n))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(m, n))
        for block in range(ttl.node(dims=1), total, ttl.grid_size(dims=1)):
            row, column = block // across * m, block % across * n
            for step in range(0, k_blocks * k, k):
                with x_dfb.reserve() as x_blk, gate_dfb.reserve() as gate_blk, up_dfb.reserve() as up_blk:
                    x_xf = ttl.copy(x[row : row + m, step : step + k], x_blk)
                    gate_xf = ttl.copy(gate[step : step + k, column : column + n], gate_blk)
                    up_xf = ttl.copy(up[step : step + k, column : column + n], up_blk)
                    x_xf.wait()
                    gate_xf.wait()
                    up_xf.wait()
            stage(x_dfb, gate_dfb, up_dfb, y_dfb, k_blocks)
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row : row + m, column : column + n]).wait()

    swiglu.stage, swiglu.reference = stage, swiglu_reference
    return swiglu
