"""docs/reference/plan.md: every section of the plan (002) has its row, and what the rows name exists."""

from __future__ import annotations

import re
from pathlib import Path

from ttl.dialects import ttl as dialect
from ttl.opt.main import TTL_OPT

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
SECTIONS = [
    "1",
    "2",
    "3.1",
    "3.2",
    "3.3",
    "4.1",
    "4.2",
    "4.3",
    "4.4",
    "4.4.1",
    "4.4.2",
    "4.4.3",
    "4.4.4",
    "4.4.5",
    "4.5",
    "4.6",
    "4.7",
    "4.8",
    "4.9.1",
    "4.9.2",
    "4.9.3",
    "4.9.4",
    "4.9.5",
    "5.1",
    "5.2",
    "5.3",
    "5.4",
    "5.5",
    "5.6.1",
    "5.6.2",
    "5.6.3",
    "5.6.4",
    "5.6.5",
    "5.6.6",
    "5.6.7",
    "6.1",
    "6.2",
    "6.3",
    "7.1",
    "7.2",
    "7.3",
    "8",
    "9",
    "10.1",
    "10.2",
    "10.3",
    "10.4",
    "11",
    "12",
    "13",
]
ROWS = [row.strip("| ").split(" | ") for row in PAGE.splitlines() if re.match(r"\| \d", row)]
NAMED = re.findall(r"`([^`\s]+)`", PAGE)


def test_every_section_has_its_row_in_order() -> None:
    assert [row[0] for row in ROWS] == SECTIONS


def test_what_a_row_names_exists() -> None:
    files = {name for name in NAMED if "/" in name}
    assert len(files) > 60
    assert {name for name in files if not (ROOT / name).exists()} == set()
    names = {kind.name for kind in (*dialect.OPERATIONS, *dialect.TYPES, *dialect.ATTRIBUTES)}
    assert {
        name for name in NAMED if name.lstrip("!#").startswith("ttl.") and name.lstrip("!#") not in names
    } == set()
    passes = {kind.name for kind in TTL_OPT.passes}
    assert {name for name in NAMED if re.match(r"(ttl|convert)-", name) and name not in passes} == {
        "ttl-opt"
    } & set(NAMED)


def test_a_section_that_is_built_says_what_proves_it() -> None:
    without = {row[0] for row in ROWS if not re.search(r"`tests/", row[-1])}
    assert without <= {"8", "12", "13"}
