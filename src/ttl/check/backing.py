"""Buffers in the memory of tensors, by their IR: the bytes of the shards, and the places where kernels fill them."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import TensorType

from ttl.analysis.dominance import inside
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import dtype_and_layout
from ttl.dialects.types import tensor_shape
from ttl.rows.types import Layout
from ttl.rules.backing import Backing, PlacedTensor
from ttl.rules.tensor_pages import shard_holders


def backing_of(op: dialect.CreateDfbOp) -> Backing | None:
    """The memory of a buffer in a tensor."""
    if op.memory is None:
        return None
    tensor = op.memory.type
    assert isinstance(tensor, TensorType) and isinstance(tensor.encoding, dialect.EncodingAttr)
    layout, shape = tensor.encoding.layout, tensor_shape(tensor)
    spread, shard = layout.memory_layout.value, layout.shard_shape
    holders: list[tuple[int, int]] = []
    if shard is not None:
        by_rows = layout.shard_order == "row_major"
        holders = shard_holders(spread, shape, shard, layout.shard_nodes or (), by_rows=by_rows)
    tiled = layout.tensor_order is dialect.TensorOrder.TILED
    placed = PlacedTensor(
        tensor=op.memory,
        shape=shape,
        dtype=dtype_and_layout(tensor.element_type)[0],
        layout=Layout.TILE if tiled else Layout.ROW_MAJOR,
        memory=tensor.encoding.memory_space.value,
        spread=spread,
        shard=shard,
        holders=tuple(holders),
    )
    type_ = op.result.type
    return Backing(
        placed=placed, byte_offset=op.offset, block=type_.block_type, block_count=type_.block_count
    )


def fillings(
    operation: dialect.OperationOp,
) -> Iterator[tuple[dialect.UserKernelOp, dialect.DfbReserveOp, dialect.DfbResidentOp | None]]:
    """Yield the kernel and the reserve of each block in tensors' memory, in order.

    The third item is the operation by which ``publish()`` marks the block as filled; None for a plain ``reserve``.
    """
    buffers = (op for op in operation.body.block.ops if isinstance(op, dialect.CreateDfbOp))
    if all(op.memory is None for op in buffers):
        return
    for kernel in operation.kernels:
        for op in inside(kernel):
            if not isinstance(op, dialect.DfbReserveOp):
                continue
            dfb = op.dfb.owner
            if isinstance(dfb, dialect.CreateDfbOp) and dfb.memory is not None:
                users = [use.operation for use in op.result.uses]
                yield (
                    kernel,
                    op,
                    next((user for user in users if isinstance(user, dialect.DfbResidentOp)), None),
                )
