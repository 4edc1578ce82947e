"""How blocks lie in L1, in pages of one tile each; and the tensors of an operation that lie in L1."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import dtype_and_layout
from ttl.dialects.types import tensor_shape
from ttl.rows.types import TILE, BlockType, Layout
from ttl.rules.resources import Resident
from ttl.rules.tensor_pages import l1_bytes

_ELEMENTS = TILE * TILE


def block_pages(block: BlockType) -> int:
    """Pages of a block: its tiles; of a row-major one as many tiles as its elements fill, the last one partly."""
    count = prod(block.shape)
    return count if block.layout is Layout.TILE else -(-count // _ELEMENTS)


def bytes_of(dfb: dialect.CreateDfbOp) -> int:
    """Return the bytes of L1 that a buffer takes where it shares no memory; 0 if it lies in the memory of a tensor."""
    if dfb.memory is not None:
        return 0
    type_ = dfb.result.type
    return block_pages(type_.block_type) * type_.block_type.page_bytes * type_.block_count


def memory_of(operation: dialect.OperationOp, dfb: dialect.CreateDfbOp) -> str | None:
    """The name of the tensor whose memory a buffer is."""
    if dfb.memory is None:
        return None
    arguments: list[SSAValue] = list(operation.body.block.args)
    return operation.argument_names[arguments.index(dfb.memory)]


def tensors_in_l1(operation: dialect.OperationOp, chip: Chip) -> list[Resident]:
    """The tensors in L1 that an operation uses and whose extents and shards are known. One passed twice counts once."""
    tensors = []
    for name, argument in zip(operation.argument_names, operation.body.block.args, strict=True):
        type_ = argument.type
        if not isinstance(type_, TensorType) or not argument.uses:
            continue
        encoding, shape = type_.encoding, tensor_shape(type_)
        if not isinstance(encoding, dialect.EncodingAttr) or dialect.DYNAMIC in shape:
            continue
        layout = encoding.layout
        spread = layout.memory_layout
        interleaved = spread is dialect.MemoryLayout.INTERLEAVED
        if encoding.memory_space is not dialect.MemoryKind.L1 or (
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
            sum(node.columns * node.rows for node in layout.shard_nodes or ()),
            chip,
        )
        tensors.append(Resident(name, shape, dtype, spread.value, size))
    return tensors
