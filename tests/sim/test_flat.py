"""Memory per step stays flat in long operations, and what is read is freed (issue, section 9).

Counted and not timed: bytes allocated by Python and NumPy (``tracemalloc``), objects that are pending, and calls of
the executor. A quantity that grows with the number of steps would double when they do.
"""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import ttl
import ttnn
from support.tensors import TILE, blank, numbers, tiled, values
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
    assert np.all(accumulate(16_000, style) == 16_000)
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
            with top_dfb.wait() as top, sum_dfb.wait() as total, acc_dfb.wait() as acc, out_dfb.reserve() as blk:
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
    short = peak_of(lambda: flash_attention(32) and None)
    long = peak_of(lambda: flash_attention(128) and None)
    inputs = 2 * 96 * 4096 * 3  # 96 more blocks of k and v: the array, the tensor, the transposed array
    assert long < 1.6 * short + inputs, f"{short} bytes for 32 blocks, {long} for 128"


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
                most = max(most, len(engine._pending) + len(engine.memory.writes))

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
        op(tiled(a), out)
    assert np.array_equal(values(out), a * a + 1)
    assert sum(calls) == 64
    assert len(calls) <= 4


def test_nothing_of_a_launch_outlives_it() -> None:
    """Engine, buffers, blocks and tensors go away: no module keeps them."""
    kept: list[weakref.ref[Any]] = []

    def launch() -> None:
        @ttl.operation(grid=(2, 1))
        def op(a: Any, out: Any) -> None:
            net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
            dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
            kept.extend((weakref.ref(CURRENT.get()), weakref.ref(net)) if not kept else ())

            @ttl.datamovement()
            def move() -> None:
                with dfb.reserve() as blk:
                    ttl.copy(a[0, 0], blk).wait()
                    ttl.copy(blk, out[0, 0]).wait()

        a, out = tiled(numbers(32, 32)), blank((32, 32))
        kept.extend((weakref.ref(a), weakref.ref(out)))
        kept.reverse()
        op(a, out)

    launch()
    gc.collect()
    assert [reference() for reference in kept] == [None] * len(kept)
    assert len(kept) >= 2


def test_two_launches_do_not_parse_the_program_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    import ast
    import dis

    parsed: list[str] = []
    original, instructions = ast.parse, dis.get_instructions

    def parse(*arguments: Any, **options: Any) -> Any:
        parsed.append("parsed")
        return original(*arguments, **options)

    def disassemble(*arguments: Any, **options: Any) -> Any:
        parsed.append("disassembled")
        return instructions(*arguments, **options)

    monkeypatch.setattr(ast, "parse", parse)
    monkeypatch.setattr(dis, "get_instructions", disassemble)

    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            for tile in range(3):
                inferred_in = dfb.reserve()
                ttl.copy(a[0, tile], inferred_in)

        @ttl.datamovement()
        def write() -> None:
            for tile in range(3):
                inferred_out = dfb.wait()
                ttl.copy(inferred_out, out[ttl.node(dims=1), tile])

    a, out = tiled(numbers(32, 96)), blank((64, 96))
    op(a, out)
    first = list(parsed)
    assert first, "the test does not see the parsing"
    for _ in range(3):
        op(a, out)
    assert parsed == first
