"""What the figures of the benchmarks are known to miss, as numbers that do not depend on the machine (performance.md)."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import ttl
from support.executions import needs_native
from ttl import settings
from ttl.sim.numpy_executor import NumpyExecutor

pytestmark = needs_native

PROGRAMS = Path(__file__).parents[2] / "benchmarks" / "programs"


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="multicast 1024, 4x4x4: every node makes the pipes of all nodes",
)
def test_the_pipes_of_a_net_are_made_once_per_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PROGRAMS))
    program = importlib.import_module("matmul_multicast").prepare(size=512, grid=(4, 4), block=(4, 4, 4))
    made: list[Any] = []

    class Counted(ttl.Pipe[Any]):
        __slots__ = ()

        def __init__(self, **ends: Any) -> None:
            made.append(ends)
            super().__init__(**ends)

    monkeypatch.setattr(ttl, "Pipe", Counted)
    program.run()
    assert len(made) == 4 + 4


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="flash attention 8x1024x64, 1x1: three passes over the operations of each pair of tiles",
)
def test_a_pair_of_tiles_of_attention_is_computed_in_one_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(PROGRAMS))
    program = importlib.import_module("flash_attention").prepare(
        heads=1, sequence=128, head_dim=32, grid=(1, 1), query_tiles=1, key_tiles=1
    )
    tasks: list[int] = []
    run_group = NumpyExecutor.run_group

    def counted(self: NumpyExecutor, *arguments: Any) -> None:
        tasks.append(len(arguments[3]))
        run_group(self, *arguments)

    monkeypatch.setattr(NumpyExecutor, "run_group", counted)
    with settings.override(executor="numpy"):
        program.run()
    pairs = 4 * 4
    assert sum(tasks) > 0
    assert sum(tasks) / pairs <= 1
