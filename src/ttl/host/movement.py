"""Changing where and how a tensor is held: layout, device, memory configuration."""

from __future__ import annotations

from typing import Any

from ttl.host.arguments import check_type, device_of, dtype_of, layout_of, place, tensor_of
from ttl.host.calling import public
from ttl.host.creation import empty
from ttl.host.engine import rounded
from ttl.host.errors import Code, describe, fail
from ttl.host.memory import DRAM_MEMORY_CONFIG, MemoryConfig, without_shards
from ttl.host.mesh import again, replicate
from ttl.host.shape import extents_of
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array, DType, saturated
from ttl.rows.types import Layout

__all__ = (
    "allocate_tensor_on_device", "assign", "clone", "copy", "copy_device_to_host_tensor", "copy_host_to_device_tensor",
    "deallocate", "from_device", "get_memory_config", "identity", "interleaved_to_sharded", "is_sharded",
    "is_tensor_storage_on_device", "reshard", "sharded_to_interleaved", "tilize", "tilize_with_zero_padding", "to_device",
    "to_dtype", "to_layout", "to_memory_config", "typecast", "untilize",
)  # fmt: skip


def per_shard(tensor: Tensor, function: Any) -> Tensor:
    """The function of a tensor, or of each of its shards."""
    if tensor.shards is None:
        return function(tensor)  # type: ignore[no-any-return]
    return Tensor._of_shards(tuple(function(shard) for shard in tensor.shards), tensor._device)


@public()
def to_layout(
    tensor: Tensor, layout: Any, dtype: DType | None = None, memory_config: Any = None, device: Any = None
) -> Tensor:
    """The same values in another layout (and element type, if given)."""
    x = tensor_of(tensor, "to_layout")
    order = layout_of(layout, x.layout)
    element = dtype_of(dtype, x.dtype)
    check_type(element, order)
    if order is x.layout and element is x.dtype and memory_config is None:
        return x

    def convert(part: Tensor) -> Tensor:
        shape = tuple(part.shape)
        wanted = (
            memory_config if memory_config is not None else _kept(part._memory_config, order, part.layout)
        )
        config = place(wanted, shape, order, part._device)
        source = part if element is part.dtype else cast(part, element)
        return Tensor._of(source._alias(), shape, element, order, part._device, config)

    return per_shard(x, convert)


def _kept(config: MemoryConfig, layout: Layout, before: Layout) -> MemoryConfig:
    return config if layout is before or not config.is_sharded() else without_shards(config)


def cast(tensor: Tensor, dtype: DType) -> Tensor:
    """A tensor of another element type: floats rounded to nearest even; to integers truncated, and beyond their range the nearest.

    Between whole numbers of one width, with a sign and without, bits stay.
    """
    values: Array = tensor.dtype.load(tensor._data)
    if not dtype.is_float and (tensor.dtype.is_float or tensor.dtype.bits != dtype.bits):
        half = 1 << (dtype.bits - 1)
        limits = (-half, half - 1) if dtype.kind == "int" else (0, 2 * half - 1)
        values = saturated(values, *limits).astype("int64")
    memory = rounded(values, dtype)
    return Tensor._of(
        memory, tuple(tensor.shape), dtype, tensor.layout, tensor._device, tensor._memory_config
    )


@public()
def to_device(tensor: Tensor, device: Any, *, memory_config: Any = None) -> Tensor:
    """The tensor on a device; on a mesh of devices, all of it on each one."""
    x = tensor_of(tensor, "to_device")
    target = device_of(device)
    if target is None:
        fail(
            Code.WRONG_KIND,
            f"ttnn.to_device: a device comes from ttnn.open_device; this is {describe(device)}",
        )
    if x.shards is not None:
        if len(x.shards) != target.get_num_devices():
            fail(Code.MESH, f"{len(x.shards)} shards for {target.get_num_devices()} devices")
        return Tensor._of_shards(tuple(_on(shard, target, memory_config) for shard in x.shards), target)
    return replicate(_on(x, target, memory_config), target)


def _on(tensor: Tensor, device: Any, memory_config: Any, dtype: DType | None = None) -> Tensor:
    """The tensor on a device, in another memory and element type where they are given."""
    wanted = tensor._memory_config if memory_config is None else memory_config
    config = place(wanted, tuple(tensor.shape), tensor.layout, device)
    return again(tensor if dtype in (None, tensor.dtype) else cast(tensor, dtype), device, config)


@public("blocking")
def from_device(tensor: Tensor) -> Tensor:
    """The tensor on the host."""
    x = tensor_of(tensor, "from_device")
    config = without_shards(x._memory_config)
    if x.shards is not None:
        return Tensor._of_shards(tuple(again(shard, None, config) for shard in x.shards), None)
    return again(x, None, config)


@public()
def to_memory_config(
    tensor: Tensor, memory_config: Any, dtype: DType | None = None, *, output_tensor: Any = None
) -> Tensor:
    """The tensor in other memory: DRAM or L1, interleaved or sharded."""
    x = tensor_of(tensor, "to_memory_config")
    if not isinstance(memory_config, MemoryConfig):
        fail(Code.WRONG_KIND, f"a memory configuration is a ttnn.MemoryConfig, not {describe(memory_config)}")
    element = dtype_of(dtype, x.dtype)
    check_type(element, x.layout)
    return per_shard(x, lambda part: _on(part, part._device, memory_config, element))


@public("num_cores", "num_slices", "slice_index", "keep_l1_aligned")
def interleaved_to_sharded(tensor: Tensor, memory_config: Any, dtype: DType | None = None) -> Tensor:
    """``to_memory_config`` with a sharded configuration."""
    return to_memory_config(tensor, memory_config, dtype)


