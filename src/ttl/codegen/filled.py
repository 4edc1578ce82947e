"""The dataflow buffers of a program, and the places in the user's program that fill their blocks."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from ttl.dialects import ttl as dialect
from ttl.dialects.buffers import dfb_of
from ttl.ir.locations import span_of
from ttl.passes.buffers.l1 import block_pages
from ttl.passes.compute.trees import leaves
from ttl.passes.names import name_resources
from ttl.rows.dtypes import FLOAT32
from ttl.rows.types import BlockType
from ttl.source.spans import Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Filled:
    """A dataflow buffer of the program, and the places that fill it."""

    name: str
    """The name of its circular buffer, if the compiler does not remove the buffer."""
    shown: str
    """Its name in the program."""
    type: BlockType
    pages: int
    """The number of pages of a block in the circular buffer."""
    stored: tuple[Span, ...]
    """The places where values are stored into its blocks, or added to them."""
    copied: tuple[Span, ...]
    """The places where copies write to its blocks."""


def filled_of(module: ModuleOp) -> tuple[Filled, ...]:
    """The buffers of the only operation of a module, in the order in which the program makes them."""
    (operation,) = (op for op in module.clone().walk() if isinstance(op, dialect.OperationOp))
    ops = [op for op in operation.walk() if isinstance(op, dialect.CreateDfbOp)]
    shown = [op.buffer_name.data for op in ops]
    name_resources(operation)
    return tuple(_filled(operation, op, name) for op, name in zip(ops, shown, strict=True))


def leaves_undefined(module: ModuleOp) -> bool:
    """Whether an operation of a module leaves elements of its result undefined."""
    return any(
        isinstance(op, dialect.ElementWriteOp)
        or (isinstance(op, dialect.BlockComputeOp) and op.row.undefined is not None)
        for op in module.walk()
    )


def cut_of(module: ModuleOp) -> tuple[str, ...]:
    """The names in the program of float32 buffers that a matrix product reads: it keeps 11 of 24 bits."""
    result: dict[str, None] = {}
    for op in module.walk():
        if isinstance(op, dialect.BlockComputeOp) and op.row.family == "product":
            for operand in op.operands:
                for read in leaves(operand):
                    dfb = dfb_of(read.block)
                    if dfb is None or not isinstance(owner := dfb.owner, dialect.CreateDfbOp):
                        continue
                    if owner.result.type.block_type.dtype is FLOAT32:
                        result[owner.buffer_name.data] = None
    return tuple(result)


def _filled(operation: dialect.OperationOp, create_dfb: dialect.CreateDfbOp, shown: str) -> Filled:
    stored, copied = [], []
    for op in operation.walk():
        match op:
            case dialect.BlockStoreOp() | dialect.BlockAccumulateOp() if (
                dfb_of(op.block) is create_dfb.result
            ):
                stored.append(span_of(op))
            case dialect.CopyOp() if dfb_of(op.dst) is create_dfb.result:
                copied.append(span_of(op))
    return Filled(
        name=create_dfb.buffer_name.data,
        shown=shown,
        type=create_dfb.result.type.block_type,
        pages=block_pages(create_dfb.result.type.block_type),
        stored=tuple(span for span in stored if span is not None),
        copied=tuple(span for span in copied if span is not None),
    )
