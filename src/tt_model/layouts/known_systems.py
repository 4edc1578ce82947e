"""The systems that are known by name, as TT-MLIR describes them; their data are in ``ttl.arch``.

``n150`` and ``n300`` equal the descriptions that real machines of these kinds give. ``default`` is the system that the
compiler assumes without an option: one chip with made-up addresses.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from tt_model.layouts.enums import Arch, ChipCapability, CPURole, DataType
from tt_model.layouts.system_desc import (
    ChipChannel,
    ChipCoord,
    ChipDesc,
    Coordinate,
    CPUDesc,
    PhysicalCores,
    SystemRecord,
)
from tt_model.layouts.values import LayoutError
from ttl.arch import USUAL, Chip, chip_named
from ttl.arch.described import ChipAddresses, described, ports
from ttl.arch.systems import System, system_named
from ttl.arch.systems import system_names as names_of_arch

_DEFAULT = "default"
# The base address of memories in the compiler's own system, which reserves as little as possible.
_MADE_UP = 1024
_TYPES = tuple(
    map(
        DataType.from_keyword,
        ("f32", "f16", "bf16", "bfp_f8", "bfp_bf8", "bfp_f4", "bfp_bf4", "bfp_f2", "bfp_bf2", "u32", "u16", "u8"),
    )
)  # fmt: skip
_TILES = ((4, 16), (16, 16), (32, 16), (4, 32), (16, 32), (32, 32))
_ON_PCIE = ChipCapability.PCIE | ChipCapability.HostMMIO


def system_names() -> tuple[str, ...]:
    """The names of the known systems."""
    return (_DEFAULT, *names_of_arch())


@lru_cache(maxsize=32)
def system(name: str) -> SystemRecord:
    """The system with this name. Raises ``LayoutError``."""
    if name not in system_names():
        raise LayoutError(f"no system is called {name}; there are {', '.join(system_names())}")
    return default_system() if name == _DEFAULT else described_system(system_named(name))


@lru_cache(maxsize=1)
def default_system() -> SystemRecord:
    """Return the system that models are compiled for by default: one chip of the usual kind, with made-up addresses."""
    chip = chip_named(USUAL)
    columns, rows = chip.grid
    memory = ChipAddresses(
        coordinates="on the chip", l1_base=_MADE_UP, ethernet_l1_base=_MADE_UP, dram_base=_MADE_UP,
        dram_end=chip.dram.bytes_per_channel, pcie_alignment=32, source="made up",
    )  # fmt: skip
    # The cores of DRAM are in rows below those of workers: four columns, with a quarter of the channels in each.
    below = chip.dram.channels // 4
    cores = PhysicalCores(
        worker=tuple(product(range(rows), range(columns))),
        dram=tuple((rows + number % below, number // below) for number in range(chip.dram.channels)),
    )
    return SystemRecord(
        cpu_descs=(CPUDesc(CPURole.Host, "x86_64-pc-linux-gnu"),),
        chip_descs=(_chip(chip, memory, cores),),
        chip_desc_indices=(0,),
        chip_capabilities=(_ON_PCIE,),
        chip_coords=(ChipCoord(0, 0, 0, 0),),
    )


def name_in_arch(record: SystemRecord) -> str | None:
    """The name in ``ttl.arch.systems`` of a system of several chips; None if no such system has this description."""
    several = (name for name in names_of_arch() if system_named(name).chips == len(record.chips) > 1)
    return next((name for name in several if described_system(system_named(name)) == record), None)


def described_system(of: System) -> SystemRecord:
    """Return the description that TT-MLIR's runtime would make of a system; chips have the same numbers in both."""
    memory, hosts = described(of), frozenset(of.hosts)
    kept = [memory.host_keeps if chip in hosts else memory.other_keeps for chip in range(of.chips)]
    wires = [
        wire
        for wire in ports(of)
        if wire.port_of_a not in kept[wire.a] and wire.port_of_b not in kept[wire.b]
    ]
    used: list[set[int]] = [set() for _ in range(of.chips)]
    for wire in wires:
        used[wire.a].add(wire.port_of_a)
        used[wire.b].add(wire.port_of_b)
    chips = [
        _chip(of.chip, memory, _cores(of.chip, memory, used[number], set(kept[number])))
        for number in range(of.chips)
    ]
    descs = tuple(dict.fromkeys(chips))
    return SystemRecord(
        cpu_descs=(CPUDesc(CPURole.Host, "x86_64-pc-linux"),),
        chip_descs=descs,
        chip_desc_indices=tuple(descs.index(chip) for chip in chips),
        chip_capabilities=tuple(_ON_PCIE if chip in hosts else ChipCapability(0) for chip in range(of.chips)),
        chip_coords=tuple(ChipCoord(0, 0, 0, number) for number in range(len(hosts))),
        chip_channels=tuple(
            ChipChannel(wire.a, (wire.port_of_a, 0), wire.b, (wire.port_of_b, 0)) for wire in wires
        ),
    )


def _chip(chip: Chip, memory: ChipAddresses, cores: PhysicalCores) -> ChipDesc:
    columns, rows = chip.grid
    return ChipDesc(
        arch=Arch.from_keyword(chip.arch),
        grid=(rows, columns),
        l1_size=chip.l1_bytes,
        num_dram_channels=chip.dram.channels,
        dram_channel_size=memory.dram_channel or chip.dram.bytes_per_channel,
        noc_l1_address_align_bytes=chip.l1_alignment,
        pcie_address_align_bytes=memory.pcie_alignment,
        noc_dram_address_align_bytes=chip.dram_read_alignment,
        l1_unreserved_base=memory.l1_base,
        erisc_l1_unreserved_base=memory.ethernet_l1_base,
        dram_unreserved_base=memory.dram_base,
        dram_unreserved_end=memory.dram_end,
        physical_cores=cores,
        supported_data_types=_TYPES,
        supported_tile_sizes=_TILES,
        num_cbs=chip.dataflow_buffers,
    )


def _cores(chip: Chip, memory: ChipAddresses, used: set[int], kept: set[int]) -> PhysicalCores:
    """Return the places of a chip's cores.

    Programs may use the ports ``used``; the ports ``kept`` are not available to them.
    """
    plan, (columns, rows) = chip.floorplan, chip.grid
    translated = memory.coordinates == "translated"
    across = plan.translated_columns if translated else plan.columns
    down = plan.translated_rows if translated else plan.rows
    places = plan.translated_ethernet if translated else plan.ethernet
    banks = ((number, 0) for number in range(chip.dram.channels)) if translated else plan.banks
    return PhysicalCores(
        worker=tuple(product(down[:rows], across[:columns])),
        dram=_sorted(list(banks)[: chip.dram.channels]),
        eth=_sorted(place for port, place in enumerate(places) if port in used),
        eth_inactive=_sorted(
            place for port, place in enumerate(places) if port not in used and port not in kept
        ),
    )


def _sorted(places: object) -> tuple[Coordinate, ...]:
    """Convert (column, row) pairs to (row, column), sorted."""
    return tuple(sorted((y, x) for x, y in places))  # type: ignore[attr-defined]
