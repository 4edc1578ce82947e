"""Checks the types of both ends of stores and copies: the front end has compared them, but IR text may be wrong."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from ttl.analysis.dominance import of_kinds
from ttl.check.context import CheckContext, placed
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.protocol.blocks import Step, explain, initial_state, role_of
from ttl.rules.copies import Direction, match_extents
from ttl.rules.stores import match_store

_LOOKED_AT = (
    dialect.BlockStoreOp, dialect.BlockAccumulateOp, dialect.CopyOp, dialect.DfbPushOp, dialect.DfbPopOp,
)  # fmt: skip


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Find values that a block cannot hold, copies between different extents, and blocks of C++ released by the wrong call."""
    findings: list[Diagnostic] = []
    for kernel in operation.kernels:
        for op in of_kinds(kernel, *_LOOKED_AT):
            match op:
                case dialect.BlockStoreOp() | dialect.BlockAccumulateOp():
                    findings += [placed(finding, op) for finding in _store(op)]
                case dialect.CopyOp():
                    findings += [placed(finding, op) for finding in _copy(op)]
                case dialect.DfbPushOp() | dialect.DfbPopOp():
                    findings += [placed(finding, op) for finding in _release(op, kernel)]
    return findings


def _store(op: dialect.BlockStoreOp | dialect.BlockAccumulateOp) -> Iterator[Diagnostic]:
    value, block = op.value.type, op.block.type
    assert isinstance(value, TensorType) and isinstance(block, dialect.BlockMemoryType)
    whole = block.block_type
    into = whole.with_shape(op.shape) if op.offsets else whole
    finding = match_store(dialect.block_type_of(value), _name(op.block), into)
    if finding is not None:
        yield finding


def _copy(op: dialect.CopyOp) -> Iterator[Diagnostic]:
    """Check the extents of a copy that are constant; ``bounds`` checks the others."""
    into = isinstance(op.dst.type, dialect.BlockMemoryType)
    block, part = (op.dst, op.src.owner) if into else (op.src, op.dst.owner)
    if not isinstance(part, dialect.TensorSliceOp) or part.dynamic_sizes:
        return
    assert isinstance(block.type, dialect.BlockMemoryType)
    direction: Direction = "into" if into else "from"
    finding = match_extents(part.sizes, part.single, _name(block), block.type.block_type, direction)
    if finding is not None:
        yield finding


def _release(op: dialect.ReleaseOp, kernel: dialect.UserKernelOp) -> Iterator[Diagnostic]:
    """Check the release of a block that C++ fills or reads: no analysis follows the states of such blocks."""
    acquire = op.block.owner
    pushes = isinstance(op, dialect.DfbPushOp)
    if not isinstance(acquire, dialect.AcquireOp) or dialect.EXTERN not in acquire.attributes:
        return
    if isinstance(acquire, dialect.DfbReserveOp) is not pushes:
        role = role_of("wait" if pushes else "reserve", kernel.kind)
        yield explain(role, initial_state(role), Step.PUSH if pushes else Step.POP, _name(op.block))


def _name(block: SSAValue) -> str:
    dfb = dialect.dfb_of(block)
    return (
        dfb.owner.buffer_name.data
        if dfb is not None and isinstance(dfb.owner, dialect.CreateDfbOp)
        else "a buffer"
    )
