"""Code lenses above an operation: commands for it, and the shapes with which it was checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ttl.diag.words import counted
from ttl.frontend.lowered import Specialisation
from ttl.service.analysis import Analysis, CheckedOperation
from ttl.source.spans import Span

LensKind = Literal["run", "sanitize", "compare", "profile", "kernels", "design", "checked"]
_TITLES: tuple[tuple[LensKind, str], ...] = (
    ("run", "run"),
    ("sanitize", "sanitize"),
    ("compare", "compare"),
    ("profile", "profile"),
    ("kernels", "C++"),
)
# The arguments of a specialisation that a lens spells out at most.
_MOST_ARGUMENTS = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Lens:
    """A lens above a line. The kind ``checked`` is only text, the others are commands."""

    kind: LensKind
    title: str
    operation: str
    span: Span
    """The place of the name in the operation's definition."""


def lenses(analysis: Analysis) -> tuple[Lens, ...]:
    """The lenses of a text, for each operation that is defined in it."""
    return tuple(
        lens
        for operation in analysis.operations
        if operation.span.file == analysis.path
        for lens in _of(operation)
    )


def _of(operation: CheckedOperation) -> Iterator[Lens]:
    for kind, title in _TITLES:
        yield Lens(kind=kind, title=title, operation=operation.name, span=operation.span)
    if any(one.designed for one in operation.specialisations):
        yield Lens(kind="design", title="explicit operation", operation=operation.name, span=operation.span)
    yield Lens(kind="checked", title=_checked(operation), operation=operation.name, span=operation.span)


def _checked(operation: CheckedOperation) -> str:
    """The title of the lens that says with which arguments an operation was checked."""
    complete = [one for one in operation.specialisations if one.complete]
    if not complete:
        return "not checked: neither a call nor a ttl.example gives shapes"
    first = complete[0]
    shown = first.arguments[:_MOST_ARGUMENTS]
    more = ", ..." if len(first.arguments) > len(shown) else ""
    arguments = ", ".join(shown) + more or "no arguments"
    others = f", and {counted(len(complete) - 1, 'other kind')} of arguments" if len(complete) > 1 else ""
    return f"checked with {arguments} ({_origin(first)}{others})"


def _origin(one: Specialisation) -> str:
    line = "" if one.place is None else f" in line {one.place.line}"
    match one.origin:
        case "call":
            return f"the call{line}"
        case "example":
            return f"ttl.example{line}"
        case "symbolic":
            return "any shapes: it is not called"
