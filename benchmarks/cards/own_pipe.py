"""A pipe from node (0, 0) to node (1, 0) as our compiler emits it, beside the pipes that cards were measured with."""

from __future__ import annotations

from typing import Any

import numpy as np
import ttl
from ttl import settings
from ttl.arch import chip_named
from ttl.emu.recorder import LaunchRecorder, RecordedLaunch, collecting


def piped(width: int) -> Any:
    """An operation that sends a row of tiles from DRAM through a pipe to DRAM, so many tiles at a time."""

    @ttl.operation(grid=(2, 1))
    def passed(x: Any, y: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
        sent = ttl.make_dataflow_buffer_like(x, shape=(1, width), block_count=2)
        received = ttl.make_dataflow_buffer_like(x, shape=(1, width), block_count=1)

        @ttl.datamovement()
        def idle() -> None:
            pass

        @ttl.compute()
        def compute() -> None:
            pass

        @ttl.datamovement()
        def move() -> None:
            for turn in range(x.shape[1] // 32 // width):

                def send(pipe: Any) -> None:
                    with sent.reserve() as block:
                        ttl.copy(x[0, turn * width : (turn + 1) * width], block).wait()
                    with sent.wait() as block:
                        ttl.copy(block, pipe).wait()

                def receive(pipe: Any) -> None:
                    with received.reserve() as block:
                        ttl.copy(pipe, block).wait()
                    with received.wait() as block:
                        ttl.copy(block, y[0, turn * width : (turn + 1) * width]).wait()

                net.if_src(send)
                net.if_dst(receive)

    return passed


class _Launches(LaunchRecorder):
    def __init__(self) -> None:
        super().__init__(settings.current())
        self.cycles = 0

    def add(self, launch: RecordedLaunch) -> None:
        """Keep when the sender ended."""
        self.cycles = max(fiber.cycles for fiber in launch.run.fibers if fiber.core == (0, 0))


def microseconds(width: int) -> float:
    """What a tile takes: the slope between 64 and 128 tiles, on Blackhole. Raises ``AssertionError`` for a wrong result."""
    import ttnn

    found = []
    for tiles in (64, 128):
        values = np.random.default_rng(39).standard_normal((32, 32 * tiles)).astype(np.float32)
        x = ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
        y = ttnn.from_numpy(np.zeros_like(values), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
        launches = _Launches()
        with settings.override(target="emu", check="off", arch="blackhole"), collecting(launches):
            piped(width)(x, y)
        assert np.array_equal(ttnn.to_torch(x).float().numpy(), ttnn.to_torch(y).float().numpy())
        found.append(launches.cycles)
    return (found[1] - found[0]) / 64 / chip_named("blackhole").clock_hz * 1e6
