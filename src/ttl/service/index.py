"""``FactIndex``: the facts about a file, by place. Every query searches recorded facts; none reads the program."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ttl.service.facts import (
    AcquireFact,
    InferredFact,
    Kind,
    Move,
    PlaceFact,
    ValueFact,
    place_key,
)
from ttl.service.placed import PlacedFacts
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.protocol.blocks import State

# The number of lines before a position on which an expression that contains it may begin.
_TALLEST_EXPRESSION = 60


@dataclass(frozen=True, slots=True)
class StatesOfLine:
    """The states that a block may be in before and after a line; None means that it is not acquired yet."""

    before: tuple[State | None, ...]
    after: tuple[State, ...]


@dataclass(frozen=True, slots=True)
class FactIndex:
    """Facts of several readings: of the program, and of each operation with the arguments of each kind of call."""

    facts: tuple[PlacedFacts, ...] = ()

    def moved(self, move: Move) -> FactIndex:
        """The index for a text in which places have moved."""
        return FactIndex(tuple(facts.moved(move) for facts in self.facts))

    # --- values at places -----------------------------------------------------------------------------------------

    def exactly(self, span: Span) -> tuple[ValueFact, ...]:
        """The values of the expression, or the variable that is assigned, at a place."""
        values: dict[ValueFact, None] = {}
        for facts in self.facts:
            for place, fact in facts.on_lines(span.file, span.line, span.line):
                if place == span:
                    values.update(dict.fromkeys(facts.values(fact)))
        return tuple(values)

    def around(self, path: str, line: int, column: int) -> list[PlaceFact]:
        """Return the places that have values and contain a position, the innermost first."""
        position = line, column
        spans = {
            span: None
            for facts in self.facts
            for span, _ in facts.on_lines(path, line - _TALLEST_EXPRESSION, line)
            if (span.line, span.column) <= position <= (span.end_line, span.end_column)
        }
        inner = sorted(spans, key=lambda span: (-span.line, -span.column, span.end_line, span.end_column))
        return [PlaceFact(span, self.exactly(span)) for span in inner]

    def on_lines(self, path: str, first: int, last: int) -> list[PlaceFact]:
        """Return the places that have values and begin on these lines, in order."""
        merged: dict[Span, dict[ValueFact, None]] = {}
        for facts in self.facts:
            for span, fact in facts.on_lines(path, first, last):
                merged.setdefault(span, {}).update(dict.fromkeys(facts.values(fact)))
        places = [PlaceFact(span, tuple(values)) for span, values in merged.items()]
        return sorted(places, key=place_key)

    def of_object(self, origin: Span, kinds: Collection[Kind]) -> list[Span]:
        """The places with a value of one of these kinds that comes from the place ``origin``, in order."""
        spans = {
            span: None
            for facts in self.facts
            for fact in facts.kept.places
            if any(
                value.kind in kinds and value.origin is not None and facts.now(value.origin) == origin
                for value in fact.values
            )
            and (span := facts.now(fact.span)) is not None
        }
        return sorted(spans, key=_order)

    # --- buffers and blocks ---------------------------------------------------------------------------------------

    def acquires_of(self, buffer: Span) -> list[AcquireFact]:
        """The reserves and waits of the buffer that was made at a place."""
        acquires = {fact: None for facts in self.facts for fact in facts.acquires(buffer=buffer)}
        return sorted(acquires, key=lambda fact: _order(fact.span))

    def acquires_at(self, span: Span) -> list[AcquireFact]:
        """The reserves and waits that are written at a place."""
        return [fact for facts in self.facts for fact in facts.acquires(span=span)]

    def states(self, line: int, acquired: Span) -> StatesOfLine | None:
        """The states of the block that was acquired at a place before and after a line of the same file."""
        steps: dict[Span, tuple[dict[State | None, None], dict[State, None]]] = {}
        for facts in self.facts:
            for fact in facts.steps(acquired):
                if fact.span.file == acquired.file:
                    before, after = steps.setdefault(fact.span, ({}, {}))
                    before.update(dict.fromkeys(fact.before))
                    after.update(dict.fromkeys(fact.after))
        here = [step for span, step in steps.items() if span.line <= line <= span.end_line]
        if here:  # in the order in which the kernel takes them
            return StatesOfLine(tuple(here[0][0]), tuple(here[-1][1]))
        earlier = [span for span in steps if span.end_line < line]
        if not earlier:
            return None
        states = tuple(steps[max(earlier, key=lambda span: (span.end_line, span.end_column))][1])
        return StatesOfLine(states, states)

    def inferred(self, path: str) -> Iterator[InferredFact]:
        """The pushes, pops and waits in a file that the language infers, each once."""
        known: dict[tuple[str, Span], InferredFact] = {}
        for facts in self.facts:
            for fact in facts.inferred(path):
                known.setdefault((fact.how, fact.of), fact)
        # A transfer is waited for before its block is released.
        order = sorted(
            known.values(), key=lambda fact: (_order(fact.after), fact.how != "wait", _order(fact.of))
        )
        return iter(order)

    def threads(self, path: str) -> dict[int, list[str]]:
        """For each line of a file, the kernels that have code of it, in operations that are written as one body."""
        lines: dict[int, dict[str, None]] = {}
        for facts in self.facts:
            for fact in facts.threads(path):
                lines.setdefault(fact.span.line, {})[fact.kernel] = None
        return {line: list(kernels) for line, kernels in lines.items()}

    def plans(self, path: str) -> dict[int, dict[str, str]]:
        """Return for each line of a file's tile programs its counterparts (one or several), each with the reason."""
        lines: dict[int, dict[str, str]] = {}
        for facts in self.facts:
            for fact in facts.plans(path):
                lines.setdefault(fact.span.line, {})[fact.label] = fact.why
        return lines


def _order(span: Span) -> tuple[str, int, int]:
    return span.file, span.line, span.column
