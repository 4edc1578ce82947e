"""``--format json``: exceptions of a program, pages of codes, what the compiler says: an object on a line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from docs.blocks import ROOT
from support.programs import Outcome, run_ttl
from ttl.diag import catalog, raised

PAGE = ROOT / "docs" / "reference" / "command-line.md"


def failing(source: str, folder: Path, *flags: str) -> tuple[Outcome, Any]:
    (folder / "example.py").write_text(source, encoding="utf-8")
    outcome = run_ttl(["run", *flags, "--format", "json", "example.py"], folder=folder)
    (line,) = outcome.stderr.splitlines()
    return outcome, json.loads(line)


def test_an_exception_is_one_object_with_the_frames_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("def fail(value):\n    é = 1; raise LookupError(f'no {value}')\n")
    source = "import json\nimport other\nprint('before')\njson.dumps\nother.fail('row')\n"
    outcome, told = failing(source, tmp_path)
    assert (outcome.status, outcome.stdout) == (1, "before\n")
    other = str(tmp_path / "other.py")
    assert {key: told[key] for key in ("schema", "kind", "type", "message", "file", "line")} == {
        "schema": 1, "kind": "exception", "type": "LookupError", "message": "no row", "file": other, "line": 2,
    }  # fmt: skip
    assert [(item["file"], item["line"], item["function"]) for item in told["frames"]] == [
        (str(tmp_path / "example.py"), 5, "<module>"),
        (other, 2, "fail"),
    ]
    # Columns count characters, not bytes.
    last = told["frames"][-1]
    text = (tmp_path / "other.py").read_text().splitlines()[1]
    assert text[last["column"] - 1 : last["end_column"] - 1] == "raise LookupError(f'no {value}')"
    assert last["text"] == text.strip()


def test_the_reference_has_every_key_of_an_exception(tmp_path: Path) -> None:
    _, told = failing("raise ValueError", tmp_path)
    (example,) = re.findall(
        r'```json\n(\{"schema": 1, "kind": "exception".*?)```', PAGE.read_text(), re.DOTALL
    )
    shown = json.loads(example)
    assert shown.keys() == told.keys() and shown["frames"][0].keys() == told["frames"][0].keys()


def test_causes_contexts_and_groups_are_objects_inside(tmp_path: Path) -> None:
    source = """
try:
    try:
        {}["a"]
    except KeyError as problem:
        raise ValueError("no a") from problem
except ValueError:
    raise ExceptionGroup("many", [OSError(2, "gone"), TypeError("t")])
"""
    _, told = failing(source, tmp_path)
    assert told["type"] == "ExceptionGroup" and told["cause"] is None
    assert [item["type"] for item in told["exceptions"]] == ["FileNotFoundError", "TypeError"]
    assert told["context"]["message"] == "no a" and told["context"]["cause"]["type"] == "KeyError"


def test_an_exception_in_a_kernel_says_which(tmp_path: Path) -> None:
    source = """
import ttl

@ttl.operation(grid=(1, 1))
def op():
    @ttl.datamovement()
    def read():
        raise ArithmeticError("mine")

