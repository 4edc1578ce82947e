"""Errors in text or IR as MLIR's tools print them: ``file:line:column: error: text``, the line, a mark.

They are about the compiler's own representation. An error in a user's program is a ``ttl.diag`` diagnostic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from xdsl.ir import Attribute, Operation

from ttl.diag.model import Diagnostic
from ttl.ir.locations import first_span
from ttl.source import files
from ttl.source.spans import Span

Severity = Literal["error", "warning", "note"]
# Returns the line of a file, if known.
LineOf = Callable[[str, int], str | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """One error, warning or note."""

    message: str
    severity: Severity = "error"
    span: Span | None = None
    notes: tuple[Report, ...] = ()
    # The operation of the report, as long as it exists.
    operation: Operation | None = field(default=None, compare=False, repr=False)


class InvalidIR(Exception):
    """Text that cannot be parsed as IR, or IR that violates the rules of its operations."""

    def __init__(self, first: Report, *others: Report) -> None:
        place = f"{first.span}: " if first.span is not None else ""
        more = f" (and {len(others)} more)" if others else ""
        super().__init__(f"{place}{first.message}{more}")
        self.reports = (first, *others)


def about(op: Operation, message: str, *notes: Report) -> Report:
    """Return an error about an operation, at its location."""
    return Report(message=message, span=first_span(op.location), notes=notes, operation=op)


def note_at(place: Attribute, message: str) -> Report:
    """Return a note at another place."""
    return Report(message=message, severity="note", span=first_span(place))


def report_of(diagnostic: Diagnostic) -> Report:
    """Return a diagnostic about a user's program as a report of MLIR's tools."""
    notes = [Report(message=label.text, severity="note", span=label.span) for label in diagnostic.secondary]
    place = None if diagnostic.primary is None else diagnostic.primary.span
    for text in (*diagnostic.notes, *diagnostic.help):
        notes.append(Report(message=text, severity="note", span=place))
    return Report(
        message=f"{diagnostic.message} [{diagnostic.code}]",
        severity=diagnostic.severity.value,
        span=place,
        notes=tuple(notes),
    )


def line_of_inputs(file: str, text: str) -> LineOf:
    """Return a function that finds lines of the parsed text, and of the files in locations."""
    own = text.split("\n")

    def line(name: str, number: int) -> str | None:
        if name == file:
            return own[number - 1] if 0 < number <= len(own) else None
        text_of_line = files.line(name, number)
        return None if text_of_line is None else text_of_line.rstrip("\n")

    return line


def render(report: Report, line_of: LineOf, shown: Span | None = None) -> str:
    """Return a report and its notes as text with a final line end; the source line of ``shown`` is not repeated."""
    place = report.span
    where = "<unknown>:0" if place is None else str(place)
    text = f"{where}: {report.severity}: {report.message}\n"
    if place is not None and place != shown:
        text += _snippet(place, line_of)
    return text + "".join(render(note, line_of, place) for note in report.notes)


def _snippet(place: Span, line_of: LineOf) -> str:
    line = line_of(place.file, place.line)
    if line is None:
        return ""
    before = "".join("\t" if character == "\t" else " " for character in line[: place.column - 1])
    end = place.end_column if place.end_line == place.line else len(line) + 1
    length = max(1, min(end, len(line) + 1) - place.column) if place.end_line else 1
    return f"{line}\n{before}^{'~' * (length - 1)}\n"
