"""Every code has a page, every page tells the truth: its programs are run and their output compared as a whole."""

from __future__ import annotations

import ast
import re
import tomllib
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
from ttl.diag.programs import FENCE, programs, whole

SOURCE = Path(ttl.diag.__file__).parents[2]
FOLDER = Path(ttl.diag.__file__).parent / "codes"
INTERNAL = "TTL9001"
MOST_LINES = 20_000
"""Of all pages as they are kept, with the programs that they change: what a person reads through in days, not in weeks."""

CASES = [(code, index) for code in catalog.codes() for index in range(len(catalog.page(code).cases))]
CORRECT = {
    source: f"{code}-{index}"
    for code in reversed(catalog.codes())
    for index, source in enumerate(catalog.page(code).correct)
}
"""Many pages have the same right program."""
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


@pytest.mark.parametrize("source", CORRECT, ids=list(CORRECT.values()))
def test_the_correct_program_runs_without_a_word(source: str, tmp_path: Path) -> None:
    outcome = run_program(source, folder=tmp_path, check="auto")
    if CORRECT[source] == "TTL0910-0":
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


@pytest.mark.parametrize("name", programs())
def test_the_programs_that_pages_change_run_without_a_word(name: str, tmp_path: Path) -> None:
    outcome = run_program(programs()[name], folder=tmp_path, check="auto")
    assert (outcome.stderr, outcome.status) == ("", Status.OK)


def test_every_program_is_changed_by_several_pages() -> None:
    kept = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("TTL*.md"))
    assert {name: kept.count(f" of={name}\n") for name in programs() if kept.count(f" of={name}\n") < 2} == {}


def test_a_reader_sees_whole_programs() -> None:
    kept = [path.read_text(encoding="utf-8") for path in FOLDER.glob("TTL*.md")]
    assert sum(page.count("```diff error") for page in kept) > 200
    shown = {fence["info"] for page in kept for fence in FENCE.finditer(whole(page))}
    assert not {info for info in shown if info.startswith("diff") and info != "diff ok"}


def test_all_pages_together_are_short() -> None:
    assert sum(path.read_text(encoding="utf-8").count("\n") for path in FOLDER.glob("*.md")) <= MOST_LINES


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
    instead = page.text.rpartition("\n## Instead\n")[2].partition("\n## Source\n")[0]
    if not (page.correct or page.correct_commands) and not instead.strip():
        yield "a page says or shows what is right"


def test_a_rule_of_the_language_names_its_section() -> None:
    section = ""
    named: dict[str, set[str]] = defaultdict(set)
    for line in (SOURCE.parent / "docs" / "reference" / "rules.md").read_text(encoding="utf-8").splitlines():
        section = line[3:].lower().replace(" ", "-") if line.startswith("## ") else section
        for code in re.findall(r"TTL\d{4}", line):
            named[code].add(section)
    links = {
        code: set(re.findall(r"\(\.\./reference/rules\.md#([a-z-]+)\)", catalog.page(code).text))
        for code in named
    }
    assert len(named) > 50
    assert {code: links[code] for code in named if not links[code] & named[code]} == {}


SECTIONS = {
    "Introduction", "Operation function", "Grid", "Dataflow buffer", "Block", "Block states", "Pipe", "Pipe net", "Tensor slice", "Copy",
    "Group transfer", "Semaphore", "Profiling signpost", "Debug printing", "Appendix B. Block operators and math functions",
    "Appendix D. Functionality matrix", "Appendix E. Platform limitations", "Specification Versions",
}  # fmt: skip


def test_every_page_names_the_source_of_its_rule() -> None:
    """A code has one source, and what is quoted as a section of the specification is one of its headings."""
    assert sorted(catalog.sources()) == list(catalog.codes())
    kept = tomllib.loads((FOLDER / "sources.toml").read_text(encoding="utf-8"))
    assert set(kept["specification"]) - {"text"} == SECTIONS
    numbers = [
        number
        for source in kept.values()
        for part, ranges in source.items()
        if part != "text"
        for first, _, last in (each.partition("-") for each in ranges.split())
        for number in range(int(first), int(last or first) + 1)
    ]
    assert len(numbers) == len(set(numbers))


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
        ("# TTL0301: a\n\n```diff error of=nothing\n```\n", "no program nothing"),
        ("# TTL0301: a\n\n```diff error\n```\n", "no program before"),
        ("# TTL0301: a\n\n```diff error of=double\n-z\n```\n", "no lines that read z"),
        ("# TTL0301: a\n\n```python error\nx\n```\n```python error\nx\n```\n", "without its 'text expected'"),
    ],
)
def test_a_page_in_the_wrong_form_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse(text)
