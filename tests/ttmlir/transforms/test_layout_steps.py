"""The decision table of layout changes: all 144 combinations, and that the steps arrive where they should."""

from __future__ import annotations

from itertools import product

import pytest

from tt_model.layouts.enums import BufferType, DataType, TensorMemoryLayout
from ttmlir.transforms.layout_steps import LayoutChange, LayoutSide

F32, F16, BF16 = DataType.Float32, DataType.Float16, DataType.BFloat16


def side(buffer: BufferType, is_tiled: bool, data_type: DataType) -> LayoutSide:
    memory_layout = TensorMemoryLayout.None_ if buffer.is_host else TensorMemoryLayout.Interleaved
    return LayoutSide(buffer, is_tiled, data_type, memory_layout, (2, 4) if is_tiled else (64, 128))


SIDES = [
    side(buffer, is_tiled, data_type)
    for buffer in (BufferType.SystemMemory, BufferType.DRAM)
    for is_tiled in (True, False)
    for data_type in (BF16, F32, F16)
]


def letters(change: LayoutChange) -> str:
    return " ".join(step.value for step in change.steps())


def as_the_real_project(source: LayoutSide, target: LayoutSide) -> str:
    """The same decisions as a program: flags first, then one path for every combination of them."""
    to_device = source.buffer_type != target.buffer_type and source.is_host
    from_device = source.buffer_type != target.buffer_type and target.is_host
    cast = source.data_type != target.data_type
    layout = source.is_tiled != target.is_tiled or (from_device and not target.is_tiled)
    config = not to_device and not target.is_host and source.dimensions != target.dimensions
    d, m, f = ("D" if to_device else ""), ("M" if config else ""), ("F" if from_device else "")
    untile = layout and not target.is_tiled
    tile = layout and target.is_tiled
    if source.is_host:
        if not layout:
            path = [d] if not cast else [d, "C"] if target.is_tiled else ["C", d]
        elif untile:
            path = ["C", "L", d] if cast else ["L", d]
        elif not cast:
            path = [d, "L"] if source.data_type == BF16 else ["L", d]
        elif source.data_type == BF16:
            path = [d, "L", "C"]
        else:
            path = ["C", d, "L"] if target.data_type == BF16 else ["C", "L", d]
    elif not layout and not cast:
        path = [m, f]
    elif untile:
        path = (["C"] if cast else []) + (["F", "L"] if from_device else ["F", "L", "D0", m])
    elif tile and source.data_type == BF16:
        path = ["L", "C", m, f] if cast else ["L", m, f]
    elif tile and from_device:
        path = ["F", "L", "C"] if cast else ["F", "L"]
    elif tile:
        path = ["F", "L", "D0", "C", m] if cast else ["F", "L", "D0", m]
    else:
        path = ["C", m, f] if target.is_tiled else ["F", "C", "D0", m]
    return " ".join(filter(None, path))


@pytest.mark.parametrize("source", SIDES, ids=str)
def test_all_combinations_are_those_of_the_table(source: LayoutSide) -> None:
    for target in SIDES:
        assert letters(LayoutChange(source, target)) == as_the_real_project(source, target), target


def test_the_steps_arrive_and_the_device_does_only_what_it_can() -> None:
    # The IR calls results rows that are tiles (constraints that allow scalars), so a cast on the way to the host is done
    # first, on the device, whatever the IR says: this is the only step that the IR's own view does not allow.
    seen = 0
    for source, target in product(SIDES, SIDES):
        on_device, is_tiled, data_type = not source.is_host, source.is_tiled, source.data_type
        for step in LayoutChange(source, target).steps():
            match step.value:
                case "D" | "D0":
                    assert not on_device
                    on_device = True
                case "F":
                    assert on_device
                    on_device = False
                case "L":
                    assert not on_device or (target.is_tiled and data_type == BF16)
                    is_tiled = target.is_tiled
                case "C":
                    leaves_as_rows = target.is_host and not target.is_tiled
                    assert not on_device or is_tiled or leaves_as_rows
                    data_type = target.data_type
                case "M":
                    assert on_device
        assert (not on_device, is_tiled, data_type) == (target.is_host, target.is_tiled, target.data_type)
        seen += 1
    assert seen == 144


@pytest.mark.parametrize(
    ("source", "target", "steps"),
    [
        (side(BufferType.SystemMemory, False, F32), side(BufferType.DRAM, True, F32), "L D"),
        (side(BufferType.SystemMemory, False, BF16), side(BufferType.DRAM, True, BF16), "D L"),
        (side(BufferType.DRAM, False, F32), side(BufferType.SystemMemory, False, F32), "F L"),
        (side(BufferType.DRAM, True, F32), side(BufferType.SystemMemory, False, BF16), "C F L"),
        (side(BufferType.DRAM, False, BF16), side(BufferType.DRAM, True, BF16), "L M"),
        (side(BufferType.DRAM, False, F32), side(BufferType.DRAM, True, F32), "F L D0 M"),
        (side(BufferType.DRAM, True, F32), side(BufferType.L1, True, F32), "M"),
        (side(BufferType.DRAM, True, F32), side(BufferType.DRAM, True, F32), ""),
    ],
)
def test_typical_changes(source: LayoutSide, target: LayoutSide, steps: str) -> None:
    assert letters(LayoutChange(source, target)) == steps


def test_spreading_anew_is_asked_for_by_layout_memory_and_division() -> None:
    dram = side(BufferType.DRAM, True, F32)
    sharded = LayoutSide(BufferType.L1, True, F32, TensorMemoryLayout.BlockSharded, (1, 1))
    assert letters(LayoutChange(dram, sharded)) == "M"
    assert letters(LayoutChange(sharded, dram)) == "M"
    unsaid = LayoutSide(BufferType.DRAM, True, F32, TensorMemoryLayout.None_, (2, 4))
    assert letters(LayoutChange(dram, unsaid)) == ""
    assert letters(LayoutChange(unsaid, dram)) == "M"
