"""Grids that span chips: where their cores are, and that files have no place for them; what links between chips carry."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from tt_model.cost.links import link_work
from tt_model.layouts.device import DeviceRecord, core_rectangles
from tt_model.layouts.enums import DataType
from tt_model.layouts.known_systems import system
from tt_model.layouts.layout import MemoryConfigRecord
from tt_model.layouts.mesh import part_of_chip
from tt_model.layouts.values import LayoutError
from tt_model.operations.shared import TTNNMatmulOp
from tt_model.operations.ttnn import TTNNAllGatherOp, TTNNReduceScatterOp
from ttl.arch import chip_named


def test_cores_of_a_grid_over_two_chips() -> None:
    """The device specification's 8x16 of a mesh 1x2: columns from 8 on are the second chip's."""
    device = DeviceRecord.of(system("n300"), (1, 2))
    assert device.worker_grid.shape == (8, 16)
    assert [device.core_of_shard((8, 16), place) for place in ((0, 7), (0, 8), (7, 15))] == [
        (0, 0, 7), (1, 0, 0), (1, 7, 7),
    ]  # fmt: skip


@pytest.mark.xfail(
    strict=True,
    raises=LayoutError,
    reason="LayoutDesc.core_range_set of 2024-11-21 is a list of Dim2dRange, which names no chip: a grid that spans chips has no "
    "place in a file",
)
def test_a_grid_over_two_chips_in_a_file() -> None:
    assert core_rectangles((8, 16), DeviceRecord.of(system("n300"), (1, 2)))


def test_parts_of_chips() -> None:
    """Both axes may cut one dimension: the columns' parts lie within those of the rows."""
    parts = [part_of_chip(chip, (2, 4), (0, 0), (16, 5)) for chip in range(8)]
    assert [part[0].start for part in parts] == list(range(0, 16, 2))
    assert part_of_chip(6, (2, 4), (-1, 1), (16, 8)) == (slice(0, 16), slice(4, 6))


@dataclass(frozen=True)
class OfShape:
    shape: tuple[int, ...]
    data_type: DataType = DataType.Float32
    tiled: bool = True
    config: MemoryConfigRecord | None = None
    cores: tuple[int, int] = (1, 1)


@pytest.mark.parametrize(
    ("axis", "hops"),
    [(1, 3), (0, 1), (None, 4)],
)
def test_bytes_over_links(axis: int | None, hops: int) -> None:
    """Along an axis of 2x4 chips a line, of all of them a ring; a part is handed on at each hop."""
    fields = {} if axis is None else {"cluster_axis": axis}
    part, whole = OfShape((32, 32)), OfShape((64, 128))
    gathered = link_work(TTNNAllGatherOp, fields, [part], [whole], (2, 4))
    scattered = link_work(TTNNReduceScatterOp, fields, [whole], [part], (2, 4))
    assert gathered == scattered
    assert gathered is not None
    assert (gathered.hops, gathered.bytes) == (hops, hops * 4096)
    chip = chip_named("wormhole")
    link = chip.ethernet
    cycles = hops * (4096 / link.bytes_per_second + 1e-6) * chip.clock_hz
    assert gathered.cycles(chip) == pytest.approx(cycles)
    # The links are those of the chip that is asked about.
    faster = replace(chip, ethernet=replace(link, bytes_per_second=2 * link.bytes_per_second))
    assert gathered.cycles(faster) < gathered.cycles(chip)
    assert link_work(TTNNMatmulOp, {}, [part], [whole], (2, 4)) is None
