"""Where a tensor lives: DRAM or L1, interleaved over the banks or sharded over cores.

The functional view is always plain row-major memory; a memory configuration is data that programs pass on
and ask back, that decides cost, and that has to be legal for the tensor's shape and the device's grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ttl.diag.remedies import Argument
from ttl.host.calling import checked, public
from ttl.host.cores import CoreGrid, CoreRangeSet, core_set
from ttl.host.errors import Code, describe, fail
from ttl.host.shape import extents_of, padded, volume
from ttl.rows.types import TILE, Layout
from ttl.source.public_names import known_as

__all__ = (
    "DRAM_MEMORY_CONFIG", "L1_BLOCK_SHARDED_MEMORY_CONFIG", "L1_HEIGHT_SHARDED_MEMORY_CONFIG", "L1_MEMORY_CONFIG",
    "L1_WIDTH_SHARDED_MEMORY_CONFIG", "BufferType", "MemoryConfig", "NdShardSpec", "ShardOrientation", "ShardSpec",
    "ShardStrategy", "StorageType", "TensorMemoryLayout", "Tile", "create_sharded_memory_config",
)  # fmt: skip


class StorageType(StrEnum):
    """Whether a tensor is on the host or on a device."""

    HOST = "HOST"
    DEVICE = "DEVICE"


@known_as("BufferType")
class HostBufferType(StrEnum):
    """Kind of memory."""

    DRAM = "DRAM"
    L1 = "L1"
    L1_SMALL = "L1_SMALL"
    TRACE = "TRACE"
    SYSTEM_MEMORY = "SYSTEM_MEMORY"


BufferType = HostBufferType


@known_as("TensorMemoryLayout")
class HostMemoryLayout(StrEnum):
    """How the pages of a tensor are spread over the banks."""

    INTERLEAVED = "INTERLEAVED"
    HEIGHT_SHARDED = "HEIGHT_SHARDED"
    WIDTH_SHARDED = "WIDTH_SHARDED"
    BLOCK_SHARDED = "BLOCK_SHARDED"
    ND_SHARDED = "ND_SHARDED"


TensorMemoryLayout = HostMemoryLayout


class ShardOrientation(StrEnum):
    """In which order shards are given to cores: row by row or column by column of the core grid."""

    ROW_MAJOR = "ROW_MAJOR"
    COL_MAJOR = "COL_MAJOR"


class ShardStrategy(StrEnum):
    """How ``create_sharded_memory_config`` cuts a tensor."""

    HEIGHT = "HEIGHT"
    WIDTH = "WIDTH"
    BLOCK = "BLOCK"


@checked
class Tile:
    """Shape of a tile: always 32 by 32 elements here."""

    __slots__ = ()

    @property
    def tile_shape(self) -> list[int]:
        """Rows and columns of a tile."""
        return [TILE, TILE]

    def __init__(self, tile_shape: Any = (TILE, TILE), transpose_tile: bool = False) -> None:
        if tuple(tile_shape) != (TILE, TILE) or transpose_tile:
            fail(
                Code.UNSUPPORTED,
                f"tiles of shape {tuple(tile_shape)} are not supported",
                help="use tiles of 32x32",
                remedy=Argument(name="tile_shape", value="(32, 32)", position=0),
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tile)

    def __hash__(self) -> int:
        return hash(Tile)

    def __repr__(self) -> str:
        return f"Tile with shape: [{TILE}, {TILE}]"


@checked
@dataclass(frozen=True, init=False)
class ShardSpec:
    """A 2-D shard: cores, (height, width) in elements of the tensor seen as 2-D, and order."""

    grid: CoreRangeSet
    shape: tuple[int, int]
    orientation: ShardOrientation

    def __init__(
        self, grid: Any, shard_shape: Any, shard_orientation: ShardOrientation = ShardOrientation.ROW_MAJOR
    ) -> None:
        extents = extents_of(shard_shape, "a shard shape")
        if len(extents) != 2 or 0 in extents:
            fail(Code.SHARDS, f"a shard shape is (height, width) in elements, not {extents}")
        vars(self).update(grid=core_set(grid), shape=extents, orientation=shard_orientation)

    def num_cores(self) -> int:
        """How many cores hold a shard."""
        return self.grid.num_cores()


@checked
@dataclass(frozen=True, init=False)
class NdShardSpec:
    """A shard with as many dimensions as the tensor, given to the cores in turn."""

    shard_shape: tuple[int, ...]
    grid: CoreRangeSet
    orientation: ShardOrientation

    def __init__(
        self, shard_shape: Any, grid: Any, orientation: ShardOrientation = ShardOrientation.ROW_MAJOR
    ) -> None:
        extents = extents_of(shard_shape, "a shard shape")
        if not extents or 0 in extents:
            fail(Code.SHARDS, f"a shard has at least one element in each dimension, not {extents}")
        vars(self).update(shard_shape=extents, grid=core_set(grid), orientation=orientation)


_SHARDED_2D = (
    TensorMemoryLayout.HEIGHT_SHARDED,
    TensorMemoryLayout.WIDTH_SHARDED,
    TensorMemoryLayout.BLOCK_SHARDED,
)


@checked
@dataclass(frozen=True, init=False)
class MemoryConfig:
    """Memory layout, kind of memory and shards. ``MemoryConfig(buffer_type, nd_shard_spec)`` is ND sharded."""

    memory_layout: TensorMemoryLayout
    buffer_type: BufferType
    shard_spec: ShardSpec | None
    nd_shard_spec: NdShardSpec | None

    def __init__(
        self,
        memory_layout: TensorMemoryLayout | BufferType | None = None,
        buffer_type: BufferType | NdShardSpec = BufferType.DRAM,
        shard_spec: ShardSpec | None = None,
        *,
        nd_shard_spec: NdShardSpec | None = None,
    ) -> None:
        if isinstance(memory_layout, BufferType):
            if isinstance(buffer_type, NdShardSpec):
                nd_shard_spec = buffer_type
            buffer_type = memory_layout
            memory_layout = None
        if memory_layout is None:
            memory_layout = (
                TensorMemoryLayout.INTERLEAVED if nd_shard_spec is None else TensorMemoryLayout.ND_SHARDED
            )
        _check_config(memory_layout, buffer_type, shard_spec, nd_shard_spec)
        vars(self).update(
            memory_layout=memory_layout,
            buffer_type=buffer_type,
            shard_spec=shard_spec,
            nd_shard_spec=nd_shard_spec,
        )

    def is_sharded(self) -> bool:
        """Whether the tensor is sharded over cores."""
        return self.memory_layout is not TensorMemoryLayout.INTERLEAVED

    @property
    def interleaved(self) -> bool:
        """Whether the tensor's pages go round the banks."""
        return not self.is_sharded()


