"""What is written about the differences is what the tests hold to."""

from __future__ import annotations

from pathlib import Path

from differential.differences_page import PAGE, page
from differential.known import DIFFERENCES, GAPS

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_fresh() -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == page(), "run python scripts/differential.py --docs"


def test_every_difference_names_a_test_there_is() -> None:
    here = {path.name for path in Path(__file__).parent.glob("test_*.py")}
    for difference in DIFFERENCES:
        assert {word.strip(",") for word in difference.test.split() if word.startswith("test_")} <= here


def test_every_gap_has_a_page() -> None:
    codes = ROOT / "src" / "ttl" / "diag" / "codes"
    assert all((codes / f"{gap.code}.md").exists() for gap in GAPS)
