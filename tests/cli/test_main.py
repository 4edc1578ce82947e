"""The command line around the verbs, ``ttl explain`` and ``ttl doctor``."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from support.programs import Outcome, run_ttl
from ttl.cli.main import VERBS, Verb, first_program
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


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"]])
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


def test_ttl_alone_prints_a_program_that_runs_and_says_how(folder: Path) -> None:
    alone = run_ttl([], folder=folder)
    assert (alone.status, alone.stderr) == (0, "")
    (folder / "first.py").write_text(alone.stdout)
    assert "ttl run first.py" in alone.stdout
    assert "import torch" not in alone.stdout
    outcome = run_ttl(["run", "first.py"], folder=folder)
    assert (outcome.status, outcome.stdout, outcome.stderr) == (0, "right: True\n", "")


def test_the_first_program_is_that_of_the_readme() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    program = readme.split("```python mine.py\n")[1].split("```\n")[0]
    assert first_program().endswith(f"\n\n{program}")


@pytest.mark.parametrize(
    "verb", [verb for verb in VERBS if verb.name != "explain"], ids=lambda verb: verb.name
)
def test_help_has_what_matters_for_the_verb_and_help_all_every_setting(verb: Verb, folder: Path) -> None:
    text = run_ttl([verb.name, "--help"], folder=folder).stdout
    whole = run_ttl([verb.name, "--help-all"], folder=folder).stdout
    assert text.startswith(f"usage: ttl {verb.name} [FLAGS] {verb.arguments}".rstrip() + "\n")
    assert "--help-all" in text
    for row in SETTINGS:
        if (verb.name, row.name) == ("tune", "schedules"):
            continue  # its --schedules is about how operations are compiled
        assert (row.env in text) == (verb.name in row.shown_by)
        assert row.flag in whole
        assert row.env in whole


def test_reports_stand_where_they_happened_among_the_prints_of_a_program(folder: Path) -> None:
    program = """
        from ttl.diag import report, warning

        print("first")
        report.emit(warning("TTL0905", "wrong"))
        print("second")
    """
    (folder / "both.py").write_text(textwrap.dedent(program))
    command = [sys.executable, "-m", "ttl", "run", "both.py"]
    both = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert both.stdout.split() == ["first", "warning[TTL0905]:", "wrong", "second"]


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
    text = run_ttl(["explain"], folder=folder).stdout
    assert re.findall(r"^  (TTL\d{4})  \S", text, re.MULTILINE) == list(catalog.codes())
    assert re.findall(r"^\w.*", text, re.MULTILINE) == [
        about.replace("`", "") for _, about in catalog.HEADINGS
    ]


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


def test_doctor_says_what_an_editor_needs(folder: Path) -> None:
    found = json.loads(run_ttl(["doctor", "--format", "json"], folder=folder).stdout)["editor"]
    assert found["language server"].startswith("ready (pygls ")
    assert found["command"] == f"{sys.executable} -m ttl lsp"
    without = "import sys; from importlib import metadata as m; real = m.version\n"
    without += "def version(name):\n    if name == 'pygls': raise m.PackageNotFoundError(name)\n    return real(name)\n"
    without += "m.version = version\nfrom ttl.cli.main import main; sys.exit(main(['doctor']))"
    text = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, check=True).stdout
    assert "language server         not installed (pygls): pip install 'ttlang[lsp]'" in text


def test_modules_of_the_working_folder_are_not_imported(tmp_path: Path) -> None:
    """``python -m`` puts that folder first: what lies there is executed by nothing that was not asked to."""
    mark = tmp_path / "executed"
    for name in ("numpy", "difflib", "xdsl", "greenlet"):
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write({name!r})\n")
    (tmp_path / "program.py").write_text("import ttl\n")
    done = subprocess.run(
        [sys.executable, "-m", "ttl", "check", "program.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (Status.UNCHECKED, "")
    assert not mark.exists(), mark.read_text()


def test_help_all_of_all_verbs(folder: Path) -> None:
    text = run_ttl(["--help-all"], folder=folder).stdout
    assert [line for line in text.splitlines() if line.startswith("=====")] == [
        f"===== ttl {verb.name} =====" for verb in VERBS
    ]
    assert all(row.flag in text for row in SETTINGS)


def test_json_is_short_for_the_format(folder: Path) -> None:
    (folder / "empty.py").write_text("", encoding="utf-8")
    short, long = (
        run_ttl(["check", *flags, "empty.py"], folder=folder) for flags in (["--json"], ["--format", "json"])
    )
    assert short.stdout == long.stdout and short.stdout.startswith("{")
