"""Which kernel of an operation passes blocks to which: a kernel that fills a buffer to the kernel that empties it."""

from __future__ import annotations

from dataclasses import dataclass

from ttl.protocol.blocks import Acquired
from ttl.service.analysis import Analysis
from ttl.service.facts import AcquireFact
from ttl.service.navigation import Outline, outline
from ttl.source.spans import Span


@dataclass(frozen=True, slots=True)
class BufferPeer:
    """A kernel at the other end of buffers of the kernel at hand, with the names of these buffers."""

    kernel: Outline
    buffers: tuple[str, ...]
    places: tuple[Span, ...]
    """The places where the producing kernel reserves blocks of the buffers."""


def kernels_at(analysis: Analysis, line: int, column: int) -> list[Outline]:
    """The kernel at a position; for the name of a buffer, the kernels that use it."""
    for operation in outline(analysis):
        if not _is_in(operation.span, line, column):
            continue
        kernels = [part for part in operation.children if part.kind == "kernel"]
        named = next((part for part in operation.children if _is_in(part.name_span, line, column)), None)
        if named is not None and named.kind == "dataflow buffer":
            users = {fact.kernel for fact in _facts(analysis, operation) if _made_at(named, fact.buffer)}
            return [kernel for kernel in kernels if kernel.name in users]
        return [kernel for kernel in kernels if _is_in(kernel.span, line, column)]
    return []


def passed_to(analysis: Analysis, line: int, column: int) -> list[BufferPeer]:
    """The kernels that consume blocks which the kernel at a position produces."""
    return _passings(analysis, line, column, "reserve")


def passed_from(analysis: Analysis, line: int, column: int) -> list[BufferPeer]:
    """The kernels that produce blocks which the kernel at a position consumes."""
    return _passings(analysis, line, column, "wait")


def _passings(analysis: Analysis, line: int, column: int, own: Acquired) -> list[BufferPeer]:
    for operation in outline(analysis):
        kernels = {part.name: part for part in operation.children if part.kind == "kernel"}
        asked = next((part for part in kernels.values() if _is_in(part.span, line, column)), None)
        if asked is None:
            continue
        facts = _facts(analysis, operation)
        buffers = {fact.buffer for fact in facts if fact.kernel == asked.name and fact.acquired == own}
        others = [fact for fact in facts if fact.buffer in buffers and fact.acquired != own]
        result = []
        for name in dict.fromkeys(fact.kernel for fact in others):
            if name not in kernels:
                continue
            through = {fact.buffer for fact in others if fact.kernel == name}
            producer = asked.name if own == "reserve" else name
            places = [
                fact.span
                for fact in facts
                if fact.buffer in through and fact.kernel == producer and fact.acquired == "reserve"
            ]
            names = [
                part.name for part in operation.children if any(_made_at(part, buffer) for buffer in through)
            ]
            result.append(BufferPeer(kernels[name], tuple(names), tuple(dict.fromkeys(places))))
        return result
    return []


def _facts(analysis: Analysis, operation: Outline) -> list[AcquireFact]:
    """The reserves and waits of the buffers that an operation makes, in the order of the text."""
    known: dict[AcquireFact, None] = {}
    for facts in analysis.index.facts:
        known.update(dict.fromkeys(fact for fact in facts.acquires() if _holds(operation.span, fact.buffer)))
    return sorted(known, key=lambda fact: (fact.span.line, fact.span.column))


def _made_at(part: Outline, made: Span) -> bool:
    """Whether a part is the name of the buffer that was made at a place: the name is bound on the same line."""
    span = part.name_span
    return part.kind == "dataflow buffer" and span.file == made.file and span.line == made.line


def _holds(outer: Span, inner: Span) -> bool:
    return outer.file == inner.file and outer.line <= inner.line <= outer.end_line


def _is_in(span: Span, line: int, column: int) -> bool:
    return (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column)