def _check_config(memory_layout: Any, buffer_type: Any, shard_spec: Any, nd_shard_spec: Any) -> None:
    if not isinstance(memory_layout, TensorMemoryLayout):
        fail(Code.WRONG_KIND, f"a memory layout is a ttnn.TensorMemoryLayout, not {describe(memory_layout)}")
    if not isinstance(buffer_type, BufferType):
        fail(Code.WRONG_KIND, f"a buffer type is a ttnn.BufferType, not {describe(buffer_type)}")
    if shard_spec is not None and not isinstance(shard_spec, ShardSpec):
        fail(Code.WRONG_KIND, f"a shard specification is a ttnn.ShardSpec, not {describe(shard_spec)}")
    if nd_shard_spec is not None and not isinstance(nd_shard_spec, NdShardSpec):
        fail(
            Code.WRONG_KIND, f"an ND shard specification is a ttnn.NdShardSpec, not {describe(nd_shard_spec)}"
        )
    if memory_layout is TensorMemoryLayout.INTERLEAVED and (shard_spec or nd_shard_spec):
        fail(Code.SHARDS, "an interleaved memory configuration with a shard specification")


DRAM_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.DRAM)
L1_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.L1)
L1_HEIGHT_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1)
L1_WIDTH_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.WIDTH_SHARDED, BufferType.L1)
L1_BLOCK_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.BLOCK_SHARDED, BufferType.L1)


