"""The kernels of a dozen operations, as they were read and found good.

A change of the compiler that changes them is shown by this test. Read the new text as the author of a kernel would; if it is what you
want, ``python scripts/update_golden.py`` keeps it.
"""

from __future__ import annotations

import difflib

import pytest

from support.golden import FOLDER, PROGRAMS, kept, texts


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_kernels_are_those_that_were_reviewed(name: str) -> None:
    now, before = texts(name), kept(name)
    assert before, f"nothing is kept of {name}: run scripts/update_golden.py"
    assert "".join(_changes(before, now)) == ""


def test_nothing_else_is_kept() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {*PROGRAMS, "programs"}


def _changes(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return [
        line
        for path in sorted({*before, *now})
        for line in difflib.unified_diff(
            before.get(path, "").splitlines(keepends=True),
            now.get(path, "").splitlines(keepends=True),
            f"kept/{path}",
            f"now/{path}",
        )
    ]
