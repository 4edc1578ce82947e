"""A pipe to a range with a step: one write after the other on the chip (002, 3.2), the same as in the simulator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from ttl.host.access import array_of
from ttl.settings import override

TILE = 32


@pytest.mark.parametrize(
    "destinations",
    [(slice(0, 4, 2), 1), (slice(1, 4, 2), slice(0, 4, 3)), (slice(0, 4, 3), slice(None, None, 2)), (3, slice(0, 4, 2))],
)  # fmt: skip
def test_messages_reach_the_nodes_of_the_range_and_no_others(destinations: Any) -> None:
    """Beside a pipe of another node to a rectangle, in three turns."""

    @ttl.operation(grid=(4, 4))
    def share(x: Any, y: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(2, 2), dst=destinations), ttl.Pipe(src=(1, 2), dst=(2, 3))])
        mine_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        got_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        i, j = ttl.node(dims=2)

        @ttl.datamovement()
        def move() -> None:
            for turn in range(3):
                with mine_dfb.reserve() as mine_blk:
                    ttl.copy(x[i, j + turn], mine_blk).wait()
                with mine_dfb.wait() as mine_blk:
                    net.if_src(lambda pipe: ttl.copy(mine_blk, pipe).wait())

                def receive(pipe: Any) -> None:
                    with got_dfb.reserve() as got_blk:
                        ttl.copy(pipe, got_blk).wait()

                net.if_dst(receive)

        @ttl.datamovement()
        def write() -> None:
            if net.is_dst():
                for turn in range(3):
                    with got_dfb.wait() as got_blk:
                        ttl.copy(got_blk, y[i, 3 * j + turn]).wait()

    made = np.arange(4 * 6, dtype=np.float32).reshape(4, 6).repeat(TILE, 0).repeat(TILE, 1)
    x = ttnn.from_numpy(made, ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    y = ttnn.from_numpy(np.zeros((4 * TILE, 12 * TILE), np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    with override(target="emu", compare=True):
        share(x, y)
    expected = np.zeros((4, 4, 3), np.float32)
    expected[2, 3] = [8, 9, 10]
    expected[destinations] = [14, 15, 16]
    found = y.dtype.load(array_of(y))[::TILE, ::TILE].reshape(4, 4, 3)
    assert (found == expected).all()
