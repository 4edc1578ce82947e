"""The largest of a row: which one it is, the first few, and the experts that a token goes to; ``ttl.math.topk``, which kernels call."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

import ttl
from ttl.lang.library import TILE, require_choice, require_fit, require_shapes, require_topk, require_type
from ttl.rows.dtypes import BFLOAT16, FLOAT32, UINT16

# More than any tile, and any column of one, has.
_NONE = 128.0


def column_numbers(columns: int) -> Any:
    """The array of (1, columns) with the number of every column."""
    return np.arange(columns, dtype=np.float32)[None]


def first_largest(values: Any, numbers: Any) -> Any:
    """The largest of every row, and minus the number of the first column that has it, as columns."""
    rows, columns = values.shape
    largest = ttl.math.reduce_max(values, dims=[-1], shape=(rows, 1))
    is_largest = values >= ttl.block.broadcast(largest, dims=[-1], shape=(rows, columns))
    places = ttl.block.where(
        is_largest, -ttl.block.broadcast(numbers, dims=[0], shape=(rows, columns)), -math.inf
    )
    return largest, ttl.math.reduce_max(places, dims=[-1], shape=(rows, 1))


def at_place(place: Any, numbers: Any, shape: tuple[int, int]) -> Any:
    """Whether a column is the one whose number, with a minus, is in ``place``: for every row."""
    wanted = ttl.block.broadcast(place, dims=[-1], shape=shape)
    return ttl.math.eq(wanted, -ttl.block.broadcast(numbers, dims=[0], shape=shape))


def moe_router_reference(x: Any, w: Any, numbers: Any, top: int) -> Any:
    """The weights of the experts, 0 for all but the ``top`` largest of a row, of arrays, in float64."""
    logits = np.asarray(x, np.float64) @ np.asarray(w, np.float64)
    order = np.argsort(-logits, axis=-1, kind="stable")[:, :top]
    weights = np.zeros_like(logits)
    chosen = np.take_along_axis(logits, order, -1)
    powers = np.exp(chosen - chosen.max(-1, keepdims=True))
    np.put_along_axis(weights, order, powers / powers.sum(-1, keepdims=True), -1)
    return weights


def make_moe_router(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int] = (1,), top: int = 2
) -> ttl.Operation:
    """The weights of the experts that each token goes to; ``sizes`` is (rows, k, experts).

    ``x`` is of (rows, k), ``w`` of (k, experts), ``y`` of (rows, experts): the softmax over the ``top`` largest of
    ``x @ w`` in a row, and 0 elsewhere. They are compared in bfloat16; of equal ones, the first counts. ``numbers`` is ``ttl.ops.column_numbers`` of the
    experts. Rows and experts need not fill tiles. A block is ``blocks`` (rows,) tiles high; the nodes of ``grid`` take
    blocks in turn and keep ``w``. The operation is called with ``x``, ``w``, ``numbers`` and ``y``. Its stage is called
    with a dataflow buffer for each and ``count``: it takes one block of ``w`` and ``numbers``, and ``count`` of ``x``.

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes of tensors. Source: Shazeer et al., "Outrageously Large Neural Networks" (2017).
    """
    require_fit("moe_router", (sizes, "rows k experts"), grid, (blocks, "rows"), padded="rows", whole="k")
    require_choice("moe_router", "top", top, range(1, sizes[2] + 1))
    rows, depth, experts = sizes
    padded = -(-rows // TILE) * TILE
    (height,) = blocks
    k, width = depth // TILE, -(-experts // TILE)
    shape = (height, width)
    total = padded // TILE // height

    @ttl.operation()
    def stage(x_dfb: ttl.DFB, w_dfb: ttl.DFB, numbers_dfb: ttl.DFB, y_dfb: ttl.DFB, count: int) -> None:
        with w_dfb.wait() as w_blk, numbers_dfb.wait() as numbers_blk:
            for _ in range(count):
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    logits = x_blk @ w_blk
                    compared = ttl.math.typecast(logits, BFLOAT16)
                    most, place = first_largest(compared, numbers_blk)
                    chosen = at_place(place, numbers_blk, shape)
                    for _ in ttl.static_range(top - 1):
                        rest = ttl.block.where(chosen, -math.inf, compared)
                        chosen = chosen + at_place(first_largest(rest, numbers_blk)[1], numbers_blk, shape)
                    powers = ttl.math.exp(logits - ttl.block.broadcast(most, dims=[-1], shape=shape)) * chosen
                    scale = ttl.math.recip(ttl.math.reduce_sum(powers, dims=[-1], shape=(height, 1)))
                    y_blk.store(powers * ttl.block.broadcast(scale, dims=[-1], shape=shape))

    @ttl.operation(grid=grid)
    def moe_router(x: Any, w: Any, numbers: Any, y: Any) -> None:
        require_shapes(
            "moe_router",
            x=(x, (rows, depth)),
            w=(w, (depth, experts)),
            numbers=(numbers, (1, experts)),
            y=(y, (rows, experts)),
        )
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(height, k))
        w_dfb = ttl.make_dataflow_buffer_like(w, shape=(k, width), block_count=1)
        numbers_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, width), block_count=1)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=shape)
        own = range(ttl.node(dims=1), total, ttl.grid_size(dims=1))
        if len(own) > 0:
            with w_dfb.reserve() as w_blk, numbers_dfb.reserve() as numbers_blk:
                ttl.copy(w[:, :], w_blk).wait()
                ttl.copy(numbers[:, :], numbers_blk).wait()
            stage(x_dfb, w_dfb, numbers_dfb, y_dfb, len(own))
            for block in own:
                row = block * height
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[row : row + height, :], x_blk).wait()
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row : row + height, :]).wait()

    moe_router.stage, moe_router.reference = stage, partial(moe_router_reference, top=top)
    return moe_router


def argmax_reference(x: Any, numbers: Any) -> Any:
    """The number of the first largest of every row of an array, as a column, in float64."""
    return np.argmax(np.asarray(x), axis=-1).astype(np.float64)[:, None]


def make_argmax(
    sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int, int] = (1, 1)
) -> ttl.Operation:
    """The number of the first largest of every row: ``x`` is of ``sizes`` (rows, columns) in bfloat16, ``y`` of (rows, 1).

    The rows need not fill a tile. The nodes of ``grid`` take rows in turn and pass over their columns once, in ``blocks``
    of (rows, columns) tiles, of up to 2,048 columns each, so that their numbers are exact in the matrix unit. ``numbers``
    is ``ttl.ops.column_numbers`` of the columns of a block, in float32; ``y`` is of float32, in which numbers up to
    16,777,216 are exact. The operation is called with ``x``, ``numbers`` and ``y``. Its stage is called with a dataflow
    buffer for each and ``steps``: it takes one block of ``numbers`` and ``steps`` of ``x``, and makes one of ``y``.

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes or types of tensors. Source: PyTorch, ``torch.argmax`` with ``dim=-1, keepdim=True``.
    """
    require_fit("argmax", (sizes, "rows columns"), grid, (blocks, "rows columns"), padded="rows")
    padded = -(-sizes[0] // TILE) * TILE
    height, width = blocks
    steps_of_row = sizes[1] // TILE // width
    total = padded // TILE // height
    columns = width * TILE

    @ttl.operation()
    def stage(x_dfb: ttl.DFB, numbers_dfb: ttl.DFB, y_dfb: ttl.DFB, steps: int) -> None:
        with numbers_dfb.wait() as numbers_blk, y_dfb.reserve() as y_blk:
            largest = ttl.block.fill(-math.inf, shape=(height, 1))
            best = ttl.block.fill(0, shape=(height, 1))
            for step in range(steps):
                with x_dfb.wait() as x_blk:
                    of_block, place = first_largest(x_blk, numbers_blk)
                    before = largest
                    largest = ttl.math.max(before, of_block)
                    best = ttl.block.where(before >= largest, best, step * columns - place)
            y_blk.store(best)

    @ttl.operation(grid=grid)
    def argmax(x: Any, numbers: Any, y: Any) -> None:
        require_type("argmax", "x", x, BFLOAT16)
        require_shapes("argmax", x=(x, sizes), numbers=(numbers, (1, columns)), y=(y, (sizes[0], 1)))
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=blocks)
        numbers_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, width))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(height, 1))
        for block in range(ttl.node(dims=1), total, ttl.grid_size(dims=1)):
            row = block * height
            with numbers_dfb.reserve() as numbers_blk:
                ttl.copy(numbers[:, :], numbers_blk).wait()
            stage(x_dfb, numbers_dfb, y_dfb, steps_of_row)
            for column in range(0, steps_of_row * width, width):
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[row : row + height, column : column + width], x_blk).wait()
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row : row + height, :]).wait()

    argmax.stage, argmax.reference = stage, argmax_reference
    return argmax


def topk_reference(x: Any, numbers: Any, k: int) -> Any:
    """The ``k`` largest of every row of an array, from large to small, and the numbers of their columns, in float64."""
    values = np.asarray(x, np.float64)
    order = np.argsort(-values, axis=-1, kind="stable")[:, :k]
    return np.take_along_axis(values, order, -1), order.astype(np.float64)


def make_topk(
    sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int] = (1,), k: int = 8
) -> ttl.Operation:
    """The ``k`` largest of every row, up to 32, from large to small: ``x`` is of ``sizes`` (rows, columns), the results of (rows, k).

    ``x`` is of bfloat16 and has no infinities. Of equal ones, the first comes first. The rows need not fill a tile; there are up to 2,048 columns, so that their
    numbers are exact in the matrix unit. A block is ``blocks`` (rows,) tiles high and has whole rows; the nodes of ``grid``
    take blocks in turn. ``numbers`` is ``ttl.ops.column_numbers`` of the columns, in float32. The operation is called with
    ``x``, ``numbers``, ``values`` and ``places``, which is of float32. Its stage is called with a dataflow buffer for
    each, one for the first tile of ``numbers`` before ``values``, and ``count``: it takes one block of the numbers and
    ``count`` of ``x``.

    Errors: numbers that are no such integers (TTL1650), sizes that are not multiples of the blocks (TTL1651), and tensors of other
    shapes or types (TTL1652). Source: PyTorch, ``torch.topk`` with ``dim=-1``.
    """
    require_fit("topk", (sizes, "rows columns"), grid, (blocks, "rows"), padded="rows", whole="columns")
    require_choice("topk", "k", k, range(1, min(TILE, sizes[1]) + 1))
    (height,) = blocks
    width = sizes[1] // TILE
    shape, one = (height, width), (height, 1)
    total = -(-sizes[0] // TILE) // height

    @ttl.operation()
    def stage(
        x_dfb: ttl.DFB,
        numbers_dfb: ttl.DFB,
        first_dfb: ttl.DFB,
        values_dfb: ttl.DFB,
        places_dfb: ttl.DFB,
        count: int,
    ) -> None:
        with numbers_dfb.wait() as numbers_blk, first_dfb.wait() as first_blk:
            for _ in range(count):
                with (
                    x_dfb.wait() as x_blk,
                    values_dfb.reserve() as values_blk,
                    places_dfb.reserve() as places_blk,
                ):
                    column = ttl.block.broadcast(first_blk, dims=[0], shape=(height, 1))
                    numbers = -ttl.block.broadcast(numbers_blk, dims=[0], shape=shape)
                    largest, place = ttl.block.fill(math.inf, shape=one), ttl.block.fill(0, shape=one)
                    values, places = ttl.block.fill(0, shape=one), ttl.block.fill(0, shape=one)
                    for rank in range(k):
                        last = ttl.block.broadcast(largest, dims=[-1], shape=shape)
                        behind = numbers < ttl.block.broadcast(place, dims=[-1], shape=shape)
                        later = (x_blk < last) + ttl.math.eq(x_blk, last) * behind
                        rest = ttl.block.where(later, x_blk, -math.inf)
                        largest, place = first_largest(rest, numbers_blk)
                        here = ttl.math.eq(column, rank)
                        of_rank = ttl.block.broadcast(largest, dims=[-1], shape=one)
                        values = ttl.block.where(here, of_rank, values)
                        place_of_rank = ttl.block.broadcast(place, dims=[-1], shape=one)
                        places = ttl.block.where(here, place_of_rank, places)
                    values_blk.store(values)
                    places_blk.store(-places)

    @ttl.operation(grid=grid)
    def topk(x: Any, numbers: Any, values: Any, places: Any) -> None:
        require_type("topk", "x", x, BFLOAT16)
        result = (sizes[0], k)
        require_shapes(
            "topk",
            x=(x, sizes),
            numbers=(numbers, (1, sizes[1])),
            values=(values, result),
            places=(places, result),
        )
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(height, width))
        numbers_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, width), block_count=1)
        first_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, 1), block_count=1)
        values_dfb = ttl.make_dataflow_buffer_like(values, shape=(height, 1))
        places_dfb = ttl.make_dataflow_buffer_like(places, shape=(height, 1))
        own = range(ttl.node(dims=1), total, ttl.grid_size(dims=1))
        if len(own) > 0:
            with numbers_dfb.reserve() as numbers_blk, first_dfb.reserve() as first_blk:
                ttl.copy(numbers[:, :], numbers_blk).wait()
                ttl.copy(numbers[:, 0:1], first_blk).wait()
            stage(x_dfb, numbers_dfb, first_dfb, values_dfb, places_dfb, len(own))
            for block in own:
                row = block * height
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[row : row + height, :], x_blk).wait()
                with values_dfb.wait() as values_blk:
                    ttl.copy(values_blk, values[row : row + height, :]).wait()
                with places_dfb.wait() as places_blk:
                    ttl.copy(places_blk, places[row : row + height, :]).wait()

    topk.stage, topk.reference = stage, partial(topk_reference, k=k)
    return topk


def topk(expr: Any, k: int, indices: Any, largest: bool = True, stable: bool = False) -> tuple[Any, Any]:
    """The ``k`` largest elements of every row, in order, and the numbers of their columns: two block expressions.

    ``expr`` is a tiled block expression of bfloat16 of (rows, width) tiles, width 2, 4, 8, 16, 32 or 64; ``k`` is 4, 8, 16, 32
    or 64. ``indices`` is a block of uint16 of that shape whose elements are the numbers of their columns, from 0. Both results
    have (rows, 1) tiles, or (rows, 2) for 64, and are 0 behind column ``k``. Of equal elements the one further left comes
    first, with ``stable`` and without; ``largest=False`` gives the smallest. The result for rows with NaN is undefined.

    Raises ``ProgramError``: TTL0433 other shapes, element types or ``k``.
    """
    expr, rows, width, results = require_topk(expr, k, indices, largest, stable)
    shape = (rows, width)
    left = ttl.math.typecast(expr if largest else -expr, BFLOAT16)
    numbers = ttl.math.typecast(indices, FLOAT32)
    # The matrix unit keeps eight bits of what it compares: a column is its tile and its place there.
    tiles = ttl.math.floor(numbers * (1 / TILE))
    inside = numbers - TILE * tiles
    columns = ttl.math.typecast(indices[0:rows, 0 : results[1]], FLOAT32)
    free = tiles
    # With a minus, the tile and the place of what was found last in every row.
    tile = ttl.block.fill(1.0, shape=(rows, 1), dtype=FLOAT32)
    place = ttl.block.fill(1.0, shape=(rows, 1), dtype=FLOAT32)
    values = ttl.block.fill(0.0, shape=results, dtype=BFLOAT16)
    chosen = ttl.block.fill(0.0, shape=results, dtype=FLOAT32)
    for number in range(k):
        taken = (tiles == -across(tile, shape)) * (inside == -across(place, shape))
        left = ttl.block.where(taken, -math.inf, left)
        free = ttl.block.where(taken, _NONE, free)
        first = ttl.math.reduce_max(left, dims=[-1])
        is_first = left == across(first, shape)
        tile = ttl.math.reduce_max(ttl.block.where(is_first, -free, -_NONE), dims=[-1])
        is_there = is_first * (free == -across(tile, shape))
        place = ttl.math.reduce_max(ttl.block.where(is_there, -inside, -_NONE), dims=[-1])
        here = columns == number
        values = ttl.block.where(here, across(first, results), values)
        chosen = ttl.block.where(here, -TILE * across(tile, results) - across(place, results), chosen)
    return values if largest else -values, ttl.math.typecast(chosen, UINT16)


def across(column: Any, shape: tuple[int, int]) -> Any:
    """Return the elements of column 0 of every row, repeated in all of its columns."""
    return ttl.block.broadcast(column, dims=[-1], shape=shape)
