"""The tensors of an operation that are in L1 themselves, beside its dataflow buffers."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType

from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import dtype_and_layout
from ttl.dialects.types import tensor_shape
from ttl.ops.types import Layout
from ttl.rules.resources import Resident
from ttl.rules.tensor_pages import l1_bytes


def tensors_in_l1(operation: dialect.OperationOp, chip: Chip) -> list[Resident]:
    """Those that the operation uses and whose extents and shards are known. A tensor given twice is one."""
    found = []
    for name, argument in zip(operation.argument_names, operation.body.block.args, strict=True):
        type_ = argument.type
        if not isinstance(type_, TensorType) or not argument.uses:
            continue
        encoding, shape = type_.encoding, tensor_shape(type_)
        if not isinstance(encoding, dialect.EncodingAttr) or dialect.DYNAMIC in shape:
            continue
        layout = encoding.layout
        spread = layout.memory_layout
        interleaved = spread is dialect.TensorMemoryLayout.INTERLEAVED
        if encoding.memory_space is not dialect.MemorySpace.L1 or (
            not interleaved and layout.shard_nodes is None
        ):
            continue
        dtype, _ = dtype_and_layout(type_.element_type)
        tiled = layout.tensor_order is dialect.TensorOrder.TILED
        size = l1_bytes(
            shape,
            dtype,
            Layout.TILE if tiled else Layout.ROW_MAJOR,
            layout.shard_shape,
            sum(each.columns * each.rows for each in layout.shard_nodes or ()),
            chip,
        )
        found.append(Resident(name, shape, dtype, spread.value, size))
    return found
