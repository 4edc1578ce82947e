"""Lines of source, with locations in them underlined and labelled, as rows of text.

Cells are columns of a terminal: a tab has four, a wide character two.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ttl.diag.model import Label
from ttl.diag.paint import Painter

TAB = 4
LONGEST = 120
"""The most cells of a source line that are shown; of a longer line, only the part with the labels is shown."""
_LEAD = 24
_ELLIPSIS = "..."


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """An underlined range of cells of one line, from 0, end exclusive."""

    start: int
    end: int
    primary: bool
    text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """A label, and whether it is the primary label of the diagnostic."""

    label: Label
    primary: bool


def cells(text: str) -> int:
    """Width of ``text`` without tabs, in cells."""
    if text.isascii():
        return len(text)
    return sum(_cell(character) for character in text)


def _cell(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def expand(text: str, column: int = 0) -> tuple[str, int]:
    """``text`` with tabs as spaces (and without control characters), and the cell at which character ``column`` starts.

    ``column`` counts from 0.
    """
    shown: list[str] = []
    width = 0
    begin = None
    for index, character in enumerate(text):
        if index == column:
            begin = width
        if character == "\t":
            step = TAB - width % TAB
            shown.append(" " * step)
            width += step
            continue
        shown.append(character if character.isprintable() else "?")
        width += _cell(character)
    return "".join(shown), width if begin is None else begin


def marks_of(notes: Sequence[Note], lines: Sequence[str]) -> dict[int, list[Mark]]:
    """The marks of each line, by line number.

    A range of up to four lines is underlined on each of them, a longer one on its first two lines and on the last. The
    label is on the last line, or on the first if the last has nothing to underline.
    """
    result: dict[int, list[Mark]] = {}
    for note in notes:
        span = note.label.span
        last = max(span.line, min(span.end_line, len(lines)))
        text = " ".join(note.label.text.split())
        numbers = range(span.line, last + 1)
        chosen = [n for n in numbers if len(numbers) <= 4 or n < span.line + 2 or n == last]
        for number in chosen:
            source = lines[number - 1] if 1 <= number <= len(lines) else ""
            indent = len(source) - len(source.lstrip())
            first = span.column - 1 if number == span.line else indent
            stop = len(source.rstrip())
            if number == last:
                stop = span.end_column - 1 if span.end_line else first + 1
            if number != span.line and stop <= first:
                continue
            _, start = expand(source, max(0, min(first, len(source))))
            _, end = expand(source, max(0, min(stop, len(source))))
            mark = Mark(start=start, end=max(end, start + 1), primary=note.primary)
            result.setdefault(number, []).append(replace(mark, text=text) if number == last else mark)
        if not any(mark.text == text for marks in result.values() for mark in marks):
            # The last line had nothing to underline (a single closing bracket, say): label the first line.
            at = result[span.line]
            at[-1] = replace(at[-1], text=text)
    return result


def rows(notes: Sequence[Note], lines: Sequence[str], gutter: int, paint: Painter) -> Iterator[str]:
    """The snippet of one file: ``gutter`` is the width of its line numbers."""
    marks = marks_of(notes, lines)
    before: int | None = None
    for number in sorted(marks):
        if before is not None and number - before == 2:
            yield from _source_row(before + 1, lines, gutter, paint, ())[0:1]
        elif before is not None and number - before > 2:
            yield paint.frame(_ELLIPSIS)
        yield from _source_row(number, lines, gutter, paint, marks[number])
        before = number


def _source_row(
    number: int, lines: Sequence[str], gutter: int, paint: Painter, marks: Sequence[Mark]
) -> list[str]:
    source = lines[number - 1] if 1 <= number <= len(lines) else ""
    text, marks = _window(expand(source.rstrip())[0], marks)
    bar = paint.frame(" " * gutter + " | ")
    numbered = paint.frame(f"{number:>{gutter}} | ") + text
    return [numbered.rstrip(), *(bar + row for row in _mark_rows(marks, paint))]


def _window(text: str, marks: Sequence[Mark]) -> tuple[str, Sequence[Mark]]:
    """The part of a long line that contains the marks."""
    if cells(text) <= LONGEST:
        return text, marks
    if not marks:
        return text[: LONGEST - len(_ELLIPSIS)] + _ELLIPSIS, marks
    first = min(mark.start for mark in marks)
    begin = 0 if max(mark.end for mark in marks) < LONGEST - _LEAD else max(0, first - _LEAD)
    part, width, at = [], 0, 0
    for character in text:
        if at >= begin and width < LONGEST - 2 * len(_ELLIPSIS):
            part.append(character)
            width += _cell(character)
        at += _cell(character)
    lead = _ELLIPSIS if begin else ""
    tail = _ELLIPSIS if begin + width < at else ""
    limit = len(lead) + width
    shift = len(lead) - begin
    moved = tuple(
        replace(
            mark,
            start=max(0, min(mark.start + shift, limit)),
            end=max(min(mark.start + shift, limit) + 1, min(mark.end + shift, limit)),
        )
        for mark in marks
    )
    return lead + "".join(part) + tail, moved


def _mark_rows(marks: Sequence[Mark], paint: Painter) -> Iterator[str]:
    """The underlines, then the labels that did not fit beside them, each under its own mark."""
    if not marks:
        return
    width = max(mark.end for mark in marks)
    symbols = [" "] * width
    for mark in sorted(marks, key=lambda mark: mark.primary):
        symbols[mark.start : mark.end] = ("^" if mark.primary else "-") * (mark.end - mark.start)
    underline = "".join(
        run if symbol == " " else paint.mark(run, symbol == "^")
        for symbol, run in ((symbol, "".join(run)) for symbol, run in groupby(symbols))
    )
    labelled = sorted((mark for mark in marks if mark.text), key=lambda mark: (mark.start, mark.end))
    inline = labelled[-1] if labelled and labelled[-1].end == width else None
    if inline is not None:
        yield f"{underline} {paint.mark(inline.text, inline.primary)}"
    else:
        yield underline
    waiting = [mark for mark in labelled if mark is not inline]
    if waiting:
        yield _stems(waiting, paint)
    while waiting:
        mark = waiting.pop()
        left = [other for other in waiting if other.start < mark.start]
        stems = _stems(left, paint)
        used = left[-1].start + 1 if left else 0
        yield stems + " " * (mark.start - used) + paint.mark(mark.text, mark.primary)


def _stems(marks: Sequence[Mark], paint: Painter) -> str:
    row: list[str] = []
    for mark in marks:
        if len(row) <= mark.start:
            row.extend(" " * (mark.start - len(row)))
            row.append(paint.mark("|", mark.primary))
    return "".join(row)
