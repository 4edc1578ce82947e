"""Conditions of operations on the place of a tensor, which are compared with the layout in the tensor's type."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import IntegerType

from tt_model.attributes.tt import TTLayoutAttr
from tt_model.attributes.ttnn import TTNNLayoutAttr
from tt_model.operations.conditions.verify_common import (
    HasInput,
    input_shape,
    output_shape,
    output_type,
    shape_text,
)
from tt_model.operations.operation import RowOperation, TTNNOperation
from tt_model.operations.tensors import shape_of, tensor_type_of
from tt_model.operations.ttnn import TTNNAllocOp

if TYPE_CHECKING:
    from xdsl.dialects.builtin import TensorType
    from xdsl.ir import Attribute, SSAValue

    from tt_model.layouts.enums import BufferType, MemorySpace
    from tt_model.layouts.layout import LayoutRecord, TTNNLayout
    from tt_model.operations import ttir, ttmetal, ttnn
    from tt_model.operations.shared import FillCacheOperation, UpdateCacheOperation

    CacheOperation: TypeAlias = FillCacheOperation | UpdateCacheOperation
    Alloc: TypeAlias = "ttir.TTIRAllocOp | ttnn.TTNNAllocOp | ttmetal.TTMetalAllocOp"

# Both extents of a shard of a block-sharded tensor are multiples of a tile's extents.
_TILE = (32, 32)


def ttnn_layout_of(type: TensorType[Attribute]) -> TTNNLayout | None:
    """The layout in the type of a tensor of TTNN."""
    return type.encoding.data if isinstance(type.encoding, TTNNLayoutAttr) else None


def layout_of(type: TensorType[Attribute]) -> LayoutRecord | None:
    """The layout in the type of a tensor of TTMetal."""
    return type.encoding.data if isinstance(type.encoding, TTLayoutAttr) else None


# Allocations. The place is a ``memory_space`` of tt or a ``buffer_type`` of ttnn, in the operation as in the layout.


def _space(op: Alloc) -> MemorySpace | BufferType:
    return op.buffer_type if isinstance(op, TTNNAllocOp) else op.memory_space


def _space_of_result(op: Alloc) -> Any:
    type = output_type(op)
    if isinstance(op, TTNNOperation):
        placed = ttnn_layout_of(type)
        return None if placed is None else placed.buffer_type
    layout = layout_of(type)
    return None if layout is None else layout.memory_space


def _result_has_a_layout(op: Alloc) -> str | None:
    return "Result type missing layout attribute" if _space_of_result(op) is None else None


def _size_is_not_zero(op: Alloc) -> str | None:
    return None if op.size else "Alloc size must be non-zero"


def _space_is_the_layout_s(op: Alloc) -> str | None:
    given, actual = _space(op), _space_of_result(op)
    if given is actual:
        return None
    return (
        f"Input tensor layout memory space must match alloc memory space: the layout says {actual.keyword}, "
        f"the operation {given.keyword}"
    )


def _host_memory_has_no_address(op: Alloc) -> str | None:
    if not _space(op).is_host or op.address == 0:
        return None
    return "Allocating from system memory space must have address set to 0"


def _device_memory_has_an_address(op: Alloc) -> str | None:
    if _space(op).is_host or op.address != 0:
        return None
    return "Allocating from a device memory space must have address set to a non-zero value"


ALLOC = (
    _result_has_a_layout,
    _size_is_not_zero,
    _space_is_the_layout_s,
    _host_memory_has_no_address,
    _device_memory_has_an_address,
)


# Memory configurations.


def _input_has_a_ttnn_layout(op: HasInput) -> str | None:
    if ttnn_layout_of(tensor_type_of(op.input)) is not None:
        return None
    return "Input tensor type missing layout attribute"


def _output_has_a_ttnn_layout(op: RowOperation) -> str | None:
    if ttnn_layout_of(output_type(op)) is not None:
        return None
    return "Output tensor type missing layout attribute"


def _output_layout(op: RowOperation) -> TTNNLayout:
    layout = ttnn_layout_of(output_type(op))
    assert layout is not None
    return layout


def _host_memory_is_not_spread(op: RowOperation) -> str | None:
    layout = _output_layout(op)
    if not layout.buffer_type.is_host or layout.memory_layout.keyword == "none":
        return None
    return f"System memory space only supports undef memory layout, got {layout.memory_layout.keyword}"


def _device_memory_is_spread(op: RowOperation) -> str | None:
    layout = _output_layout(op)
    if layout.buffer_type.is_host or layout.memory_layout.keyword == "interleaved":
        return None
    if layout.memory_layout.is_sharded:
        return None
    return (
        "Device memory space only supports interleaved or sharded memory layouts, "
        f"got {layout.memory_layout.keyword}"
    )


def _dram_is_interleaved(op: RowOperation) -> str | None:
    layout = _output_layout(op)
    if layout.buffer_type.keyword != "dram" or layout.memory_layout.keyword == "interleaved":
        return None
    return (
        "Device DRAM memory space only supports interleaved memory layout, "
        f"got {layout.memory_layout.keyword}"
    )


def _shards_are_in_l1(op: RowOperation) -> str | None:
    layout = _output_layout(op)
    if not layout.memory_layout.is_sharded or layout.buffer_type.keyword == "l1":
        return None
    return f"Sharded tensors layout must reside in L1, got {layout.buffer_type.keyword}"


def _shards_are_matrices(op: RowOperation) -> str | None:
    layout = _output_layout(op)
    if not layout.memory_layout.is_sharded or len(layout.scalar_shard_shape) == 2:
        return None
    return f"Shard shape must be 2D, got {len(layout.scalar_shard_shape)}D"


def _blocks_are_whole_tiles(op: RowOperation) -> str | None:
    layout = _output_layout(op)
    if layout.memory_layout.keyword != "block_sharded":
        return None
    shape = layout.scalar_shard_shape
    if all(extent % of_tile == 0 for extent, of_tile in zip(shape, _TILE, strict=True)):
        return None
    return f"Shard shape ({shape[0]}, {shape[1]}) must divide tile shape (32, 32) evenly"


TO_MEMORY_CONFIG = (
    _input_has_a_ttnn_layout,
    _output_has_a_ttnn_layout,
    _host_memory_is_not_spread,
    _device_memory_is_spread,
    _dram_is_interleaved,
    _shards_are_in_l1,
    _shards_are_matrices,
    _blocks_are_whole_tiles,
)


# Empty tensors. The real verifier asserts these; here they are errors.


def _has_a_ttnn_layout(op: RowOperation) -> str | None:
    return "Result type missing layout attribute" if ttnn_layout_of(output_type(op)) is None else None


def _shape_is_the_result_s(op: ttnn.TTNNEmptyOp) -> str | None:
    shape = tuple(op.shape)
    if shape == output_shape(op):
        return None
    given, actual = ("x".join(map(str, extents)) for extents in (shape, output_shape(op)))
    return f"Shape attribute {given} must match the shape of the output tensor {actual}"


def _layout_is_the_result_s(op: ttnn.TTNNEmptyOp) -> str | None:
    given = op.layout
    actual = "tile" if _output_layout(op).is_tiled else "row_major"
    if given is None or given.keyword == actual:
        return None
    return f"Layout attribute {given.keyword} must match the layout of the output tensor, which is {actual}"


def _data_type_is_the_result_s(op: ttnn.TTNNEmptyOp) -> str | None:
    given, actual = op.dtype, _output_layout(op).data_type
    if given is None or given is actual:
        return None
    return (
        f"Data type attribute {given.keyword} must match the data type of the output tensor, "
        f"which is {actual.keyword}"
    )


def _memory_is_the_result_s(op: ttnn.TTNNEmptyOp) -> str | None:
    config = op.memory_config
    layout = _output_layout(op)
    if config is None or (
        config.memory_layout is layout.memory_layout and config.buffer_type is layout.buffer_type
    ):
        return None
    return (
        f"Memory config attribute ({config.memory_layout.keyword}, {config.buffer_type.keyword}) must match the "
        f"layout of the output tensor ({layout.memory_layout.keyword}, {layout.buffer_type.keyword})"
    )


def _is_on_the_host_or_on_a_device(op: ttnn.TTNNEmptyOp) -> str | None:
    """Check the attributes of a ``ttnn.empty``: a data type and a layout, and with a device also the memory."""
    device = op.device is not None
    has = {name for name in ("dtype", "layout", "memory_config") if name in op.properties}
    missing = [name for name in ("dtype", "layout") if name not in has]
    if missing:
        return f"Attribute {missing[0]} must be present"
    if device and "memory_config" not in has:
        return "Attribute memory_config must be present where there is a device"
    if not device and "memory_config" in has:
        return "Attribute memory_config must be absent where there is no device"
    return None


EMPTY = (
    _has_a_ttnn_layout,
    _shape_is_the_result_s,
    _layout_is_the_result_s,
    _data_type_is_the_result_s,
    _memory_is_the_result_s,
    _is_on_the_host_or_on_a_device,
)


# The operands of TTMetal's reads and writes: tensors of the device on one side, of the host on the other.


def _space_of(value: SSAValue) -> MemorySpace | None:
    layout = layout_of(tensor_type_of(value))
    return None if layout is None else layout.memory_space


def _tensors_have_layouts(
    op: ttmetal.TTMetalDispatchOp | ttmetal.TTMetalHostReadOp | ttmetal.TTMetalHostWriteOp,
) -> str | None:
    for index, operand in enumerate(op.operands):
        if layout_of(tensor_type_of(operand)) is None:
            name = "Input" if index < op.init_bounds[0] else "Output"
            return f"{name} tensor missing layout attribute"
    return None


def _input_is_on_the_device(op: ttmetal.TTMetalHostReadOp) -> str | None:
    space = _space_of(op.input)
    if space is None or not space.is_host:
        return None
    return f"Input tensor must be in device memory space, got {space.keyword}"


def _output_is_on_the_host(op: ttmetal.TTMetalHostReadOp) -> str | None:
    space = _space_of(op.output)
    if space is None or space.is_host:
        return None
    return f"Output tensor must be in system memory space, got {space.keyword}"


def _output_is_on_the_device(op: ttmetal.TTMetalHostWriteOp) -> str | None:
    space = _space_of(op.output)
    if space is None or not space.is_host:
        return None
    return f"Output tensor must be in device memory space, got {space.keyword}"


def _tensors_are_on_the_device(op: RowOperation) -> str | None:
    for operand in op.operands:
        space = _space_of(operand)
        if space is not None and space.is_host:
            return f"Input tensor must be in device memory space, got {space.keyword}"
    return None


HOST_READ = (_tensors_have_layouts, _input_is_on_the_device, _output_is_on_the_host)
HOST_WRITE = (_tensors_have_layouts, _output_is_on_the_device)
DISPATCH = (_tensors_have_layouts, _tensors_are_on_the_device)


# Caches of keys and values.


def is_taken_as_cache(shape: tuple[int, ...]) -> bool:
    """Whether the library's operations write into a cache of this shape.

    Its dimensions are users, heads, positions and width; positions and width are whole tiles. The operations write the
    users' rows of one tile at once.
    """
    height, width = _TILE
    return len(shape) == 4 and shape[0] <= height and shape[2] % height == shape[3] % width == 0


def _cache_has_four_dimensions(op: CacheOperation) -> str | None:
    if len(shape_of(op.cache)) == 4 and len(input_shape(op)) == 4:
        return None
    return (
        "cache and input have four dimensions: users, heads, positions and width of the cache; they are "
        f"{shape_text(shape_of(op.cache))} and {shape_text(input_shape(op))}"
    )


def _heads_and_width_agree(op: CacheOperation) -> str | None:
    (_, heads, _, width), given = shape_of(op.cache), input_shape(op)
    if (given[0], given[1], given[3]) == (1, heads, width):
        return None
    return f"input has shape {shape_text(given)}: its dimensions 0, 1 and 3 have to be 1, {heads} and {width}"


def _has_a_position_of_every_user(op: UpdateCacheOperation) -> str | None:
    users, given = shape_of(op.cache)[0], input_shape(op)[2]
    if op.batch_offset >= 0 and op.batch_offset + users <= given:
        return None
    return f"input has {given} users, and the cache {users}, and batch_offset is {op.batch_offset}"


def _index_is_one_number(op: UpdateCacheOperation) -> str | None:
    type = tensor_type_of(op.update_index)
    if prod(type.get_shape()) == 1 and isinstance(type.element_type, IntegerType):
        return None
    return f"update_index is {type}, but it must be a tensor of one whole number"


def _positions_are_within_the_cache(op: FillCacheOperation) -> str | None:
    users, _, positions, _ = shape_of(op.cache)
    given = input_shape(op)[2]
    if given <= positions and 0 <= op.batch_offset < users:
        return None
    return f"{given} positions of user {op.batch_offset} are written, and the cache has {positions} of {users} users"


_CACHE = (_cache_has_four_dimensions, _heads_and_width_agree)
UPDATE_CACHE = (*_CACHE, _has_a_position_of_every_user, _index_is_one_number)
FILL_CACHE = (*_CACHE, _positions_are_within_the_cache)
