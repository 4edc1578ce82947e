"""How much source there is: a goal that was not reached is pinned here, with what is known about it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
# What issue 14 began with, counted as below, and what it asked to go.
AT_THE_START, ASKED = 109_111, 5_000
KINDS = {".py", ".pyi", ".cpp", ".h"}


def lines() -> int:
    """Lines of the language and its native core, without the IR tools, which a second language is built on since."""
    files = (path for folder in ("src/ttl", "native") for path in (ROOT / folder).rglob("*"))
    return sum(
        path.read_bytes().count(b"\n")
        for path in files
        if path.suffix in KINDS and not path.is_relative_to(ROOT / "src/ttl/ir")
    )


@pytest.mark.xfail(
    reason="five thousand lines fewer than before the structure was moved: the copies that went needed interfaces of "
    "about their size (domains, networks, sessions, tile functions). Two searches found about a thousand more: one printer "
    "for emitc and C++, accessors of attributes, 40 thin modules",
    strict=True,
)
def test_the_source_is_smaller_than_before_it_was_moved() -> None:
    assert lines() <= AT_THE_START - ASKED