op()
"""
    _, told = failing(source, tmp_path, "--no-check")
    assert told["type"] == "ArithmeticError" and told["notes"] == ["in kernel read on node (0, 0)"]
    assert [item["function"] for item in told["frames"]] == ["<module>", "read"]


def test_a_deep_recursion_and_a_broken_text_are_told_shortly(tmp_path: Path) -> None:
    _, told = failing("def f(n):\n    f(n + 1)\n\nf(0)\n", tmp_path)
    assert told["type"] == "RecursionError" and len(told["frames"]) == 64 and told["frames_left_out"] > 500
    source = "class Mine(Exception):\n    def __str__(self):\n        raise OSError\n\nraise Mine\n"
    _, told = failing(source, tmp_path)
    assert told["type"] == "Mine" and told["message"].startswith("<its text cannot be had")


def test_a_module_that_is_no_python_is_told_at_its_place(tmp_path: Path) -> None:
    (tmp_path / "broken_text.py").write_text("x = 1\ndef f(:\n")
    _, told = failing("import broken_text\n", tmp_path)
    assert told["type"] == "SyntaxError" and (told["file"], told["line"]) == (
        str(tmp_path / "broken_text.py"),
        2,
    )


def test_a_chain_that_leads_back_ends() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    told = raised.to_object(one)
    assert told["cause"]["message"] == "other" and told["cause"]["cause"] is None


def test_what_a_program_says_itself_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text("import sys\nsys.exit('no more rows')\n")
    outcome = run_ttl(["run", "--format", "json", "example.py"], folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (1, "no more rows\n")


# --- ttl explain


def test_a_page_is_an_object(tmp_path: Path) -> None:
    outcome = run_ttl(["explain", "301", "--format", "json"], folder=tmp_path)
    told = json.loads(outcome.stdout)
    page = catalog.page("TTL0301")
    assert (told["kind"], told["code"], told["title"]) == ("page", "TTL0301", page.title)
    assert told["text"] == page.text and told["family"] == "blocks"
    assert [item["prints"] for item in told["fails"]] == [case.expected for case in page.cases]
    assert [item["source"] for item in told["works"]] == [*page.correct, *page.correct_commands]


def test_every_code_is_an_object_on_a_line(tmp_path: Path) -> None:
    outcome = run_ttl(["explain"], folder=tmp_path)
    listed = re.findall(r"^  (TTL\d{4})  (.*)$", outcome.stdout, re.MULTILINE)
    lines = run_ttl(["explain", "--format", "json"], folder=tmp_path).stdout.splitlines()
    told = [json.loads(line) for line in lines]
    assert sorted((item["code"], item["title"]) for item in told) == sorted(listed)
    assert {item["kind"] for item in told} == {"code"}


def test_an_unknown_code_is_a_diagnostic(tmp_path: Path) -> None:
    outcome = run_ttl(["explain", "--format", "json", "TTL0000"], folder=tmp_path)
    assert outcome.status == 2 and json.loads(outcome.stderr)["code"] == "TTL0107"


@pytest.mark.parametrize("verb", ["run", "check", "compile", "profile"])
def test_a_wrong_command_line_is_an_object_as_the_flag_says(verb: str, tmp_path: Path) -> None:
    outcome = run_ttl([verb, "--format", "json", "missing.py"], folder=tmp_path)
    told = json.loads(outcome.stderr)
    assert (outcome.status, told["kind"], told["code"]) == (2, "diagnostic", "TTL0110")


# --- ttl compile --explain


def _choice(choice: dict[str, Any]) -> str:
    others = ", ".join(value for value in choice["legal"] if value != choice["chosen"])
    return f"{choice['option']}={choice['chosen']} (or {others}): {choice['why']}"


@pytest.mark.parametrize("emit", [(), ("--emit", "cpp")])
def test_what_the_compiler_says_of_a_line_is_an_object(emit: tuple[str, ...], tmp_path: Path) -> None:
    program = str(ROOT / "examples" / "tutorial_1_one_tile.py")
    text = run_ttl(["compile", "--explain", program], folder=tmp_path).stdout
    outcome = run_ttl(["compile", "--explain", "--format", "json", *emit, program], folder=tmp_path)
    told = [json.loads(line) for line in (outcome.stderr if emit else outcome.stdout).splitlines()]
    assert {item["kind"] for item in told} == {"explanation"}
    rows = re.findall(r"^  - (.*)$", text, re.MULTILINE)
    assert [row for item in told for row in (*item["remarks"], *map(_choice, item["choices"]))] == rows != []
    assert any(item["remarks"] for item in told) and any(item["choices"] for item in told)
    lines = Path(program).read_text(encoding="utf-8").splitlines()
    for item in told:
        if item["file"] is not None:
            assert item["file"] == program and item["text"] == lines[item["line"] - 1]
