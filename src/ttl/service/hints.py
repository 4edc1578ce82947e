"""Inlay hints: shapes of blocks and expressions; the pushes, pops, waits, threads and plans that the language infers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ttl.service import words
from ttl.service.facts import InferredFact, ValueFact
from ttl.service.subject import Places
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.service.analysis import Analysis

HintKind = Literal["shape", "inferred"]
# The shapes of one place that a hint names at most; a place with more shapes has no hint.
_MOST = 2


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint: ``label`` is shown at a position (from 1), ``tooltip`` when the pointer is over it."""

    line: int
    column: int
    label: str
    tooltip: str
    kind: HintKind


def hints(analysis: Analysis, first: int, last: int) -> list[Hint]:
    """The hints of some lines, in order."""
    places = Places(analysis)
    of_lines = [
        *_shapes(places, first, last),
        *_inferred(places, first, last),
        *_threads(places, first, last),
        *_plans(places, first, last),
    ]
    return sorted(of_lines, key=lambda hint: (hint.line, hint.column, hint.kind))


def _shapes(places: Places, first: int, last: int) -> Iterator[Hint]:
    bound = {
        occurrence.span
        for occurrence in places.symbols.on_lines(first, last)
        if occurrence.role == "bound" and isinstance(occurrence.node, ast.Name)
    }
    stored = _stored(places, first, last)
    for fact in places.index.on_lines(places.path, first, last):
        named = fact.span in bound
        if not named and fact.span not in stored:
            continue
        label = _shape(fact.values)
        if label is None:
            continue
        tooltip = words.several(fact.values)
        at = fact.span.end_line, fact.span.end_column
        yield Hint(*at, f": {label}" if named else f" {label}", tooltip, "shape")


def _stored(places: Places, first: int, last: int) -> set[Span]:
    """The expressions other than names that are stored into a block."""
    result: set[Span] = set()
    for node, _ in places.functions():
        if node.lineno > last or (node.end_lineno or 0) < first:
            continue
        for call in ast.walk(node):
            match call:
                case ast.Call(func=ast.Attribute(attr="store"), args=[value, *_]) if not isinstance(
                    value, ast.Name
                ):
                    result.add(places.syntax.file.extent(value))
    return result


def _shape(values: tuple[ValueFact, ...]) -> str | None:
    if not values or any(value.kind not in ("block", "expression", "tile value") for value in values):
        return None
    shapes = list(
        dict.fromkeys(words.short_shape(value.block) for value in values if value.block is not None)
    )
    if not shapes or len(shapes) > _MOST:
        return None
    return " or ".join(shapes)


def _inferred(places: Places, first: int, last: int) -> Iterator[Hint]:
    for fact in places.index.inferred(places.path):
        line = fact.after.end_line
        if first <= line <= last:
            code = places.syntax.line(line).rstrip()
            yield Hint(
                line, max(fact.after.end_column, len(code) + 1), _call(places, fact), _why(fact), "inferred"
            )


def _threads(places: Places, first: int, last: int) -> Iterator[Hint]:
    for line, kernels in places.index.threads(places.path).items():
        if first <= line <= last:
            column = len(places.syntax.line(line).rstrip()) + 1
            tooltip = f"in kernel{'s' if len(kernels) > 1 else ''} {', '.join(kernels)}, of this body"
            yield Hint(line, column, ", ".join(kernels), tooltip, "inferred")


def _plans(places: Places, first: int, last: int) -> Iterator[Hint]:
    for line, labels in places.index.plans(places.path).items():
        if first <= line <= last:
            column = len(places.syntax.line(line).rstrip()) + 1
            shown = list(labels)
            label = " or ".join(shown[:_MOST])
            if len(shown) > _MOST:
                label = f"{shown[0]}, with other arguments otherwise"
            yield Hint(line, column, label, "\n\n".join(dict.fromkeys(labels.values())), "inferred")


def _call(places: Places, fact: InferredFact) -> str:
    """Return the call that a user could write for an inferred one: ``y_blk.push()``."""
    if fact.variable:
        return f"{fact.variable}.{fact.how}()"
    if fact.how == "wait":
        return "wait for the copy" if fact.after.end_line != fact.statement.end_line else ".wait()"
    values = places.index.exactly(fact.of)
    names = [value.name for value in values if value.name]
    return f"{fact.how} of {names[0]}" if names else fact.how


def _why(fact: InferredFact) -> str:
    if fact.how == "wait":
        return f"the language waits here for the copy of line {fact.of.line}: the program never does"
    what = "pushes" if fact.how == "push" else "pops"
    return f"the language {what} the block of line {fact.of.line} here, behind its last use: the program never does"
