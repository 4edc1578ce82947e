"""Where data movement takes elements from and brings them to: the memory maps of the device, after those of the layouts."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from xdsl.dialects.builtin import f32

from tt_model.layouts.device import DeviceRecord
from tt_model.layouts.elements import element_bytes, tile_of
from tt_model.layouts.enums import MemorySpace
from tt_model.layouts.known_systems import default_system
from tt_model.layouts.layout import LayoutRecord
from ttl.ir.refusals import Refused
from ttmlir.transforms.metal.allocate import TargetMachine, bytes_of
from ttmlir.transforms.metal.movement import _places, transactions

L1, DRAM = MemorySpace.DeviceL1, MemorySpace.DeviceDRAM
MACHINE = TargetMachine(DeviceRecord.of(default_system()), default_system().first_chip)
TILE = tile_of(f32)


def place(layout: LayoutRecord, index: tuple[int, ...]) -> tuple[int, ...]:
    """(y, x, offset) of an element, or of a tile where the layout has tiles."""
    return tuple(int(part[0]) for part in _places(MACHINE, layout, [np.array([at]) for at in index]))


@pytest.mark.parametrize(
    ("shape", "element", "space", "grid", "index", "expected"),
    [
        ((8, 96, 32), f32, L1, (2, 1), (5, 7, 3), (1, 0, 3299)),
        ((64, 128), TILE, L1, (2, 4), (1, 3), (1, 3, 0)),
        ((96, 160), TILE, L1, (2, 2), (1, 2), (0, 0, 5)),
        ((96, 160), TILE, L1, (2, 2), (2, 4), (1, 1, 1)),
        ((1024, 1024), f32, DRAM, (2, 2), (0, 511), (0, 0, 511)),
        ((1024, 1024), f32, DRAM, (2, 2), (16, 0), (0, 1, 0)),
        # There two elements fall onto one offset: 2 and 21.
        ((1024, 1024), f32, DRAM, (2, 2), (0, 512), (0, 8, 16384)),
        ((1024, 1024), f32, DRAM, (2, 2), (512, 0), (0, 4, 172032)),
    ],
)
def test_worked_examples(
    shape: tuple[int, ...],
    element: object,
    space: MemorySpace,
    grid: tuple[int, int],
    index: tuple[int, ...],
    expected: tuple[int, int, int],
) -> None:
    assert place(LayoutRecord.make(shape, element, space, grid), index) == expected  # type: ignore[arg-type]


def test_maps_and_arithmetic_agree() -> None:
    """Composed maps of random layouts give what ``DeviceRecord.locate`` computes, and stay within what is allocated."""
    choice = random.Random(7)
    for _ in range(60):
        shape = tuple(choice.choice((1, 3, 32, 40, 96)) for _ in range(choice.choice((1, 2, 3))))
        element = choice.choice((f32, TILE))
        grid = (choice.randint(1, 4), choice.randint(1, 4))
        layout = LayoutRecord.make(shape, element, choice.choice((L1, DRAM)), grid)
        index = tuple(choice.randrange(extent) for extent in shape)
        at = index
        if layout.is_tiled:
            rows, columns = math.prod(shape[:-1]), shape[-1]
            position = 0
            for extent, one in zip(shape[:-1], index[:-1]):
                position = position * extent + one
            assert position < max(rows, 1)
            assert index[-1] < columns
            at = (position // 32, index[-1] // 32)
        expected = MACHINE.device.locate(layout, index)
        assert place(layout, at) == (expected.y, expected.x, expected.offset)
        assert (expected.offset + 1) * element_bytes(layout.element) <= bytes_of(MACHINE.device, layout)


def test_every_element_is_moved_once_and_what_follows_on_both_sides_at_once() -> None:
    choice = random.Random(11)
    for _ in range(40):
        shape = (choice.choice((32, 96, 128)), choice.choice((32, 64, 128)))
        element = choice.choice((f32, TILE))
        before, after = (
            LayoutRecord.make(shape, element, L1, (choice.choice((1, 2)), choice.choice((1, 2))))
            for _ in range(2)
        )
        moved = transactions(MACHINE, before, after, shape, reads=True)
        count = math.prod(before.tiled_shape(shape))
        sizes = [one.size for own in moved.values() for one in own]
        assert sum(sizes) == count * element_bytes(element)
        assert max(sizes) <= after.shard_bytes
        for own in moved.values():
            for one, following in itertools.pairwise(own):
                joined = (
                    one.remote == following.remote
                    and one.source + one.size == following.source
                    and one.destination + one.size == following.destination
                )
                assert not joined
    same = LayoutRecord.make((64, 64), TILE, L1, (1, 1))
    ((only,),) = transactions(MACHINE, same, same, (64, 64), reads=True).values()
    assert (only.source, only.destination, only.size) == (0, 0, 4 * 4096)


def test_elements_are_not_changed_on_the_way() -> None:
    rows, tiles = (LayoutRecord.make((64, 64), element, L1, (1, 1)) for element in (f32, TILE))
    with pytest.raises(Refused, match="it changes elements, too"):
        transactions(MACHINE, rows, tiles, (64, 64), reads=True)