@public("is_l1_aligned")
def sharded_to_interleaved(tensor: Tensor, memory_config: Any = None, dtype: DType | None = None) -> Tensor:
    """``to_memory_config`` with an interleaved configuration; DRAM by default."""
    return to_memory_config(tensor, DRAM_MEMORY_CONFIG if memory_config is None else memory_config, dtype)


@public("reshard_output")
def reshard(tensor: Tensor, memory_config: Any) -> Tensor:
    """``to_memory_config`` with another sharded configuration."""
    return to_memory_config(tensor, memory_config)


@public()
def deallocate(tensor: Tensor, force: bool = True) -> None:
    """Free the memory of a tensor. Using it afterwards is an error (TTL1009)."""
    if not isinstance(tensor, Tensor):
        fail(Code.WRONG_KIND, f"ttnn.deallocate: the input is a ttnn.Tensor, not {describe(tensor)}")
    tensor._free()


@public()
def clone(tensor: Tensor, *, dtype: DType | None = None, memory_config: Any = None) -> Tensor:
    """A tensor of its own with the same values."""
    x = tensor_of(tensor, "clone")
    element = dtype_of(dtype, x.dtype)
    check_type(element, x.layout)
    return per_shard(x, lambda part: _on(part, part._device, memory_config, element))


identity = clone


@public()
def typecast(tensor: Tensor, dtype: DType, *, memory_config: Any = None, output_tensor: Any = None) -> Tensor:
    """The values in another element type: rounded to nearest even, floats to integers truncated, beyond their range the nearest."""
    if dtype is None:
        fail(Code.WRONG_KIND, "ttnn.typecast: an element type is one of ttnn's, not None")
    converted = clone(tensor, dtype=dtype, memory_config=memory_config)
    if output_tensor is None:
        return converted
    copy_host_to_device_tensor(converted, output_tensor)
    return tensor_of(output_tensor, "typecast", "output")


@public()
def copy(input_a: Tensor, input_b: Tensor) -> Tensor:
    """Write the values of ``input_a`` into ``input_b``, which has the same shape."""
    _write(tensor_of(input_a, "copy"), tensor_of(input_b, "copy", "destination"), "copy")
    return input_b


@public()
def assign(
    tensor: Tensor, output_tensor: Any = None, *, memory_config: Any = None, dtype: Any = None
) -> Tensor:
    """A copy of a tensor, or its values written into ``output_tensor``."""
    if isinstance(output_tensor, Tensor):
        return copy(tensor, output_tensor)
    return clone(tensor, dtype=dtype, memory_config=memory_config)


@public()
def copy_host_to_device_tensor(host_tensor: Tensor, device_tensor: Tensor) -> None:
    """Write the values of one tensor into another of the same shape."""
    source = tensor_of(host_tensor, "copy_host_to_device_tensor")
    _write(
        source,
        tensor_of(device_tensor, "copy_host_to_device_tensor", "destination"),
        "copy_host_to_device_tensor",
    )


@public("blocking")
def copy_device_to_host_tensor(device_tensor: Tensor, host_tensor: Tensor) -> None:
    """Write the values of one tensor into another of the same shape."""
    copy_host_to_device_tensor(device_tensor, host_tensor)


def _write(source: Tensor, target: Tensor, function: str) -> None:
    if source.shape != target.shape or (source.shards is None) != (target.shards is None):
        fail(
            Code.OUTPUT,
            f"ttnn.{function}: values of shape {tuple(source.shape)} into a tensor of shape {tuple(target.shape)}",
        )
    pairs = [(source, target)]
    if source.shards is not None and target.shards is not None:
        pairs = list(zip(source.shards, target.shards, strict=True))
    for part, into in pairs:
        into._replace((part if part.dtype is into.dtype else cast(part, into.dtype))._alias())


@public()
def allocate_tensor_on_device(
    shape: Any, dtype: DType, layout: Any, device: Any, memory_config: Any = None
) -> Tensor:
    """A tensor on a device whose contents a program must not rely on."""
    return empty(extents_of(shape), dtype, layout, device, memory_config)


@public("use_multicore")
def tilize(tensor: Tensor, *, memory_config: Any = None, dtype: DType | None = None) -> Tensor:
    """``to_layout`` with ``ttnn.TILE_LAYOUT``."""
    return to_layout(tensor, Layout.TILE, dtype, memory_config)


@public("use_multicore", "use_pack_untilize")
def untilize(tensor: Tensor, *, memory_config: Any = None) -> Tensor:
    """``to_layout`` with ``ttnn.ROW_MAJOR_LAYOUT``."""
    return to_layout(tensor, Layout.ROW_MAJOR, None, memory_config)


@public("use_multicore")
def tilize_with_zero_padding(tensor: Tensor, *, memory_config: Any = None) -> Tensor:
    """``to_layout`` with ``ttnn.TILE_LAYOUT``; padding is always zero."""
    return to_layout(tensor, Layout.TILE, None, memory_config)


@public()
def get_memory_config(tensor: Tensor) -> MemoryConfig:
    """Where a tensor lives."""
    return tensor_of(tensor, "get_memory_config").memory_config()


@public()
def is_sharded(tensor: Tensor) -> bool:
    """Whether a tensor is sharded over cores."""
    return tensor_of(tensor, "is_sharded").is_sharded()


@public()
def is_tensor_storage_on_device(tensor: Tensor) -> bool:
    """Whether a tensor is on a device."""
    return tensor_of(tensor, "is_tensor_storage_on_device").device() is not None


@public()
def to_dtype(tensor: Tensor, dtype: DType) -> Tensor:
    """``typecast`` of a tensor on the host."""
    return typecast(tensor, dtype)
