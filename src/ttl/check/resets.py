"""Buffers that are not empty when the kernels of a node reset them (TTL0249)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from xdsl.dialects.builtin import ArrayAttr, StringAttr

from ttl.analysis.events.classes import KernelEvents, NodeClass
from ttl.analysis.events.sequences import EventKind
from ttl.check.context import CheckContext, placed
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.protocol.sequences import Sequence, written_out
from ttl.rules.labels import BUFFER_MADE
from ttl.rules.resets import ROUNDS, not_empty

_Counts = dict[tuple[EventKind, int], int]


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Return the first finding of each buffer of one operation."""
    tokens = [
        op
        for op in operation.body.block.ops
        if isinstance(op, dialect.CreateDfbOp) and dialect.RESETS in op.attributes
    ]
    if not tokens:
        return []
    events = KernelEvents(operation)
    findings: dict[dialect.CreateDfbOp, Diagnostic] = {}
    for alike in events.classes:
        for token in tokens:
            for op, finding in _of_token(events, alike, token):
                findings.setdefault(op, finding)
    return list(findings.values())


def _of_token(
    events: KernelEvents, alike: NodeClass, token: dialect.CreateDfbOp
) -> Iterator[tuple[dialect.CreateDfbOp, Diagnostic]]:
    """Yield a finding for each buffer of a reset that holds blocks when the kernels of a class of nodes reach it."""
    buffers = events.resources.buffers
    named = token.attributes[dialect.RESETS]
    assert isinstance(named, ArrayAttr)
    names = {name.data for name in named if isinstance(name, StringAttr)}
    number = buffers.index(token)
    prefix = token.buffer_name.data.partition(" of ")[0]
    group = {
        place
        for place, op in enumerate(buffers)
        if dialect.RESETS in op.attributes and op.buffer_name.data.partition(" of ")[0] == prefix
    }
    times = [_counts(events, sequence, number, group) for sequence in alike.kernels]
    used = [counts for counts in times if counts]
    if len({len(counts) for counts in used}) > 1 or any(counts is None for counts in times):
        return  # a deadlock, which is another finding, or not known
    for iteration in range(len(used[0]) if used else 0):
        total: defaultdict[tuple[EventKind, int], int] = defaultdict(int)
        for counts in used:
            for key, count in counts[iteration].items():
                total[key] += count
        for place, op in enumerate(buffers):
            if op.buffer_name.data not in names or dialect.RESETS in op.attributes:
                continue
            reserved, pushed, waited, popped = (
                total[kind, place]
                for kind in (EventKind.RESERVE, EventKind.PUSH, EventKind.WAIT, EventKind.POP)
            )
            held = reserved > pushed or waited > popped
            if held or pushed > popped:
                finding = not_empty(op.buffer_name.data, filled=pushed - popped, held=held)
                where = next(
                    use.operation for use in token.result.uses if isinstance(use.operation, dialect.DfbWaitOp)
                )
                yield op, placed(finding, where).also(span_of(op), BUFFER_MADE)


def _counts(events: KernelEvents, sequence: Sequence, token: int, group: set[int]) -> list[_Counts] | None:
    """Return for each reset how often a kernel has done each event before it; None if the kernel is too long to follow."""
    flat = written_out(sequence)
    result: list[_Counts] = []
    counts: defaultdict[tuple[EventKind, int], int] = defaultdict(int)
    steps = 0
    for number in flat:
        if not isinstance(number, int):
            return None
        event = events.event(number)
        if event.kind in (EventKind.PUSH, EventKind.POP) and event.resource in group:
            # Data movement kernels push their tokens; the compute kernel pops all of them.
            if event.kind is EventKind.PUSH or event.resource == token:
                if steps % ROUNDS == 0:
                    result.append(dict(counts))
                steps += 1
            continue
        counts[event.kind, event.resource] += 1
    return result
