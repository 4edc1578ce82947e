"""Reports as MLIR's tools print them: ``file:line:column: error: text``, the line, and a mark under the place."""

from __future__ import annotations

from collections.abc import Callable

from ttl.dialects.reports import Report
from ttl.source import files
from ttl.source.spans import Span

# The line of a file, where it is known.
LineOf = Callable[[str, int], str | None]


def line_of_inputs(file: str, text: str) -> LineOf:
    """Lines of the text that is read, and of the files that locations name."""
    own = text.split("\n")

    def line(name: str, number: int) -> str | None:
        if name == file:
            return own[number - 1] if 0 < number <= len(own) else None
        found = files.line(name, number)
        return None if found is None else found.rstrip("\n")

    return line


def render(report: Report, line_of: LineOf, shown: Span | None = None) -> str:
    """A report and its notes; ends with a line end. The line of the place ``shown`` is not shown again."""
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
