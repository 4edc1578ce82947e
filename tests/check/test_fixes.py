"""Applying fixes to text: whole fixes, no two at one place, always Python."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from ttl.diag import Edit, Fix, edits, fixes, note
from ttl.diag.fixes import SourceText
from ttl.source.spans import Span

Place = tuple[int, int, int, int]


def source(text: str, encoding: str = "utf-8") -> SourceText:
    return SourceText(path="f.py", text=text, encoding=encoding, content=text.encode(encoding))


def edit(place: Place, replacement: str, file: str = "f.py") -> Edit:
    line, column, end_line, end_column = place
    span = Span(file=file, line=line, column=column, end_line=end_line, end_column=end_column)
    return Edit(span=span, replacement=replacement)


def fix(*edits: tuple[Place, str]) -> Fix:
    return Fix(description="do it", edits=tuple(edit(*each) for each in edits))


def applied(text: str, *wanted: Fix, encoding: str = "utf-8") -> tuple[str, int]:
    after, count = fixes.apply(source(text, encoding), wanted)
    assert after.content == after.text.encode(encoding)
    return after.text, count


def test_an_insertion_a_replacement_and_a_removal() -> None:
    text = "a = 1\nb = 2\nc = 3\n"
    found = applied(text, fix(((1, 1, 0, 0), "x = ")), fix(((2, 5, 2, 6), "20")), fix(((3, 1, 4, 1), "")))
    assert found == ("x = a = 1\nb = 20\n", 3)


def test_a_line_is_put_behind_the_last() -> None:
    assert applied("a = 1\n", fix(((2, 1, 0, 0), "b = 2\n"))) == ("a = 1\nb = 2\n", 1)


def test_a_fix_is_applied_whole_or_not_at_all() -> None:
    first = fix(((1, 1, 1, 2), "x"))
    both = fix(((1, 1, 1, 2), "y"), ((2, 1, 2, 2), "y"))
    assert applied("a = 1\nb = 2\n", first, both) == ("x = 1\nb = 2\n", 1)
    assert applied("a = 1\nb = 2\n", both, first) == ("y = 1\ny = 2\n", 1)


def test_two_insertions_at_one_place_wait_for_each_other() -> None:
    one, two = fix(((2, 1, 0, 0), "b = 2\n")), fix(((2, 1, 0, 0), "c = 3\n"))
    assert applied("a = 1\n", one, two) == ("a = 1\nb = 2\n", 1)


def test_neighbours_do_not_meet() -> None:
    assert applied("ab = 1\n", fix(((1, 1, 1, 2), "x")), fix(((1, 2, 1, 3), "y"))) == ("xy = 1\n", 2)


def test_places_outside_of_the_text_are_left_alone() -> None:
    for place in ((0, 1, 0, 0), (9, 1, 0, 0), (1, 99, 1, 99), (1, 3, 1, 2), (2, 1, 1, 1), (1, 0, 1, 1)):
        assert applied("a = 1\n", fix((place, "x"))) == ("a = 1\n", 0)


def test_edits_that_overlap_in_one_fix_are_left_alone() -> None:
    assert applied("abc = 1\n", fix(((1, 1, 1, 3), "x"), ((1, 2, 1, 4), "y"))) == ("abc = 1\n", 0)


def test_columns_count_characters_and_lines_end_where_python_ends_them() -> None:
    assert applied("s = 'ä𝄞\x0c\u2028'; a\n", fix(((1, 13, 1, 14), "b"))) == ("s = 'ä𝄞\x0c\u2028'; b\n", 1)


def test_new_lines_end_as_the_others_do() -> None:
    assert applied("a = 1\r\n", fix(((2, 1, 0, 0), "b = 2\nc = 3\n")))[0] == "a = 1\r\nb = 2\r\nc = 3\r\n"
    assert applied("a = 1\r", fix(((2, 1, 0, 0), "b = 2\r\n")))[0] == "a = 1\rb = 2\r"


def test_what_the_encoding_has_not_is_left_out() -> None:
    text = "# -*- coding: latin-1 -*-\na = 1\nb = 2\n"
    wanted = fix(((2, 1, 2, 2), "π")), fix(((3, 1, 3, 2), "ä"))
    assert applied(text, *wanted, encoding="latin-1") == (text.replace("b", "ä"), 1)


def test_only_fixes_of_the_file_itself_are_taken_and_each_once() -> None:
    mine = fix(((1, 1, 1, 2), "x"))
    other = Fix(description="d", edits=(edit((1, 1, 1, 2), "x"), edit((1, 1, 1, 2), "x", file="g.py")))
    empty = Fix(description="d")
    found = [note("TTL1206", "m").fixed_by(each) for each in (mine, other, empty, mine, None)]
    assert fixes.fixes_of(found, "f.py") == [mine]


_PLACES = st.tuples(*(st.integers(0, 6) for _ in range(4)))
_FIXES = st.lists(
    st.lists(st.tuples(_PLACES, st.sampled_from(["", "x", "(", "\n", "pass\n"])), max_size=3), max_size=6
)


@given(_FIXES, st.sampled_from(["\n", "\r\n"]))
def test_whatever_the_fixes_it_stays_python_and_ends(wanted: list[list[tuple[Place, str]]], end: str) -> None:
    text = end.join(("if a:", "    b", "c = (1,", "  2)", ""))
    after, count = applied(text, *(fix(*each) for each in wanted))
    ast.parse(after)
    assert count <= len(wanted)
    if count == 0:
        assert after == text


@given(
    st.text(alphabet="ab\n\r ", max_size=20),
    st.text(alphabet="ab\n\r ", max_size=20),
)
def test_a_diff_has_both_texts(before: str, after: str) -> None:
    """Its lines without ``+`` are the old text, those without ``-`` the new one."""
    rows = edits.split_lines(edits.unified("f.py", before, after))
    assert (rows == []) == (before == after)
    for text, without in ((before, "+"), (after, "-")):
        kept = "".join(row[1:] for row in _with_ends(rows[2:]) if row[:1] in " -+" and row[:1] != without)
        assert rows == [] or kept == _shown(text, kept)


def _with_ends(rows: list[str]) -> list[str]:
    """The rows, with the line end taken off again where the diff says that there is none."""
    found: list[str] = []
    for row in rows:
        if row.startswith("\\ "):
            found[-1] = found[-1].removesuffix("\n")
        elif not row.startswith("@@"):
            found.append(row)
    return found


def _shown(text: str, kept: str) -> str:
    """The part of the text that a diff with three lines of context shows: all of it, when it is short."""
    return kept if len(edits.split_lines(text)) > 4 and kept in text else text
