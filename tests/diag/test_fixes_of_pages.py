"""Machine-applicable fixes of the corpus of broken programs: those on the pages of the codes about programs.

Each fix is applied to the program it belongs to; what it was for must not be found again.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.programs import FILE, NEED_NATIVE_CORE, run_program
from ttl.diag import catalog, fixes
from ttl.diag.json import from_object
from ttl.diag.model import Diagnostic

# Codes about a program in the language or its host library; the others are about command lines, the compiler's limits
# and kernels in C++.
_FAMILIES = (
    "TTL02",
    "TTL03",
    "TTL04",
    "TTL05",
    "TTL06",
    "TTL07",
    "TTL08",
    "TTL09",
    "TTL10",
    "TTL11",
    "TTL12",
)
CORPUS = [
    (code, index)
    for code in catalog.codes()
    if code.startswith(_FAMILIES) and code not in NEED_NATIVE_CORE
    for index, case in enumerate(catalog.page(code).cases)
    if case.kind == "python"
]


def findings(source: str, folder: Path) -> list[Diagnostic]:
    """What ``ttl run`` reports about a program."""
    said = run_program(source, folder=folder, flags=("--format", "json"), check="auto").stderr
    told = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return [from_object(item) for item in told if item["kind"] == "diagnostic"]


def has_fix(code: str, index: int) -> bool:
    """Whether the page shows a change below a report of its code."""
    reports = re.split(r"\n(?=(?:error|warning|note)\[)", catalog.page(code).cases[index].expected)
    changed = re.compile(r"^ *\d+ [-+]( |$)", re.MULTILINE)
    return any(f"[{code}]" in report.partition(":")[0] and changed.search(report) for report in reports)


WITH_FIX = [(code, index) for code, index in CORPUS if has_fix(code, index)]


@pytest.mark.parametrize(("code", "index"), WITH_FIX)
def test_a_fix_ends_what_it_is_for(code: str, index: int, tmp_path: Path) -> None:
    case = catalog.page(code).cases[index]
    found = [finding for finding in findings(case.source, tmp_path) if finding.code == code]
    wanted = fixes.fixes_of(found, str(tmp_path / FILE))
    after, count = fixes.apply(fixes.read(str(tmp_path / FILE)), wanted)
    assert count == len(wanted) > 0
    again = {finding.message for finding in findings(after.text, tmp_path)}
    assert not again & {finding.message for finding in found if finding.fix is not None}, after.text


def test_half_of_the_corpus_has_a_fix() -> None:
    assert len(WITH_FIX) >= len(CORPUS) / 2, f"{len(WITH_FIX)} of {len(CORPUS)}"
