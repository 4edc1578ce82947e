"""Values that no store ever sees, and buffers that no kernel uses (specification, "Block": only stores write)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import kinds, of_kinds, walked
from ttl.analysis.loops import incoming
from ttl.analysis.points import points
from ttl.analysis.scalars import Slots
from ttl.check.context import CheckContext
from ttl.diag.model import Diagnostic, warning
from ttl.diag.remedies import DropStatement
from ttl.dialects import ttl as dialect
from ttl.ir.locations import chain_of, span_of
from ttl.rules.labels import BUFFER_MADE, UNUSED_VALUE
from ttl.rules.leftovers import never_stored
from ttl.source.spans import Span

_TURNS = (scf.ForOp, affine.ForOp)


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Return a finding for each result that is not stored and each buffer that is not used."""
    slots = Slots(context.grid)
    findings: list[Diagnostic] = []
    for kernel in operation.kernels:
        if kernel.kind == "compute":
            findings += _unstored(kernel, slots)
    for op in operation.body.block.ops:
        if isinstance(op, dialect.CreateDfbOp) and not op.result.uses:
            findings.append(_unused_buffer(op.buffer_name.data).at(span_of(op), BUFFER_MADE))
    return findings


def _unused_buffer(name: str) -> Diagnostic:
    return warning(
        "TTL0907",
        f"no kernel uses {name}",
        notes=("a dataflow buffer takes memory of every node, used or not",),
        help="remove it, or reserve and wait for its blocks",
    ).remedied_by(DropStatement(description="remove it"))


# --- values ---------------------------------------------------------------------------------------------------


def _unstored(kernel: dialect.UserKernelOp, slots: Slots) -> Iterator[Diagnostic]:
    computed = of_kinds(kernel, dialect.BlockComputeOp)
    live = _live(kernel) if computed else set()
    places: dict[Span | Operation, list[dialect.BlockComputeOp]] = defaultdict(list)
    for op in computed:
        if op.result in live:
            continue
        ends = list(_dead_ends(op.result))
        if ends and _reads_blocks(op.result):
            places[span_of(op) or op].append(op)
    for ops in places.values():
        count = sum(_times(op, slots) for op in ops)
        if not count:
            continue
        yield never_stored(count).at(span_of(ops[0]), UNUSED_VALUE).called_from(chain_of(ops[0]))


_HANDS_ON = kinds(dialect.BlockComputeOp, scf.YieldOp, affine.YieldOp, scf.ConditionOp)


def _live(kernel: dialect.UserKernelOp) -> set[SSAValue]:
    """Return the values of blocks on which an operation with an effect depends."""
    live: set[SSAValue] = set()
    pending = [
        operand
        for op in walked(kernel)
        if not _HANDS_ON[type(op)] and not op.regions
        for operand in op.operands
        if isinstance(operand.type, TensorType)
    ]
    while pending:
        value = pending.pop()
        if value not in live:
            live.add(value)
            pending += made_of(value)
    return live


def made_of(value: SSAValue) -> Iterable[SSAValue]:
    """Return the block values from which a value is computed, or which control flow passes to it."""
    if isinstance(value.owner, dialect.BlockComputeOp):
        return [operand for operand in value.owner.operands if isinstance(operand.type, TensorType)]
    return incoming(value)


def _dead_ends(value: SSAValue) -> Iterator[SSAValue]:
    """Yield the dead ends of a value: itself, or values that receive it by control flow, if they have no uses."""
    seen: set[SSAValue] = set()
    pending = [value]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if not value.uses:
            yield value
        for use in value.uses:
            pending += _hands_on(use.operation, use.index)


def _hands_on(op: Operation, index: int) -> list[SSAValue]:
    """Return the values to which control flow passes an operand."""
    parent = op.parent_op()
    match op:
        case scf.YieldOp() | affine.YieldOp():
            if isinstance(parent, scf.WhileOp):
                return [parent.before_region.block.args[index]]
            # The next iteration of a loop is another use; the last iteration determines the result.
            return [parent.results[index]] if parent is not None else []
        case scf.ConditionOp() if isinstance(parent, scf.WhileOp) and index:
            return [parent.results[index - 1]]
    return []


def _reads_blocks(value: SSAValue) -> bool:
    seen: set[SSAValue] = set()
    pending = [value]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value.owner, dialect.BlockReadOp):
            return True
        pending += made_of(value)
    return False


def _times(op: dialect.BlockComputeOp, slots: Slots) -> int:
    """Return how often a value reaches a dead end, on all nodes together; 1 if that is not known."""
    at: Operation = op
    for end in _dead_ends(op.result):
        owner = end.owner
        if isinstance(owner, _TURNS):
            at = owner
    every = points(at, slots=slots)
    return 1 if every is None else every.size
