"""What the figures of the benchmarks are known to miss, as numbers that do not depend on the machine (performance.md)."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import ttl
from support.executions import needs_native

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
