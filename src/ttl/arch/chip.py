"""The description of a chip, as one frozen record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ttl.arch.costs import Costs, Number


@dataclass(frozen=True, kw_only=True, slots=True)
class Floorplan:
    """Places on a chip: columns and rows of routers, which both NoCs share.

    ``columns`` and ``rows`` are of the routers at the compute nodes, in the order of the grid; ``banks`` are those at the
    banks of DRAM. Kernels know nodes and banks by *translated* coordinates.
    """

    columns: tuple[int, ...]
    rows: tuple[int, ...]
    banks: tuple[tuple[int, int], ...]
    translated_columns: tuple[int, ...]
    translated_rows: tuple[int, ...]
    translated_banks: tuple[tuple[int, int], ...]
    banks_of_noc_1: tuple[tuple[int, int], ...] = ()
    """The routers at the banks on NoC 1, where they are others."""
    dram: tuple[tuple[int, int], ...] = ()
    """All routers at controllers of DRAM, those of ``banks`` among them."""
    ethernet: tuple[tuple[int, int], ...] = ()
    """The routers at the ethernet ports, by the number of the port."""
    translated_ethernet: tuple[tuple[int, int], ...] = ()
    arc: tuple[tuple[int, int], ...] = ()
    """The router at the processor that manages the chip."""
    pcie: tuple[tuple[int, int], ...] = ()

    def node(self, x: int, y: int) -> tuple[int, int]:
        """The coordinates of the compute node in a column and row of the grid."""
        return self.columns[x], self.rows[y]


@dataclass(frozen=True, kw_only=True, slots=True)
class DstTiles:
    """The number of tiles that the destination registers hold, by synchronisation and width of a value."""

    half_16bit: int
    half_32bit: int
    full_16bit: int
    full_32bit: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Noc:
    """The network on the chip: two rings in opposite directions over one torus of nodes."""

    torus: tuple[int, int]
    """Extent (x, y) of the torus in routers, not only those of compute nodes."""
    flit_bytes: int
    max_packet_bytes: int
    hop_cycles: int
    entry_cycles: int
    overtakes: bool
    """Whether transfers of different kinds can overtake each other on their way to one node."""
    read_bytes_per_cycle: int
    """The rate at which a node reads the L1 of another, for rules of thumb; the emulated chip counts with ``costs``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DramPort:
    """The memory outside the nodes."""

    channels: int
    bytes_per_channel: int


@dataclass(frozen=True, kw_only=True, slots=True)
class EthernetLink:
    """A port of a chip, and the packets of the fabric. A link between two chips has one or more ports (``ttl.arch.systems``)."""

    bytes_per_second: int
    """Each way, headers of packets included."""
    hop_nanoseconds: int
    """The time from a router of one chip to that of the next, for the first byte of a packet."""
    packet_bytes: int
    """The largest payload of a packet."""
    header_bytes: tuple[int, int]
    """The sizes of the header of a packet in a one-dimensional fabric, and in a two-dimensional one."""
    slots: int
    """Packets that a receiver has room for: so many a sender may have under way before the first is acknowledged."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chip:
    """One chip.

    ``sources`` has the source of every number; ``tests/project/test_arch.py`` demands one for each.
    """

    name: str
    title: str
    arch: str
    """The name of its architecture in TT-Metalium."""
    grid: tuple[int, int]
    """Compute grid (x, y) that an operation sees by default."""
    max_grid: tuple[int, int]
    """Largest compute grid (x, y) a card of this chip can have, with no row or column harvested."""
    l1_bytes: int
    """All bytes of L1 of one node."""
    l1_reserved_bytes: int
    """The bytes of L1 that firmware, mailboxes and the ring of kernel configurations take."""
    dataflow_buffers: int
    """Dataflow buffers of one node."""
    semaphores: int
    """Semaphores of one node."""
    dst: DstTiles
    packer_adds_blocks: bool
    """Whether the packer adds rightly to blocks of several tiles in L1, and not only to those of one."""
    l1_alignment: int
    """The alignment of an address in a transfer from L1 to L1, in bytes."""
    dram_read_alignment: int
    dram_write_alignment: int
    noc: Noc
    dram: DramPort
    ethernet: EthernetLink
    clock_hz: int
    max_runtime_args: int
    """32-bit run-time arguments of one kernel, common and own together."""
    floorplan: Floorplan
    costs: Costs
    """The cycles of everything that takes time, each with its source."""
    operations: Mapping[str, Number]
    """The cycles of operations of the language, where known, for one 32x32 tile, by the first function of the row."""
    sources: Mapping[str, str]

    @property
    def dram_bytes_per_cycle(self) -> float:
        """The bytes per cycle of all banks of DRAM at measured rates, the roof of estimates
        (``docs/adr/0049-peak-of-dram.md``).
        """
        return self.dram.channels * self.costs.dram_rate.per_cycle

    @property
    def l1_available_bytes(self) -> int:
        """The bytes of L1 that the dataflow buffers of one node may take together."""
        return self.l1_bytes - self.l1_reserved_bytes

    @property
    def nodes(self) -> int:
        """Number of nodes of the default compute grid."""
        return self.grid[0] * self.grid[1]
