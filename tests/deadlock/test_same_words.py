"""Every execution says the same about a program that hangs: cause, words, advice, place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import ttl
from support.tensors import blank, numbers, tiled, values
from ttl import settings
from ttl.check.module import check_module
from ttl.diag import DeadlockError, Diagnostic, text
from ttl.emu.runtime import missing
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
# Programs of which an execution cannot say the same, and why. Strict.
NOT_CHECKED = {
    "kernels_that_leave_traces": "the front end does not take a change of a list outside of the operation"
}
# Those that the chip does not hang in, or that are not compiled.
_RUNS_ALONE = (
    "the unpacker of the compute kernel continues while its packer waits, and gives back what is waited for"
)
_NOT_COMPILED = "the compiler wants it to be known how many blocks are held at every place"
NOT_ON_THE_CHIP = NOT_CHECKED | {
    "accumulator_of_one_block": _RUNS_ALONE,
    "accumulator_of_one_block_on_64_nodes": _RUNS_ALONE,
    "accumulator_of_one_block_never_primed": f"so a first block is enough: {_RUNS_ALONE}",
    "kept_for_a_second_pass": _RUNS_ALONE,
    "delay_of_two_primed_with_one": "the compiler wants blocks that are held together to be in one piece",
    "push_missing_before_an_answer": _NOT_COMPILED,
    "push_on_one_path_only": _NOT_COMPILED,
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


def on_the_chip(operation: Operation, args: Any, kwargs: Any) -> Diagnostic:
    with settings.override(target="emu", check="off"), pytest.raises(DeadlockError) as caught:
        operation(*args, **kwargs)
    return caught.value.diagnostic


def programs(exceptions: dict[str, str]) -> list[Any]:
    return [
        pytest.param(
            program,
            id=program.stem,
            marks=[pytest.mark.xfail(strict=True, reason=exceptions[program.stem])]
            if program.stem in exceptions
            else [],
        )
        for program in PROGRAMS
    ]


@pytest.mark.parametrize("program", programs(NOT_CHECKED))
def test_a_check_says_what_a_run_says(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ((operation, args, kwargs),) = calls_of(program, monkeypatch)
    before, now = simulated(operation, args, kwargs), checked(operation, args, kwargs)
    assert said(before) == said(now), f"{text.render(before)}\n{text.render(now)}"


@pytest.mark.one_of(3)
@pytest.mark.skipif(missing() is not None, reason="no emulated chip")
@pytest.mark.parametrize("program", programs(NOT_ON_THE_CHIP))
def test_the_emulated_chip_says_what_a_run_says(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ((operation, args, kwargs),) = calls_of(program, monkeypatch)
    before, now = simulated(operation, args, kwargs), on_the_chip(operation, args, kwargs)
    assert said(before) == said(now), f"{text.render(before)}\n{text.render(now)}"
    (chip,) = [note for note in now.notes if note.startswith("on the chip:")]
    assert re.search(r"\w+ \(\w+\) .* at \w+\.cpp:\d+, .*since cycle [\d,]+", chip)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_that_every_schedule_ends_like_this_is_said_only_where_no_chip_gets_through(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((operation, args, kwargs),) = calls_of(program, monkeypatch)
    last = simulated(operation, args, kwargs).notes[-1]
    gets_through = NOT_ON_THE_CHIP.get(program.stem) == _RUNS_ALONE
    assert ("a chip may get through" in last) >= gets_through
    assert ("every schedule ends" in last) <= (not gets_through)


@pytest.mark.skipif(missing() is not None, reason="no emulated chip")
def test_what_was_made_up_to_explain_a_deadlock_leaves_nothing_behind() -> None:
    """Tensors stay as they are, and the next program finds the chip as after any other."""

    def copied(source: Any, blocks: int) -> Any:
        @ttl.operation(grid=(1, 1))
        def op(a, y):  # type: ignore[no-untyped-def]
            dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

            @ttl.datamovement()
            def read() -> None:
                for _ in range(blocks):
                    with dfb.reserve() as blk:
                        ttl.copy(a[0, 0], blk).wait()

            @ttl.datamovement()
            def write() -> None:
                for _ in range(2):
                    with dfb.wait() as blk:
                        ttl.copy(blk, y[0, 0]).wait()

        result = blank((32, 32))
        op(source, result)
        return result

    source = tiled(numbers(32, 32))
    with settings.override(target="emu", check="off"):
        before = values(source)
        with pytest.raises(DeadlockError):
            copied(source, 1)
        assert (values(source) == before).all()
        assert (values(copied(source, 2)) == before).all()
