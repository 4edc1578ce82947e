"""One rule, one text: the checker says about the programs of the pages exactly what the pages say."""

from __future__ import annotations

import linecache
import runpy
from pathlib import Path

import pytest

from support.static_findings import checked_instead
from ttl.diag import catalog
from ttl.diag.text import render

CODES = [
    *(f"TTL03{number:02}" for number in (*range(1, 12), 17, 18, 22, 29)),
    *("TTL0503", "TTL0511", "TTL0513", "TTL0518", "TTL0901", "TTL0902", "TTL0905", "TTL0907"),
]


@pytest.mark.parametrize("code", CODES)
def test_the_text_of_the_page(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = catalog.page(code).cases[0]
    (tmp_path / "example.py").write_text(case.source + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    linecache.clearcache()
    with checked_instead() as found:
        runpy.run_path("example.py")
    assert [render(each) for each in found] == [case.expected]
