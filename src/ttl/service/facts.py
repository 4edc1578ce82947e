"""Facts about places of the text, from reading and checking an operation: plain data, small, without IR or syntax trees.

Recorded facts outlive their text: ``RecordedFacts.moved`` returns all of them with their places in a later text, and
``PlacedFacts`` moves only the facts that are looked up.
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
"""A known extent, or its lower and upper bound; a bound is None where it is not known."""


class Move(Protocol):
    """The move of places to a later text."""

    def __call__(self, span: Span) -> Span | None:
        """Return where a place is now; None where it is gone."""

    def earlier(self, file: str, first: int, last: int) -> Iterable[tuple[int, int]]:
        """Ranges (first, last) of earlier lines: they contain all places that begin on these lines now, or more."""


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
    """The name of a buffer (for a block, of its buffer), a kernel, an operation or a function of the language."""
    text: str = ""
    """The text of a number, a container or a range of numbers, as Python shows it."""
    block: BlockType | None = None
    """The type of a block, an expression, or the blocks of a buffer."""
    count: int = 0
    """The number of blocks of the buffer."""
    tensor: TensorKind | None = None
    extents: tuple[Extent, ...] = ()
    """The extents of a slice of a tensor, in tiles or elements."""
    unit: str = ""
    """The unit of the extents."""
    acquired: Acquired | None = None
    """The way the kernel acquired the block."""
    kernel: str = ""
    """The kernel that acquired the block; for a kernel, its kind."""
    origin: Span | None = None
    """The place that the object comes from: the call that made a buffer, net or semaphore, the call that acquired a
    block, or the definition of a function, kernel or operation.
    """
    made: Span | None = None
    """The place where the buffer of a block was made."""


@dataclass(frozen=True, slots=True)
class PlaceFact:
    """The values of a place, in the order in which they were met; they differ between iterations, calls and shapes."""

    span: Span
    values: tuple[ValueFact, ...]


def place_key(fact: PlaceFact) -> tuple[str, int, int]:
    """The sort key of facts about places."""
    return fact.span.file, fact.span.line, fact.span.column


@dataclass(frozen=True, slots=True)
class StepFact:
    """The change of a block's state by an expression. ``before`` contains None if the expression acquires the block.

    ``acquired`` is the call that acquired the block. Steps are listed in the order in which the kernel takes them.
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
    """The statement after which it happens."""
    variable: str
    """The name of the block or transfer in the program; empty if it has no name."""
    statement: Span
    """The statement of the call."""


@dataclass(frozen=True, slots=True)
class ThreadFact:
    """A place in an operation that is written as one body, and the kernel that its code was assigned to."""

    span: Span
    kernel: str


@dataclass(frozen=True, slots=True)
class PlanFact:
    """The counterpart (``label``) of a tile program's line in the explicit operation, and the reason for it."""

    span: Span
    label: str
    why: str


@dataclass(frozen=True, slots=True)
class AcquireFact:
    """A reserve or wait in a kernel: it shows which kernel produces or consumes the blocks of a buffer."""

    span: Span
    buffer: Span
    """The place where the buffer was made."""
    acquired: Acquired
    kernel: str
    kind: KernelKind


@dataclass(frozen=True, slots=True)
class RecordedFacts:
    """The facts of one reading, or of several together."""

    places: tuple[PlaceFact, ...] = ()
    """In the order of their beginnings."""
    steps: tuple[StepFact, ...] = ()
    inferred: tuple[InferredFact, ...] = ()
    acquires: tuple[AcquireFact, ...] = ()
    threads: tuple[ThreadFact, ...] = ()
    plans: tuple[PlanFact, ...] = ()

    def moved(self, move: Callable[[Span], Span | None]) -> RecordedFacts:
        """The facts with their places moved; facts about places that are gone are left out."""
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
