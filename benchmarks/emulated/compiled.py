"""Programs of the benchmarks, compiled, on the emulated chip: how many cycles they take, and whether they are right."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import ttl
from ttl import settings
from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.emu import Run
from ttl.emu.recorder import LaunchRecorder, RecordedLaunch, collecting

_FOLDER = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_FOLDER), str(_FOLDER / "programs")]

import launching


class Launches(LaunchRecorder):
    """The launches, and nothing shown of them."""

    def __init__(self) -> None:
        super().__init__(settings.current())
        self.found: list[tuple[ProgramDescription, Run, Chip]] = []

    def add(self, launch: RecordedLaunch) -> None:
        """Keep a run."""
        self.found.append((launch.description, launch.run, launch.chip))


def launched(program: Any, tolerance: float = launching.TOLERANCE) -> tuple[ProgramDescription, Run, Chip]:
    """Launch a program once, check its result, and give what it did. Raises ``ValueError`` for a wrong result."""
    launches = Launches()
    with settings.override(target="emu", check="off"), collecting(launches):
        error = program.error()
    if error > tolerance:
        raise ValueError(f"the result is wrong: {error}")
    return launches.found[-1]


def sum_of(rows: int, cols: int, grid: tuple[int, int], block: int) -> Any:
    """``y = a + b``, every node its rows of blocks."""

    @ttl.operation(grid=grid)
    def add(a: Any, b: Any, y: Any) -> None:
        own = range(ttl.node(dims=1), a.shape[0] // 32 // block, ttl.grid_size(dims=1))
        columns = a.shape[1] // 32 // block
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(block, block), block_count=2)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(block, block), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(block, block), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for row in own:
                for column in range(columns):
                    rows = slice(row * block, (row + 1) * block)
                    cols = slice(column * block, (column + 1) * block)
                    with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                        a_xf = ttl.copy(a[rows, cols], a_blk)
                        b_xf = ttl.copy(b[rows, cols], b_blk)
                        a_xf.wait()
                        b_xf.wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own:
                for _ in range(columns):
                    with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                        y_blk.store(a_blk + b_blk)

        @ttl.datamovement()
        def write() -> None:
            for row in own:
                for column in range(columns):
                    rows = slice(row * block, (row + 1) * block)
                    cols = slice(column * block, (column + 1) * block)
                    with y_dfb.wait() as y_blk:
                        ttl.copy(y_blk, y[rows, cols]).wait()

    inputs = tuple(launching.random(rows, cols, seed=seed) for seed in range(2))
    return launching.launched(launching.opened(), add, inputs, (rows, cols), in_torch=lambda a, b: a + b)
