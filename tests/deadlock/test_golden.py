"""Whole reports, word for word: ``golden/NAME.txt`` is what ``ttl run NAME.py`` prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_program

HERE = Path(__file__).parent
GOLDEN = sorted((HERE / "golden").glob("*.txt"))


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_the_report_is_word_for_word(golden: Path, tmp_path: Path) -> None:
    source = (HERE / "programs" / f"{golden.stem}.py").read_text(encoding="utf-8")
    outcome = run_program(source.rstrip("\n"), folder=tmp_path)
    assert outcome.stderr == golden.read_text(encoding="utf-8")
    assert outcome.status != 0


def test_there_are_some() -> None:
    assert len(GOLDEN) >= 6
