"""Seeded deadlocks: each program in ``programs`` names the cause and the facts its report has to give.

A program begins with its docstring and comments ``# cause: TTLnnnn`` and ``# fact: text in the report``; the line
the report points at ends in ``# stuck``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from ttl.diag import DeadlockError, text

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
# Programs whose cause is not named, with what is missing. Strict: one that is named after all must leave the list.
GAPS: dict[str, str] = {}


@dataclass(frozen=True)
class Expected:
    """What a program says its report says."""

    cause: str
    facts: tuple[str, ...]
    line: int


def expected(program: Path) -> Expected:
    source = program.read_text(encoding="utf-8")
    (cause,) = re.findall(r"^# cause: (TTL\d{4})$", source, re.MULTILINE)
    facts = re.findall(r"^# fact: (.+)$", source, re.MULTILINE)
    (line,) = [number for number, line in enumerate(source.splitlines(), 1) if line.endswith("# stuck")]
    return Expected(cause, tuple(facts), line)


def deadlock_of(program: Path) -> DeadlockError:
    with pytest.raises(DeadlockError) as caught:
        exec(compile(program.read_text(encoding="utf-8"), str(program), "exec"), {"__name__": "program"})
    return caught.value


def cases() -> list[object]:
    return [
        pytest.param(
            program,
            id=program.stem,
            marks=[pytest.mark.xfail(strict=True, reason=GAPS[program.stem])] if program.stem in GAPS else [],
        )
        for program in PROGRAMS
    ]


@pytest.mark.parametrize("program", cases())
def test_the_report_names_the_cause_and_gives_the_facts(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = expected(program)
    raised = deadlock_of(program)
    report = text.render(raised.diagnostic)
    assert raised.code == wanted.cause, report
    assert len(raised.diagnostics) == 1
    for fact in wanted.facts:
        assert fact in report, f"{fact!r} is not in:\n{report}"
    primary = raised.diagnostic.primary
    assert primary is not None
    assert (primary.span.file, primary.span.line) == (str(program), wanted.line), report
    assert raised.diagnostic.help, "a report says what to do"


def test_the_corpus_is_large_and_mostly_recognised() -> None:
    causes = [expected(program).cause for program in PROGRAMS]
    named = [
        cause for cause, program in zip(causes, PROGRAMS) if cause != "TTL0910" and program.stem not in GAPS
    ]
    assert len(PROGRAMS) >= 40
    assert len(named) >= 36
    assert set(causes) == {f"TTL09{number}" for number in range(10, 22)}
