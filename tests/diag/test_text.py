"""The text of a diagnostic, exactly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ttl.diag import Diagnostic, Edit, Fix, Label, Severity, error, note, warning
from ttl.diag.snippet import LONGEST
from ttl.diag.text import render
from ttl.source.spans import Span

SOURCE = """\
import ttl

def kernel():
    a = a_dfb.reserve(); b = b_dfb.wait()
    c.store(a + b)



    total = (a
        + b
    )
\tif a: pop(a)
    größe = store(a)
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "example.py").write_text(SOURCE, encoding="utf-8")
    return str(tmp_path / "example.py")


def span(file: str, line: int, text: str) -> Span:
    """The place of ``text`` in line ``line`` of the source."""
    column = SOURCE.split("\n")[line - 1].index(text) + 1
    return Span(file=file, line=line, column=column, end_line=line, end_column=column + len(text))


def found(message: str = "block read before it was written") -> Diagnostic:
    return error("TTL0301", message)


def test_a_finding_without_a_place() -> None:
    finding = error("TTL0101", "wrong", notes=("a fact",), help=("do this", "or that"))
    assert render(finding) == (
        "error[TTL0101]: wrong\n  = note: a fact\n  = help: do this\n  = help: or that"
    )


@pytest.mark.parametrize(
    ("finding", "begin"),
    [
        (warning("TTL0301", "x"), "warning[TTL0301]: x"),
        (note("TTL1201", "x"), "note[TTL1201]: x"),
    ],
)
def test_the_severity_begins_the_report(finding: Diagnostic, begin: str) -> None:
    assert render(finding) == begin


def test_a_place_is_underlined_and_labelled(file: str) -> None:
    finding = error("TTL0301", "wrong", help="store into it first").at(span(file, 5, "a + b"), "read here")
    assert render(finding) == (
        "error[TTL0301]: wrong\n"
        " --> example.py:5:13\n"
        "  |\n"
        "5 |     c.store(a + b)\n"
        "  |             ^^^^^ read here\n"
        "  |\n"
        "  = help: store into it first"
    )


def test_places_of_one_line_each_have_their_label(file: str) -> None:
    finding = (
        found("wrong")
        .at(span(file, 4, "b_dfb.wait()"), "this")
        .also(span(file, 4, "a_dfb.reserve()"), "that")
        .also(span(file, 4, "a "), "name")
    )
    assert render(finding) == (
        "error[TTL0301]: wrong\n"
        " --> example.py:4:30\n"
        "  |\n"
        "4 |     a = a_dfb.reserve(); b = b_dfb.wait()\n"
        "  |     --  ---------------      ^^^^^^^^^^^^ this\n"
        "  |     |   |\n"
        "  |     |   that\n"
        "  |     name"
    )


def test_lines_between_places_are_left_out(file: str) -> None:
    finding = found("wrong").at(span(file, 13, "store(a)"), "here").also(span(file, 3, "kernel"), "in this")
    assert render(finding.also(span(file, 5, "c"), "after this")) == (
        "error[TTL0301]: wrong\n"
        "  --> example.py:13:13\n"
        "   |\n"
        " 3 | def kernel():\n"
        "   |     ------ in this\n"
        " 4 |     a = a_dfb.reserve(); b = b_dfb.wait()\n"
        " 5 |     c.store(a + b)\n"
        "   |     - after this\n"
        "...\n"
        "13 |     größe = store(a)\n"
        "   |             ^^^^^^^^ here"
    )


def test_a_range_over_several_lines(file: str) -> None:
    place = Span(file=file, line=9, column=13, end_line=11, end_column=6)
    assert render(found("wrong").at(place, "this sum")) == (
        "error[TTL0301]: wrong\n"
        "  --> example.py:9:13\n"
        "   |\n"
        " 9 |     total = (a\n"
        "   |             ^^\n"
        "10 |         + b\n"
        "   |         ^^^\n"
        "11 |     )\n"
        "   |     ^ this sum"
    )


def test_tabs_are_four_cells(file: str) -> None:
    assert render(found("wrong").at(span(file, 12, "pop(a)"))) == (
        "error[TTL0301]: wrong\n  --> example.py:12:8\n   |\n12 |     if a: pop(a)\n   |           ^^^^^^"
    )


def test_wide_characters_are_two_cells(tmp_path: Path) -> None:
    path = tmp_path / "wide.py"
    path.write_text('x = "日本"; f(x)\n', encoding="utf-8")
    place = Span(file=str(path), line=1, column=11, end_line=1, end_column=12)
    assert render(found().at(place)).splitlines()[-2:] == ['1 | x = "日本"; f(x)', "  |             ^"]


