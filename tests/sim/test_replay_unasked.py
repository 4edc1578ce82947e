"""Where nobody asked for replay, the third call of a kind is replayed, if that is certainly the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttl
from support.executions import needs_native
from support.tensors import blank, numbers, tiled, values
from ttl import settings

pytestmark = needs_native

FACTOR = 2.0


def made() -> Any:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any, added: float) -> None:
        a_dfb, out_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, out))

        @ttl.datamovement()
        def read() -> None:
            ttl.copy(a[0, 0], a_dfb.reserve())

        @ttl.compute()
        def compute() -> None:
            out_dfb.reserve().store(a_dfb.wait() * FACTOR + added)

        @ttl.datamovement()
        def write() -> None:
            ttl.copy(out_dfb.wait(), out[0, 0])

    return op


def replays(operation: Any) -> int:
    """How many calls were replayed so far."""
    kept = operation.kept
    return 0 if kept is None else sum(entry.replays for entry in kept._entries.values())


def run(operation: Any, seed: int, added: float = 1.0) -> None:
    """One call with new tensors, which gives what it should."""
    a, out = numbers(32, 32) + seed, blank((32, 32))
    operation(tiled(a), out, added)
    assert np.allclose(values(out), a * FACTOR + added, rtol=2**-7)


def test_from_the_third_call_on() -> None:
    operation = made()
    for number in range(6):
        run(operation, number)
        assert replays(operation) == max(0, number - 1)


def test_another_kind_of_call_is_kept_when_it_comes_again() -> None:
    operation = made()
    calls = ((1, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2))
    for number, (added, replayed) in enumerate(calls):
        run(operation, number, added)
        assert replays(operation) == replayed


def test_what_changes_between_calls_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    operation = made()
    for number in range(15):
        monkeypatch.setitem(globals(), "FACTOR", 2.0 if number < 9 else 3.0)
        run(operation, number)
    assert replays(operation) == 7 + 4


def test_calls_that_are_never_alike_are_looked_at_less_and_less(monkeypatch: pytest.MonkeyPatch) -> None:
    from ttl.sim.replay import cache

    looked, prepare = [], cache.Cache.prepare
    monkeypatch.setattr(cache.Cache, "prepare", lambda *a, **k: looked.append(1) or prepare(*a, **k))
    operation = made()
    for number in range(70):
        run(operation, 0, added=number)
    assert replays(operation) == 0
    assert (
        len(looked) == 1 + 16 + 2
    )  # from the second call on 17, of which one is kept, then the 32nd and the 64th


def test_an_operation_with_effects_has_them_every_time(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any) -> None:
        @ttl.datamovement()
        def read() -> None:
            print("here", a.shape[0])

    for _ in range(10):
        op(tiled(numbers(32, 32)))
    assert capsys.readouterr().out == "here 32\n" * 10


@pytest.mark.parametrize(
    "about",
    [{"replay": "off"}, {"stats": True}, {"schedule_seed": 1}, {"sanitize": True}, {"executor": "numpy"}],
)
def test_not_where_something_about_kernels_is_asked_for(about: dict[str, Any]) -> None:
    operation = made()
    with settings.override(**about):
        for number in range(9):
            run(operation, number)
    assert operation.kept is None
