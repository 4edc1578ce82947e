"""The files of ``lit/``: each pass alone, by RUN and CHECK lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.lit import check_run_line, run_lines
from ttl.opt.main import TTL_OPT

LIT = Path(__file__).parent / "lit"
LINES = run_lines(LIT)


@pytest.mark.parametrize(("path", "line"), LINES, ids=lambda value: getattr(value, "name", None))
def test_run_line(path: Path, line: str) -> None:
    check_run_line(path, line)


def test_every_pass_has_a_file() -> None:
    everywhere = [line for _, line in (*LINES, *run_lines(LIT.parent.parent / "dialects" / "lit"))]
    run = {name for line in everywhere for name in re.findall(r"[\w-]+", line)}
    assert {kind.name for kind in TTL_OPT.passes} <= run
