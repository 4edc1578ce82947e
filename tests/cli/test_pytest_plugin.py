"""The pytest plugin: users' tests find ``ttnn``, and errors of ours are shown as reports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ttl.diag

SOURCE = Path(ttl.diag.__file__).parent.parent.parent

TESTS = """
import ttnn
from ttl.diag import ProgramError, error
from ttl.source.spans import user_span

def test_finds_ttnn():
    assert ttnn.bfloat16 is not None

def test_report():
    raise ProgramError(error("TTL0301", "wrong value 7").at(user_span(), "here"))

def test_own():
    assert 1 == 2
"""


def run(folder: Path, *flags: str) -> str:
    (folder / "test_mine.py").write_text(TESTS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "ttl.pytest_plugin", "-rf", *flags],
        cwd=folder,
        env={"PYTHONPATH": str(SOURCE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert "2 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    return done.stdout


def test_a_failure_is_the_report(tmp_path: Path) -> None:
    said = run(tmp_path)
    assert "error[TTL0301]: wrong value 7\n  --> test_mine.py:10:" in said
    assert '10 |     raise ProgramError(error("TTL0301", "wrong value 7")' in said
    assert "FAILED test_mine.py::test_report - error[TTL0301]: wrong value 7" in said
    assert "def test_report" not in said, "no traceback"
    assert "def test_own" in said, "other failures look as ever"


def test_the_whole_traceback_can_be_had(tmp_path: Path) -> None:
    assert "def test_report" in run(tmp_path, "--full-trace")


@pytest.mark.parametrize("flags", [("-n", "1", "-p", "xdist.plugin")])
def test_it_works_in_the_processes_of_xdist(tmp_path: Path, flags: tuple[str, ...]) -> None:
    assert "error[TTL0301]: wrong value 7\n" in run(tmp_path, *flags)
