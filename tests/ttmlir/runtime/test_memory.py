"""Memory of the simulated chips: addresses, sizes, what does not fit."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tt_model.layouts.elements import tile_bytes
from tt_model.layouts.enums import BufferType, DataType, TensorMemoryLayout
from tt_model.layouts.known_systems import default_system, system
from tt_model.layouts.layout import MemoryConfigRecord
from tt_model.layouts.system_desc import L1_SMALL_BYTES
from tt_model.runtime.allocator import Allocation, BankedMemory
from tt_model.runtime.devices import SimulatedChip, SimulatedDevice, bytes_per_bank
from tt_model.runtime.problems import At, OutOfMemory, RuntimeProblem

DRAM = MemoryConfigRecord(TensorMemoryLayout.Interleaved, BufferType.DRAM, ())
L1 = MemoryConfigRecord(TensorMemoryLayout.Interleaved, BufferType.L1, ())


@settings(max_examples=60, deadline=None)
@given(
    st.booleans(),
    st.lists(st.one_of(st.integers(1, 900), st.integers(-30, -1)), max_size=60),
    st.sampled_from([16, 32]),
)
def test_buffers_never_overlap_and_nothing_is_lost(from_top: bool, steps: list[int], alignment: int) -> None:
    memory = BankedMemory("L1", 100, 8192, 4, alignment, from_top)
    live: list[Allocation] = []
    for step in steps:
        if step < 0:
            if live:
                memory.free(live.pop(step % len(live)))
            continue
        try:
            live.append(memory.allocate(step, "x"))
        except OutOfMemory:
            assert memory.largest_free < memory.aligned(step)
        spans = sorted((one.address, one.end) for one in live)
        assert all(start % alignment == 0 and 100 <= start < end <= 8192 for start, end in spans)
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
        assert memory.used == sum(end - start for start, end in spans) <= memory.peak
    for allocation in live:
        memory.free(allocation)
    assert (memory.used, list(memory.live())) == (0, [])
    assert memory.allocate(memory.capacity // alignment * alignment, "everything").is_live


def test_l1_is_filled_from_the_top_and_dram_from_the_base() -> None:
    chip = SimulatedChip(0, system("n150").first_chip)
    assert chip.l1.allocate(64, "x").end == 1499136 - L1_SMALL_BYTES
    assert chip.dram.allocate(64, "x").address == chip.desc.dram_unreserved_base
    assert (chip.l1.base, chip.l1.banks, chip.dram.banks) == (98816, 64, 12)


def test_pages_go_round_the_banks() -> None:
    dram = SimulatedChip(0, default_system().first_chip).dram
    # 2x4 tiles over 12 channels: one each at most.
    assert bytes_per_bank(dram, (64, 128), DataType.Float32, True, DRAM) == 4096
    assert bytes_per_bank(dram, (64, 128), DataType.BFloat16, True, DRAM) == 2048
    # 13 tiles: the first channel has two.
    assert bytes_per_bank(dram, (32, 13 * 32), DataType.BFloat16, True, DRAM) == 4096
    # A row of 10 floats is padded to the alignment of 32 bytes.
    assert bytes_per_bank(dram, (24, 10), DataType.Float32, False, DRAM) == 2 * 64
    assert bytes_per_bank(dram, (5,), DataType.UInt16, False, DRAM) == 32
    single = MemoryConfigRecord(TensorMemoryLayout.SingleBank, BufferType.DRAM, ())
    assert bytes_per_bank(dram, (64, 128), DataType.Float32, True, single) == 8 * 4096


def test_a_core_holds_a_shard() -> None:
    l1 = SimulatedChip(0, default_system().first_chip).l1
    tiles = MemoryConfigRecord(TensorMemoryLayout.BlockSharded, BufferType.L1, (2, 3))
    assert bytes_per_bank(l1, (512, 768), DataType.BFloat16, True, tiles) == 6 * 2048
    rows = MemoryConfigRecord(TensorMemoryLayout.HeightSharded, BufferType.L1, (64, 6))
    assert bytes_per_bank(l1, (4096, 6), DataType.UInt16, False, rows) == 64 * 16


def test_block_floats_take_their_exponents_too() -> None:
    assert [tile_bytes(kind) for kind in (DataType.BFP_BFloat8, DataType.BFP_BFloat4)] == [1088, 576]


def test_what_does_not_fit_says_what_is_there() -> None:
    device = SimulatedDevice(default_system(), [0])
    first = At(3, "EmptyOp", 'loc("weights")')
    device.allocate(device.chips, (8192, 4096), DataType.BFloat16, True, L1, "tensor 7", first)
    with pytest.raises(OutOfMemory) as problem:
        device.allocate(
            device.chips, (8192, 4096), DataType.BFloat16, True, L1, "tensor 9", At(5, "MatmulOp")
        )
    text = str(problem.value)
    assert text.startswith(
        "operation 5 (MatmulOp): out of memory in L1 of chip 0: tensor 9 takes 1,048,576 bytes of each of 64 banks; "
        "416,768 of 1,465,344 are free"
    )
    assert 'tensor 7, since operation 3 (EmptyOp) at loc("weights")' in text
    assert problem.value.at == At(5, "MatmulOp")


def test_a_mesh_takes_all_or_nothing() -> None:
    device = SimulatedDevice(system("n300"), [0, 1])
    second = device.chips[1].l1
    full = second.allocate(second.capacity // 16 * 16, "everything")
    with pytest.raises(OutOfMemory, match="L1 of chip 1"):
        device.allocate(device.chips, (32, 32), DataType.BFloat16, True, L1, "x", None)
    assert list(device.live()) == [full]
    device.deallocate_buffers()
    assert list(device.live()) == []


def test_chips_that_are_not_there() -> None:
    with pytest.raises(RuntimeProblem, match=r"there is no chip 2: the system has 2 \(chips 0 to 1\)"):
        SimulatedDevice(system("n300"), [0, 2])
    with pytest.raises(RuntimeProblem, match="named twice"):
        SimulatedDevice(system("n300"), [1, 1])
    with pytest.raises(RuntimeProblem, match=r"chip 1 was not opened; opened are \[0\]"):
        SimulatedDevice(system("n300"), [0]).chip(1)
