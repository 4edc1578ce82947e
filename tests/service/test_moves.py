"""Where places of one text are in another one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttl.service.moves import change_between
from ttl.session import FileText
from ttl.source.spans import Span

LINES = st.lists(st.text(alphabet="ab(", max_size=4), max_size=5).map("\n".join)


def text_of(text: FileText, begin: tuple[int, int], end: tuple[int, int]) -> str:
    """The text between two positions; one line below the last one is its end."""
    starts = [0]
    for line in text.lines:
        starts.append(starts[-1] + len(line) + 1)
    return text.text[starts[begin[0] - 1] + begin[1] - 1 : starts[end[0] - 1] + end[1] - 1]


@given(LINES, LINES)
def test_the_texts_are_equal_before_and_behind_the_change(first: str, second: str) -> None:
    old, new = FileText(first), FileText(second)
    change = change_between(old, new)
    old_end, new_end = (len(old.lines) + 1, 1), (len(new.lines) + 1, 1)
    assert text_of(old, (1, 1), change.start) == text_of(new, (1, 1), change.start)
    assert text_of(old, change.before, old_end) == text_of(new, change.after, new_end)


@pytest.mark.parametrize(
    ("old", "new", "where", "expected"),
    [
        ("a\nb\n", "x\na\nb\n", (2, 1, 2, 2), (3, 1, 3, 2)),
        ("a\nb\n", "b\n", (1, 1, 1, 2), None),
        ("call(a)\n", "call(ab)\n", (1, 1, 1, 8), (1, 1, 1, 9)),
        ("x = call(a)\n", "xyz = call(a)\n", (1, 5, 1, 12), (1, 7, 1, 14)),
    ],
)
def test_spans_move(
    old: str, new: str, where: tuple[int, int, int, int], expected: tuple[int, int, int, int] | None
) -> None:
    change = change_between(FileText(old), FileText(new))
    span = change.span(Span(file="f", line=where[0], column=where[1], end_line=where[2], end_column=where[3]))
    assert (None if span is None else (span.line, span.column, span.end_line, span.end_column)) == expected
