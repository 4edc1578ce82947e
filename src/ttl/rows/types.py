"""Types of block expressions: element type, layout, shape in the layout's unit."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from math import prod

from ttl.rows.dtypes import TILE as TILE
from ttl.rows.dtypes import DType


class Layout(StrEnum):
    """What a shape counts: whole 32x32 tiles in its last two dimensions, or single elements."""

    TILE = "TILE"
    ROW_MAJOR = "ROW_MAJOR"

    @property
    def unit(self) -> str:
        """What an extent counts, for messages."""
        return "tile" if self is Layout.TILE else "element"

    @property
    def word(self) -> str:
        """How messages say it."""
        return "tiled" if self is Layout.TILE else "row-major"


class BlockType:
    """Type of a block or block expression. Interned: equal types are the same object.

    ``shape`` is in tiles (last two dimensions) for ``Layout.TILE`` and in elements for
    ``Layout.ROW_MAJOR``; ``elements`` is always in elements.
    """

    __slots__ = ("dtype", "elements", "layout", "nbytes", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: DType, layout: Layout) -> None:
        self.shape = shape
        self.dtype = dtype
        self.layout = layout
        if layout is Layout.TILE:
            self.elements = (*shape[:-2], shape[-2] * TILE, shape[-1] * TILE)
        else:
            self.elements = shape
        self.nbytes = prod(shape) * (dtype.tile_bytes if layout is Layout.TILE else dtype.element_bytes)

    @staticmethod
    def of(shape: tuple[int, ...], dtype: DType, layout: Layout = Layout.TILE) -> BlockType:
        """The one type with these properties."""
        return _interned(shape, dtype, layout)

    def with_shape(self, shape: tuple[int, ...]) -> BlockType:
        """The same element type and layout, another shape."""
        return BlockType.of(shape, self.dtype, self.layout)

    def with_dtype(self, dtype: DType) -> BlockType:
        """The same shape and layout, another element type."""
        return BlockType.of(self.shape, dtype, self.layout)

    def __repr__(self) -> str:
        return f"{self.dtype.name}{list(self.shape)} {self.layout.unit}s"

    def describe(self) -> str:
        """For messages: the shape in tiles and in elements."""
        return describe_shape(self.shape, self.layout)


@cache
def _interned(shape: tuple[int, ...], dtype: DType, layout: Layout) -> BlockType:
    # Always called with the same form of arguments: the cache tells defaulted and given ones apart.
    return BlockType(shape, dtype, layout)


def describe_shape(shape: tuple[int, ...], layout: Layout) -> str:
    """A shape as messages give it: ``(2, 4) tiles = (64, 128) elements``, or ``(64, 128) elements``."""
    if layout is Layout.ROW_MAJOR:
        return f"{_tuple(shape)} elements"
    elements = (*shape[:-2], *(extent * TILE for extent in shape[-2:]))
    return f"{_tuple(shape)} tiles = {_tuple(elements)} elements"


def _tuple(shape: tuple[int, ...]) -> str:
    return str(tuple(int(extent) for extent in shape))
