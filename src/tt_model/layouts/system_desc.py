"""Descriptions of systems: chips, their memories, cores and channels (``tt.system_desc``).

The systems that are known by name are in ``known_systems``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from tt_model.layouts.enums import Arch, BufferType, ChipCapability, CPURole, DataType, MemorySpace
from tt_model.layouts.values import LayoutError, LayoutValue

# (y, x).
Coordinate = tuple[int, int]
SCRATCH_BYTES = 4096
# The bytes that the real runtime reserves at the top of each L1 for halos of convolutions when it opens a device.
L1_SMALL_BYTES = 32768


@dataclass(frozen=True, slots=True, eq=False)
class PhysicalCores(LayoutValue):
    """The places of a chip's cores, in the order of their logical numbers: ``#tt<chip_physical_cores{...}>``."""

    worker: tuple[Coordinate, ...]
    dram: tuple[Coordinate, ...]
    eth: tuple[Coordinate, ...] = ()
    eth_inactive: tuple[Coordinate, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ChipDesc(LayoutValue):
    """One chip: ``#tt<chip_desc{...}>``. Sizes and addresses are in bytes, the grid is (rows, columns) of workers."""

    arch: Arch
    grid: tuple[int, ...]
    l1_size: int
    num_dram_channels: int
    dram_channel_size: int
    noc_l1_address_align_bytes: int
    pcie_address_align_bytes: int
    noc_dram_address_align_bytes: int
    l1_unreserved_base: int
    erisc_l1_unreserved_base: int
    dram_unreserved_base: int
    dram_unreserved_end: int
    physical_cores: PhysicalCores
    supported_data_types: tuple[DataType, ...]
    supported_tile_sizes: tuple[Coordinate, ...]
    num_cbs: int

    @property
    def usable_l1_size(self) -> int:
        """Bytes of L1 that tensors may use."""
        return self.l1_size - self.l1_unreserved_base

    @property
    def l1_end(self) -> int:
        """The address where the L1 of a program ends; the runtime reserves the memory above it for convolutions."""
        return self.l1_size - L1_SMALL_BYTES

    @property
    def program_l1_size(self) -> int:
        """Bytes of L1 of a core that the tensors and the circular buffers of a program share."""
        return self.l1_end - self.l1_unreserved_base

    @property
    def usable_dram_channel_size(self) -> int:
        """Bytes of one DRAM channel that tensors may use."""
        return self.dram_unreserved_end - self.dram_unreserved_base

    @property
    def scratch_l1_base(self) -> int:
        """The first address of the scratch memory, which is at the top of L1."""
        return self.l1_size - SCRATCH_BYTES


# The fields of ``ChipDesc`` that are plain numbers, in the order of its text.
CHIP_NUMBERS = (
    "l1_size",
    "num_dram_channels",
    "dram_channel_size",
    "noc_l1_address_align_bytes",
    "pcie_address_align_bytes",
    "noc_dram_address_align_bytes",
    "l1_unreserved_base",
    "erisc_l1_unreserved_base",
    "dram_unreserved_base",
    "dram_unreserved_end",
)


@dataclass(frozen=True, slots=True, eq=False)
class CPUDesc(LayoutValue):
    """One processor of the host."""

    role: CPURole
    target_triple: str


@dataclass(frozen=True, slots=True, eq=False)
class ChipCoord(LayoutValue):
    """The place of a chip in the room."""

    rack: int
    shelf: int
    y: int
    x: int


@dataclass(frozen=True, slots=True, eq=False)
class ChipChannel(LayoutValue):
    """An ethernet connection of two chips, and the ethernet core at each end."""

    device_id0: int
    ethernet_core_coord0: tuple[int, ...]
    device_id1: int
    ethernet_core_coord1: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SystemRecord(LayoutValue):
    """``#tt.system_desc``. ``chip_desc_indices`` has the index of each chip's description."""

    cpu_descs: tuple[CPUDesc, ...]
    chip_descs: tuple[ChipDesc, ...]
    chip_desc_indices: tuple[int, ...]
    chip_capabilities: tuple[ChipCapability, ...]
    chip_coords: tuple[ChipCoord, ...]
    chip_channels: tuple[ChipChannel, ...] = field(default=())

    @property
    def chips(self) -> tuple[ChipDesc, ...]:
        """The description of every chip. Raises ``LayoutError`` if an index is out of range."""
        for index in self.chip_desc_indices:
            if index >= len(self.chip_descs):
                raise LayoutError(
                    f"chip_desc_indices names description {index} of {len(self.chip_descs)} in the system description"
                )
        return tuple(self.chip_descs[index] for index in self.chip_desc_indices)

    @property
    def first_chip(self) -> ChipDesc:
        """The chip that represents all chips where a single one is needed. Raises ``LayoutError`` without chips."""
        chips = self.chips
        if not chips:
            raise LayoutError("the system description has no chips")
        return chips[0]

    def address_alignment(self, space: MemorySpace | BufferType | None = None) -> int:
        """Return the alignment of a memory's addresses, in bytes; without ``space``, one that suits all memories."""
        chip = self.first_chip
        match space:
            case None:
                return max(
                    chip.noc_l1_address_align_bytes,
                    chip.pcie_address_align_bytes,
                    chip.noc_dram_address_align_bytes,
                )
            case MemorySpace.DeviceL1 | BufferType.L1 | BufferType.L1Small:
                return chip.noc_l1_address_align_bytes
            case MemorySpace.DeviceDRAM | BufferType.DRAM | BufferType.Trace:
                return chip.noc_dram_address_align_bytes
            case MemorySpace.SystemMMIO:
                return chip.pcie_address_align_bytes
        return 1


# Plain values: lists, dictionaries, numbers and words, as in the JSON files.


def to_plain(desc: SystemRecord) -> dict[str, Any]:
    """Convert a description to values that JSON can hold."""
    return {
        "cpu_descs": [
            {"role": cpu.role.keyword, "target_triple": cpu.target_triple} for cpu in desc.cpu_descs
        ],
        "chip_descs": [_plain_chip(chip) for chip in desc.chip_descs],
        "chip_desc_indices": list(desc.chip_desc_indices),
        "chip_capabilities": [int(capability) for capability in desc.chip_capabilities],
        "chip_coords": [[coord.rack, coord.shelf, coord.y, coord.x] for coord in desc.chip_coords],
        "chip_channels": [
            [
                channel.device_id0,
                list(channel.ethernet_core_coord0),
                channel.device_id1,
                list(channel.ethernet_core_coord1),
            ]
            for channel in desc.chip_channels
        ],
    }


def _plain_chip(chip: ChipDesc) -> dict[str, Any]:
    cores = chip.physical_cores
    plain: dict[str, Any] = {item.name: getattr(chip, item.name) for item in fields(chip)}
    return plain | {
        "arch": chip.arch.keyword,
        "grid": list(chip.grid),
        "physical_cores": {
            item.name: [list(core) for core in getattr(cores, item.name)] for item in fields(cores)
        },
        "supported_data_types": [data_type.keyword for data_type in chip.supported_data_types],
        "supported_tile_sizes": [list(size) for size in chip.supported_tile_sizes],
    }


def from_plain(plain: dict[str, Any]) -> SystemRecord:
    """The inverse of ``to_plain``."""
    return SystemRecord(
        cpu_descs=tuple(
            CPUDesc(CPURole.from_keyword(cpu["role"]), cpu["target_triple"]) for cpu in plain["cpu_descs"]
        ),
        chip_descs=tuple(_chip(chip) for chip in plain["chip_descs"]),
        chip_desc_indices=tuple(plain["chip_desc_indices"]),
        chip_capabilities=tuple(ChipCapability(value) for value in plain["chip_capabilities"]),
        chip_coords=tuple(ChipCoord(*coord) for coord in plain["chip_coords"]),
        chip_channels=tuple(
            ChipChannel(first, tuple(core), second, tuple(other))
            for first, core, second, other in plain["chip_channels"]
        ),
    )


def _chip(plain: dict[str, Any]) -> ChipDesc:
    cores = plain["physical_cores"]
    return ChipDesc(
        **plain
        | {
            "arch": Arch.from_keyword(plain["arch"]),
            "grid": tuple(plain["grid"]),
            "physical_cores": PhysicalCores(**{kind: _coordinates(cores[kind]) for kind in cores}),
            "supported_data_types": tuple(map(DataType.from_keyword, plain["supported_data_types"])),
            "supported_tile_sizes": _coordinates(plain["supported_tile_sizes"]),
        }
    )


def _coordinates(pairs: list[list[int]]) -> tuple[Coordinate, ...]:
    return tuple((y, x) for y, x in pairs)