@public()
def create_sharded_memory_config(
    shape: Any,
    core_grid: Any,
    strategy: ShardStrategy,
    orientation: ShardOrientation | None = None,
    use_height_and_width_as_shard_shape: bool = False,
    *,
    buffer_type: BufferType = BufferType.L1,
) -> MemoryConfig:
    """A sharded memory configuration for a tensor of ``shape`` (elements).

    The leading dimensions are folded into the height. HEIGHT cuts the height into one piece per core, WIDTH
    the width, BLOCK both, rows of cores by height and columns by width (the other way round with column-major
    orientation). Pieces are rounded up. With ``use_height_and_width_as_shard_shape`` the shape is the shard's.
    """
    extents = extents_of(shape)
    if len(extents) < 2:
        fail(Code.SHARDS, f"a sharded tensor has at least two dimensions, not shape {extents}")
    if not isinstance(strategy, ShardStrategy):
        fail(Code.WRONG_KIND, f"a strategy is a ttnn.ShardStrategy, not {describe(strategy)}")
    cores = core_set(core_grid)
    order = ShardOrientation.ROW_MAJOR if orientation is None else orientation
    layout = TensorMemoryLayout(f"{strategy}_SHARDED")
    height, width = volume(extents[:-1]), extents[-1]
    if not use_height_and_width_as_shard_shape:
        match strategy:
            case ShardStrategy.HEIGHT:
                height = -(-height // cores.num_cores())
            case ShardStrategy.WIDTH:
                width = -(-width // cores.num_cores())
            case ShardStrategy.BLOCK:
                if cores.size() != 1:
                    fail(Code.SHARDS, f"block sharding needs one rectangle of cores, not {cores.size()}")
                columns, rows = cores.bounding_box().grid_size()
                if order is ShardOrientation.COL_MAJOR:
                    columns, rows = rows, columns
                height, width = -(-height // rows), -(-width // columns)
    return MemoryConfig(layout, buffer_type, ShardSpec(cores, (height, width), order))


def resolve(given: Any, shape: Sequence[int], layout: Layout, grid: tuple[int, int] | None) -> MemoryConfig:
    """A user's memory configuration for a tensor of this shape, checked; None is interleaved DRAM.

    A 2-D sharded configuration without shards (``L1_BLOCK_SHARDED_MEMORY_CONFIG``) gets shards over the
    device's whole ``grid`` (columns, rows).
    """
    if given is None:
        return DRAM_MEMORY_CONFIG
    config = _config(given)
    if config.nd_shard_spec is not None:
        _check_nd(config.nd_shard_spec, shape, layout)
        return config
    if config.memory_layout not in _SHARDED_2D:
        return config
    if config.shard_spec is None and grid is not None:
        config = _with_shards(config, shape, layout, grid)
    if config.shard_spec is not None:
        _check_shards(config.memory_layout, config.shard_spec, shape, layout, grid)
    return config


def _config(value: Any) -> MemoryConfig:
    if not isinstance(value, MemoryConfig):
        fail(Code.WRONG_KIND, f"a memory configuration is a ttnn.MemoryConfig, not {describe(value)}")
    return value


def _with_shards(
    config: MemoryConfig, shape: Sequence[int], layout: Layout, grid: tuple[int, int]
) -> MemoryConfig:
    extents = (1, 1, *padded(shape, layout))
    whole = create_sharded_memory_config(
        extents,
        CoreGrid(x=grid[0], y=grid[1]),
        ShardStrategy(config.memory_layout.removesuffix("_SHARDED")),
        buffer_type=config.buffer_type,
    )
    assert whole.shard_spec is not None
    if layout is Layout.ROW_MAJOR:
        return whole
    height, width = (-(-extent // TILE) * TILE for extent in whole.shard_spec.shape)
    spec = ShardSpec(whole.shard_spec.grid, (height, width), whole.shard_spec.orientation)
    return MemoryConfig(whole.memory_layout, whole.buffer_type, spec)


def _check_nd(spec: NdShardSpec, shape: Sequence[int], layout: Layout) -> None:
    rank = len(padded(shape, layout))
    if len(spec.shard_shape) != rank:
        fail(
            Code.SHARDS,
            f"a shard of shape {spec.shard_shape} for a tensor with {rank} dimensions, shape {tuple(shape)}",
        )
    _check_whole_tiles(spec.shard_shape, layout)


def _check_whole_tiles(shard: Sequence[int], layout: Layout) -> None:
    if layout is Layout.TILE and any(extent % TILE for extent in shard[-2:]):
        whole = (*shard[:-2], *(-(-extent // TILE) * TILE for extent in shard[-2:]))
        fail(
            Code.SHARDS,
            f"a shard of {tuple(shard)} elements is not made of whole tiles of {TILE}x{TILE}",
            help=f"make the shard {whole}, or use ttnn.ROW_MAJOR_LAYOUT",
        )


def _check_shards(
    memory_layout: TensorMemoryLayout,
    spec: ShardSpec,
    shape: Sequence[int],
    layout: Layout,
    grid: tuple[int, int] | None,
) -> None:
    _check_whole_tiles(spec.shape, layout)
    extents = (1, *padded(shape, layout))
    height, width = volume(extents[:-1]), extents[-1]
    down, across = -(-height // spec.shape[0]), -(-width // spec.shape[1])
    if memory_layout is TensorMemoryLayout.HEIGHT_SHARDED and across > 1:
        fail(
            Code.SHARDS,
            f"a height-sharded tensor of width {width} needs shards of that width, not {spec.shape[1]}",
        )
    if memory_layout is TensorMemoryLayout.WIDTH_SHARDED and down > 1:
        fail(
            Code.SHARDS,
            f"a width-sharded tensor of height {height} needs shards of that height, not {spec.shape[0]}",
        )
    if down * across > spec.num_cores():
        fail(
            Code.SHARDS,
            f"a tensor of {height}x{width} elements makes {down * across} shards of {spec.shape[0]}x{spec.shape[1]}, "
            f"more than the {spec.num_cores()} cores given",
            help="use larger shards or more cores",
        )
    if grid is None or spec.num_cores() == 0:
        return
    corner = spec.grid.bounding_box().end
    if corner.x >= grid[0] or corner.y >= grid[1]:
        fail(
            Code.SHARDS,
            f"shards on core (x={corner.x}, y={corner.y}), but the device has {grid[0]}x{grid[1]} cores",
        )


def without_shards(config: MemoryConfig, buffer_type: BufferType | None = None) -> MemoryConfig:
    """The interleaved configuration in the same (or another) kind of memory."""
    return MemoryConfig(TensorMemoryLayout.INTERLEAVED, buffer_type or config.buffer_type)
