"""The bytes that a tensor takes of a bank of a chip's memory."""

from __future__ import annotations

from collections.abc import Sequence

from tt_model.layouts.elements import SCALAR_BYTES, TILE_SHAPE, tile_bytes
from tt_model.layouts.enums import DataType, TensorMemoryLayout
from tt_model.layouts.layout import MemoryConfigRecord
from tt_model.layouts.values import LayoutError, ceil_div, volume


def bytes_of_bank(
    shape: Sequence[int],
    data_type: DataType,
    tiled: bool,
    config: MemoryConfigRecord,
    *,
    banks: int,
    alignment: int,
) -> int:
    """Return the bytes that the fullest bank holds of a tensor of ``shape`` (in scalars). Raises ``LayoutError``.

    Interleaved: pages are distributed over the banks in order; a page is a tile, or a row of scalars, and each is
    aligned. Sharded: a core holds one shard, whose shape in the configuration counts tiles if the tensor is in tiles.
    """
    if not tiled and data_type not in SCALAR_BYTES:
        raise LayoutError(f"{data_type.keyword} is a type of tiles only: a tensor in rows cannot have it")
    if config.memory_layout.is_sharded:
        if len(config.shard_shape) < 1 or min(config.shard_shape) < 1:
            raise LayoutError(f"ShardSpec.shard_shape is {list(config.shard_shape)}: it has no elements")
        if tiled:
            return volume(config.shard_shape) * tile_bytes(data_type)
        *rows, columns = config.shard_shape
        return volume(rows) * _aligned(columns * SCALAR_BYTES[data_type], alignment)
    *outer, rows_, columns_ = (1, 1, *shape)
    if tiled:
        pages = volume(outer) * ceil_div(rows_, TILE_SHAPE[0]) * ceil_div(columns_, TILE_SHAPE[1])
        page = tile_bytes(data_type)
    else:
        pages = volume(outer) * rows_
        page = columns_ * SCALAR_BYTES[data_type]
    used = 1 if config.memory_layout is TensorMemoryLayout.SingleBank else banks
    return ceil_div(pages, used) * _aligned(page, alignment)


def _aligned(size: int, alignment: int) -> int:
    return ceil_div(size, alignment) * alignment
