"""Every code has a page, every page tells the truth: its programs are run and their output compared as a whole."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ttl.diag
from support.programs import NEED_NATIVE_CORE, provide_program, run_case, run_command, run_program
from support.syntax_trees import python_files, tree
from ttl import control
from ttl.cli.status import Status
from ttl.diag import catalog
from ttl.diag.catalog import parse

SOURCE = Path(ttl.diag.__file__).parents[2]
INTERNAL = "TTL9001"

CASES = [(code, index) for code in catalog.codes() for index in range(len(catalog.page(code).cases))]
CORRECT = [(code, index) for code in catalog.codes() for index in range(len(catalog.page(code).correct))]
COMMANDS = [
    (code, index) for code in catalog.codes() for index in range(len(catalog.page(code).correct_commands))
]


@cache
def files_by_code(*, worded: bool = False) -> dict[str, set[str]]:
    """The files of the package in which each code is a string; ``worded``: not as a member of a constant of the module,
    a set of codes to tell findings apart by."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in python_files(SOURCE):
        if "TTL" not in path.read_text(encoding="utf-8"):
            continue
        for statement in tree(path).body:
            if worded and isinstance(statement, ast.Assign | ast.AnnAssign):
                continue
            for node in ast.walk(statement):
                value = node.value if isinstance(node, ast.Constant) else None
                if isinstance(value, str) and re.fullmatch(r"TTL\d{4}", value):
                    found[value].add(str(path.relative_to(SOURCE)))
    return found


@pytest.mark.parametrize(("code", "index"), CASES)
def test_the_failing_program_prints_what_the_page_says(code: str, index: int, tmp_path: Path) -> None:
    page = catalog.page(code)
    case = page.cases[index]
    if code in NEED_NATIVE_CORE and not control.NATIVE:
        pytest.skip("there is no native core here")
    outcome = run_case(page, case, folder=tmp_path)
    assert outcome.stderr.rstrip("\n") == case.expected
    assert f"[{code}]" in case.expected, f"the failing program of {code} fails with another code"
    if case.expected.startswith("error["):
        assert outcome.status in (Status.FAILED, Status.USAGE)


@pytest.mark.parametrize(("code", "index"), CORRECT)
def test_the_correct_program_runs_without_a_word(code: str, index: int, tmp_path: Path) -> None:
    outcome = run_program(catalog.page(code).correct[index], folder=tmp_path, check="auto")
    if code in ("TTL0910",):
        # It keeps a list that says what happened, and is told that no compiler takes that.
        assert outcome.stderr.count("[TTL") == outcome.stderr.count("warning[TTL1310]") > 0
        return
    assert (outcome.stderr, outcome.status) == ("", Status.OK)


@pytest.mark.parametrize(("code", "index"), COMMANDS)
def test_the_correct_command_runs_without_a_word(code: str, index: int, tmp_path: Path) -> None:
    page = catalog.page(code)
    provide_program(page, folder=tmp_path)
    outcome = run_command(page.correct_commands[index], folder=tmp_path)
    assert (outcome.stderr, outcome.status) == ("", Status.OK)


def test_every_page_is_complete() -> None:
    wrong = [f"{code}: {lack}" for code in catalog.codes() for lack in lacks(code)]
    assert not wrong, "\n".join(wrong)


def lacks(code: str) -> Iterator[str]:
    """What a page should have and has not."""
    page = catalog.page(code)
    if page.code != code:
        yield "the title names another code than the file"
    if page.title != page.title[0].lower() + page.title[1:] and not page.title.split()[0].isupper():
        yield "a title begins with a small letter"
    if page.title.endswith("."):
        yield "a title ends without a full stop"
    for part in ("\n## Example\n", "\n## Instead\n"):
        if page.text.count(part) != 1:
            yield f"a page has the heading {part.strip()} once"
    if not page.text.split("\n## Example\n")[0].split("\n", 1)[1].strip():
        yield "a page explains the rule before it shows a program"
    if not page.cases and code != INTERNAL:
        yield "a page has a failing program"


def test_every_code_of_the_package_has_a_page() -> None:
    assert sorted(set(files_by_code()) - set(catalog.codes())) == []


def test_every_page_is_of_a_code_of_the_package() -> None:
    assert sorted(set(catalog.codes()) - set(files_by_code())) == []


def test_a_code_belongs_to_one_file() -> None:
    shared = {code: sorted(files) for code, files in files_by_code(worded=True).items() if len(files) > 1}
    assert shared == {}, "one kind of mistake is found in one place"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("no title", "begins with"),
        ("# TTL0301: a\n\n```python error\nx\n```\n", "without its 'text expected'"),
        ("# TTL0301: a\n\n```text expected\nx\n```\n", "without a failing block"),
        ("# TTL0301: a\n\n```python error\nx\n```\n```python error\nx\n```\n", "without its 'text expected'"),
    ],
)
def test_a_page_in_the_wrong_form_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse(text)
