"""Kernels in greenlets: nothing of a launch or of a thread is left behind."""

from __future__ import annotations

import gc
import importlib
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import greenlet
import pytest
import torch
import ttnn

import ttl
from support.executions import needs_native
from ttl.sim.engine import Engine
from ttl.sim.kernel import Kernel

pytestmark = needs_native

PROGRAMS = Path(__file__).parents[2] / "benchmarks" / "programs"
# Of the kernels of a node, in a multicast product in blocks of one tile.
SWITCHES_PER_STEP = 2.85


def tile() -> Any:
    return ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)


def alternating(log: Callable[[str], None], *, grid: tuple[int, int] = (2, 2), rounds: int = 3) -> None:
    """Three kernels a node that take turns at every block; ``log`` is told where each of them is."""

    @ttl.operation(grid=grid)
    def op(a: Any, y: Any) -> None:
        a_dfb, y_dfb = (ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1) for _ in range(2))
        me = ttl.node(dims=1)

        @ttl.datamovement()
        def read() -> None:
            for turn in range(rounds):
                log(f"read {me} {turn}")
                with a_dfb.reserve() as blk:
                    ttl.copy(a[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            for turn in range(rounds):
                log(f"compute {me} {turn}")
                with a_dfb.wait() as x, y_dfb.reserve() as z:
                    z.store(x + 1.0)

        @ttl.datamovement()
        def write() -> None:
            for turn in range(rounds):
                log(f"write {me} {turn}")
                with y_dfb.wait() as blk:
                    ttl.copy(blk, y[me, turn]).wait()

    nodes = grid[0] * grid[1]
    y = ttnn.zeros((32 * nodes, 32 * rounds), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
    op(tile(), y)
    assert bool((ttnn.to_torch(y) == 2.0).all())


def stuck() -> None:
    """An operation whose kernels all wait for ever, one of them again when it is to end."""

    @ttl.operation(grid=(2, 2))
    def op(a: Any) -> None:
        a_dfb, y_dfb = (ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(2))

        @ttl.compute()
        def compute() -> None:
            try:
                a_dfb.wait()
            finally:
                y_dfb.wait()

        @ttl.datamovement()
        def read() -> None:
            y_dfb.wait()

        @ttl.datamovement()
        def end() -> None:
            pass

    with pytest.raises(ttl.DeadlockError):
        op(tile())


def test_a_launch_in_a_greenlet_runs_the_same_schedule() -> None:
    """A launch in a greenlet of the user's."""
    here: list[str] = []
    there: list[str] = []
    alternating(here.append)
    greenlet.greenlet(lambda: alternating(there.append)).switch()
    assert here == there
    assert len(here) == 4 * 3 * 3


def greenlets() -> int:
    gc.collect()
    return sum(type(candidate) is greenlet.greenlet for candidate in gc.get_objects())


@pytest.mark.parametrize("launch", [stuck, lambda: alternating(lambda text: None)], ids=["deadlock", "end"])
def test_greenlets_are_used_again(launch: Callable[[], None]) -> None:
    launch()
    before = greenlets()
    for _ in range(5):
        launch()
    assert greenlets() <= before


def test_a_thread_takes_its_greenlets_with_it() -> None:
    before = greenlets()
    for _ in range(5):
        thread = threading.Thread(target=alternating, args=(lambda text: None,))
        thread.start()
        thread.join()
    # The greenlet that is the last thread itself goes when greenlets are used again.
    assert greenlets() <= before + 1


def test_every_kernel_handles_its_own_exception() -> None:
    found: list[tuple[str, type | None]] = []

    @ttl.operation(grid=(2, 1))
    def op(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)
        me = ttl.node(dims=1)

        @ttl.datamovement()
        def read() -> None:
            for _ in range(3):
                try:
                    raise KeyError(me)
                except KeyError:
                    with dfb.reserve() as blk:
                        ttl.copy(a[0, 0], blk).wait()
                    found.append(("read", sys.exc_info()[0]))
                assert sys.exc_info()[0] is None

        @ttl.datamovement()
        def write() -> None:
            for turn in range(3):
                try:
                    raise ValueError(me)
                except ValueError:
                    with dfb.wait() as blk:
                        ttl.copy(blk, y[me, turn]).wait()
                    found.append(("write", sys.exc_info()[0]))
                assert sys.exc_info()[0] is None

    op(tile(), ttnn.zeros((64, 96), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT))
    assert set(found) == {("read", KeyError), ("write", ValueError)}
    assert len(found) == 12


def test_kernels_do_not_share_a_depth_of_recursion() -> None:
    """Each may go nearly as deep as the program itself, however many others wait below."""

    def deep(levels: int, end: Callable[[], None]) -> None:
        if levels:
            deep(levels - 1, end)
        else:
            end()

    @ttl.operation(grid=(4, 4))
    def op(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)
        me = ttl.node(dims=1)

        def copied() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()

        def written() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, y[me, 0]).wait()

        @ttl.datamovement()
        def write() -> None:
            deep(500, written)

        @ttl.datamovement()
        def read() -> None:
            deep(500, copied)

    op(tile(), ttnn.zeros((512, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT))


def test_the_frames_of_a_waiting_kernel_can_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []

    def look(engine: Engine) -> None:
        kernels: list[Kernel] = [kernel for node in engine.nodes for kernel in node.kernels]
        for kernel in kernels:
            if kernel.greenlet is not None and kernel.greenlet.gr_frame is not None:
                frame = kernel.greenlet.gr_frame
                lines.append(f"{kernel.name}: {frame.f_code.co_name}, {frame.f_back}")

    launched: list[Engine] = []
    begin = Engine.__init__

    def made(self: Engine, *args: Any) -> None:
        begin(self, *args)
        launched.append(self)

    monkeypatch.setattr(Engine, "__init__", made)
    alternating(lambda text: look(launched[-1]) if text == "write 0 1" else None, grid=(1, 1))
    assert lines == ["read: read, None", "compute: compute, None"]


def test_multicast_switches_at_most_three_times_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a step of a multicast product costs is mostly switches: their number is kept where it is."""
    monkeypatch.syspath_prepend(str(PROGRAMS))
    program = importlib.import_module("matmul_multicast").prepare(size=512, grid=(8, 8), block=(1, 1, 1))
    counted: list[int] = []
    close = Engine.close

    def closed(self: Engine) -> None:
        counted.append(self.scheduler.switches)
        close(self)

    monkeypatch.setattr(Engine, "close", closed)
    assert program.error() <= 0.01
    steps = 64 * (2 * 2) * 16
    assert counted[0] / steps <= SWITCHES_PER_STEP
