"""Types of block expressions: element type, layout, shape in the layout's unit."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from math import prod

from ttl.rows.dtypes import TILE as TILE
from ttl.rows.dtypes import DType


class Layout(StrEnum):
    """The unit of a shape: whole 32x32 tiles in its last two dimensions, or single elements."""

    TILE = "TILE"
    ROW_MAJOR = "ROW_MAJOR"

    @property
    def unit(self) -> str:
        """The unit of an extent, for messages."""
        return "tile" if self is Layout.TILE else "element"

    @property
    def word(self) -> str:
        """The word for the layout in messages."""
        return "tiled" if self is Layout.TILE else "row-major"


# The rows and columns of elements of a tile; ``TILE_HEIGHTS`` and ``TILE_WIDTHS`` have the possible ones.
Tile = tuple[int, int]
WHOLE_TILE: Tile = (TILE, TILE)
TILE_HEIGHTS, TILE_WIDTHS = (1, 2, 4, 8, 16, TILE), (16, TILE)


class BlockType:
    """Type of a block or block expression. Interned: equal types are the same object.

    ``shape`` is in tiles (last two dimensions) for ``Layout.TILE`` and in elements for
    ``Layout.ROW_MAJOR``; ``elements`` is always in elements. ``tile`` is the size of a tile, also for row-major blocks.
    """

    __slots__ = ("dtype", "elements", "layout", "nbytes", "shape", "tile")

    def __init__(self, shape: tuple[int, ...], dtype: DType, layout: Layout, tile: Tile) -> None:
        self.shape = shape
        self.dtype = dtype
        self.layout = layout
        self.tile = tile
        if layout is Layout.TILE:
            self.elements = (*shape[:-2], shape[-2] * tile[0], shape[-1] * tile[1])
        else:
            self.elements = shape
        self.nbytes = prod(shape) * (dtype.bytes_of(tile) if layout is Layout.TILE else dtype.element_bytes)

    @staticmethod
    def of(
        shape: tuple[int, ...], dtype: DType, layout: Layout = Layout.TILE, tile: Tile = WHOLE_TILE
    ) -> BlockType:
        """Return the type with these properties: always the same object."""
        return _interned(shape, dtype, layout, tile)

    def with_shape(self, shape: tuple[int, ...]) -> BlockType:
        """Return the type with another shape."""
        return BlockType.of(shape, self.dtype, self.layout, self.tile)

    def with_dtype(self, dtype: DType) -> BlockType:
        """Return the type with another element type."""
        return BlockType.of(self.shape, dtype, self.layout, self.tile)

    @property
    def page_bytes(self) -> int:
        """The bytes of a page of the block in L1: those of a tile, also for a row-major block."""
        return self.dtype.bytes_of(self.tile)

    def __repr__(self) -> str:
        return f"{self.dtype.name}{list(self.shape)} {self.layout.unit}s{self.of_tiles}"

    @property
    def of_tiles(self) -> str:
        """The size of the tiles, for messages; empty for tiles of the usual size."""
        return "" if self.tile == WHOLE_TILE else f" of {self.tile[0]}x{self.tile[1]}"

    def describe(self) -> str:
        """Return the shape in tiles and in elements, for messages."""
        return describe_shape(self.shape, self.layout, self.tile)


@cache
def _interned(shape: tuple[int, ...], dtype: DType, layout: Layout, tile: Tile) -> BlockType:
    # Callers must pass all arguments: the cache distinguishes calls with and without defaults.
    return BlockType(shape, dtype, layout, tile)


def describe_shape(shape: tuple[int, ...], layout: Layout, tile: Tile = WHOLE_TILE) -> str:
    """A shape as text for messages: ``(2, 4) tiles = (64, 128) elements``, or ``(64, 128) elements``."""
    if layout is Layout.ROW_MAJOR:
        return f"{_tuple(shape)} elements"
    inner = zip(shape[-2:], tile[-len(shape[-2:]) :], strict=True)
    elements = (*shape[:-2], *(extent * size for extent, size in inner))
    size = "" if tile == WHOLE_TILE else f" of {tile[0]}x{tile[1]}"
    return f"{_tuple(shape)} tiles{size} = {_tuple(elements)} elements"


def _tuple(shape: tuple[int, ...]) -> str:
    return str(tuple(int(extent) for extent in shape))
