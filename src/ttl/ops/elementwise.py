"""Any element-wise expression, on tensors of equal shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ttl
from ttl.lang.library import TILE, require_choice, require_fit, require_shapes


def make_elementwise(
    function: Callable[..., Any],
    sizes: tuple[int, int],
    grid: tuple[int, int],
    blocks: tuple[int, int] = (1, 1),
    inputs: int = 1,
    reference: Callable[..., Any] | None = None,
) -> ttl.Operation:
    """``y = function(a)``, ``function(a, b)`` or ``function(a, b, c)``, on tensors of ``sizes`` (rows, columns) elements.

    ``function`` gets blocks of ``blocks`` (rows, columns) tiles and returns an expression of operators and ``ttl.math``;
    ``inputs``, one to three, says how many it takes. The nodes of ``grid`` take blocks in turn. The operation is called
    with the inputs and ``y``, its stage with a dataflow buffer for each of them and ``count``, a number of blocks.
    ``reference`` is the same function for arrays of NumPy; by default it is ``function`` itself.

    Errors: sizes, a grid, blocks and inputs that are not such numbers (TTL1650), blocks that do not divide the sizes
    (TTL1651), and tensors of other shapes (TTL1652). Specification: "Block", element-wise expressions.
    """
    require_fit("elementwise", (sizes, "rows columns"), grid, (blocks, "rows columns"))
    require_choice("elementwise", "inputs", inputs, (1, 2, 3))
    height, width = blocks
    across = sizes[1] // TILE // width
    total = sizes[0] // TILE // height * across

    @ttl.operation()
    def unary_stage(a_dfb: ttl.DFB, y_dfb: ttl.DFB, count: int) -> None:
        for _ in range(count):
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                y_blk.store(function(a_blk))

    @ttl.operation()
    def binary_stage(a_dfb: ttl.DFB, b_dfb: ttl.DFB, y_dfb: ttl.DFB, count: int) -> None:
        for _ in range(count):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                y_blk.store(function(a_blk, b_blk))

    @ttl.operation()
    def ternary_stage(a_dfb: ttl.DFB, b_dfb: ttl.DFB, c_dfb: ttl.DFB, y_dfb: ttl.DFB, count: int) -> None:
        for _ in range(count):
            with (
                a_dfb.wait() as a_blk,
                b_dfb.wait() as b_blk,
                c_dfb.wait() as c_blk,
                y_dfb.reserve() as y_blk,
            ):
                y_blk.store(function(a_blk, b_blk, c_blk))

    @ttl.operation()
    def load(source: Any, dfb: ttl.DFB, block: int) -> None:
        row, column = block // across * height, block % across * width
        with dfb.reserve() as blk:
            ttl.copy(source[row : row + height, column : column + width], blk).wait()

    @ttl.operation()
    def store(dfb: ttl.DFB, target: Any, block: int) -> None:
        row, column = block // across * height, block % across * width
        with dfb.wait() as blk:
            ttl.copy(blk, target[row : row + height, column : column + width]).wait()

    @ttl.operation(grid=grid)
    def unary(a: Any, y: Any) -> None:
        require_shapes("elementwise", a=(a, sizes), y=(y, sizes))
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=blocks)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=blocks)
        for block in range(ttl.node(dims=1), total, ttl.grid_size(dims=1)):
            load(a, a_dfb, block)
            unary_stage(a_dfb, y_dfb, 1)
            store(y_dfb, y, block)

    @ttl.operation(grid=grid)
    def binary(a: Any, b: Any, y: Any) -> None:
        require_shapes("elementwise", a=(a, sizes), b=(b, sizes), y=(y, sizes))
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=blocks)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=blocks)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=blocks)
        for block in range(ttl.node(dims=1), total, ttl.grid_size(dims=1)):
            load(a, a_dfb, block)
            load(b, b_dfb, block)
            binary_stage(a_dfb, b_dfb, y_dfb, 1)
            store(y_dfb, y, block)

    @ttl.operation(grid=grid)
    def ternary(a: Any, b: Any, c: Any, y: Any) -> None:
        require_shapes("elementwise", a=(a, sizes), b=(b, sizes), c=(c, sizes), y=(y, sizes))
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=blocks)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=blocks)
        c_dfb = ttl.make_dataflow_buffer_like(c, shape=blocks)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=blocks)
        for block in range(ttl.node(dims=1), total, ttl.grid_size(dims=1)):
            load(a, a_dfb, block)
            load(b, b_dfb, block)
            load(c, c_dfb, block)
            ternary_stage(a_dfb, b_dfb, c_dfb, y_dfb, 1)
            store(y_dfb, y, block)

    operation, stage = unary, unary_stage
    if inputs == 2:
        operation, stage = binary, binary_stage
    if inputs == 3:
        operation, stage = ternary, ternary_stage
    operation.stage, operation.reference = stage, reference or function
    return operation
