"""Descriptions of cards by the runtime of TT-MLIR: addresses of free memory, and the ethernet ports that programs may use.

Where no description of a card has been published, the numbers are those that TT-NN itself gives on a mock device.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ttl.arch.systems import System

__all__ = ["ChipAddresses", "PortPair", "described", "ports"]

Coordinates = Literal["on the chip", "translated"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipAddresses:
    """Addresses in bytes: where free L1 of nodes and of ethernet cores, and free DRAM, begin, and where DRAM ends."""

    coordinates: Coordinates
    """The kind of the cores' coordinates: those of the network, or those that kernels use."""
    l1_base: int
    ethernet_l1_base: int
    dram_base: int
    dram_end: int
    pcie_alignment: int
    dram_channel: int = 0
    """Bytes of a channel, where the runtime sees less than there is; else 0."""
    host_keeps: tuple[int, ...] = ()
    """Ethernet ports of a chip on PCIe that no program may use, although they have a wire.

    The firmware uses them, or the dispatch to the card's other chip.
    """
    other_keeps: tuple[int, ...] = ()
    """The ports of the other chip of a card that no program may use, although they have a wire."""
    source: str


_N150 = ChipAddresses(
    coordinates="on the chip", l1_base=98_816, ethernet_l1_base=102_624, dram_base=32, dram_end=1_073_083_040,
    pcie_alignment=32, host_keeps=(8, 9, 15), source="an n150 describes itself: tt-mlir 8abaed5e89",
)  # fmt: skip
_N300 = ChipAddresses(
    coordinates="translated", l1_base=99_104, ethernet_l1_base=104_480, dram_base=32, dram_end=1_073_196_736,
    pcie_alignment=32, host_keeps=(9, 15), other_keeps=(1,), source="an n300 describes itself: tt-mlir b8f6d2e776",
)  # fmt: skip
_GALAXY = ChipAddresses(
    coordinates="translated", l1_base=99_104, ethernet_l1_base=104_480, dram_base=32, dram_end=1_073_196_736,
    pcie_alignment=32, source="as an n300",
)  # fmt: skip
_BLACKHOLE = ChipAddresses(
    coordinates="on the chip", l1_base=111_744, ethernet_l1_base=104_480, dram_base=1_048_704, dram_end=4_278_190_080,
    pcie_alignment=64, dram_channel=4_278_190_080,
    source="ttnn 0.81.1 on a mock p150: its allocator; its soc_descriptors/blackhole_140_arch.yaml: dram_view_size; ASSUMED: alignment of PCIe, and L1 of ethernet cores, as an n300's",
)  # fmt: skip


def described(system: System) -> ChipAddresses:
    """Return the addresses of the chips of a system."""
    if system.chip.dram_read_alignment == 64:
        return _BLACKHOLE
    if system.chips == 1:
        return _N150
    return _N300 if len(system.hosts) < system.chips else _GALAXY


@dataclass(frozen=True, slots=True)
class PortPair:
    """A wire from a port of a chip to a port of another one."""

    a: int
    port_of_a: int
    b: int
    port_of_b: int


# The ports of a card with two chips: those that join the chips, and those that lead away, for the chip on PCIe and the other.
_INSIDE, _AWAY = ((8, 0), (9, 1)), ((0, 1, 6, 7), (6, 7, 14, 15))


def ports(system: System) -> Iterator[PortPair]:
    """Every wire of a system.

    The ports that join the two chips of an n300 are known. Those that join cards are **assumed**: the next free ones,
    in the order of links.
    """
    hosts = frozenset(system.hosts)
    two_chips = len(hosts) < system.chips
    free = [list(_AWAY[chip not in hosts]) if two_chips else list(range(16)) for chip in range(system.chips)]
    for link in system.links:
        for number in range(link.channels):
            if two_chips and (link.a in hosts) != (link.b in hosts):
                of_host, of_other = _INSIDE[number]
                turned = link.b in hosts
                yield PortPair(
                    link.a, of_other if turned else of_host, link.b, of_host if turned else of_other
                )
            else:
                yield PortPair(link.a, free[link.a].pop(0), link.b, free[link.b].pop(0))
