"""Facts about a text that was edited since: only the facts that are looked up are moved to their present places."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from ttl.service.facts import (
    AcquireFact,
    InferredFact,
    Move,
    PlaceFact,
    PlanFact,
    RecordedFacts,
    StepFact,
    ThreadFact,
    ValueFact,
    place_key,
)
from ttl.source.spans import Span

# The number of moves after which all facts are moved for good: each move makes every look-up slower.
_MOST_MOVES = 16


@dataclass(frozen=True, slots=True)
class PlacedFacts:
    """Recorded facts, and the moves of their places to the present ones, the earliest first."""

    kept: RecordedFacts
    moves: tuple[Move, ...] = ()

    def moved(self, move: Move) -> PlacedFacts:
        """Return the facts for a text in which places have moved."""
        if len(self.moves) < _MOST_MOVES:
            return PlacedFacts(self.kept, (*self.moves, move))
        return PlacedFacts(self.kept.moved(self.now), (move,))

    def now(self, span: Span) -> Span | None:
        """Return where a place of the facts is now; None where it is gone."""
        here: Span | None = span
        for move in self.moves:
            if here is None:
                return None
            here = move(here)
        return here

    def _earlier(self, path: str, first: int, last: int) -> list[tuple[int, int]]:
        """Ranges (first, last) of the facts' lines that contain all places that begin on these lines now, or more."""
        ranges = [(first, last)]
        for move in reversed(self.moves):
            ranges = [part for begin, end in ranges for part in move.earlier(path, begin, end)]
        return ranges

    def _may_be(self, now: Span) -> Callable[[Span], bool]:
        """Return a predicate: whether a place of the facts may now be ``now``. It is faster than moving every place."""
        ranges = self._earlier(now.file, now.line, now.line)
        return lambda span: (
            span.file == now.file and any(first <= span.line <= last for first, last in ranges)
        )

    def on_lines(self, path: str, first: int, last: int) -> Iterator[tuple[Span, PlaceFact]]:
        """Yield the facts that begin on these lines now, with their present places. ``values`` moves their values."""
        places = self.kept.places
        if not places:
            return
        ranges = self._earlier(path, first, last)
        lowest, highest = place_key(places[0]), place_key(places[-1])
        for begin, end in ranges:
            low, high = (path, begin, 0), (path, end + 1, 0)
            if high <= lowest or low > highest:
                continue
            for fact in places[
                bisect_left(places, low, key=place_key) : bisect_left(places, high, key=place_key)
            ]:
                span = self.now(fact.span)
                if span is not None and first <= span.line <= last:
                    yield span, fact

    def values(self, fact: PlaceFact) -> tuple[ValueFact, ...]:
        """The values of a place, with the present places of their origins."""
        return tuple(map(self._value, fact.values)) if self.moves else fact.values

    def _value(self, value: ValueFact) -> ValueFact:
        if value.origin is None and value.made is None:
            return value
        origin = None if value.origin is None else self.now(value.origin)
        buffer = None if value.made is None else self.now(value.made)
        return replace(value, origin=origin, made=buffer)

    def acquires(self, *, span: Span | None = None, buffer: Span | None = None) -> Iterator[AcquireFact]:
        """The reserves and waits that are written at ``span``, or of the buffer that was made at ``buffer``, or all."""
        facts: Iterable[AcquireFact] = self.kept.acquires
        if span is not None:
            may_be = self._may_be(span)
            facts = [fact for fact in facts if may_be(fact.span)]
        if buffer is not None:
            may_be = self._may_be(buffer)
            facts = [fact for fact in facts if may_be(fact.buffer)]
        for fact in facts:
            here, of = self.now(fact.span), self.now(fact.buffer)
            if here is None or of is None or (span not in (None, here)) or (buffer not in (None, of)):
                continue
            yield AcquireFact(here, of, fact.acquired, fact.kernel, fact.kind) if self.moves else fact

    def steps(self, acquired: Span) -> Iterator[StepFact]:
        """Yield the steps of the block that was acquired at a place, in order."""
        may_be = self._may_be(acquired)
        for fact in self.kept.steps:
            if may_be(fact.acquired) and self.now(fact.acquired) == acquired:
                span = self.now(fact.span)
                if span is not None:
                    yield StepFact(span, acquired, fact.before, fact.after)

    def inferred(self, path: str) -> Iterator[InferredFact]:
        """The pushes, pops and waits in a file that the language infers."""
        for fact in self.kept.inferred:
            if fact.of.file != path:
                continue
            of, after, statement = self.now(fact.of), self.now(fact.after), self.now(fact.statement)
            if of is not None and after is not None and statement is not None:
                yield InferredFact(fact.how, of, after, fact.variable, statement)

    def threads(self, path: str) -> Iterator[ThreadFact]:
        """Yield the places in a file's operations that are written as one body, with the kernels that have the code."""
        for fact in self.kept.threads:
            here = self.now(fact.span) if fact.span.file == path else None
            if here is not None:
                yield ThreadFact(here, fact.kernel)

    def plans(self, path: str) -> Iterator[PlanFact]:
        """Yield the counterparts of the lines of the tile programs in a file."""
        for fact in self.kept.plans:
            here = self.now(fact.span) if fact.span.file == path else None
            if here is not None:
                yield replace(fact, span=here)
