"""Facts about places of the text, from reading and checking an operation: plain data, small, without IR or syntax trees.

Recorded facts outlive their text: ``moved`` returns those of a text in which places have moved, and ``PlacedFacts`` moves only
the facts that are looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.protocol.blocks import Acquired, KernelKind, State
    from ttl.rows.types import BlockType

Kind = Literal[
    "tensor",
    "dataflow buffer",
    "block",
    "expression",
    "tile value",
    "tile tensor",
    "axis",
    "block of an axis",
    "tensor slice",
    "transfer",
    "transfer group",
    "pipe",
    "pipe net",
    "semaphore",
    "kernel",
    "operation",
    "function",
    "language",
    "number",
    "condition",
    "container",
    "other",
]
Extent = int | tuple[int | None, int | None]
"""An extent that is known, or the least and the largest that it may be; None: not known."""


class Move(Protocol):
    """The move of places to a later text."""

    def __call__(self, span: Span) -> Span | None:
        """Return where a place is now; None where it is gone."""

    def earlier(self, file: str, first: int, last: int) -> Iterable[tuple[int, int]]:
        """First and last lines between which was what begins on these lines now: rather more than less."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TensorKind:
    """Shape in elements, element type, layout, and where the tensor lives."""

    shape: tuple[int | None, ...]
    dtype: str
    layout: str
    memory: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueFact:
    """The value of an expression or a variable, as far as it is known before anything runs."""

    kind: Kind
    name: str = ""
    """Of a buffer (also of the one that a block is of), a kernel, an operation, a function of the language."""
    text: str = ""
    """A number, a container, a range of numbers: as Python shows it."""
    block: BlockType | None = None
    """The type of a block, an expression, or the blocks of a buffer."""
    count: int = 0
    """Blocks of a buffer."""
    tensor: TensorKind | None = None
    extents: tuple[Extent, ...] = ()
    """The extents of a slice of a tensor, in tiles or elements."""
    unit: str = ""
    """The unit of the extents."""
    acquired: Acquired | None = None
    """The way the kernel acquired the block."""
    kernel: str = ""
    """The kernel that acquired it; of a kernel its kind."""
    origin: Span | None = None
    """Where the object comes from: the call that made the buffer, the net, the semaphore; the call that acquired the
    block; the definition of a function, a kernel or an operation.
    """
    made: Span | None = None
    """The place where the buffer of a block was made."""


@dataclass(frozen=True, slots=True)
class PlaceFact:
    """The values that a place has, in the order in which they were met: with other iterations, calls and shapes, others."""

    span: Span
    values: tuple[ValueFact, ...]


def place_key(fact: PlaceFact) -> tuple[str, int, int]:
    """The places of facts are in this order."""
    return fact.span.file, fact.span.line, fact.span.column


@dataclass(frozen=True, slots=True)
class StepFact:
    """The change of a block's state by an expression. ``before`` has None where the block is acquired.

    ``acquired`` is the call that acquired it. The order of the steps is that in which a kernel takes them.
    """

    span: Span
    acquired: Span
    before: tuple[State | None, ...]
    after: tuple[State, ...]


Release = Literal["push", "pop", "wait"]


@dataclass(frozen=True, slots=True)
class InferredFact:
    """A push, pop or wait that the program leaves to the language."""

    how: Release
    of: Span
    """The call that acquired the block, or started the transfer."""
    after: Span
    """The statement behind which it happens."""
    variable: str
    """The name of the block or transfer in the program; empty for one without a name."""
    statement: Span
    """The statement of the call."""


@dataclass(frozen=True, slots=True)
class ThreadFact:
    """Something in an operation that is written as one body, and the kernel that has it."""

    span: Span
    kernel: str


@dataclass(frozen=True, slots=True)
class PlanFact:
    """The counterpart of a tile program's line in the explicit operation, and the reason for it."""

    span: Span
    label: str
    why: str


@dataclass(frozen=True, slots=True)
class AcquireFact:
    """A reserve or wait in a kernel: who produces and who consumes the blocks of a buffer."""

    span: Span
    buffer: Span
    """The place where the buffer was made."""
    acquired: Acquired
    kernel: str
    kind: KernelKind


@dataclass(frozen=True, slots=True)
class RecordedFacts:
    """All that one reading, or several together, found."""

    places: tuple[PlaceFact, ...] = ()
    """In the order of their beginnings."""
    steps: tuple[StepFact, ...] = ()
    inferred: tuple[InferredFact, ...] = ()
    acquires: tuple[AcquireFact, ...] = ()
    threads: tuple[ThreadFact, ...] = ()
    plans: tuple[PlanFact, ...] = ()

    def moved(self, move: Callable[[Span], Span | None]) -> RecordedFacts:
        """The facts about places that are still there."""
        kept: dict[ValueFact, ValueFact] = {}

        def moved_value(value: ValueFact) -> ValueFact:
            if value.origin is None and value.made is None:
                return value
            known = kept.get(value)
            if known is None:
                origin = None if value.origin is None else move(value.origin)
                buffer = None if value.made is None else move(value.made)
                known = kept[value] = replace(value, origin=origin, made=buffer)
            return known

        places = [
            PlaceFact(span, tuple(map(moved_value, fact.values)))
            for fact in self.places
            if (span := move(fact.span)) is not None
        ]
        steps = [
            StepFact(span, acquired, fact.before, fact.after)
            for fact in self.steps
            if (span := move(fact.span)) is not None and (acquired := move(fact.acquired)) is not None
        ]
        inferred = [
            InferredFact(fact.how, of, after, fact.variable, statement)
            for fact in self.inferred
            if (of := move(fact.of)) is not None
            and (after := move(fact.after)) is not None
            and (statement := move(fact.statement)) is not None
        ]
        acquires = [
            AcquireFact(span, buffer, fact.acquired, fact.kernel, fact.kind)
            for fact in self.acquires
            if (span := move(fact.span)) is not None and (buffer := move(fact.buffer)) is not None
        ]
        threads = [
            ThreadFact(span, fact.kernel) for fact in self.threads if (span := move(fact.span)) is not None
        ]
        plans = [replace(fact, span=span) for fact in self.plans if (span := move(fact.span)) is not None]
        return RecordedFacts(
            tuple(sorted(places, key=place_key)),
            tuple(steps),
            tuple(inferred),
            tuple(acquires),
            tuple(threads),
            tuple(plans),
        )
