"""Tensors as the bytes of their shards, which a host writes to, or reads from, the memory of each core.

A tensor is a matrix that a grid of cores divides into blocks, one for each core. In a block, elements lie row by row,
or tile by tile, each tile as four faces. A block has whole tiles even if its elements are in rows; the padding is zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tt_model.layouts.device import DRAM_PAGE
from tt_model.layouts.enums import DataType
from tt_model.layouts.layout import LayoutRecord
from tt_model.layouts.values import LayoutError, ceil_div, dimensions_text, volume
from ttl.rows.dtypes import BFLOAT16

Numbers = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
_SIDE, _FACE = 32, 16
# The NumPy types of elements; a bfloat16 is stored as its bits.
_STORED: Mapping[DataType, str] = MappingProxyType(
    {
        DataType.Float32: "<f4",
        DataType.Float16: "<f2",
        DataType.BFloat16: "<u2",
        DataType.UInt32: "<u4",
        DataType.UInt16: "<u2",
        DataType.UInt8: "|u1",
    }
)
# More elements than fit into the memory of any machine that this runs on.
_MOST_ELEMENTS = 1 << 40


def encoded(values: Any, data_type: DataType) -> npt.NDArray[Any]:
    """Convert numbers to the form in which a type stores them.

    Raises ``LayoutError`` for block floats, which have no form for single numbers.
    """
    stored = _storage(data_type)
    plain = np.asarray(values)
    with np.errstate(all="ignore"):
        if data_type is DataType.BFloat16:
            return np.asarray(BFLOAT16.store(plain.astype(np.float32)), stored)
        if stored.kind == "u" and plain.dtype.kind == "f":
            plain = plain.astype(np.int64)
        return plain.astype(stored)


def decoded(stored: npt.NDArray[Any], data_type: DataType) -> npt.NDArray[Any]:
    """Convert stored elements to numbers: float32 for floats, whole numbers unchanged."""
    if data_type is DataType.BFloat16:
        return np.asarray(BFLOAT16.load(stored))
    return stored.astype(np.float32) if stored.dtype.kind == "f" else stored


def _storage(data_type: DataType) -> np.dtype[Any]:
    if data_type not in _STORED:
        raise LayoutError(
            f"the host has no {data_type.keyword}; it has {', '.join(one.keyword for one in _STORED)}"
        )
    return np.dtype(_STORED[data_type])


@dataclass(frozen=True)
class MatrixPlacement:
    """The places of a tensor's elements.

    Args:
        shape: of the tensor.
        strides: elements of the matrix, in row-major order, that a step along each dimension skips.
        columns: of the matrix.
        grid: rows and columns of the grid.
        block: rows and columns of a block, in elements.
        tiled: whether blocks consist of tiles of 32x32.
        data_type: of the elements.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    columns: int
    grid: tuple[int, int]
    block: tuple[int, int]
    tiled: bool
    data_type: DataType

    @classmethod
    def of_layout(cls, layout: LayoutRecord, shape: tuple[int, ...]) -> MatrixPlacement:
        """The placement of a layout.

        Raises ``LayoutError`` for a layout without a two-dimensional grid, and for tiles of other shapes.
        """
        grid, block = layout.grid.shape, layout.scalar_shard_shape
        if len(grid) != 2 or len(block) != 2:
            raise LayoutError(
                f"a tensor on a grid of {len(grid)} dimensions; what works: a grid of two dimensions"
            )
        _check_tile(layout.tile_shape)
        columns = layout.physical_shape(shape)[-1]
        return cls(
            shape, layout.stride(shape), columns, grid, block, layout.is_tiled, layout.data_type
        )._checked()

    @classmethod
    def of_table(
        cls,
        shape: Sequence[int],
        strides: Sequence[int],
        grid: tuple[int, int],
        memory: Sequence[int],
        tile: tuple[int, int],
        data_type: DataType,
    ) -> MatrixPlacement:
        """The placement that a file describes; ``memory`` is the block of a core in tiles of shape ``tile``.

        Raises ``LayoutError``.
        """
        if len(memory) != 2 or min(memory) < 1 or volume(memory) > _MOST_ELEMENTS:
            raise LayoutError(
                f"the shard of a core is {dimensions_text(memory) or 'nothing'}, which is not a matrix"
            )
        if len(strides) != len(shape) or any(extent < 1 for extent in shape):
            raise LayoutError(
                f"strides {dimensions_text(strides)} do not fit the shape {dimensions_text(shape)}"
            )
        if volume(shape) > _MOST_ELEMENTS or any(not 0 <= stride <= _MOST_ELEMENTS for stride in strides):
            raise LayoutError(
                f"a shape {dimensions_text(shape)} with strides {dimensions_text(strides)} is not possible"
            )
        _check_tile(tile)
        block = (memory[0] * tile[0], memory[1] * tile[1])
        # The file does not give the width of the matrix: it is the stride of the second last dimension, or else of one
        # before it, or else the matrix is one row.
        count = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
        widths = [*(stride for stride in reversed(strides[:-1]) if stride > 0), count]
        for columns in widths:
            if columns <= grid[1] * block[1] and ceil_div(count, columns) <= grid[0] * block[0]:
                return cls(
                    tuple(shape), tuple(strides), columns, grid, block, tile != (1, 1), data_type
                )._checked()
        raise LayoutError(
            f"a tensor {dimensions_text(shape)} with strides {dimensions_text(strides)} does not fit into {dimensions_text(grid)} "
            f"blocks of {dimensions_text(block)}"
        )

    def _checked(self) -> MatrixPlacement:
        _storage(self.data_type)
        if self.tiled and (self.block[0] % _SIDE or self.block[1] % _SIDE):
            raise LayoutError(f"blocks of {dimensions_text(self.block)} have no whole tiles")
        return self

    @property
    def item_bytes(self) -> int:
        """Bytes of an element."""
        return _storage(self.data_type).itemsize

    @property
    def block_bytes(self) -> int:
        """Bytes of the block of a core."""
        return volume(self.block) * self.item_bytes

    @property
    def blocks(self) -> int:
        """The number of places of the grid."""
        return volume(self.grid)

    @cached_property
    def _places(self) -> tuple[Numbers, Numbers]:
        """The block number of each element, in row-major order, and the element's index in the block."""
        at = np.zeros((1,) * len(self.shape) or (1,), np.int64)
        for dim, (extent, stride) in enumerate(zip(self.shape, self.strides)):
            steps = np.arange(extent, dtype=np.int64) * stride
            at = at + steps.reshape([-1 if other == dim else 1 for other in range(len(self.shape))])
        rows, columns = np.divmod(at.reshape(-1), self.columns)
        height, width = self.block
        block_row, rows = np.divmod(rows, height)
        block_column, columns = np.divmod(columns, width)
        block = block_row * self.grid[1] + block_column
        if not self.tiled:
            return block, rows * width + columns
        tile = (rows // _SIDE) * (width // _SIDE) + columns // _SIDE
        row, column = rows % _SIDE, columns % _SIDE
        face = (row // _FACE) * 2 + column // _FACE
        return block, ((tile * 4 + face) * _FACE + row % _FACE) * _FACE + column % _FACE

    def shards_of(self, values: Any, data_type: DataType | None = None) -> Bytes:
        """The bytes of all blocks, one row for each."""
        kind = data_type or self.data_type
        block, inside = self._places
        whole = np.zeros((self.blocks, volume(self.block)), _storage(kind))
        whole[block, inside] = encoded(values, kind).reshape(-1)
        return whole.view(np.uint8)

    def tensor_of(self, shards: Bytes) -> npt.NDArray[Any]:
        """The stored elements of a tensor, from the bytes of its blocks."""
        block, inside = self._places
        whole = shards.reshape(self.blocks, -1).view(_storage(self.data_type))
        stored: npt.NDArray[Any] = whole[block, inside].reshape(self.shape)
        return stored

    def in_channels(self, channels: int, device_columns: int) -> tuple[Numbers, Numbers]:
        """The DRAM channel of each element and its offset there, in bytes.

        Blocks follow each other, numbered over the grid of the device; their pages are distributed over the channels in
        order. A page has ``DRAM_PAGE`` elements, or tiles if the tensor is in tiles.
        """
        block, inside = self._places
        unit = _SIDE * _SIDE if self.tiled else 1
        row, column = np.divmod(block, self.grid[1])
        count, rest = np.divmod(inside, unit)
        address = (row * device_columns + column) * (volume(self.block) // unit) + count
        page, left = np.divmod(address, DRAM_PAGE)
        turn, channel = np.divmod(page, channels)
        return channel, ((turn * DRAM_PAGE + left) * unit + rest) * self.item_bytes


def _check_tile(tile: Sequence[int]) -> None:
    if tuple(tile) not in ((1, 1), (_SIDE, _SIDE)):
        raise LayoutError(f"tiles of {dimensions_text(tile)}; what works: tiles of 32x32, or elements")
