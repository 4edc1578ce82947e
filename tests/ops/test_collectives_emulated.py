"""Collectives and overlapped programs on emulated chips: equal to the simulator, and what they make of the links.

Figures are cycles of the emulator, whose links are as wide as they are sold, and whose hop is assumed (docs/reference/cycles.md).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
import ttnn

import ttl
from ops.test_collectives import CASES, distributed, shards
from support.kernel_check import needs_compiler
from ttl import settings
from ttl.arch.systems import system_named
from ttl.emu.recorder import RECORDER, RecordedLaunch

pytestmark = needs_compiler
SYSTEM = "n300_2x2"
MESH = (2, 2)


class Launches:
    """Keeps the launches that it is told of."""

    wants_advice = False

    def __init__(self) -> None:
        self.cycles: list[int] = []

    def add(self, launch: RecordedLaunch) -> None:
        self.cycles.append(launch.run.cycles)


def cycles_of(operation: Any, *tensors: Any) -> int:
    """Run an operation on emulated chips."""
    launches = Launches()
    with settings.override(target="emu", system=SYSTEM), RECORDER.given((launches,)):
        operation(*tensors)
    (cycles,) = launches.cycles
    return cycles


def on_chips(arrays: list[Any], dtype: Any = ttnn.bfloat16) -> Any:
    with settings.override(system=SYSTEM):
        return distributed(arrays, MESH, dtype)


def port_bytes_per_cycle() -> float:
    """What a port carries each way in a cycle of the chip."""
    chip = system_named(SYSTEM).chip
    return chip.ethernet.bytes_per_second / chip.clock_hz


@pytest.mark.parametrize(
    "case",
    [case if not case.endswith("columns") else pytest.param(case, marks=pytest.mark.long) for case in CASES],
)
def test_results_are_those_of_the_simulator(case: str) -> None:
    """To the last bit where values are moved; whole numbers, of which sums in bfloat16 are exact."""
    name, sizes_of, options = CASES[case]
    sizes = sizes_of(4)
    operation = getattr(ttl.ops, f"make_{name}")(sizes, (*MESH, 2, 1), **options)
    given = [np.random.default_rng(chip).integers(-8, 8, size=sizes).astype(np.float32) for chip in range(4)]
    wanted = operation.reference(given)
    x, y = on_chips(given), on_chips([np.zeros(array.shape) for array in wanted])
    assert cycles_of(operation, x, y) > 0
    for result, array in zip(shards(y), wanted, strict=True):
        np.testing.assert_array_equal(result, array)


def test_an_all_gather_has_85_percent_of_the_bound() -> None:
    """Of 1 MB of each of four chips: how much of its time the links would need, if nothing else took any."""
    sizes, chips = (1024, 512), 4
    operation = ttl.ops.make_all_gather(sizes, (*MESH, 8, 8), (1, 8), ports=2)
    given = [np.full(sizes, chip, np.float32) for chip in range(chips)]
    x, y = on_chips(given), on_chips([np.zeros((chips * sizes[0], sizes[1]))] * chips)
    cycles = cycles_of(operation, x, y)
    for result in shards(y):
        np.testing.assert_array_equal(result, np.concatenate(given))
    one_way = (chips - 1) / 2 * sizes[0] * sizes[1] * 2
    share = one_way / (system_named(SYSTEM).channels * port_bytes_per_cycle()) / cycles
    assert share >= 0.85, cycles


Parts = Literal["both", "communication", "mathematics"]


def all_gather_matmul(sizes: tuple[int, int, int], nodes: tuple[int, int], parts: Parts) -> Any:
    """``examples/chips_all_gather_matmul.py`` for ``sizes`` (rows, k, columns) of a chip, whole or one half of it.

    Without communication every block is read from the chip's own memory; without mathematics blocks are dropped.
    """
    width, height = nodes
    grid = (*MESH, *nodes)
    rings = ttl.ops.chip_rings(grid)
    chips, blocks = rings.size, sizes[0] // 32
    k_tiles, columns = sizes[1] // 32, sizes[2] // 32 // width
    ring_net = rings.net(height)
    communicates, computes = parts != "mathematics", parts != "communication"

    @ttl.operation(grid=grid)
    def gathered_product(a: Any, b: Any, y: Any) -> None:
        _, _, node_x, node_y = ttl.node(dims=4)
        row_net = ttl.PipeNet(
            [
                ttl.Pipe((row, column, 0, ny), (row, column, slice(1, width), ny))
                for row in range(MESH[0])
                for column in range(MESH[1])
                for ny in range(height)
            ]
        )
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, k_tiles), block_count=3)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(k_tiles, columns), block_count=1)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, columns))

        @ttl.datamovement()
        def gather() -> None:
            for block in range(node_y, blocks, height):
                for step in range(chips):
                    with a_dfb.reserve() as a_blk:
                        if node_x == 0:
                            if step == 0 or not communicates:
                                ttl.copy(a[block, :], a_blk).wait()
                            else:
                                ring_net.if_dst(lambda pipe: ttl.copy(pipe, a_blk).wait())
                            if communicates and step < chips - 1:
                                ring_net.if_src(lambda pipe: ttl.copy(a_blk, pipe).wait())
                        row_net.if_src(lambda pipe: ttl.copy(a_blk, pipe).wait())
                        row_net.if_dst(lambda pipe: ttl.copy(pipe, a_blk).wait())

        @ttl.compute()
        def multiply() -> None:
            with b_dfb.wait() as b_blk:
                for _ in range(node_y, blocks, height):
                    for _ in range(chips):
                        with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                            if computes:
                                y_blk.store(a_blk @ b_blk)
                            else:
                                y_blk.store(ttl.block.fill(0, shape=(1, columns)))

        @ttl.datamovement()
        def write() -> None:
            own = slice(node_x * columns, (node_x + 1) * columns)
            with b_dfb.reserve() as b_blk:
                ttl.copy(b[:, own], b_blk).wait()
            for block in range(node_y, blocks, height):
                for step in range(chips):
                    part = ttl.ops.part_behind(rings, step)
                    with y_dfb.wait() as y_blk:
                        ttl.copy(y_blk, y[part * blocks + block, own]).wait()

    return gathered_product


def test_an_all_gather_matmul_takes_as_long_as_the_longer_of_its_halves() -> None:
    """At a size where both take about as long."""
    sizes, nodes = (256, 512, 384), (2, 2)
    generator = np.random.default_rng(0)
    a, b = (
        [generator.integers(-4, 4, size=size).astype(np.float32) for _ in range(4)]
        for size in (sizes[:2], sizes[1:])
    )
    cycles = {}
    parts: Parts
    for parts in ("communication", "mathematics", "both"):
        y = on_chips([np.zeros((4 * sizes[0], sizes[2]))] * 4)
        cycles[parts] = cycles_of(all_gather_matmul(sizes, nodes, parts), on_chips(a), on_chips(b), y)
    for result, columns in zip(shards(y), b, strict=True):
        wanted = np.concatenate(a) @ columns
        np.testing.assert_allclose(result, wanted, rtol=2.0**-8, atol=1)
    larger, smaller = sorted((cycles["communication"], cycles["mathematics"]), reverse=True)
    assert smaller > 0.8 * larger, cycles
    assert cycles["both"] <= 1.15 * larger, cycles
