"""The command line around the verbs, ``ttl explain`` and ``ttl doctor``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.programs import Outcome, run_ttl
from ttl.cli.main import VERBS
from ttl.cli.status import Status
from ttl.diag import catalog
from ttl.settings import SETTINGS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def said(outcome: Outcome) -> str:
    """The code an outcome reports."""
    found = re.match(r"(?:error|warning)\[(TTL\d{4})\]", outcome.stderr)
    return found[1] if found else ""


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["help"]])
def test_help_names_every_verb_and_exit_code(arguments: list[str], folder: Path) -> None:
    outcome = run_ttl(arguments, folder=folder)
    assert (outcome.status, outcome.stderr) == (0, "")
    for verb in VERBS:
        assert f"  {verb.name} " in outcome.stdout
    for status in Status:
        assert re.search(rf"^  {status.value} ", outcome.stdout, re.MULTILINE)


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_every_verb_has_help(verb: str, folder: Path) -> None:
    outcome = run_ttl([verb, "--help"], folder=folder)
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith(f"usage: ttl {verb} ")


def test_the_help_of_run_has_every_setting(folder: Path) -> None:
    text = run_ttl(["run", "--help"], folder=folder).stdout
    for row in SETTINGS:
        assert row.flag in text
        assert row.env in text


def test_version(folder: Path) -> None:
    outcome = run_ttl(["--version"], folder=folder)
    assert re.fullmatch(r"ttl (\d+\.\d+\.\d+\S*|unknown)\n", outcome.stdout)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["rnu"], "TTL0103"),
        (["--verison"], "TTL0104"),
        (["run"], "TTL0102"),
        (["run", "--arhc", "x"], "TTL0104"),
        (["run", "--arch"], "TTL0106"),
        (["run", "--arch", "--stats", "x.py"], "TTL0106"),
        (["run", "--arch=", "x.py"], "TTL0101"),
        (["run", "--stats=1", "x.py"], "TTL0113"),
        (["run", "--sched", "1", "x.py"], "TTL0104"),
        (["run", "missing.py"], "TTL0110"),
        (["explain", "x", "y"], "TTL0105"),
        (["explain", "--grid", "2x2"], "TTL0104"),
        (["explain", "TTL0000"], "TTL0107"),
        (["explain", "what?"], "TTL0107"),
        (["doctor", "now"], "TTL0105"),
        (["doctor", "--grid", "99x1"], "TTL0109"),
        (["run", "--grid", "99x1", __file__], "TTL0109"),
        (["check", "--grid", "99x1", __file__], "TTL0109"),
        (["compile", "--grid", "99x1", __file__], "TTL0109"),
    ],
)
def test_a_wrong_command_line_is_explained(arguments: list[str], code: str, folder: Path) -> None:
    outcome = run_ttl(arguments, folder=folder)
    assert (outcome.status, said(outcome), outcome.stdout) == (Status.USAGE, code, "")
    assert "= help: " in outcome.stderr


def test_a_wrong_variable_stops_before_the_program_runs(folder: Path) -> None:
    (folder / "mine.py").write_text("print('ran')\n", encoding="utf-8")
    outcome = run_ttl(["run", "mine.py"], folder=folder, environment={"TTL_PRECISION": "low"})
    assert (outcome.status, said(outcome), outcome.stdout) == (Status.USAGE, "TTL0101", "")


@pytest.mark.parametrize("text", ["TTL0101", "ttl0101", "0101", "101", " ttl-101 "])
def test_explain_prints_the_page_whatever_the_spelling(text: str, folder: Path) -> None:
    outcome = run_ttl(["explain", text], folder=folder)
    assert (outcome.status, outcome.stdout) == (0, catalog.page("TTL0101").text.rstrip("\n") + "\n")


def test_explain_without_a_code_lists_all(folder: Path) -> None:
    lines = run_ttl(["explain"], folder=folder).stdout.splitlines()
    assert [line.split("  ")[0] for line in lines] == list(catalog.codes())


def test_explain_suggests_by_number_and_by_words(folder: Path) -> None:
    assert "TTL0101: " in run_ttl(["explain", "TTL0099"], folder=folder).stderr
    assert "TTL0103: unknown verb" in run_ttl(["explain", "unknown verbs"], folder=folder).stderr


def test_doctor_shows_every_setting_and_its_origin(folder: Path) -> None:
    outcome = run_ttl(
        ["doctor", "--grid", "4x2"], folder=folder, environment={"TTL_ARCH": "blackhole", "TTL_NONSENSE": "1"}
    )
    assert (outcome.status, outcome.stderr) == (0, "")
    for row in SETTINGS:
        assert re.search(rf"^  {row.name} ", outcome.stdout, re.MULTILINE)
    assert re.search(r"^  arch +blackhole +TTL_ARCH ", outcome.stdout, re.MULTILINE)
    assert re.search(r"^  grid +4x2 +--grid ", outcome.stdout, re.MULTILINE)
    assert "compute grid            4x2" in outcome.stdout
    assert "TTL_NONSENSE" in outcome.stdout


def test_doctor_as_json(folder: Path) -> None:
    found = json.loads(run_ttl(["doctor", "--format", "json", "--stats"], folder=folder).stdout)
    assert set(found["installation"]) >= {"ttlang", "python", "numpy", "greenlet", "torch", "ttnn", "devices"}
    assert found["settings"]["stats"] == {"value": True, "origin": "--stats"}
    assert found["chip"]["name"] == "wormhole"
