"""Changes of programs, as pages of codes show them."""

from __future__ import annotations

import pytest

from ttl.diag.changes import applied, between

PROGRAM = "a\nb\nc\nb\nd"


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ("-b\n+x", "a\nx\nc\nb\nd"),
        (" c\n-b\n+x\n+y", "a\nb\nc\nx\ny\nd"),
        ("-a\n...\n-d\n+e", "b\nc\nb\ne"),
        (" d\n+\n+e", "a\nb\nc\nb\nd\n\ne"),
    ],
)
def test_lines_go_and_come(changes: str, result: str) -> None:
    assert applied(PROGRAM, changes) == result


@pytest.mark.parametrize(
    ("result", "changes"),
    [
        ("a\nx\nc\nb\nd", " a\n-b\n+x\n c"),
        ("a\nb\nc\nb\nd\n\ne", " d\n+\n+e"),
        ("x\nb\nc\nb\ne", "-a\n+x\n b\n...\n b\n-d\n+e"),
        ("a\nb\nc\nb\nx\nd", " b\n+x\n d"),
        (PROGRAM, ""),
    ],
)
def test_what_goes_and_comes_is_found(result: str, changes: str) -> None:
    assert between(PROGRAM, result) == changes
    assert applied(PROGRAM, changes) == result


def test_as_many_lines_as_it_takes_say_where_a_change_is() -> None:
    assert between("b\n\nb\n\nc", "b\n\nb\nx\n\nc") == " b\n+x\n\n c"


@pytest.mark.parametrize("changes", ["-z\n+x", "-d\n...\n-a", "b\n-c"])
def test_changes_that_do_not_fit_are_refused(changes: str) -> None:
    with pytest.raises(ValueError, match=r"read|begins"):
        applied(PROGRAM, changes)
