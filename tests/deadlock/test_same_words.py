"""Every execution says the same about a program that hangs: cause, words, advice, place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ttl.check.module import check_module
from ttl.diag import DeadlockError, Diagnostic, text
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
# Programs of which an execution cannot say the same, and why. Strict.
NOT_CHECKED = {
    "kernels_that_leave_traces": "the front end does not take a change of a list outside of the operation"
}


def calls_of(program: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Operation, Any, Any]]:
    """The calls a program makes; they do not run."""
    calls: list[tuple[Operation, Any, Any]] = []
    with monkeypatch.context() as patched:
        patched.setattr(
            Operation, "__call__", lambda self, *args, **kwargs: calls.append((self, args, kwargs))
        )
        exec(compile(program.read_text(encoding="utf-8"), str(program), "exec"), {"__name__": "program"})
    return calls


def simulated(operation: Operation, args: Any, kwargs: Any) -> Diagnostic:
    with pytest.raises(DeadlockError) as caught:
        operation(*args, **kwargs)
    return caught.value.diagnostic


def checked(operation: Operation, args: Any, kwargs: Any) -> Diagnostic:
    (finding,) = [
        each
        for each in check_module(lower_call(operation, args, kwargs).module)
        if each.code.startswith(("TTL091", "TTL092"))
    ]
    return finding


def said(diagnostic: Diagnostic) -> tuple[object, ...]:
    primary = diagnostic.primary
    assert primary is not None
    return diagnostic.code, diagnostic.message, diagnostic.help, primary.span, primary.text


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            program,
            id=program.stem,
            marks=[pytest.mark.xfail(strict=True, reason=NOT_CHECKED[program.stem])]
            if program.stem in NOT_CHECKED
            else [],
        )
        for program in PROGRAMS
    ],
)
def test_a_check_says_what_a_run_says(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ((operation, args, kwargs),) = calls_of(program, monkeypatch)
    before, now = simulated(operation, args, kwargs), checked(operation, args, kwargs)
    assert said(before) == said(now), f"{text.render(before)}\n{text.render(now)}"
