"""The tensors to which a program writes blocks, and the places in the user's program that store these blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue

from ttl.dialects import ttl as dialect
from ttl.dialects.buffers import dfb_of
from ttl.ir.locations import span_of
from ttl.ir.syntax import DYNAMIC
from ttl.rows.types import TILE
from ttl.source.spans import Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Output:
    """Blocks of a dataflow buffer that are copied to a tensor.

    ``tensor`` is the position among the tensors of the operation. ``extents`` are the extents of a block along the axes
    of the tensor, in elements; None where they are not known before the kernel runs.
    """

    tensor: int
    name: str
    extents: tuple[int | None, ...]
    copied: Span | None
    stored: tuple[Span, ...]
    """The places where values are stored into the blocks of the buffer, or added to them."""


def outputs_of(module: ModuleOp) -> tuple[Output, ...]:
    """Return the outputs of a module's operations, in the order of the program."""
    return tuple(
        output
        for operation in module.walk()
        if isinstance(operation, dialect.OperationOp)
        for output in _outputs(operation)
    )


def _outputs(operation: dialect.OperationOp) -> Iterator[Output]:
    for op in operation.walk():
        if not isinstance(op, dialect.CopyOp) or not isinstance(op.dst.owner, dialect.TensorSliceOp):
            continue
        tensor = _tensor_of(op.dst.owner.accessor)
        if tensor is None:
            continue
        yield Output(
            tensor=tensor.index,
            name=tensor.name_hint or f"tensor {tensor.index}",
            extents=_extents(op.dst.owner),
            copied=span_of(op),
            stored=tuple(_stores(operation, dfb_of(op.src))),
        )


def _tensor_of(accessor: SSAValue) -> BlockArgument | None:
    owner = accessor.owner
    if isinstance(owner, dialect.GridSliceOp):
        return _tensor_of(owner.accessor)
    if isinstance(owner, dialect.TensorAccessorOp) and isinstance(owner.tensor, BlockArgument):
        return owner.tensor
    return None


def _extents(part: dialect.TensorSliceOp) -> tuple[int | None, ...]:
    rank = len(part.sizes)
    slice_type = part.result.type
    assert isinstance(slice_type, dialect.SliceType)
    tiled = isinstance(slice_type.element_type, dialect.TileType)
    return tuple(
        None if size == DYNAMIC else size * (TILE if tiled and axis >= rank - 2 else 1)
        for axis, size in enumerate(part.sizes)
    )


def _stores(operation: dialect.OperationOp, dfb: SSAValue | None) -> Iterator[Span]:
    for op in operation.walk():
        if (
            not isinstance(op, dialect.BlockStoreOp | dialect.BlockAccumulateOp)
            or dfb_of(op.block) is not dfb
        ):
            continue
        span = span_of(op)
        if span is not None:
            yield span
