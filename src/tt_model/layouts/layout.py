"""``tt.layout`` and ``ttnn.ttnn_layout``: how a tensor is divided over a grid and lies in memory.

Specification: Tensor Layout. Both are records of a linear map, a grid, and the shard at each place of the grid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap

from tt_model.layouts.elements import (
    TILE_SHAPE,
    Element,
    TileRecord,
    data_type_of,
    element_bytes,
    scalar_of,
    tile_of,
)
from tt_model.layouts.enums import BufferType, DataType, MemorySpace, OOBVal, TensorMemoryLayout
from tt_model.layouts.linear import (
    ALL_BUT_LAST,
    Intervals,
    check_rank,
    collapsed_map,
    physical_shape,
    shard_shape_of,
    strides_of,
)
from tt_model.layouts.values import LayoutError, LayoutValue, ceil_div, dimensions_text, volume
from ttl.ir.affine import constant, evaluate, floordiv, make_map

EMPTY_MAP = AffineMap(0, 0, ())


@dataclass(frozen=True, slots=True, eq=False)
class Grid(LayoutValue):
    """A grid of cores, of any number of dimensions. ``map`` gives the physical core of each place: (chip, y, x)."""

    shape: tuple[int, ...]
    map: AffineMap = EMPTY_MAP

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def volume(self) -> int:
        """The number of places."""
        return volume(self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class MemRef(LayoutValue):
    """The shard at one place of the grid: ``shape`` counts tiles if the element is a tile.

    ``space`` is a ``BufferType`` (``ttnn``), a ``MemorySpace`` (``tt``), or None if it is not specified.
    """

    shape: tuple[int, ...]
    element: Element
    space: BufferType | MemorySpace | None = None

    @property
    def bytes(self) -> int:
        """Bytes of one shard."""
        return element_bytes(self.element) * volume(self.shape)

    @property
    def scalar_shape(self) -> tuple[int, ...]:
        """The shape in scalars, including the padding of tiles."""
        if not isinstance(self.element, TileRecord):
            return self.shape
        rows, columns = self.element.shape
        return (*self.shape[:-2], self.shape[-2] * rows, self.shape[-1] * columns)


@lru_cache(maxsize=8192)
def memref_of(shard_shape: tuple[int, ...], element: Element, space: BufferType | MemorySpace) -> MemRef:
    """The memory of a shard whose shape is in scalars.

    Raises ``LayoutError`` for tiles with less than two dimensions.
    """
    if not isinstance(element, TileRecord):
        return MemRef(shard_shape, element, space)
    if len(shard_shape) < 2:
        raise LayoutError(
            f"a shard {dimensions_text(shard_shape)} has no tiles: they need a grid of two dimensions or more"
        )
    rows, columns = element.shape
    *outer, height, width = shard_shape
    return MemRef((*outer, ceil_div(height, rows), ceil_div(width, columns)), element, space)


@dataclass(frozen=True, slots=True, eq=False)
class ShardedLayout(LayoutValue):
    """The fields and properties that ``tt.layout`` and ``ttnn.ttnn_layout`` have in common."""

    linear: AffineMap
    grid: Grid
    memref: MemRef
    memory_layout: TensorMemoryLayout = TensorMemoryLayout.None_

    @property
    def element(self) -> Element:
        """The element of the shards: a tile or a scalar type."""
        return self.memref.element

    @property
    def is_tiled(self) -> bool:
        """Whether the shards consist of tiles."""
        return isinstance(self.memref.element, TileRecord)

    @property
    def data_type(self) -> DataType:
        """The type in which the elements are stored. Raises ``LayoutError`` for a scalar type that no chip has."""
        return data_type_of(self.memref.element)

    @property
    def scalar_type(self) -> Attribute:
        """The scalar type of the host that holds an element."""
        return scalar_of(self.memref.element)

    @property
    def tile_shape(self) -> tuple[int, int]:
        """(rows, columns) of a tile; (1, 1) without tiles."""
        element = self.memref.element
        return (element.shape[0], element.shape[1]) if isinstance(element, TileRecord) else (1, 1)

    @property
    def scalar_shard_shape(self) -> tuple[int, ...]:
        """The shape of a shard in scalars, including the padding of tiles."""
        return self.memref.scalar_shape

    @property
    def shard_bytes(self) -> int:
        """Bytes of one shard."""
        return self.memref.bytes

    def physical_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape, in scalars, that the grid divides for a tensor of ``shape``. Raises ``LayoutError``."""
        return physical_shape(self.linear, shape)

    def stride(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the scalars of the physical shape that a step along each dimension skips. Raises ``LayoutError``."""
        return strides_of(self.linear, shape)

    def tiled_map(self) -> AffineMap:
        """The linear map in tiles: its last two results divided by the tile. Without tiles, the linear map itself."""
        if not self.is_tiled:
            return self.linear
        *outer, rows, columns = self.linear.results
        height, width = (constant(extent) for extent in self.tile_shape)
        return make_map(self.linear.num_dims, (*outer, floordiv(rows, height), floordiv(columns, width)))

    def tiled_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The physical shape in tiles; in scalars if there are no tiles. Raises ``LayoutError``."""
        check_rank(self.linear, shape)
        last = evaluate(self.tiled_map(), [extent - 1 for extent in shape])
        return tuple(position + 1 for position in last)

    def with_grid(
        self, shape: tuple[int, ...], grid: tuple[int, ...], intervals: Intervals = ALL_BUT_LAST
    ) -> Self:
        """Return the layout of a tensor of ``shape`` on another grid, with a new map and new shards."""
        linear = collapsed_map(shape, len(grid), intervals)
        shard = shard_shape_of(physical_shape(linear, shape), grid)
        memref = memref_of(shard, self.element, self._space)
        return replace(self, linear=linear, grid=Grid(grid), memref=memref)

    def with_element(self, element: Element) -> Self:
        """Return the layout with other elements in the same shards."""
        return replace(self, memref=memref_of(self.scalar_shard_shape, element, self._space))

    def with_memory_layout(self, memory_layout: TensorMemoryLayout) -> Self:
        """Return the layout with its shards distributed differently."""
        return replace(self, memory_layout=memory_layout)

    def with_shard_shape(self, shape: tuple[int, ...]) -> Self:
        """Return the layout with shards of another shape, in scalars."""
        return replace(self, memref=memref_of(shape, self.element, self._space))

    @property
    def _space(self) -> BufferType | MemorySpace:
        space = self.memref.space
        if space is None:
            raise LayoutError("the layout does not say in which memory the tensor lies")
        return space


@dataclass(frozen=True, slots=True, eq=False)
class LayoutRecord(ShardedLayout):
    """``#tt.layout``. ``oob`` is the value of the padding."""

    oob: OOBVal = OOBVal.Undef

    @classmethod
    def make(
        cls,
        shape: tuple[int, ...],
        element: Element,
        space: MemorySpace = MemorySpace.System,
        grid: tuple[int, ...] = (),
        memory_layout: TensorMemoryLayout = TensorMemoryLayout.None_,
        *,
        collapse: Intervals = ALL_BUT_LAST,
        oob: OOBVal = OOBVal.Undef,
    ) -> LayoutRecord:
        """The layout of a tensor.

        By default the grid has an extent of one for each dimension. Raises ``LayoutError``.
        """
        places = grid or (1,) * len(shape)
        linear = collapsed_map(shape, len(places), collapse)
        shard = shard_shape_of(physical_shape(linear, shape), places)
        return cls(linear, Grid(places), memref_of(shard, element, space), memory_layout, oob)

    def problem_with_tensor(self, shape: tuple[int, ...]) -> str | None:
        """Return the first mismatch between the layout's map, grid and shards and a tensor of ``shape``, or None."""
        results, grid = len(self.linear.results), self.grid.shape
        if self.linear.num_dims != len(shape):
            return (
                f"the map of its tt.layout has {self.linear.num_dims} dimensions, and the tensor {len(shape)}"
            )
        if not results == len(grid) == len(self.memref.shape):
            return (
                f"the map of its tt.layout has {results} results, the grid {len(grid)} dimensions and the memref "
                f"{len(self.memref.shape)}: these are as many"
            )
        if self.memory_layout.is_sharded and self.memory_space is not MemorySpace.DeviceL1:
            return f"its tt.layout is {self.memory_layout.keyword} in {self.memory_space.keyword}: shards lie in l1"
        if min(shape, default=1) < 1:
            return None
        return self._problem_with_shards(shard_shape_of(self.physical_shape(shape), grid))

    def _problem_with_shards(self, needed: tuple[int, ...]) -> str | None:
        """Return why the memref does not hold a shard of ``needed`` scalars, or None; padding to whole tiles is allowed."""
        exact = memref_of(needed, self.element, self.memory_space).shape
        padded = (
            *needed[:-2],
            *(
                ceil_div(extent, of_tile) * of_tile
                for extent, of_tile in zip(needed[-2:], TILE_SHAPE[-len(needed) :])
            ),
        )
        if self.memref.shape in (exact, exact if self.is_tiled else padded):
            return None
        return (
            f"the memref of its tt.layout is {dimensions_text(self.memref.shape)}, and a place of the grid "
            f"{dimensions_text(self.grid.shape)} holds {dimensions_text(exact)}"
            + (f" tiles of {dimensions_text(self.tile_shape)}" if self.is_tiled else "")
        )

    @property
    def memory_space(self) -> MemorySpace:
        """The memory in which the tensor lies."""
        space = self._space
        if not isinstance(space, MemorySpace):
            raise LayoutError("the memory of a tt.layout is named by a tt.memory_space")
        return space

    def with_memory_space(self, space: MemorySpace) -> LayoutRecord:
        """Return the layout in another memory."""
        return replace(self, memref=memref_of(self.scalar_shard_shape, self.element, space))


@dataclass(frozen=True, slots=True, eq=False)
class TTNNLayout(ShardedLayout):
    """``#ttnn.ttnn_layout``."""

    @classmethod
    def make(
        cls,
        shape: tuple[int, ...],
        element: Element,
        buffer_type: BufferType = BufferType.SystemMemory,
        grid_shape: tuple[int, ...] = (1, 1),
        memory_layout: TensorMemoryLayout = TensorMemoryLayout.None_,
        *,
        collapse: Intervals = ALL_BUT_LAST,
    ) -> TTNNLayout:
        """The layout of a tensor of ``shape``; the same object for the same arguments. Raises ``LayoutError``."""
        return _ttnn_layout(shape, element, buffer_type, grid_shape, memory_layout, collapse)

    @property
    def buffer_type(self) -> BufferType:
        """The memory in which the tensor lies."""
        space = self._space
        if not isinstance(space, BufferType):
            raise LayoutError("the memory of a ttnn.ttnn_layout is named by a ttnn.buffer_type")
        return space

    @property
    def memory_config(self) -> MemoryConfigRecord:
        """The equivalent memory configuration: its shard shape counts tiles if the tensor is in tiles."""
        return MemoryConfigRecord(self.memory_layout, self.buffer_type, self.memref.shape)

    def with_buffer_type(self, buffer_type: BufferType) -> TTNNLayout:
        """Return the layout in another memory."""
        return replace(self, memref=memref_of(self.scalar_shard_shape, self.element, buffer_type))

    def tiled(self) -> TTNNLayout:
        """Return the layout with its shards in 32x32 tiles."""
        return self if self.is_tiled else self.with_element(tile_of(self.element, TILE_SHAPE))

    def row_major(self) -> TTNNLayout:
        """Return the layout with its shards in scalars; shards in tiles stay padded to whole tiles."""
        return self.with_element(self.scalar_type) if self.is_tiled else self


@lru_cache(maxsize=8192)
def _ttnn_layout(
    shape: tuple[int, ...],
    element: Element,
    buffer_type: BufferType,
    grid_shape: tuple[int, ...],
    memory_layout: TensorMemoryLayout,
    collapse: Intervals,
) -> TTNNLayout:
    linear = collapsed_map(shape, len(grid_shape), collapse)
    shard = shard_shape_of(physical_shape(linear, shape), grid_shape)
    return TTNNLayout(linear, Grid(grid_shape), memref_of(shard, element, buffer_type), memory_layout)


@dataclass(frozen=True, slots=True, eq=False)
class MemoryConfigRecord(LayoutValue):
    """``#ttnn.memory_config``: distribution, memory, and the shape of a shard (in tiles if the tensor is in tiles)."""

    memory_layout: TensorMemoryLayout
    buffer_type: BufferType
    shard_shape: tuple[int, ...]
