"""Every help of every code is applied to the program of its page: it passes then, or another, true thing is said.

Fixes are applied by ``test_fixes_of_pages.py``. Where there is none, the edits of ``helps.WAYS`` are what a reader of the
help would do, and where there are none either, the page's "Instead" program that is nearest to the failing one.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest

from diag.helps import WAYS, Edits
from diag.test_fixes_of_pages import CORPUS, findings, has_fix
from support.programs import FILE, run_command
from ttl.diag import Diagnostic, catalog

# Whose help is about the machine, the file or a reader's judgement, with why no edit of the program is what it says.
NOT_ABOUT_THE_PROGRAM = {
    "TTL1023": "a smaller tensor is another program",
    "TTL1102": "find what changes between calls",
    "TTL1103": "the program has to let an exception through, or to need less memory",
    "TTL1101": "an order of accesses, with a semaphore or a pipe, is another protocol: its page shows one",
}
# Of what is refused when a program is compiled or run on the chip: the "Instead" program under the same command.
COMMANDS = [
    (code, index)
    for code in catalog.codes()
    for index, case in enumerate(catalog.page(code).cases)
    if code.startswith(("TTL13", "TTL14", "TTL15")) and case.kind == "console" and catalog.page(code).correct
]
HELPED = [
    (code, index)
    for code, index in [*CORPUS, ("TTL1315", 0), ("TTL1315", 1)]
    if not has_fix(code, index)
    and code not in NOT_ABOUT_THE_PROGRAM
    and "= help: " in catalog.page(code).cases[index].expected
]


def edited(source: str, edits: Edits) -> str:
    for old, new in edits:
        assert source.count(old) == 1, f"{source.count(old)} times in the program:\n{old}"
        source = source.replace(old, new)
    return source


def nearest(source: str, correct: tuple[str, ...]) -> str:
    """The correct program that differs least."""
    return max(correct, key=lambda text: difflib.SequenceMatcher(None, source, text, autojunk=False).ratio())


def own(found: list[Diagnostic], code: str) -> set[str]:
    return {finding.message for finding in found if finding.code == code}


@pytest.mark.parametrize(("code", "index"), HELPED)
def test_a_help_leads_out(code: str, index: int, tmp_path: Path) -> None:
    page = catalog.page(code)
    case = page.cases[index]
    ways = WAYS.get((code, index))
    if ways is None:
        programs = [nearest(case.source, page.correct)]
        assert programs[0] != case.source
    else:
        programs = [edited(case.source + "\n", edits) for _, edits in ways]
    before = own(findings(case.source, tmp_path), code)
    assert before
    for program in programs:
        assert not own(findings(program, tmp_path), code) & before, program


@pytest.mark.parametrize(("code", "index"), COMMANDS)
def test_the_program_that_is_right_is_right_under_the_command(code: str, index: int, tmp_path: Path) -> None:
    page = catalog.page(code)
    case = page.cases[index]
    (tmp_path / FILE).write_text(page.correct[-1] + "\n", encoding="utf-8")
    outcome = run_command(case.source, folder=tmp_path)
    assert f"[{code}]" not in outcome.stdout + outcome.stderr
    assert "error[" not in outcome.stdout + outcome.stderr


@pytest.mark.parametrize(("code", "index"), sorted(WAYS))
def test_what_is_applied_is_what_the_help_says(code: str, index: int) -> None:
    helps = "\n".join(re.findall(r"= help: (.*)", catalog.page(code).cases[index].expected))
    for words, _ in WAYS[code, index]:
        assert words in helps


def test_the_table_is_about_programs_of_pages() -> None:
    assert set(WAYS) <= set(HELPED)
    assert NOT_ABOUT_THE_PROGRAM.keys() <= set(catalog.codes())
