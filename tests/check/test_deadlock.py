"""The programs of the deadlock corpus: found without running them, with the code the simulator gives, at its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.memory_ir import Program, tiles
from ttl.check.deadlock import check
from ttl.check.module import check_module
from ttl.diag import Diagnostic, Severity, text
from ttl.dialects import ttl as dialect
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "tests" / "deadlock" / "programs").glob("*.py"))
# Programs that the check says something else about than the simulator, and why. Strict.
DIFFERENT: dict[str, str] = {
    "kernels_that_leave_traces": "the front end does not take a change of a list outside of the operation",
}
# What the deadlocks among the examples of errors are found as.
EXAMPLES = {
    "deadlock_block_count": "TTL0916",
    "deadlock_one_block_too_few": "TTL0913",
    "deadlock_output_order": "TTL0917",
    "deadlock_semaphore": "TTL0920",
    "unmatched_pipe": "TTL0918",
    "two_producers": "TTL0315",
}


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Diagnostic]]:
    """What the check finds in the operations a program calls; they do not run."""
    findings: list[Diagnostic] = []

    def called(operation: Operation, *args: Any, **kwargs: Any) -> None:
        lowered = lower_call(operation, args, kwargs)
        findings.extend(lowered.diagnostics)
        findings.extend(check_module(lowered.module))

    monkeypatch.setattr(Operation, "__call__", called)
    yield findings


def run(program: Path) -> str:
    source = program.read_text(encoding="utf-8")
    exec(compile(source, str(program), "exec"), {"__name__": "program"})
    return source


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            program,
            id=program.stem,
            marks=[pytest.mark.xfail(strict=True, reason=DIFFERENT[program.stem])]
            if program.stem in DIFFERENT
            else [],
        )
        for program in PROGRAMS
    ],
)
def test_a_deadlock_of_the_corpus_is_found_where_the_simulator_finds_it(
    program: Path, found: list[Diagnostic]
) -> None:
    source = run(program)
    (cause,) = re.findall(r"^# cause: (TTL\d{4})$", source, re.MULTILINE)
    (line,) = [number for number, each in enumerate(source.splitlines(), 1) if each.endswith("# stuck")]
    (finding,) = [each for each in found if each.code.startswith(("TTL091", "TTL092"))]
    report = text.render(finding)
    assert finding.code == cause, report
    assert finding.severity is Severity.ERROR
    assert finding.primary is not None
    assert (finding.primary.span.file, finding.primary.span.line) == (str(program), line), report
    assert finding.help


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_the_examples_of_deadlocks_are_found(
    name: str, found: list[Diagnostic], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(ROOT / "examples" / "errors" / f"{name}.py")
    assert EXAMPLES[name] in [each.code for each in found if each.severity is Severity.ERROR]


# --- operations built by hand ----------------------------------------------------------------------------


def stopping(pushes: int, takes: int) -> Program:
    p = Program((2, 1))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    with p.kernel("read"), p.loop("m", 0, pushes):
        block = p.emit(dialect.DfbReserveOp(dfb)).result
        p.emit(dialect.DfbPushOp(block, how="with"))
    with p.kernel("write"), p.loop("m", 0, takes):
        block = p.emit(dialect.DfbWaitOp(dfb)).result
        p.emit(dialect.DfbPopOp(block, how="with"))
    return p


def test_a_program_that_ends_is_not_talked_about() -> None:
    assert not stopping(5, 5).found_by(check)


def test_the_report_says_how_it_came_to_it() -> None:
    (finding,) = stopping(3, 4).found_by(check)
    assert finding.code == "TTL0913"
    assert "on 2 nodes, (0, 0), (1, 0)" in text.render(finding)
    assert any("read: fill a_dfb x3\n  write: take a_dfb x3" in note for note in finding.notes)


def test_steps_that_repeat_are_put_together() -> None:
    p = Program((1, 1))
    a_dfb, y_dfb = p.buffer("a_dfb", tiles(1, 1)), p.buffer("y_dfb", tiles(1, 1))
    with p.kernel("read"), p.loop("m", 0, 9):
        p.emit(dialect.DfbPushOp(p.emit(dialect.DfbReserveOp(a_dfb)).result, how="with"))
    with p.kernel("compute", compute=True), p.loop("m", 0, 9):
        a_blk = p.emit(dialect.DfbWaitOp(a_dfb)).result
        p.emit(dialect.DfbPushOp(p.emit(dialect.DfbReserveOp(y_dfb)).result, how="with"))
        p.emit(dialect.DfbPopOp(a_blk, how="with"))
    (finding,) = p.found_by(check)
    assert finding.code == "TTL0914"
    assert any(
        "compute: (wait for a_dfb, fill y_dfb, pop a_dfb) x2, wait for a_dfb" in note
        for note in finding.notes
    )


def test_blocks_that_nobody_takes_are_left_over() -> None:
    (finding,) = stopping(5, 4).found_by(check)
    assert (finding.code, finding.severity) == ("TTL0904", Severity.WARNING)
    assert finding.message == "2 blocks of a_dfb pushed and never waited for, on 2 nodes"


def test_a_huge_loop_is_no_obstacle() -> None:
    (finding,) = stopping(10**12, 10**12 + 1).found_by(check)
    assert finding.code == "TTL0913"
    assert f"pushes only {10**12}" in finding.message


def test_a_message_that_nobody_receives_is_left_over() -> None:
    p = Program((2, 1))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    net = p.net(((0, 0), (1, 0)))
    with p.kernel("read"), p.if_pipe(net, "src") as pipe:
        p.send(dfb, pipe)
    (finding,) = [each for each in p.found_by(check) if each.severity is Severity.ERROR]
    assert finding.code == "TTL0903"
    assert "in kernel read on node (0, 0)" in finding.notes


@pytest.mark.parametrize(("exact", "severity"), [(True, Severity.WARNING), (False, Severity.ERROR)])
def test_a_deadlock_that_another_schedule_may_avoid_is_a_possible_one(
    exact: bool, severity: Severity
) -> None:
    """Node 0 sees 2 where it may have seen 1; whether it misses it depends on the schedule."""
    p = Program((3, 1))
    go = p.semaphore("go")
    first = p.emit(dialect.GetRemoteSemaphoreOp(go, [p.index(0), p.index(0)])).result
    with p.kernel("late"), p.where("eq", p.node[0], 0):
        p.emit(dialect.SemaphoreIncOp(first, p.index(0)))
    with p.kernel("wait"), p.where("eq", p.node[0], 0):
        comparison = "eq" if exact else "ge"
        p.emit(dialect.SemaphoreWaitOp(go, p.index(2), comparison="ge"))
        p.emit(dialect.SemaphoreWaitOp(go, p.index(1 if exact else 3), comparison=comparison))
    with p.kernel("signal"), p.where("sgt", p.node[0], 0):
        p.emit(dialect.SemaphoreIncOp(first, p.index(1)))
    (finding,) = p.found_by(check)
    assert (finding.code, finding.severity) == ("TTL0920", severity)


@pytest.mark.parametrize(("value", "severity"), [(2, Severity.ERROR), (1, Severity.WARNING)])
def test_a_wait_for_the_value_of_all_increments_does_not_depend_on_the_schedule(
    value: int, severity: Severity
) -> None:
    """Node 0 waits until both others have signalled, then for a block that nobody fills."""
    p = Program((3, 1))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    go = p.semaphore("go")
    first = p.emit(dialect.GetRemoteSemaphoreOp(go, [p.index(0), p.index(0)])).result
    with p.kernel("wait"), p.where("eq", p.node[0], 0):
        p.emit(dialect.SemaphoreWaitOp(go, p.index(value), comparison="eq"))
        p.emit(dialect.DfbPopOp(p.emit(dialect.DfbWaitOp(dfb)).result, how="with"))
    with p.kernel("signal"), p.where("sgt", p.node[0], 0):
        p.emit(dialect.SemaphoreIncOp(first, p.index(1)))
    found = p.found_by(check)
    assert [each.severity for each in found] == [severity]
