"""The systems that are known by name, and what is read off a description."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace

import pytest

from tt_model.attributes.tt_system import SystemDescAttr
from tt_model.layouts.enums import Arch, BufferType, ChipCapability, MemorySpace
from tt_model.layouts.known_systems import default_system, system, system_names
from tt_model.layouts.system_desc import from_plain, to_plain
from tt_model.layouts.values import LayoutError
from ttl.arch.systems import system_named
from ttl.arch.systems import system_names as names_of_arch


def test_the_systems() -> None:
    """They are those of ``ttl.arch``, and ``default``."""
    assert system_names() == ("default", *names_of_arch())
    for name in system_names():
        assert from_plain(to_plain(system(name))) == system(name)
        assert all(
            len(chip.physical_cores.worker) == chip.grid[0] * chip.grid[1]
            and len(chip.physical_cores.dram) == chip.num_dram_channels
            for chip in system(name).chips
        )


@pytest.mark.parametrize("name", names_of_arch())
def test_chips_and_channels_are_those_of_the_system(name: str) -> None:
    record, known = system(name), system_named(name)
    assert {chip.arch.keyword for chip in record.chips} == {known.chip.arch}
    assert len(record.chips) == known.chips
    between = Counter((channel.device_id0, channel.device_id1) for channel in record.chip_channels)
    # Of the two wires inside an n300 one is the runtime's.
    inside = {
        (link.a, link.b) for link in known.links if (link.a in known.remote) != (link.b in known.remote)
    }
    assert between == {(link.a, link.b): link.channels - ((link.a, link.b) in inside) for link in known.links}
    # No port is at the end of two wires, and each active core at the end of one.
    ends = [
        end
        for channel in record.chip_channels
        for end in (
            (channel.device_id0, channel.ethernet_core_coord0),
            (channel.device_id1, channel.ethernet_core_coord1),
        )
    ]
    assert len(set(ends)) == len(ends)
    for number, chip in enumerate(record.chips):
        cores = chip.physical_cores
        assert len(cores.eth) == sum(device == number for device, _ in ends)
        assert not set(cores.eth) & set(cores.eth_inactive)


# Of the text that real machines of these kinds said, in test files of tt-mlir (8abaed5e89 and b8f6d2e776).
SAID = {"n150": "4fba3febd320cd6a", "n300": "8d10c66772cbb051"}


@pytest.mark.parametrize("name", ["n150", "n300"])
def test_they_are_what_real_machines_say(name: str) -> None:
    text = str(SystemDescAttr(system(name)))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == SAID[name]


def test_blackhole() -> None:
    """Numbers of ttnn 0.81.1 on a mock p150."""
    chip = system("p150").first_chip
    assert (chip.arch, chip.grid, chip.num_cbs) == (Arch.Blackhole, (10, 13), 64)
    assert (chip.l1_unreserved_base, chip.l1_size) == (111744, 111744 + 1461120)
    assert (chip.dram_unreserved_base, chip.dram_unreserved_end) == (1048704, 1048704 + 4277141376)
    assert chip.physical_cores.worker[:2] == ((2, 1), (2, 2))
    assert system("p100").first_chip.num_dram_channels == 7


def test_t3000_is_a_mesh_of_two_rows() -> None:
    desc = system("t3000")
    assert len(desc.chips) == 8
    assert [int(each) for each in desc.chip_capabilities] == [0, 3, 3, 0, 0, 3, 3, 0]
    # Of each card the chips are joined by port 8 of the one on PCIe and port 0 of the other.
    inside = [
        (
            channel.device_id0,
            channel.ethernet_core_coord0[0],
            channel.device_id1,
            channel.ethernet_core_coord1[0],
        )
        for channel in desc.chip_channels
        if 8 in (channel.ethernet_core_coord0[0], channel.ethernet_core_coord1[0])
    ]
    assert inside == [(0, 0, 1, 8), (2, 8, 3, 0), (4, 0, 5, 8), (6, 8, 7, 0)]


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
    with pytest.raises(LayoutError, match="no system is called n151; there are default, n150, n300, "):
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
