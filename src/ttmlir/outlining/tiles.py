"""Extents in tiles, and which extents of blocks there are for them."""

from __future__ import annotations

from math import prod

from ttmlir.layouts.elements import TILE_SHAPE
from ttmlir.outlining.views import Shape

TILE, _ = TILE_SHAPE
# Tiles of a block of a pointwise operation. One block is a transfer of each buffer and one synchronisation; more tiles in it
# pay less and less.
_MOST_TILES = 16
_ENOUGH_TILES = 8
_CHOICES = 8


def tiles(extent: int) -> int:
    """Of an extent in elements."""
    return -(-extent // TILE)


def divisors(count: int, most: int) -> list[int]:
    """Up to ``most``, from the least."""
    return [value for value in range(1, min(count, most) + 1) if count % value == 0]


def pointwise_blocks(domain: Shape, nodes: int) -> list[tuple[int, int]]:
    """Blocks in tiles that divide a domain, the most promising first.

    First those with which the busiest node has the fewest tiles, of these those that are large enough, and wide: neighbours in
    a row lie in different banks.
    """
    rows, columns = tiles(domain[-2]), tiles(domain[-1])
    batches = prod(domain[:-2])

    def order(block: tuple[int, int]) -> tuple[int, int, int, int]:
        area = block[0] * block[1]
        blocks = batches * (rows // block[0]) * (columns // block[1])
        busiest = -(-blocks // nodes) * area
        return busiest, -min(area, _ENOUGH_TILES), area, -block[1]

    choices = [
        (row, column)
        for row in divisors(rows, _MOST_TILES)
        for column in divisors(columns, _MOST_TILES)
        if row * column <= _MOST_TILES
    ]
    return sorted(choices, key=order)[:_CHOICES]


def row_blocks(domain: Shape, nodes: int) -> list[int]:
    """Rows of tiles in a block of complete rows, the most promising first."""
    rows = tiles(domain[-2])
    batches = prod(domain[:-2])
    return sorted(
        divisors(rows, 4), key=lambda value: (-(-(batches * rows // value) // nodes) * value, value)
    )
