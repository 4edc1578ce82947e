"""LANGUAGE.md, "Older spellings": accepted, with the same result and a note that carries the fix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttl
from support.tensors import blank, numbered_tiles, numbers, tiled, values
from ttl.diag import report


def told(capsys: pytest.CaptureFixture[str]) -> str:
    """What is said at the end of the test: notes are kept until then."""
    report.emit_kept()
    return capsys.readouterr().err


def test_push_and_pop_of_the_buffer_and_accumulating_store(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), buffer_factor=2)
        out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            for tile in range(3):
                blk = a_dfb.reserve()
                xf = ttl.copy(a[0, tile], blk)
                xf.wait()
                a_dfb.push()

        @ttl.compute()
        def compute() -> None:
            out_blk = out_dfb.reserve()
            for _ in range(3):
                blk = a_dfb.wait()
                out_blk.store(blk, acc=True)
                a_dfb.pop()
            out_dfb.push()

        @ttl.datamovement()
        def write() -> None:
            blk = out_dfb.wait()
            xf = ttl.copy(blk, out[0, 0])
            xf.wait()
            out_dfb.pop()

    out = blank((32, 32))
    op(tiled(numbered_tiles(1, 3)), out)
    assert np.all(values(out) == 6)
    said = told(capsys)
    for code in ("TTL1201", "TTL1204", "TTL1205"):
        assert f"note[{code}]" in said
    assert "error[" not in said and "warning[" not in said


def test_a_note_is_given_once_per_place(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(2, 2))
    def op(a: Any) -> None:
        ttl.make_dataflow_buffer_like(a, shape=(1, 1), buffer_factor=2)

        @ttl.compute()
        def compute() -> None:
            pass

    op(tiled(numbers(32, 32)))
    op(tiled(numbers(32, 32)))
    assert told(capsys).count("note[TTL1201]") == 1


def test_pipes_between_cores(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(2, 1))
    def op(a: Any, out: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src_core=(0, 0), dst_core=(1, 0))])
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                if net.is_src():
                    ttl.copy(a[0, 0], blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                ttl.copy(blk, out[0, ttl.node(dims=1)]).wait()

    a, out = numbers(32, 32), blank((32, 64))
    op(tiled(a), out)
    assert np.array_equal(values(out), np.tile(a, 2))
    assert "note[TTL1202]" in told(capsys)


def test_operation_arguments_of_the_compiler(capsys: pytest.CaptureFixture[str]) -> None:
    ran: list[int] = []

    @ttl.operation(grid=(1, 1), fp32_dest_acc_en=True, options="--dst-full-sync-en")
    def op(a: Any) -> None:
        @ttl.compute()
        def compute() -> None:
            ran.append(1)

    op(tiled(numbers(32, 32)))
    assert ran == [1]
    assert "note[TTL1203]" in told(capsys)


def test_functions_at_their_older_places(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        a_dfb, out_dfb = (ttl.make_dataflow_buffer_like(t, shape=s) for t, s in ((a, (1, 1)), (out, (1, 2))))

        @ttl.datamovement()
        def read() -> None:
            with a_dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with a_dfb.wait() as a_blk, out_dfb.reserve() as out_blk:
                out_blk.store(ttl.math.broadcast(a_blk, out_blk, dims=[-1]))  # type: ignore[attr-defined]

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, out[0, 0:2]).wait()

    a, out = numbers(32, 32), blank((32, 64))
    op(tiled(a), out)
    assert np.array_equal(values(out), np.repeat(a[:, :1], 64, axis=1))
    assert "note[TTL12" in told(capsys)


def test_a_scaler_multiplies_and_a_broadcast_takes_its_shape(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, s: Any, out: Any) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(2, 3))
        s_dfb = ttl.make_dataflow_buffer_like(s, shape=(1, 1))
        out_dfb = ttl.make_dataflow_buffer_like(out, shape=(2, 3))

        @ttl.datamovement()
        def read() -> None:
            with a_dfb.reserve() as a_blk, s_dfb.reserve() as s_blk:
                ttl.copy(a[0:2, 0:3], a_blk).wait()
                ttl.copy(s[0, 0], s_blk).wait()

        @ttl.compute()
        def compute() -> None:
            reduce, broadcast = ttl.math.reduce_sum, ttl.math.broadcast  # type: ignore[attr-defined]
            with a_dfb.wait() as a_blk, s_dfb.wait() as s_blk, out_dfb.reserve() as out_blk:
                columns = broadcast(reduce(a_blk, s_blk, dims=[0]), dims=[0])
                rows = ttl.math.exp(broadcast(reduce(a_blk, dims=[1], scaler=s_blk), dims=[1]) * 0.01)
                out_blk.store(ttl.sub(columns + rows, broadcast(s_blk, dims=[0, 1])))  # type: ignore[attr-defined]

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, out[0:2, 0:3]).wait()

    a, out = np.random.default_rng(0).standard_normal((64, 96)).astype("float32"), blank((64, 96))
    op(tiled(a), tiled(np.full((32, 32), 0.5, "float32")), out)
    expected = 0.5 * a.sum(0, keepdims=True) + np.exp(0.005 * a.sum(1, keepdims=True)) - 0.5
    np.testing.assert_allclose(values(out), expected, rtol=2e-2, atol=5e-2)  # bfloat16
    said = told(capsys)
    assert all(said.count(f"note[{code}]") == 1 for code in ("TTL1214", "TTL1217"))
    assert said.count("note[TTL1213]") == 1 and "(2 places)" in said


def test_a_broadcast_reads_its_block_where_it_stands() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 2))

        @ttl.datamovement()
        def read() -> None:
            for tile in range(2):
                with a_dfb.reserve() as blk:
                    ttl.copy(a[0, tile], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with a_dfb.wait() as first:
                kept = ttl.block.broadcast(first, dims=[-1])  # type: ignore[call-arg]
            with a_dfb.wait() as second, out_dfb.reserve() as out_blk:
                out_blk.store(kept - ttl.block.broadcast(second, dims=[-1]))  # type: ignore[call-arg]

        @ttl.datamovement()
        def write() -> None:
            with out_dfb.wait() as blk:
                ttl.copy(blk, out[0, 0:2]).wait()

    a, out = numbers(32, 64), blank((32, 64))
    op(tiled(a), out)
    assert np.array_equal(values(out), np.repeat(a[:, :1] - a[:, 32:33], 64, axis=1))


def test_the_grid_is_known_on_the_host_after_a_launch() -> None:
    @ttl.operation(grid=(3, 2))
    def op(a: Any) -> None:
        @ttl.compute()
        def compute() -> None:
            pass

    op(tiled(numbers(32, 32)))
    assert (ttl.grid_size(), ttl.grid_size(dims=1)) == ((3, 2), 6)
