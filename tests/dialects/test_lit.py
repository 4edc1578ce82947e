"""The files of ``lit/``, by RUN and CHECK lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.lit import check_run_line, run_lines

LINES = run_lines(Path(__file__).parent / "lit")


@pytest.mark.parametrize(("path", "line"), LINES, ids=lambda value: getattr(value, "name", None))
def test_run_line(path: Path, line: str) -> None:
    check_run_line(path, line)
