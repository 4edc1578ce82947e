"""Changes of programs, as pages of codes show them."""

from __future__ import annotations

import pytest

from ttl.diag.changes import applied

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


@pytest.mark.parametrize("changes", ["-z\n+x", "-d\n...\n-a", "b\n-c"])
def test_changes_that_do_not_fit_are_refused(changes: str) -> None:
    with pytest.raises(ValueError, match=r"read|begins"):
        applied(PROGRAM, changes)
