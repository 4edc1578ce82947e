"""Extents in tiles, and the choices of block sizes for them."""

from __future__ import annotations

from math import prod

from tt_model.layouts.elements import TILE_SHAPE
from ttmlir.outlining.views import Shape

TILE, _ = TILE_SHAPE
# The most tiles in a block of a pointwise operation, or of a product's result. Each block costs one transfer per buffer
# and one synchronisation; every further tile in it saves less.
MOST_TILES = 16
_ENOUGH_TILES = 8
# The cost of one more kernel, as the number of tiles that a node moves in the same time: some 4,000 cycles of the
# emulated chip to begin and to end.
_OF_A_KERNEL = 8
# The most tiles of the right factor of a product with which a block of complete rows is multiplied.
_MOST_TILES_OF_RIGHT = 32
_CHOICES = 8


def tiles(extent: int) -> int:
    """Return the number of tiles that cover an extent in elements."""
    return -(-extent // TILE)


def divisors(count: int, most: int) -> list[int]:
    """The divisors of ``count`` up to ``most``, in ascending order."""
    return [value for value in range(1, min(count, most) + 1) if count % value == 0]


def pointwise_blocks(domain: Shape, nodes: int) -> list[tuple[int, int]]:
    """Blocks in tiles that divide a domain, the most promising first.

    First come the blocks with which the busiest node has the fewest tiles; among these, blocks that are large enough,
    then wide ones: neighbours in a row lie in different banks.
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
        for row in divisors(rows, MOST_TILES)
        for column in divisors(columns, MOST_TILES)
        if row * column <= MOST_TILES
    ]
    return sorted(choices, key=order)[:_CHOICES]


def row_blocks(domain: Shape, nodes: int) -> list[int]:
    """Rows of tiles in a block of complete rows, the most promising first."""
    rows = tiles(domain[-2])
    batches = prod(domain[:-2])
    return sorted(
        divisors(rows, 4), key=lambda value: (-(-(batches * rows // value) // nodes) * value, value)
    )


def is_product_of_rows(domain: Shape, width: int, nodes: int) -> bool:
    """Whether one kernel for a product and the complete rows of its left factor moves as few tiles as two kernels.

    The tiles of the busiest node count. Apart, the rows are written and read again, and the product moves blocks of any
    extents of both factors; together, each block of rows needs the whole right factor.
    """
    rows, columns, across = (tiles(extent) for extent in (*domain[-2:], width))
    batches = prod(domain[:-2])
    if columns * across > _MOST_TILES_OF_RIGHT or across > MOST_TILES or width % TILE:
        return False

    def moved(row: int, column: int) -> int:
        blocks = batches * (rows // row) * (across // column)
        return -(-blocks // nodes) * ((row + column) * columns + row * column)

    heights = [row for row in divisors(rows, MOST_TILES) if row * columns <= MOST_TILES]
    apart = min(moved(row, column) for row in heights for column in divisors(across, MOST_TILES))
    busiest = [(row, -(-batches * (rows // row) // nodes)) for row in heights]
    apart += _OF_A_KERNEL + min(blocks * row * columns for row, blocks in busiest)
    together = min(blocks * (columns * across + row * across) for row, blocks in busiest)
    return together <= apart


def is_product_for_rows(domain: Shape, inner: int, nodes: int) -> bool:
    """Whether one kernel for a product and a reduction of its complete rows moves as few tiles as two kernels.

    The tiles of the busiest node count. Apart, the product moves its factors in blocks of any extents and its result;
    the second kernel reads that result and writes its own.
    """
    rows, columns, depth = tiles(domain[-2]), tiles(domain[-1]), tiles(inner)
    batches = prod(domain[:-2])
    if columns > MOST_TILES or domain[-1] % TILE:
        return False

    def moved(row: int, column: int) -> int:
        blocks = batches * (rows // row) * (columns // column)
        return -(-blocks // nodes) * ((row + column) * depth + row * column)

    heights, widths = divisors(rows, MOST_TILES), divisors(columns, MOST_TILES)
    apart = min(moved(row, column) for row in heights for column in widths if row * column <= MOST_TILES)
    apart += _OF_A_KERNEL + min(
        2 * -(-(batches * rows // row) // nodes) * row * columns for row in divisors(rows, 4)
    )
    together = min(moved(row, columns) for row in heights if row * columns <= MOST_TILES)
    return together <= apart
