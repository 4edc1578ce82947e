"""What becomes of programs that are refused, for comparing two interpreters: named by what can be sent to a child."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fuzz import judge
from fuzz.campaign import case
from fuzz.case import regressions, seeds
from support.programs import Outcome, run_case, run_program, run_ttl
from ttl.diag import catalog


def of_page(code: str, folder: str) -> list[Outcome]:
    """The failing programs and command lines of a page."""
    page = catalog.page(code)
    return [run_case(page, each, folder=Path(folder)) for each in page.cases]


def of_file(path: str, flags: list[str], folder: str) -> Outcome:
    """``ttl run FLAGS PATH``."""
    return run_ttl(["run", *flags, path], folder=Path(folder))


def of_source(source: str, folder: str) -> Outcome:
    """A program given as text."""
    return run_program(source, folder=Path(folder))


def of_fuzz(seed: int, start: int, count: int) -> list[Any]:
    """Verdicts of cases of a campaign of the fuzzer."""
    programs = seeds()
    return [judge.run(case(seed, index, programs)) for index in range(start, start + count)]


def of_kept_cases() -> list[Any]:
    """Verdicts of what the fuzzer found once."""
    return [judge.run(each) for each in regressions()]
