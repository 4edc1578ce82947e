"""Tensors of the host library as types of the dialect."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType

from ttl.dialects import ttl as ir
from ttl.host.memory import BufferType, MemoryConfig, TensorMemoryLayout
from ttl.host.tensor import Tensor
from ttl.ops.types import TILE, Layout

_SPACE = {BufferType.DRAM: "dram", BufferType.SYSTEM_MEMORY: "system"}
_SPREAD = {
    TensorMemoryLayout.INTERLEAVED: "interleaved",
    TensorMemoryLayout.HEIGHT_SHARDED: "height_sharded",
    TensorMemoryLayout.WIDTH_SHARDED: "width_sharded",
    TensorMemoryLayout.BLOCK_SHARDED: "block_sharded",
    TensorMemoryLayout.ND_SHARDED: "nd_sharded",
}


def extents_of(tensor: Tensor) -> tuple[int, ...]:
    """Extents as slices count them: tiles in the last two dimensions of a tiled tensor, elements elsewhere."""
    shape = tuple(tensor.shape)
    if tensor.layout is not Layout.TILE:
        return shape or (1,)
    whole = (1,) * (2 - len(shape)) + shape
    return (*whole[:-2], *(-(-extent // TILE) for extent in whole[-2:]))


def tensor_type(tensor: Tensor) -> TensorType:
    """The type of an argument: shape in elements, element type, where it lives."""
    # A symbolic tensor has no extents before it is an argument.
    shape = tuple(extent if isinstance(extent, int) else DYNAMIC_INDEX for extent in tensor.shape)
    config = tensor.memory_config()
    # A tiled tensor has two dimensions at least, a row-major one one.
    shape = (1,) * ((2 if tensor.layout is Layout.TILE else 1) - len(shape)) + shape
    element = ir.element_type(tensor.dtype, Layout.ROW_MAJOR)
    return TensorType(element, shape, _encoding(tensor.layout, config))


def _encoding(layout: Layout, config: MemoryConfig) -> ir.EncodingAttr:
    order = "tiled" if layout is Layout.TILE else "row_major"
    spread = _SPREAD[config.memory_layout]
    spec: Any = config.shard_spec or config.nd_shard_spec
    if spec is None:
        made = ir.LayoutAttr(order, spread)
    else:
        shape = config.shard_spec.shape if config.shard_spec is not None else spec.shard_shape
        made = ir.LayoutAttr(
            order, spread, shard_shape=tuple(int(each) for each in shape), shard_grid=_cores(spec.grid)
        )
    return ir.EncodingAttr(_SPACE.get(config.buffer_type, "l1"), made)


def _cores(cores: Any) -> tuple[int, ...]:
    """How many cores hold shards: columns and rows of a rectangle, or their number."""
    box = cores.bounding_box()
    extents = (box.end.x - box.start.x + 1, box.end.y - box.start.y + 1)
    count = int(cores.num_cores())
    return extents if extents[0] * extents[1] == count else (count,)
