"""What is wrong with text or IR, as MLIR's tools say it: a severity, a place in the text, a line, notes.

These are about the compiler's own representation. What is wrong with a user's program is a ``ttl.diag`` diagnostic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.ir import Attribute, Operation

from ttl.dialects.locations import first_span
from ttl.source.spans import Span

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """One finding."""

    message: str
    severity: Severity = "error"
    span: Span | None = None
    notes: tuple[Report, ...] = ()


class InvalidText(Exception):
    """Text that cannot be read as IR."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"{report.span}: {report.message}" if report.span else report.message)
        self.report = report


def about(op: Operation, message: str, *notes: Report) -> Report:
    """An error about an operation, at its place."""
    return Report(message=message, span=first_span(op.location), notes=notes)


def note_at(place: Attribute, message: str) -> Report:
    """A note at another place."""
    return Report(message=message, severity="note", span=first_span(place))
