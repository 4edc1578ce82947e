"""Memory per step stays flat in long operations, and what is read is freed (issue, section 9).

Counted and not timed: bytes allocated by Python and NumPy (``tracemalloc``), objects that are pending, and calls of
the executor. A quantity that grows with the number of steps would double when they do.
"""

from __future__ import annotations

import ast
import dis
import gc
import inspect
import tracemalloc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.removal import load
from support.tensors import TILE, blank, numbers, tiled, values
from ttl import settings
from ttl.lang.context import CURRENT
from ttl.sim.engine import Engine
from ttl.sim.numpy_executor import NumpyExecutor


def peak_of(run: Callable[[], None]) -> int:
    """Most bytes allocated at once above what there was before."""
    gc.collect()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module", autouse=True)
def _only_what_is_new() -> None:
    """What other tests left in the process is not looked through again at each collection."""
    gc.collect()
    gc.freeze()


def accumulate(steps: int, style: str) -> np.ndarray[Any, Any]:
    """``out = sum of a`` over ``steps`` blocks."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        a_dfb, out_dfb, sum_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, out, out))

        @ttl.datamovement()
        def read() -> None:
            for _ in range(steps):
                with a_dfb.reserve() as blk:
                    ttl.copy(a[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            if style == "expression":
                with out_dfb.reserve() as out_blk:
                    total = ttl.block.fill(0, shape=(1, 1))
                    for _ in range(steps):
                        with a_dfb.wait() as blk:
                            total += blk
                    out_blk.store(total)
            elif style == "block":
                with out_dfb.reserve() as out_blk:
                    for _ in range(steps):
                        with a_dfb.wait() as blk:
                            out_blk += blk
            else:
                with sum_dfb.reserve() as first:
                    first.store(ttl.block.fill(0, shape=(1, 1)))
                for _ in range(steps):
                    with a_dfb.wait() as blk, sum_dfb.wait() as old, sum_dfb.reserve() as new:
                        new.store(old + blk)
                with sum_dfb.wait() as last, out_dfb.reserve() as out_blk:
                    out_blk.store(last)

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, out[0, 0]).wait()

    out = blank((32, 32), ttnn.float32)
    op(tiled(np.ones((32, 32)), ttnn.float32), out)
    return values(out)


@pytest.mark.parametrize("style", ["expression", "block", "buffer"])
def test_16000_accumulation_steps(style: str) -> None:
    short = peak_of(lambda: np.testing.assert_array_equal(accumulate(4_000, style), 4_000))
    long = peak_of(lambda: np.testing.assert_array_equal(accumulate(16_000, style), 16_000))
    # Some part of the work is pending at any time: bounded by a constant, not by the number of steps.
    assert long < 1.6 * short + 2_000_000, f"{short} bytes for 4000 steps, {long} for 16000"


def flash_attention(blocks: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """One query block against ``blocks`` key and value blocks, running maximum and sum in buffers."""
    q, k, v = (numbers(TILE * n, TILE, seed=s, low=-2, high=2) / 4 for s, n in enumerate((1, blocks, blocks)))

    @ttl.operation(grid=(1, 1))
    def op(q: Any, kt: Any, v: Any, out: Any) -> None:
        q_dfb, k_dfb, v_dfb, out_dfb, top_dfb, sum_dfb, acc_dfb = (
            ttl.make_dataflow_buffer_like(q, shape=(1, 1)) for _ in range(7)
        )
        one: dict[str, Any] = {"dims": [-1], "shape": (1, 1)}

        @ttl.datamovement()
        def read() -> None:
            with q_dfb.reserve() as blk:
                ttl.copy(q[0, 0], blk).wait()
            for n in range(blocks):
                with k_dfb.reserve() as k_blk, v_dfb.reserve() as v_blk:
                    ttl.copy(kt[0, n], k_blk).wait()
                    ttl.copy(v[n, 0], v_blk).wait()

        @ttl.compute()
        def compute() -> None:
            def start(dfb: Any, value: float) -> None:
                with dfb.reserve() as blk:
                    blk.store(ttl.block.fill(value, shape=(1, 1)))

            start(top_dfb, -1e30)
            start(sum_dfb, 0)
            start(acc_dfb, 0)
            with q_dfb.wait() as q_blk:
                for _ in range(blocks):
                    with (
                        k_dfb.wait() as k_blk, v_dfb.wait() as v_blk,
                        top_dfb.wait() as top, sum_dfb.wait() as total, acc_dfb.wait() as acc,
                        top_dfb.reserve() as new_top, sum_dfb.reserve() as new_total, acc_dfb.reserve() as new_acc,
                    ):  # fmt: skip
                        scores = q_blk @ k_blk
                        largest = ttl.block.broadcast(ttl.math.reduce_max(scores, **one), **one)
                        new_top.store(ttl.math.max(top, largest))
                        weights = ttl.math.exp(scores - new_top)
                        factor = ttl.math.exp(top - new_top)
                        summed = ttl.block.broadcast(ttl.math.reduce_sum(weights, **one), **one)
                        new_total.store(total * factor + summed)
                        new_acc.store(acc * factor + weights @ v_blk)
            with (
                top_dfb.wait() as top,
                sum_dfb.wait() as total,
                acc_dfb.wait() as acc,
                out_dfb.reserve() as blk,
            ):
                blk.store(acc / total + 0 * top)

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, out[0, 0]).wait()

    out = blank((32, 32), ttnn.float32)
    op(*(tiled(each, ttnn.float32) for each in (q, np.ascontiguousarray(k.T), v)), out)
    scores = q @ k.T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return values(out), (weights / weights.sum(axis=1, keepdims=True)) @ v


def test_128_blocks_of_flash_attention() -> None:
    found, expected = flash_attention(128)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    peaks = [peak_of(lambda: flash_attention(blocks) and None) for blocks in (32, 64, 128)]
    # Inputs and pending work grow with the number of blocks: by the same for each of them.
    assert (peaks[2] - peaks[1]) / 64 < 1.2 * (peaks[1] - peaks[0]) / 32, peaks
    assert peaks[2] / 128 < 64_000, peaks


def test_pending_work_is_bounded() -> None:
    """What waits to be computed or written never exceeds a constant, however long the operation."""
    most = 0

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        nonlocal most
        a_dfb, out_dfb = (ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(2))
        engine = CURRENT.get()
        assert isinstance(engine, Engine)

        @ttl.datamovement()
        def read() -> None:
            for _ in range(12_000):
                with a_dfb.reserve() as blk:
                    ttl.copy(a[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in range(12_000):
                with a_dfb.wait() as blk, out_dfb.reserve() as out_blk:
                    out_blk.store(blk + 1)

        @ttl.datamovement()
        def write() -> None:
            nonlocal most
            for _ in range(12_000):
                with out_dfb.wait() as blk:
                    ttl.copy(blk, out[0, 0]).wait()
                most = max(most, len(engine.pending) + len(engine.memory.writes))

    op(tiled(numbers(32, 32)), blank((32, 32)))
    assert 0 < most < 12_000


def test_equal_steps_are_computed_together() -> None:
    """Few calls for many stores of the same expression: work is grouped by expression, not done one by one."""
    calls: list[int] = []
    original = NumpyExecutor._run_piece

    def counted(self: NumpyExecutor, plan: Any, members: Any, *rest: Any) -> None:
        calls.append(len(members))
        original(self, plan, members, *rest)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(NumpyExecutor, "_run_piece", counted)

        @ttl.operation(grid=(2, 2))
        def op(a: Any, out: Any) -> None:
            me = ttl.node(dims=1)
            a_dfb, out_dfb = (ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(2))

            @ttl.datamovement()
            def read() -> None:
                for tile in range(16):
                    with a_dfb.reserve() as blk:
                        ttl.copy(a[me, tile], blk).wait()

            @ttl.compute()
            def compute() -> None:
                for _ in range(16):
                    with a_dfb.wait() as blk, out_dfb.reserve() as out_blk:
                        out_blk.store(blk * blk + 1)

            @ttl.datamovement()
            def write() -> None:
                for tile in range(16):
                    with out_dfb.wait() as blk:
                        ttl.copy(blk, out[me, tile]).wait()

        a, out = numbers(128, 512), blank((128, 512))
        with settings.override(executor="numpy"):
            op(tiled(a), out)
    assert np.array_equal(values(out), a * a + 1)
    assert sum(calls) == 64
    assert len(calls) <= 4


@pytest.mark.parametrize("ending", ["well", "the user's error", "an error", "a deadlock"])
def test_nothing_of_a_launch_outlives_it(ending: str) -> None:
    """Engine, buffers, blocks and tensors go away, however it ended: neither a module nor a greenlet keeps them."""
    kept: list[weakref.ref[Any]] = []

    def launch() -> None:
        @ttl.operation(grid=(2, 1))
        def op(a: Any, out: Any) -> None:
            net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
            dfb, other = (ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(2))
            kept.extend((weakref.ref(net), weakref.ref(a), weakref.ref(out)))
            marker = ttl.signpost("kept as long as the kernel")
            mine: dict[str, Any] = {}  # what kernels capture goes with them

            def send(pipe: Any) -> None:
                mine["out"] = pipe

            def receive(pipe: Any) -> None:
                mine["in"] = pipe
                if ending == "a deadlock":
                    mine["received"] = ttl.copy(pipe, mine["other"])

            @ttl.datamovement()
            def move() -> None:
                net.if_src(send)
                if ending == "a deadlock":
                    mine["other"] = other.reserve()
                net.if_dst(receive)
                with dfb.reserve() as blk, marker:
                    mine["blk"] = blk
                    mine["slice"] = a[0, 0]
                    mine["copied"] = ttl.copy(a[0, 0], blk)
                    mine["copied"].wait()
                    ttl.copy(blk, out[0, 0]).wait()
                    if ending == "the user's error" and net.is_dst():
                        raise KeyError(ending)
                    if ending == "an error":
                        blk.pop()

            @ttl.compute()
            def consume() -> None:
                with dfb.wait() as blk:
                    mine["sum"] = blk + 1
                if ending == "a deadlock":
                    dfb.wait()

        a, out = tiled(numbers(32, 32)), blank((32, 32))
        try:
            op(a, out)
        except (KeyError, ttl.ProgramError):
            assert ending != "well"
        else:
            assert ending == "well"

    def engines() -> set[int]:
        gc.collect()
        return {id(each) for each in gc.get_objects() if type(each) is Engine}

    before = engines()  # other tests may hold failures, which hold their launches
    launch()
    assert engines() <= before
    assert len(kept) == 6
    assert [reference() for reference in kept] == [None] * 6


PROGRAM = """
import ttl

@ttl.operation(grid=(2, 1))
def op(a, out):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for tile in range(3):
            inferred_in = dfb.reserve()
            ttl.copy(a[0, tile], inferred_in)

    @ttl.datamovement()
    def write():
        for tile in range(3):
            inferred_out = dfb.wait()
            ttl.copy(inferred_out, out[ttl.node(dims=1), tile])
"""


def test_two_launches_do_not_parse_the_program_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    work: list[str] = []

    def counted(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def count(*arguments: Any, **options: Any) -> Any:
            work.append(name)
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, count)

    op = load(PROGRAM, tmp_path / "program.py")["op"]
    for owner, name in ((ast, "parse"), (ast, "walk"), (dis, "get_instructions"), (inspect, "getsource")):
        counted(owner, name)
    a, out = tiled(numbers(32, 96)), blank((64, 96))
    op(a, out)
    first = list(work)
    assert "parse" in first, "the test does not see the parsing"
    for _ in range(5):
        op(a, out)
    # Replay looks at the code once, when the operation is called again.
    assert set(work[len(first) :]) <= {"get_instructions"} and len(work) <= len(first) + 8
