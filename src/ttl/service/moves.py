"""Moves places of one text to a later one, so that findings stay in place while a user types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ttl.diag import Diagnostic
from ttl.diag.model import Label
from ttl.session import FileText
from ttl.source.spans import Span

Position = tuple[int, int]
"""Line and column, both from 1."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """The one range in which two texts differ; it begins at the same place in both.

    Two edits far from each other are one range, from the first to the second: the text between them counts as changed.
    """

    start: Position
    before: Position
    """The end of the range in the old text."""
    after: Position
    """The end of the range in the new text."""

    def position(self, line: int, column: int) -> Position | None:
        """Return where a position of the old text is in the new one; None if it was inside the changed range."""
        if (line, column) <= self.start:
            return line, column
        last, end = self.before
        if (line, column) < self.before:
            return None
        moved = line + self.after[0] - last
        return (moved, column + self.after[1] - end) if line == last else (moved, column)

    def span(self, span: Span) -> Span | None:
        """Return where a range of the old text is in the new one; None if nothing of it is left.

        A range around the change grows or shrinks with it.
        """
        end_line, end_column = (span.end_line, span.end_column) if span.end_line else (span.line, span.column)
        begin, end = self.position(span.line, span.column), self.position(end_line, end_column)
        if begin is None and end is None:
            return None
        begin, end = begin or self.after, end or self.start
        if begin > end or (begin == end and (span.line, span.column) != (end_line, end_column)):
            return None
        return Span(file=span.file, line=begin[0], column=begin[1], end_line=end[0], end_column=end[1])

    def lines(self, first: int, last: int) -> tuple[int, int]:
        """The first and the last line of the old text between which all places began that begin on these new lines."""
        by = self.after[0] - self.before[0]
        touched = first <= self.after[0] and last >= self.start[0]
        if touched:
            return min(first, self.start[0]), max(last - by, self.before[0])
        return (first, last) if last < self.start[0] else (first - by, last - by)


@dataclass(frozen=True, slots=True)
class MovedText:
    """Moves places of one file with a change of its text; places of other files stay."""

    path: str
    change: TextChange

    def __call__(self, span: Span) -> Span | None:
        return self.change.span(span) if span.file == self.path else span

    def earlier(self, file: str, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Ranges (first, last) of earlier lines that contain all places that begin on these lines now."""
        yield self.change.lines(first, last) if file == self.path else (first, last)


def change_between(old: FileText, new: FileText) -> TextChange:
    """The smallest range of lines and columns in which two texts differ; an empty one at the end of equal texts."""
    ours, theirs = old.lines, new.lines
    first = _common(ours, theirs)
    same = _common(ours[first:][::-1], theirs[first:][::-1])
    last, new_last = len(ours) - same, len(theirs) - same  # one past the last line that differs, from 0
    if first in (last, new_last):
        # Whole lines were put in or taken out.
        return TextChange((first + 1, 1), (last + 1, 1), (new_last + 1, 1))
    column = _common(ours[first], theirs[first])
    tail, new_tail = ours[last - 1], theirs[new_last - 1]
    most = min(
        len(tail) - (column if first == last - 1 else 0),
        len(new_tail) - (column if first == new_last - 1 else 0),
    )
    end = min(_common(tail[::-1], new_tail[::-1]), most)
    return TextChange(
        (first + 1, column + 1), (last, len(tail) - end + 1), (new_last, len(new_tail) - end + 1)
    )


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the common beginning of two texts (in lines) or two lines (in characters), by bisection."""
    alike, most = 0, min(len(first), len(second))
    while alike < most:
        middle = (alike + most + 1) // 2
        if first[alike:middle] == second[alike:middle]:
            alike = middle
        else:
            most = middle - 1
    return alike


def moved(finding: Diagnostic, path: str, change: TextChange) -> Diagnostic | None:
    """A finding with its places in ``path`` moved by a change; None if its primary place is gone.

    Its fix is left out: it was for the old text.
    """
    primary = None if finding.primary is None else _label(finding.primary, path, change)
    if finding.primary is not None and primary is None:
        return None
    secondary = (_label(label, path, change) for label in finding.secondary)
    return replace(
        finding,
        primary=primary,
        secondary=tuple(label for label in secondary if label is not None),
        fix=None,
        about=(),
    )


def _label(label: Label, path: str, change: TextChange) -> Label | None:
    if label.span.file != path:
        return label
    span = change.span(label.span)
    return None if span is None else replace(label, span=span)
