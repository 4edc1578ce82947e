"""Tapes: which memory they run on, how long they are kept, how they are checked, what ``--stats`` says."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.failing import fails
from support.replays import FakeTape, call, launched, replays
from support.tensors import blank, tiled, values
from ttl import settings
from ttl.host.access import array_of
from ttl.sim.replay import Trace, cache, prepare


def operation() -> Any:
    @ttl.operation(grid=(1, 1), replay=True)
    def op(a: Any = None, y: Any = None) -> None:
        pass

    return op


def test_a_tape_runs_on_the_memory_of_its_tensors() -> None:
    op, tape = operation(), FakeTape(tensors=(1, 0), written=(True, False))
    call(op, blank((32, 32)), blank((32, 32)), tape=tape)
    a, y = blank((32, 32)), blank((32, 32))
    assert replays(op, a, y)
    (arrays,) = tape.runs
    assert arrays[0] is array_of(y)
    assert arrays[1] is array_of(a)


def test_written_memory_that_somebody_else_uses_is_copied_first() -> None:
    op, tape = operation(), FakeTape(tensors=(0, 1), written=(False, True))
    a, y = tiled(np.ones((32, 32))), tiled(np.ones((32, 32)))
    call(op, a, y, tape=tape)
    kept = ttnn.to_torch(y).clone()
    before = ttnn.to_torch(y)
    assert replays(op, a, y)
    read, written = tape.runs[-1]
    assert written.flags.writeable
    assert written is array_of(y)
    written[...] = 0
    assert before.equal(kept), "what the program took earlier stays what it was"
    assert not values(y).any()
    assert values(a).all()
    assert read is array_of(a)


def test_read_memory_is_not_copied() -> None:
    op, tape = operation(), FakeTape(tensors=(0,), written=(False,))
    a = tiled(np.ones((32, 32)))
    call(op, a, tape=tape)
    ttnn.to_torch(a)
    before = array_of(a)
    assert replays(op, a)
    assert tape.runs[-1][0] is before


def test_captured_tensors_come_after_the_arguments() -> None:
    first = blank((32, 32))

    @ttl.operation(grid=(1, 1), replay=True)
    def op(a: Any) -> None:
        @ttl.datamovement()
        def read() -> None:
            first[0, 0]

    outcome = prepare(launched(op, argument := blank((32, 32))))
    assert isinstance(outcome, Trace)
    assert outcome.tensors == (argument, first)
    tape = FakeTape(tensors=(1,), written=(False,))
    outcome.recorded(tape)
    first = blank((32, 32))
    assert replays(op, argument)
    assert tape.runs[-1][0] is array_of(first)


def test_the_oldest_tape_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST_TAPES", 3)
    op = operation()
    for number in range(3):
        call(op, number)
    assert replays(op, 0)
    call(op, 3)
    assert [replays(op, number) for number in (0, 2, 3)] == [True, True, True]
    assert not replays(op, 1)
    assert len(op.kept) == 3


def test_large_tapes_go_earlier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST_BYTES", 100)
    op = operation()
    call(op, 0, tape=FakeTape(nbytes=60))
    call(op, 1, tape=FakeTape(nbytes=60))
    assert [replays(op, 1), replays(op, 0, tape=FakeTape(nbytes=200)), len(op.kept)] == [True, False, 0]


def test_states_of_captured_values_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST_STATES", 2)
    block = 0

    @ttl.operation(grid=(1, 1), replay=True)
    def op() -> None:
        range(block)

    for block in (0, 1, 2, 0, 1):  # noqa: B007
        assert [replays(op), replays(op)] == [False, True]


def test_a_cache_goes_with_its_operation() -> None:
    op, tape = operation(), FakeTape()
    call(op, tape=tape)
    assert replays(op)
    gone = weakref.ref(op.kept)
    del op
    gc.collect()
    assert gone() is None


def test_a_cache_keeps_no_tensor_alive() -> None:
    captured, listed = blank((32, 32)), [blank((32, 32))]

    def helper() -> Any:
        return captured

    @ttl.operation(grid=(1, 1), replay=True)
    def op(a: Any) -> None:
        (helper(), listed)

    argument = blank((32, 32))
    assert [replays(op, argument), replays(op, argument)] == [False, True]
    gone = [weakref.ref(tensor) for tensor in (argument, captured, listed[0])]
    del argument
    captured = None  # type: ignore[assignment]
    listed.clear()
    gc.collect()
    assert [reference() for reference in gone] == [None, None, None]


def test_a_deallocated_tensor_is_left_to_the_kernels() -> None:
    op, a = operation(), blank((32, 32))
    call(op, a)
    ttnn.deallocate(a)
    assert call(op, a) == "not replayed: a tensor was deallocated"


def test_a_launch_that_fails_is_not_kept() -> None:
    op = operation()
    outcome = prepare(launched(op))
    assert isinstance(outcome, Trace)  # and ``recorded`` is not called
    assert [replays(op), replays(op)] == [False, True]


def test_every_nth_replay_is_checked() -> None:
    op, tape = operation(), FakeTape()
    with settings.override(replay_check=3):
        stories = [call(op, tape=tape) for _ in range(8)]
    assert stories == [
        "traced: first call",
        "replayed",
        "replayed",
        "traced: checks the replays",
        "replayed",
        "replayed",
        "traced: checks the replays",
        "replayed",
    ]
    with settings.override(replay_check=0):
        assert all(replays(op) for _ in range(8))


def test_a_check_that_finds_a_difference() -> None:
    op = operation()
    with settings.override(replay_check=2):
        call(op)
        assert replays(op)
        with fails("TTL1102") as failure:
            call(op, tape=FakeTape(what="other tasks"))
        assert "op no longer do what was replayed for 1 call" in failure.value.diagnostic.message
        assert failure.value.diagnostic.notes[0] == "tasks became other tasks"
        assert len(op.kept) == 0
        assert [call(op), call(op)] == ["traced: first call", "replayed"]


@pytest.mark.parametrize(
    ("tape", "note"),
    [
        ("a semaphore is used", "the kernels now have effects that cannot be replayed: a semaphore is used"),
        (FakeTape(tensors=(0,), written=(True,)), "the kernels now read or write other tensors"),
    ],
    ids=["reason", "tensors"],
)
def test_a_check_that_finds_other_tensors_or_none_at_all(tape: Any, note: str) -> None:
    op, a = operation(), blank((32, 32))
    with settings.override(replay_check=1):
        call(op, a)
        with fails("TTL1102") as failure:
            call(op, a, tape=tape)
    assert failure.value.diagnostic.notes[0] == note


def test_what_is_new_about_a_call() -> None:
    block = 2
    shapes = [(1, 1), (2, 2)]

    @ttl.operation(grid=(1, 1), replay=True)
    def op(a: Any, n: int = 1) -> None:
        range(block, len(shapes))

    with settings.override(stats=True):
        a = blank((32, 32))
        stories = [call(op, a), call(op, a), call(op, blank((32, 64))), call(op, a, 3)]
        block = 3
        stories.append(call(op, a, 3))
        shapes.append((4, 4))
        stories.append(call(op, a, 3))
        with settings.override(precision="fp32"):
            stories.append(call(op, a, 3))
        stories.append(call(op, a, 4))
    assert stories == [
        "traced: first call",
        "replayed",
        "traced: first call with a (32, 64) bfloat16 tiled",
        "traced: first call with a (32, 32) bfloat16 tiled, n 3",
        "traced: first call with block 3",
        "traced: first call with shapes [(1, 1), (2, 2), (4, 4)]",
        "traced: first call with --precision fp32",
        "traced: first call with n 4, --precision spec",
    ]


def test_threads() -> None:
    """Several threads call one operation, with captured values of their own time."""
    op = operation()
    wrong: list[Any] = []
    tapes = {number: FakeTape(tensors=(0,), written=(True,)) for number in range(4)}
    tensors = {number: [blank((32, 32 * (number + 1))) for _ in range(8)] for number in tapes}

    def work(number: int) -> None:
        try:
            for _ in range(50):
                for tensor in tensors[number]:
                    call(op, tensor, tape=tapes[number])
        except Exception as failure:
            wrong.append(failure)

    workers = [threading.Thread(target=work, args=(number % 4,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []
    for number, tape in tapes.items():
        assert {array.shape for (array,) in tape.runs} == {(32, 32 * (number + 1))}
    assert len(op.kept) == 4
