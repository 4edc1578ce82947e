"""Rules of advice that packages bring by entry points: the one of the page, and those that fail."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from unittest import mock

import pytest

from emu.test_measured import PROGRAM
from support.programs import run_ttl
from ttl.emu.advice import installed

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "advice.md").read_text(encoding="utf-8")
FAILING = """
def raising(profile):
    raise KeyError("mine")

def giving(profile):
    return ["less"]

def silent(profile):
    return ()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "double.py").write_text(PROGRAM)
    rules = PAGE.split("```python my_rules.py\n")[1].split("```")[0]
    (tmp_path / "my_rules_of_a_test.py").write_text(rules + FAILING)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("my_rules_of_a_test", None)


def profiled(folder: Path, *names: str) -> str:
    points = [EntryPoint(name, f"my_rules_of_a_test:{name}", installed.GROUP) for name in names]
    with mock.patch(
        "ttl.emu.advice.installed.entry_points", lambda group: points if group == installed.GROUP else []
    ):
        outcome = run_ttl(["profile", "double.py"], folder=folder)
    assert outcome.status == 0
    return outcome.stderr


def test_the_rule_of_the_page_has_its_say(folder: Path) -> None:
    text = profiled(folder, "long_signposts")
    assert "fetch waits in 79% of its cycles" in text
    assert "begin its transfers before the stretch" in text


def test_a_rule_that_fails_says_so_and_the_others_speak(folder: Path) -> None:
    text = profiled(folder, "giving", "long_signposts", "missing", "raising", "silent")
    assert "no advice of the rule raising (my_rules_of_a_test:raising): KeyError: 'mine'" in text
    assert "no advice of the rule giving (my_rules_of_a_test:giving): TypeError: it gave str" in text
    assert "no advice of the rule missing (my_rules_of_a_test:missing): AttributeError" in text
    assert "fetch waits in 79% of its cycles" in text and "silent" not in text
