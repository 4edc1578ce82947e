"""Properties of pipes in the words of the first specification, and nets whose pipes are written unusually, in all executions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ttl
from support.executions import needs_native
from support.tensors import blank, numbers, tiled, values
from ttl.diag import TTLError, report
from ttl.lang.pipe import PipeNet
from ttl.settings import override

Net = Callable[[], "PipeNet[Any]"]


def to_one() -> PipeNet[Any]:
    return ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 1)), ttl.Pipe(src=(0, 1), dst=(1, 0))])


def to_row() -> PipeNet[Any]:
    return ttl.PipeNet(ttl.Pipe(src=(0, 0), dst=(1, slice(0, 2))))


def mixed() -> PipeNet[Any]:
    return ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 1)), ttl.Pipe(src=(0, 1), dst=(1, slice(0, 2)))])


def flat() -> PipeNet[Any]:
    return ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=3)])


def sent_by(made: Net) -> Any:
    """An operation whose senders say with their data what they know of their pipes: the result of two nodes."""

    @ttl.operation(grid=(2, 2))
    def send(x: Any, y: Any) -> None:
        net = made()
        dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            def to(pipe: Any) -> None:
                with dfb.reserve() as blk:
                    if pipe.dst_core is None:
                        ttl.copy(x[2, pipe.dst_core_range[1].stop], blk).wait()
                    elif pipe.dst_core_range is None:
                        ttl.copy(x[pipe.src_core[1], pipe.dst_core[1]], blk).wait()
                    ttl.copy(blk, pipe).wait()

            def from_(pipe: Any) -> None:
                with dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()

            net.if_src(to)
            net.if_dst(from_)

        @ttl.datamovement()
        def write() -> None:
            if net.is_active():
                with dfb.wait() as blk:
                    ttl.copy(blk, y[ttl.node(dims=2)]).wait()

    return send


@needs_native
@pytest.mark.parametrize("target", ["sim", "emu"])
@pytest.mark.parametrize(("made", "tiles"), [(to_one, [[1, 3], [3, 1]]), (to_row, [[8, None], [8, 8]])])
def test_older_properties_of_pipes(made: Net, tiles: list[list[int | None]], target: str) -> None:
    x = np.arange(9, dtype=np.float32).reshape(3, 3).repeat(32, 0).repeat(32, 1)
    y = blank((64, 64))
    with override(target=target):
        sent_by(made)(tiled(x), y)
    given = values(y)[::32, ::32].tolist()
    assert [[tile and one for tile, one in zip(*rows)] for rows in zip(tiles, given)] == tiles


def test_a_net_of_nodes_and_ranges_is_refused_by_the_compiler() -> None:
    with override(target="emu"), pytest.raises(TTLError, match="TTL1308"):
        sent_by(mixed)(tiled(numbers(96, 96)), blank((64, 64)))


@pytest.mark.parametrize(("made", "said"), [(to_row, ["TTL0620"]), (flat, ["TTL0621"]), (to_one, [])])
def test_what_was_understood_is_said(made: Net, said: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    @ttl.operation(grid=(2, 2))
    def nothing(x: Any) -> None:
        net = made()
        dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            def to(pipe: Any) -> None:
                with dfb.reserve() as blk:
                    ttl.copy(x[0, 0], blk).wait()
                    ttl.copy(blk, pipe).wait()

            def from_(pipe: Any) -> None:
                with dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()

            net.if_src(to)
            net.if_dst(from_)

    nothing(tiled(numbers(32, 32)))
    report.emit_kept()
    told = capsys.readouterr().err
    assert [code for code in ("TTL0620", "TTL0621") if told.count(f"note[{code}]") == 1] == said
    if made is flat:
        assert "the destination is taken as node (1, 1)" in told
