"""Texts changed by edits: the lines that edits touch, before and after, and unified diffs that ``patch`` accepts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ttl.diag.model import Edit, Severity
from ttl.diag.paint import Painter
from ttl.source.spans import Span


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedLines:
    """Changed lines, from ``line`` on: their texts before and after the change."""

    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]


def _end(span: Span) -> tuple[int, int]:
    """Line and column at which the span ends; a span without an end is a point."""
    return (span.end_line, span.end_column) if span.end_line else (span.line, span.column)


def _is_inside(span: Span, lines: Sequence[str]) -> bool:
    begin, end = (span.line, span.column), _end(span)
    if not (1 <= span.line <= end[0] <= len(lines) and begin <= end):
        return False
    return 1 <= span.column <= len(lines[span.line - 1]) + 1 and 1 <= end[1] <= len(lines[end[0] - 1]) + 1


def changes(lines: Sequence[str], edits: Sequence[Edit]) -> tuple[ChangedLines, ...]:
    """The changes that ``edits`` (all of one file) make, in the order of the file.

    Edits outside the text are left out; edits that touch the same lines become one change.
    """
    inside = [edit for edit in edits if _is_inside(edit.span, lines)]
    ordered = sorted(inside, key=lambda edit: (edit.span.line, edit.span.column))
    groups: list[list[Edit]] = []
    for edit in ordered:
        if groups and edit.span.line <= max(_end(other.span)[0] for other in groups[-1]):
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return tuple(_change(lines, group) for group in groups)


def _change(lines: Sequence[str], group: Sequence[Edit]) -> ChangedLines:
    first = group[0].span.line
    last = max(_end(edit.span)[0] for edit in group)
    before = tuple(lines[first - 1 : last])
    starts = [0]
    for text in before:
        starts.append(starts[-1] + len(text) + 1)
    whole = "\n".join(before)
    for edit in reversed(group):
        line, column = _end(edit.span)
        begin = starts[edit.span.line - first] + edit.span.column - 1
        end = starts[line - first] + column - 1
        whole = whole[:begin] + edit.replacement + whole[end:]
    after = whole.split("\n")
    if len(after) < len(before) and before[-1] == after[-1]:
        # Lines were removed up to the last line, which is unchanged.
        before, after = before[:-1], after[:-1]
    elif len(after) > len(before) == 1 and before[0] in (after[0], after[-1]):
        # Lines were inserted below or above this line, which is unchanged.
        below = before[0] == after[0]
        return ChangedLines(line=first + below, before=(), after=tuple(after[1:] if below else after[:-1]))
    return ChangedLines(line=first, before=before, after=tuple(after))


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def split_lines(text: str) -> list[str]:
    """The lines of ``text`` with their ends. As in Python's source, only carriage returns and line feeds end lines."""
    return _LINE.findall(text)


def unified(name: str, before: str, after: str, *, color: bool = False) -> str:
    """The unified diff of a file called ``name``; empty if nothing changes. Ends with a line end."""
    return "".join(_rows(name, before, after, Painter(color, Severity.NOTE)))


def _rows(name: str, before: str, after: str, paint: Painter) -> Iterator[str]:
    rows = difflib.unified_diff(split_lines(before), split_lines(after), f"a/{name}", f"b/{name}")
    for number, row in enumerate(rows):
        text = row.rstrip("\r\n")
        end = row[len(text) :]
        if number < 2 or text.startswith("@@"):
            yield paint.frame(text) + "\n"
            continue
        painted = paint.removed(text) if text[0] == "-" else paint.added(text) if text[0] == "+" else text
        yield painted + (end or "\n\\ No newline at end of file\n")
