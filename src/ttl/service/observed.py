"""Facts about statements of a program's top level, kept as long as the effects of these statements are kept."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ttl.service.facts import PlaceFact, RecordedFacts, ValueFact, place_key
from ttl.service.incremental import ChunkMover, Shift
from ttl.source.spans import Span
from ttl.source.trees import source_file


@dataclass(frozen=True, slots=True)
class _Anchor:
    """Lines of a chunk when facts were recorded, and its first statement: the same object in every text that has it.

    ``line`` is the line on which the statement began; the difference to ``statement.lineno`` is how far it has moved.
    """

    file: str
    first: int
    last: int
    statement: ast.stmt
    line: int


class StatementFacts:
    """The facts recorded while one statement, and the code that it calls, was executed."""

    def __init__(self, facts: RecordedFacts) -> None:
        self._facts = facts
        self._anchors = tuple(_anchors(facts))

    def now(self) -> RecordedFacts:
        """The facts, with their present places."""
        shifts = tuple(
            Shift(anchor.file, anchor.first, anchor.last, anchor.statement.lineno - anchor.line)
            for anchor in self._anchors
        )
        if any(shift.by for shift in shifts):
            self._facts = self._facts.moved(ChunkMover(shifts))
            self._anchors = tuple(
                _Anchor(
                    anchor.file,
                    anchor.first + shift.by,
                    anchor.last + shift.by,
                    anchor.statement,
                    anchor.statement.lineno,
                )
                for anchor, shift in zip(self._anchors, shifts, strict=True)
            )
        return self._facts


def _anchors(facts: RecordedFacts) -> Iterator[_Anchor]:
    lines: dict[str, set[int]] = {}
    for span in _spans(facts):
        lines.setdefault(span.file, set()).add(span.line)
    for path, numbers in lines.items():
        file = source_file(path)
        if file is None:
            continue
        chunks = {chunk.first: chunk for line in numbers if (chunk := file.chunk_at(line)) is not None}
        for chunk in chunks.values():
            statement = chunk.statements[0]
            yield _Anchor(path, chunk.first, chunk.last, statement, statement.lineno)


def _spans(facts: RecordedFacts) -> Iterator[Span]:
    for fact in facts.places:
        yield fact.span
        for value in fact.values:
            if value.origin is not None:
                yield value.origin
            if value.made is not None:
                yield value.made


def together(parts: Iterable[RecordedFacts], most_values: int) -> RecordedFacts:
    """Merge the facts of statements into those of one reading; a place keeps its first ``most_values`` values."""
    places: dict[Span, PlaceFact] = {}
    for facts in parts:
        for fact in facts.places:
            known = places.get(fact.span)
            places[fact.span] = (
                fact
                if known is None
                else PlaceFact(fact.span, _joined(known.values, fact.values)[:most_values])
            )
    return RecordedFacts(tuple(sorted(places.values(), key=place_key)))


def _joined(first: tuple[ValueFact, ...], second: tuple[ValueFact, ...]) -> tuple[ValueFact, ...]:
    return first if first == second else tuple(dict.fromkeys((*first, *second)))
