"""LANGUAGE.md, "Older spellings": accepted, with the same result and a note that carries the fix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttl
from support.tensors import blank, numbered_tiles, numbers, tiled, values


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
    told = capsys.readouterr().err
    for code in ("TTL1201", "TTL1204", "TTL1205"):
        assert f"note[{code}]" in told
    assert "error[" not in told and "warning[" not in told


def test_a_note_is_given_once_per_place(capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(2, 2))
    def op(a: Any) -> None:
        ttl.make_dataflow_buffer_like(a, shape=(1, 1), buffer_factor=2)

        @ttl.compute()
        def compute() -> None:
            pass

    op(tiled(numbers(32, 32)))
    op(tiled(numbers(32, 32)))
    assert capsys.readouterr().err.count("note[TTL1201]") == 1


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
    assert "note[TTL1202]" in capsys.readouterr().err


def test_operation_arguments_of_the_compiler(capsys: pytest.CaptureFixture[str]) -> None:
    ran: list[int] = []

    @ttl.operation(grid=(1, 1), fp32_dest_acc_en=True, options="--dst-full-sync-en")
    def op(a: Any) -> None:
        @ttl.compute()
        def compute() -> None:
            ran.append(1)

    op(tiled(numbers(32, 32)))
    assert ran == [1]
    assert "note[TTL1203]" in capsys.readouterr().err


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
    assert "note[TTL12" in capsys.readouterr().err
