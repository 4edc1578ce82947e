"""What it costs that the semaphores of pipes are words of L1, where a node has too few (``passes/pipes/words.py``): next to nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.passes.pipes import plan, words

pytest.importorskip("ttl._emu")

_STEPS = 4


@ttl.operation(grid=(4, 2))
def gathered(x: Any, y: Any) -> None:
    """Node (0, 0) gets the tiles of all others, step by step: each says where its next block is."""
    net = ttl.PipeNet([ttl.Pipe((c, r), (0, 0)) for r in range(2) for c in range(4) if (c, r) != (0, 0)])
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
    got_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=7)
    node = ttl.node(dims=1)

    @ttl.datamovement()
    def exchange() -> None:
        for step in range(_STEPS):
            with x_dfb.reserve() as blk:
                ttl.copy(x[node, step], blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())

            def receive(pipe: Any) -> None:
                with got_dfb.reserve() as got:
                    ttl.copy(pipe, got).wait()

            net.if_dst(receive)

    @ttl.datamovement()
    def write() -> None:
        for step in range(_STEPS):
            with x_dfb.wait() as blk:
                if node == 0:
                    ttl.copy(blk, y[0, step]).wait()
            if node == 0:
                for other in range(7):
                    with got_dfb.wait() as got:
                        ttl.copy(got, y[1 + other, step]).wait()


@ttl.operation(grid=(4, 2))
def scattered(x: Any, y: Any) -> None:
    """The first node of each row sends its tiles to the others, which say beforehand that they have room."""
    net = ttl.PipeNet([ttl.Pipe((0, r), (slice(1, 4), r)) for r in range(2)])
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
    column, row = ttl.node(dims=2)

    @ttl.datamovement()
    def exchange() -> None:
        for step in range(_STEPS):
            with dfb.reserve() as blk:

                def send(pipe: Any) -> None:
                    ttl.copy(x[4 * row, step], blk).wait()
                    ttl.copy(blk, pipe).wait()

                net.if_src(send)
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())

    @ttl.datamovement()
    def write() -> None:
        for step in range(_STEPS):
            with dfb.wait() as blk:
                ttl.copy(blk, y[4 * row + column, step]).wait()


def cycles(operation: Any) -> tuple[int, Any]:
    """Of a call on the emulated chip, and its result."""
    device = ttnn.open_device(device_id=0)
    values = np.random.default_rng(0).standard_normal((256, 32 * _STEPS)).astype(np.float32)
    x, y = (
        ttnn.from_numpy(array, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
        for array in (values, np.zeros_like(values))
    )
    spent = ttl.profile(operation, x, y).cycles
    return spent, y.to_numpy()


@pytest.mark.parametrize(
    ("operation", "most"), [(gathered, 1.01), (scattered, 1.04)], ids=["gather", "scatter"]
)
def test_words_cost_the_time_in_which_nodes_meet_and_reading_goes_on_meanwhile(
    operation: Any, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, expected = cycles(operation)

    def with_fewer(op: dialect.OperationOp, target: Chip, one: str) -> str:
        made.append(words.make_words(op, replace(target, semaphores=2), one))
        return made[-1]

    made: list[str] = []
    monkeypatch.setattr(plan, "make_words", with_fewer)
    after, result = cycles(operation)
    assert made and set(made) == {"words_started"}
    assert (result == expected).all()
    assert after <= most * before, f"{before} cycles with semaphores, {after} with words"
