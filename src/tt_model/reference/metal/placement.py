"""The places of a tensor's elements, computed from its layout by arithmetic, without the maps of the device.

The passes move data by composed affine maps; tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tt_model.layouts.elements import TileRecord, element_bytes
from tt_model.layouts.layout import LayoutRecord
from tt_model.reference.formats import Values

Numbers = npt.NDArray[np.int64]
Place = tuple[int, int]
_SIDE, _FACE = 32, 16


def positions(layout: LayoutRecord, shape: tuple[int, ...]) -> tuple[Numbers, Numbers]:
    """Row and column of each element, in row-major order. Raises ``ValueError`` for layouts that are not matrices."""
    if len(layout.linear.results) != 2:
        raise ValueError(f"a tensor of {len(layout.linear.results)} dimensions on a grid is not modelled")
    index = [axis.reshape(-1).astype(np.int64) for axis in np.indices(shape)]
    rows, columns = (
        np.broadcast_to(np.asarray(_evaluated(expr, index), np.int64), index[0].shape)
        for expr in layout.linear.results
    )
    return rows, columns


def _evaluated(expr: Any, index: list[Numbers]) -> Any:
    return expr.eval(index, ())


def shards_of(values: Values, layout: LayoutRecord) -> dict[Place, Values]:
    """Return the values at each place of the grid, in scalars; padding is NaN."""
    height, width = layout.scalar_shard_shape
    rows, columns = positions(layout, values.shape)
    whole = np.full((layout.grid.shape[0] * height, layout.grid.shape[1] * width), np.nan)
    whole[rows, columns] = values.reshape(-1)
    return {
        (y, x): whole[y * height : (y + 1) * height, x * width : (x + 1) * width]
        for y in range(layout.grid.shape[0])
        for x in range(layout.grid.shape[1])
    }


def from_shards(shards: dict[Place, Values], layout: LayoutRecord, shape: tuple[int, ...]) -> Values:
    """The tensor with these shards."""
    grid_rows, grid_columns = layout.grid.shape
    whole = np.block([[shards[y, x] for x in range(grid_columns)] for y in range(grid_rows)])
    rows, columns = positions(layout, shape)
    return np.asarray(whole[rows, columns], np.float64).reshape(shape)


def in_faces(tile: Values) -> Values:
    """The elements of a tile in the order of memory: four faces, each row by row."""
    return tile.reshape(2, _FACE, 2, _FACE).swapaxes(1, 2).reshape(-1)


def from_faces(elements: Values) -> Values:
    """The tile with these elements, in the order of ``in_faces``."""
    return elements.reshape(2, 2, _FACE, _FACE).swapaxes(1, 2).reshape(_SIDE, _SIDE)


def bytes_of_scalar(layout_element: Any) -> int:
    """Bytes of one number of a tensor. Raises ``ValueError`` for formats with less than one byte for a number."""
    if not isinstance(layout_element, TileRecord):
        return element_bytes(layout_element)
    numbers = layout_element.shape[0] * layout_element.shape[1]
    if layout_element.shape != (_SIDE, _SIDE) or layout_element.bytes % numbers:
        raise ValueError(f"elements of {layout_element} are not modelled")
    return layout_element.bytes // numbers


@dataclass(frozen=True, slots=True)
class Offsets:
    """The places of a tensor's elements in its shards.

    For each element: its shard, the number of its tile (or scalar) in the shard, and the offset in bytes inside the tile.
    """

    shard_rows: Numbers
    shard_columns: Numbers
    unit: Numbers
    inside: Numbers
    unit_bytes: int


def offsets_of(layout: LayoutRecord, shape: tuple[int, ...]) -> Offsets:
    """Return the offsets of the elements in their shards."""
    height, width = layout.scalar_shard_shape
    rows, columns = positions(layout, shape)
    size = bytes_of_scalar(layout.element)
    shard_rows, shard_columns = rows // height, columns // width
    rows, columns = rows % height, columns % width
    if not layout.is_tiled:
        return Offsets(shard_rows, shard_columns, rows * width + columns, np.zeros_like(rows), size)
    unit = (rows // _SIDE) * layout.memref.shape[1] + columns // _SIDE
    row, column = rows % _SIDE, columns % _SIDE
    face = (row // _FACE) * 2 + column // _FACE
    inside = (face * _FACE + row % _FACE) * _FACE + column % _FACE
    return Offsets(shard_rows, shard_columns, unit, inside * size, size * _SIDE * _SIDE)


def places(layout: LayoutRecord) -> Iterable[Place]:
    """The places of the grid."""
    return ((y, x) for y in range(layout.grid.shape[0]) for x in range(layout.grid.shape[1]))
