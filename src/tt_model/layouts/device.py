"""``tt.device``: the chips of a system as one grid of cores, and the places of a tensor's shards on them.

Specification: Device. The maps are made from the description of the system and the mesh of chips.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from xdsl.ir.affine import AffineExpr, AffineMap

from tt_model.layouts.elements import element_bytes
from tt_model.layouts.enums import BufferType, MemorySpace
from tt_model.layouts.layout import Grid, ShardedLayout
from tt_model.layouts.linear import check_rank
from tt_model.layouts.system_desc import SystemRecord
from tt_model.layouts.values import LayoutError, LayoutValue, dimensions_text, volume
from ttl.ir.affine import (
    add,
    constant,
    dims,
    evaluate,
    floordiv,
    make_map,
    mod,
    mul,
    substitute,
    symbols,
)

# Elements (scalars or tiles) of a tensor in DRAM that lie in one channel before the next channel follows.
DRAM_PAGE = 8192
# Results of the memory maps: (chip, y, x, offset).
NUM_INDICES = 4


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an element of a tensor: ``offset`` counts elements (scalars, or tiles if the tensor is in tiles).

    In L1, ``y`` and ``x`` are the logical coordinate of the core on its chip; in DRAM ``y`` is 0 and ``x`` the channel.
    """

    chip: int
    y: int
    x: int
    offset: int


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle of cores of one chip; ``y`` and ``x`` are those of the first core."""

    y: int
    x: int
    height: int
    width: int


@dataclass(frozen=True, slots=True, eq=False)
class DeviceRecord(LayoutValue):
    """``#tt.device``. The memory maps take a position in the physical shape; their symbols are the shape of a shard."""

    worker_grid: Grid
    l1_map: AffineMap
    dram_map: AffineMap
    mesh_shape: tuple[int, ...]
    chip_ids: tuple[int, ...]

    def __post_init__(self) -> None:
        """Raise ``LayoutError``, in the words of the attribute's verifier."""
        if not self.chip_ids:
            raise LayoutError("expected at least one chip")
        if len(self.chip_ids) != volume(self.mesh_shape):
            raise LayoutError(
                f"expected chipIds size to match the volume of meshShape, got {len(self.chip_ids)} chips for "
                f"{dimensions_text(self.mesh_shape) or 'an empty mesh (of volume 1)'}"
            )
        if any(extent <= 0 for extent in self.worker_grid.shape):
            raise LayoutError(
                f"expected positive grid dimensions, got {dimensions_text(self.worker_grid.shape)}"
            )
        results = len(self.worker_grid.map.results)
        if results != 3:
            raise LayoutError(f"expected physical grid mapping to have 3 results (chip, y, x), got {results}")
        for name, map_ in (("l1Map", self.l1_map), ("dramMap", self.dram_map)):
            if len(map_.results) != NUM_INDICES:
                raise LayoutError(
                    f"expected {name} to have MemoryMapResultIdx::NumIndices results "
                    f"({NUM_INDICES}: chip, y, x, offset), got {len(map_.results)}"
                )

    @classmethod
    def of(cls, system_desc: SystemRecord, mesh_shape: Sequence[int] = ()) -> DeviceRecord:
        """The device of a mesh of chips; without ``mesh_shape``, of one chip. Raises ``LayoutError``."""
        return _device_of(system_desc, tuple(mesh_shape))

    def core_of(self, place: Sequence[int]) -> tuple[int, int, int]:
        """Return the core at a place of the grid: (chip, y, x)."""
        chip, y, x = evaluate(self.worker_grid.map, place)
        return chip, y, x

    @property
    def chip_grid(self) -> tuple[int, int]:
        """Rows and columns of cores of one chip: the whole mesh's grid, divided by the chips along each axis."""
        mesh = (*self.mesh_shape, *(1,) * (2 - len(self.mesh_shape)))
        rows, columns = (1, *self.worker_grid.shape)[-2:]
        return rows // mesh[-2], columns // mesh[-1]

    def rectangle(self, grid: Sequence[int]) -> tuple[int, int]:
        """Rows and columns of the cores that hold the shards of a grid.

        Raises ``LayoutError`` if there is no such rectangle.

        A grid that fits into the device's is its own rectangle. A column of more shards than the chip has rows, or a
        row of more than it has columns, is wrapped line by line over the widest rectangle with exactly as many cores:
        64x1 over 8x8. The library takes one rectangle, so that 11x1 has no place on 8x8 cores.
        """
        *outer, rows, columns = (1, 1, *grid)
        if all(extent <= cores for extent, cores in zip(reversed(grid), reversed(self.worker_grid.shape))):
            return rows, columns
        height, width = self.chip_grid
        if set(outer) == {1} and 1 in (rows, columns):
            count = rows * columns
            for wide in range(min(width, count), 0, -1):
                if count % wide == 0 and count // wide <= height:
                    return count // wide, wide
        raise LayoutError(
            f"no rectangle of the chip's {height}x{width} cores has exactly one core for each shard of a grid {dimensions_text(grid)}"
        )

    def core_of_shard(self, grid: Sequence[int], place: Sequence[int]) -> tuple[int, int, int]:
        """Return the core that holds the shard at a place of the grid: (chip, y, x). Raises ``LayoutError``."""
        shape = tuple((1, *grid)[-2:])
        rows, columns = self.rectangle(grid)
        if shape == (rows, columns):
            return self.core_of((0,) * (self.worker_grid.rank - len(place)) + tuple(place))
        y, x = divmod(max(place[-2:]), columns)
        return self.core_of((0,) * (self.worker_grid.rank - 2) + (y, x))

    def memory_map(self, space: BufferType | MemorySpace) -> AffineMap:
        """The map of a memory. Raises ``LayoutError`` for memory of the host."""
        if space.is_host:
            raise LayoutError(f"a tensor in {space.keyword} is not on the device")
        return self.dram_map if _is_dram(space) else self.l1_map

    def footprint(self, layout: ShardedLayout, shape: tuple[int, ...]) -> int:
        """Bytes up to the end of the last element of a tensor in any bank, by the memory maps of the attribute.

        If shards are not full, the last element is not at the end of the largest shard: ``ShardedLayout.shard_bytes``
        is the number of bytes to reserve.
        """
        space = self._checked(layout)
        if 0 in shape or 0 in layout.memref.shape:
            return 0
        last = [extent - 1 for extent in layout.tiled_shape(shape)]
        offset = evaluate(self.memory_map(space), last, layout.memref.shape)[3]
        return (offset + 1) * element_bytes(layout.element)

    def locate(self, layout: ShardedLayout, index: Sequence[int]) -> Place:
        """The place of one element of a tensor, by its logical index: of the scalar, or of the tile that holds it.

        In DRAM, pages of 8192 elements are distributed over the channels in order. The ``dramMap`` of the attribute is
        upstream's text, in which different elements get the same offset; here they do not.
        """
        space, shard = self._checked(layout), layout.memref.shape
        if space.is_host:
            raise LayoutError("the tensor is not on the device")
        check_rank(layout.linear, index)
        if 0 in shard:
            raise LayoutError(f"a shard {dimensions_text(shard)} holds no element")
        position = evaluate(layout.tiled_map(), index)
        places = [at // extent for at, extent in zip(position, shard)]
        inside = 0
        for at, extent in zip(position, shard):
            inside = inside * extent + at % extent
        if not _is_dram(space):
            chip, y, x = self.core_of_shard(layout.grid.shape, places)
            return Place(chip, y, x, inside)
        chip, _, _ = self.core_of(places)
        owner = 0
        for at, extent in zip(places, self.worker_grid.shape):
            owner = owner * extent + at
        address = owner * volume(shard) + inside
        channels = self.dram_channels
        page, rest = divmod(address, DRAM_PAGE)
        return Place(chip, 0, page % channels, page // channels * DRAM_PAGE + rest)

    def _checked(self, layout: ShardedLayout) -> BufferType | MemorySpace:
        """Return the memory of a layout whose dimensions fit the device. Raises ``LayoutError``."""
        space = layout.memref.space
        if space is None:
            raise LayoutError("the layout does not say in which memory the tensor lies")
        ranks = (len(layout.linear.results), layout.grid.rank, len(layout.memref.shape))
        if set(ranks) != {self.worker_grid.rank}:
            raise LayoutError(
                f"the map of the layout has {ranks[0]} results, its grid {ranks[1]} and its shard {ranks[2]} dimensions, "
                f"and the grid of the device {self.worker_grid.rank}"
            )
        return space

    @property
    def dram_channels(self) -> int:
        """The number of channels that the DRAM map distributes pages over.

        Raises ``LayoutError`` for a map of another form.
        """
        channel = self.dram_map.results[2]
        modulus = getattr(channel, "rhs", None)
        if modulus is None:
            return 1
        number = getattr(modulus, "value", None)
        if not isinstance(number, int):
            raise LayoutError("the dramMap does not go round the channels by a number of them")
        return number


def _is_dram(space: BufferType | MemorySpace) -> bool:
    if isinstance(space, BufferType):
        return space in (BufferType.DRAM, BufferType.Trace)
    return space is MemorySpace.DeviceDRAM


@lru_cache(maxsize=64)
def _device_of(system_desc: SystemRecord, mesh_shape: tuple[int, ...]) -> DeviceRecord:
    chips = system_desc.chips
    if not chips:
        raise LayoutError("the system description has no chips")
    if any(extent < 1 for extent in mesh_shape):
        raise LayoutError(f"expected positive mesh dimensions, got {dimensions_text(mesh_shape)}")
    if volume(mesh_shape) > len(chips):
        raise LayoutError(
            f"a mesh {dimensions_text(mesh_shape)} has {volume(mesh_shape)} chips, and the system description has {len(chips)}"
        )
    mesh = (*mesh_shape, *(1,) * (2 - len(mesh_shape)))
    smallest = tuple(min(extents) for extents in zip(*(chip.grid for chip in chips)))
    if len(smallest) != 2:
        raise LayoutError("the grid of a chip has rows and columns")
    chip_grid = (1,) * (len(mesh) - 2) + smallest
    virtual = tuple(extent * cores for extent, cores in zip(mesh, chip_grid))
    grid = Grid(virtual, worker_map(mesh, smallest))
    channels = len(chips[0].physical_cores.dram)
    if channels == 0:
        raise LayoutError("the first chip of the system description has no DRAM cores")
    return DeviceRecord(
        grid, l1_map(grid), dram_map(grid, channels), mesh_shape, tuple(range(volume(mesh_shape)))
    )


def worker_map(mesh: Sequence[int], chip_grid: Sequence[int]) -> AffineMap:
    """Return the map from places of the whole mesh's grid to cores (chip, y, x).

    ``chip_grid`` is (rows, columns) of one chip.
    """
    axes = dims(len(mesh))
    y, x = axes[-2:]
    rows, columns = (constant(extent) for extent in chip_grid)
    chip = constant(0)
    if mesh[-1] > 1:
        chip = add(floordiv(x, columns), chip)
        x = mod(x, columns)
    if mesh[-2] > 1:
        chip = add(mul(floordiv(y, rows), constant(mesh[-1])), chip)
        y = mod(y, rows)
    stride = mesh[-1] * mesh[-2]
    for dim in reversed(range(len(mesh) - 2)):
        chip = add(mul(axes[dim], constant(stride)), chip)
        stride *= mesh[dim]
    return make_map(len(mesh), (chip, y, x))


def l1_map(grid: Grid) -> AffineMap:
    """Return the map from positions of the physical shape to L1: the shard's core, and the offset in the shard."""
    axes, extents = dims(grid.rank), symbols(grid.rank)
    places = [floordiv(axis, extent) for axis, extent in zip(axes, extents)]
    core = [substitute(result, places) for result in grid.map.results]
    offset, _ = _offset_in_shard(axes, extents)
    return make_map(grid.rank, (*core, offset), grid.rank)


def dram_map(grid: Grid, channels: int) -> AffineMap:
    """Return the map from positions of the physical shape to DRAM: chip, 0, channel, and offset in the channel.

    The text is upstream's: its offset counts pages where it should count their elements. ``DeviceRecord.locate`` is
    right.
    """
    axes, extents = dims(grid.rank), symbols(grid.rank)
    places = [floordiv(axis, extent) for axis, extent in zip(axes, extents)]
    owner, stride = constant(0), 1
    for dim in reversed(range(grid.rank)):
        owner = add(mul(places[dim], constant(stride)), owner)
        stride *= grid.shape[dim]
    offset, shard = _offset_in_shard(axes, extents)
    address = add(mul(owner, shard), offset)
    page = constant(DRAM_PAGE)
    channel = mod(floordiv(address, page), constant(channels))
    inside = add(floordiv(address, constant(DRAM_PAGE * channels)), mod(address, page))
    chip = substitute(grid.map.results[0], places)
    return make_map(grid.rank, (chip, constant(0), channel, inside), grid.rank)


def _offset_in_shard(
    axes: Sequence[AffineExpr], extents: Sequence[AffineExpr]
) -> tuple[AffineExpr, AffineExpr]:
    """The offset of an element in its shard, and the number of elements of a shard."""
    offset, stride = constant(0), constant(1)
    for axis, extent in reversed(list(zip(axes, extents))):
        offset = add(mul(mod(axis, extent), stride), offset)
        stride = mul(stride, extent)
    return offset, stride


def core_rectangles(grid_shape: Sequence[int], device: DeviceRecord) -> list[Rectangle]:
    """The cores of a grid as rectangles: runs along rows, of which equal ones below each other are merged.

    Raises ``LayoutError`` for a grid that reaches beyond the first chip.
    """
    runs: list[Rectangle] = []
    for place in product(*map(range, grid_shape)):
        chip, y, x = device.core_of_shard(grid_shape, place)
        if chip != 0:
            raise LayoutError(
                f"core {place} of the grid is on chip {chip}; a file names the cores of one chip: "
                "ttir.mesh_shard cuts a tensor over chips, and each has a grid of its own"
            )
        last = runs[-1] if runs else None
        if last is not None and last.y == y and last.x + last.width == x:
            runs[-1] = replace(last, width=last.width + 1)
        else:
            runs.append(Rectangle(y, x, 1, 1))
    merged: list[Rectangle] = []
    for run in runs:
        above = merged[-1] if merged else None
        is_below = above is not None and (above.x, above.width, above.y + above.height) == (
            run.x,
            run.width,
            run.y,
        )
        if above is not None and is_below:
            merged[-1] = replace(above, height=above.height + run.height)
        else:
            merged.append(run)
    return merged
