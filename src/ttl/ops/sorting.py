"""``ttl.math.topk``, written in the language: a function that kernels call."""

from __future__ import annotations

import math
from typing import Any

import ttl
from ttl.lang.library import TILE, require_topk
from ttl.rows.dtypes import BFLOAT16, FLOAT32, UINT16

# More than any tile, and any column of one, has.
_NONE = 128.0


def topk(expr: Any, k: int, indices: Any, largest: bool = True, stable: bool = False) -> tuple[Any, Any]:
    """The ``k`` largest elements of every row, in order, and the numbers of their columns: two block expressions.

    ``expr`` is a tiled block expression of bfloat16 of (rows, width) tiles, width 2, 4, 8, 16, 32 or 64; ``k`` is 4, 8, 16, 32
    or 64. ``indices`` is a block of uint16 of that shape whose elements are the numbers of their columns, from 0. Both results
    have (rows, 1) tiles, or (rows, 2) for 64, and are 0 behind column ``k``. Of equal elements the one further left comes
    first, with ``stable`` and without; ``largest=False`` gives the smallest. Nothing is said of rows with NaN.

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
    """What is in column 0 of every row, in all of its columns."""
    return ttl.block.broadcast(column, dims=[-1], shape=shape)
