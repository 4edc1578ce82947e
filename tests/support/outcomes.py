"""What becomes of programs that are refused, for comparing two interpreters: named by what can be sent to a child."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fuzz.case import Case
from fuzz.judge import Verdict, run
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


def of_cases(cases: list[Case]) -> list[Verdict]:
    """What the judge of the fuzzer says of each, run once; what fails outside of the program is a verdict, too."""
    return [_verdict(case) for case in cases]


def _verdict(case: Case) -> Verdict:
    try:
        verdict = run(case)
        # What Python calls the method of a native type in messages of its own.
        return replace(verdict, text=verdict.text.replace("builtin_function_or_method", "method"))
    except Exception as failed:
        return Verdict("not judged", None, f"{type(failed).__name__}: {failed}")
