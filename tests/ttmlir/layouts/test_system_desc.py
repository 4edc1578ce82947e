"""The systems that are known by name, and what is read off a description."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ttmlir.layouts.enums import Arch, BufferType, ChipCapability, MemorySpace
from ttmlir.layouts.system_desc import (
    default_system,
    from_plain,
    system,
    system_names,
    to_plain,
)
from ttmlir.layouts.values import LayoutError


def test_the_systems() -> None:
    assert system_names() == ("default", "n150", "n300", "t3000")
    for name in system_names():
        assert from_plain(to_plain(system(name))) == system(name)
        assert system(name).first_chip.arch is Arch.WormholeB0
        assert len(system(name).first_chip.physical_cores.worker) == 64


def test_the_default_description() -> None:
    """Facts §3.2."""
    chip = default_system().first_chip
    assert chip.physical_cores.worker[9] == (1, 1)
    assert chip.physical_cores.dram[:4] == ((8, 0), (9, 0), (10, 0), (8, 1))
    assert chip.physical_cores.dram[-1] == (10, 3)
    assert chip.usable_l1_size == 1499136 - 1024
    assert chip.usable_dram_channel_size == 1073741824 - 1024
    assert chip.scratch_l1_base == 1499136 - 4096
    assert default_system().cpu_descs[0].target_triple == "x86_64-pc-linux-gnu"
    assert default_system().chip_capabilities == (ChipCapability.PCIE | ChipCapability.HostMMIO,)


def test_n150_and_n300() -> None:
    one, two = system("n150"), system("n300")
    assert one.first_chip.l1_unreserved_base == 98816
    assert one.first_chip.dram_unreserved_end == 1073083040
    assert len(two.chips) == 2
    assert two.chips[1].physical_cores.eth == ((16, 25),)
    assert two.chip_capabilities == (ChipCapability(3), ChipCapability(0))
    channel = two.chip_channels[0]
    assert (channel.device_id0, channel.ethernet_core_coord0) == (0, (8, 0))


def test_alignments() -> None:
    desc = default_system()
    assert desc.address_alignment() == 32
    assert [desc.address_alignment(space) for space in MemorySpace] == [1, 32, 32, 16]
    assert [desc.address_alignment(space) for space in BufferType] == [32, 16, 1, 16, 32]


def test_wrong_descriptions() -> None:
    with pytest.raises(LayoutError, match="no system is called n151; there are default, n150, n300, t3000"):
        system("n151")
    with pytest.raises(LayoutError, match="chip_desc_indices names description 4 of 1"):
        _ = replace(default_system(), chip_desc_indices=(4,)).chips
    with pytest.raises(LayoutError, match="the system description has no chips"):
        _ = replace(default_system(), chip_desc_indices=()).first_chip


def test_records_are_equal_by_value_and_hash_once() -> None:
    plain = to_plain(default_system())
    one, two = from_plain(plain), from_plain(plain)
    assert one == two
    assert one is not two
    assert hash(one) == hash(two)
    assert one != system("n150")
    assert one != plain
