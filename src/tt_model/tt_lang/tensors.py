"""Tensors of a model as tensors of the host library, which operations of TT-Lang take."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tt_model.layouts.enums import BufferType, DataType, TensorMemoryLayout
from tt_model.layouts.kernel_request import KernelOperand
from tt_model.tt_lang.declared_kernels import KernelError
from ttl.host import convert, dataless, memory
from ttl.host.cores import CoreGrid
from ttl.host.device import Device
from ttl.host.tensor import Tensor
from ttl.rows import dtypes
from ttl.rows.types import Layout

_TYPES: Mapping[DataType, dtypes.DType] = MappingProxyType(
    {
        DataType.BFloat16: dtypes.BFLOAT16,
        DataType.Float32: dtypes.FLOAT32,
        DataType.BFP_BFloat8: dtypes.BFLOAT8_B,
        DataType.BFP_BFloat4: dtypes.BFLOAT4_B,
        DataType.UInt32: dtypes.UINT32,
        DataType.UInt16: dtypes.UINT16,
        DataType.UInt8: dtypes.UINT8,
    }
)
# Types of whole numbers, and the number of bits after which their arithmetic wraps.
INTEGER_BITS: Mapping[DataType, int] = MappingProxyType(
    {DataType.UInt32: 32, DataType.UInt16: 16, DataType.UInt8: 8}
)
_STRATEGIES = MappingProxyType(
    {
        TensorMemoryLayout.HeightSharded: memory.ShardStrategy.HEIGHT,
        TensorMemoryLayout.WidthSharded: memory.ShardStrategy.WIDTH,
        TensorMemoryLayout.BlockSharded: memory.ShardStrategy.BLOCK,
    }
)


def element_type(operand: KernelOperand) -> dtypes.DType:
    """The type of the elements. Raises ``KernelError`` for a type that the host library does not have."""
    known = _TYPES.get(operand.data_type)
    if known is None:
        types = ", ".join(data_type.keyword for data_type in _TYPES)
        raise KernelError(
            f"operations of TT-Lang take {types}, not {operand.data_type.keyword}: insert a typecast before"
        )
    return known


def memory_config(operand: KernelOperand) -> memory.MemoryConfig:
    """Return the memory configuration of the tensor. Raises ``KernelError``."""
    if not operand.is_sharded:
        if operand.buffer_type is BufferType.L1:
            return memory.L1_MEMORY_CONFIG
        return memory.DRAM_MEMORY_CONFIG
    if len(operand.cores) != 2:
        raise KernelError(f"its shards are on a grid of {len(operand.cores)} dimensions, not of two")
    rows, columns = operand.cores
    return memory.create_sharded_memory_config(
        operand.shard_shape,
        CoreGrid(y=rows, x=columns),
        _STRATEGIES[operand.memory_layout],
        use_height_and_width_as_shard_shape=True,
    )


def without_data(operand: KernelOperand, device: Device) -> Tensor:
    """A tensor without memory, for checking and compiling."""
    return dataless.make(operand.shape, element_type(operand), Layout.TILE, device, memory_config(operand))


def with_data(operand: KernelOperand, values: Any, device: Device) -> Tensor:
    """A tensor with the values of a torch tensor."""
    return convert.from_torch(
        values,
        element_type(operand),
        layout=Layout.TILE,
        device=device,
        memory_config=memory_config(operand),
    )