@pytest.mark.parametrize("at", [0, 200, 1000])
def test_of_a_long_line_the_part_with_the_place_is_shown(tmp_path: Path, at: int) -> None:
    path = tmp_path / "long.py"
    path.write_text("." * at + "HERE" + "." * (1000 - at) + "\n", encoding="utf-8")
    place = Span(file=str(path), line=1, column=at + 1, end_line=1, end_column=at + 5)
    source, marks = render(found().at(place, "x")).splitlines()[-2:]
    assert len(source) <= LONGEST + 4
    begin = marks.index("^")
    assert source[begin : begin + 4] == "HERE"
    assert marks[begin:] == "^^^^ x"


def test_a_file_without_text_keeps_its_labels() -> None:
    finding = (
        found("wrong")
        .at(Span(file="<stdin>", line=7, column=3), "read")
        .also(Span(file="<stdin>", line=2), "reserved")
    )
    assert render(finding) == (
        "error[TTL0301]: wrong\n --> <stdin>:7:3\n  | line 7: read\n  | line 2: reserved"
    )


def test_a_line_beyond_the_end_of_the_file_is_shown_empty(file: str) -> None:
    text = render(found("wrong").at(Span(file=file, line=400, column=9, end_line=400, end_column=12), "gone"))
    assert text.splitlines()[-2:] == ["400 |", "    | ^ gone"]


def test_a_second_file_has_its_own_snippet(file: str, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("shape = (2, 2)\n", encoding="utf-8")
    place = Span(file=str(other), line=1, column=9, end_line=1, end_column=15)
    finding = error("TTL0301", "wrong", help="do it").at(span(file, 5, "a + b")).also(place, "from here")
    assert render(finding) == (
        "error[TTL0301]: wrong\n"
        " --> example.py:5:13\n"
        "  |\n"
        "5 |     c.store(a + b)\n"
        "  |             ^^^^^\n"
        "  |\n"
        " ::: other.py:1:9\n"
        "  |\n"
        "1 | shape = (2, 2)\n"
        "  |         ------ from here\n"
        "  |\n"
        "  = help: do it"
    )


def test_a_table_in_a_note_keeps_its_columns() -> None:
    finding = error("TTL0801", "too much", notes=("buffer  bytes\na_dfb    4096\nb_dfb      16",))
    assert render(finding).splitlines()[1:] == [
        "  = note: buffer  bytes",
        "          a_dfb    4096",
        "          b_dfb      16",
    ]


def test_a_fix_shows_the_lines_before_and_after(file: str) -> None:
    fix = Fix(
        description="write the wait where the block is used",
        edits=(
            Edit(span=span(file, 4, "a_dfb.reserve"), replacement="a_dfb.wait"),
            Edit(span=span(file, 4, "b_dfb.wait()"), replacement="b"),
            Edit(span=Span(file=file, line=5, column=5), replacement="# here\n    "),
        ),
    )
    assert render(found("wrong").at(span(file, 5, "a")).fixed_by(fix)).splitlines()[-6:] == [
        "  = fix: write the wait where the block is used",
        "  |",
        "4 -     a = a_dfb.reserve(); b = b_dfb.wait()",
        "4 +     a = a_dfb.wait(); b = b",
        "  |",
        "5 +     # here",
    ]


def test_without_colour_there_is_no_escape_and_with_it_the_text_is_the_same(file: str) -> None:
    finding = error("TTL0301", "wrong", notes=("n",), help="h").at(span(file, 5, "a + b"), "x")
    plain, colored = render(finding), render(finding, color=True)
    assert "\x1b" not in plain
    for escape in {part.split("m")[0] for part in colored.split("\x1b[")[1:]}:
        colored = colored.replace(f"\x1b[{escape}m", "")
    assert colored == plain


def test_every_severity_has_a_colour() -> None:
    colors = {render(Diagnostic(code="TTL0101", message="x", severity=s), color=True)[:8] for s in Severity}
    assert len(colors) == len(Severity)


NUMBERS = st.integers(-2, 20) | st.integers(0, 10**6)
SPANS = st.builds(
    Span,
    file=st.sampled_from(["example.py", "missing.py", "<stdin>", ""]),
    line=NUMBERS,
    column=NUMBERS,
    end_line=NUMBERS,
    end_column=NUMBERS,
)
TEXTS = st.text(alphabet="ab \n\té日\x1b", max_size=12)
LABELS = st.builds(Label, span=SPANS, text=TEXTS)
FIXES = st.builds(
    Fix,
    description=TEXTS,
    edits=st.lists(st.builds(Edit, span=SPANS, replacement=TEXTS), max_size=3).map(tuple),
)


@given(
    st.builds(
        Diagnostic,
        code=st.just("TTL0301"),
        message=TEXTS,
        primary=st.none() | LABELS,
        secondary=st.lists(LABELS, max_size=4).map(tuple),
        notes=st.lists(TEXTS, max_size=2).map(tuple),
        help=st.lists(TEXTS, max_size=2).map(tuple),
        fix=st.none() | FIXES,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_place_however_wrong_breaks_the_report(file: str, finding: Diagnostic) -> None:
    assert render(finding).startswith("error[TTL0301]:")
    assert render(finding, color=True)
