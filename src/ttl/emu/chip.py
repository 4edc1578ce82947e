"""The emulated chip of this process: its nodes, where they are in the network, its memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from ttl.arch import Chip, chip_named
from ttl.emu.costs import costs_of
from ttl.emu.functions import numbered
from ttl.emu.runtime import require, runtime

# Where the runtime keeps semaphores: below what programs may use.
SEMAPHORES = 16 * 1024
# Of one of them.
SEMAPHORE_BYTES = 16
# Below this offset of a bank nothing is placed.
DRAM_BEGIN = 1 << 20
# More than any program of a test or an example uses, and little enough to map twelve times.
_DRAM_BYTES = 1 << 30


@dataclass(frozen=True, kw_only=True, slots=True)
class EmulatedChip:
    """One chip. ``handle`` is the runtime's."""

    chip: Chip
    handle: object
    columns: int
    rows: int
    workers: tuple[tuple[int, int], ...]
    """NoC coordinates of the nodes, row by row."""
    banks: int
    index_of: Mapping[tuple[int, int], int] = field(repr=False)
    """Number of the node at NoC coordinates."""

    def index(self, core: tuple[int, int]) -> int:
        """Number of the node at a column and row of the grid."""
        x, y = core
        return y * self.columns + x

    def place(self, index: int) -> tuple[int, int]:
        """Column and row of the grid of a node by its number."""
        return index % self.columns, index // self.columns

    def node(self, x: int, y: int) -> tuple[int, int]:
        """NoC coordinates of the node at a column and row of the grid."""
        return self.workers[y * self.columns + x]


def emulated(name: str) -> EmulatedChip:
    """The one emulated chip of a name in this process. Its memory lasts as long as the process.

    Raises ``ProgramError`` TTL1505 where this installation has no emulated chip.
    """
    require()
    return _emulated(name)


@cache
def _emulated(name: str) -> EmulatedChip:
    chip = chip_named(name)
    plan = chip.floorplan
    columns, rows = chip.max_grid
    return opened(
        chip,
        ChipLayout(
            columns=columns,
            rows=rows,
            workers=tuple(
                (x, y) for y in plan.translated_rows[:rows] for x in plan.translated_columns[:columns]
            ),
            banks=plan.translated_banks,
            l1_reserved=chip.l1_reserved_bytes,
            semaphores=SEMAPHORES,
            dram_bytes=_DRAM_BYTES,
        ),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipLayout:
    """How a chip is laid out for its programs: its grid, coordinates in the network as (x, y), what of its memories is whose.

    ``l1_reserved`` bytes from the beginning of each L1 are the firmware's, with the semaphores from ``semaphores`` on.
    """

    columns: int
    rows: int
    workers: tuple[tuple[int, int], ...]
    banks: tuple[tuple[int, int], ...]
    l1_reserved: int
    semaphores: int
    dram_bytes: int


def opened(chip: Chip, layout: ChipLayout) -> EmulatedChip:
    """A chip with memory of its own, which goes with it. Raises ``MemoryError`` where this process has no room for it, and
    ``ValueError`` for coordinates that no network has.
    """
    handle = runtime().open(
        layout.columns,
        layout.rows,
        bytes(number for pair in layout.workers for number in pair),
        bytes(number for pair in layout.banks for number in pair),
        chip.l1_bytes,
        layout.l1_reserved,
        layout.dram_bytes,
        layout.semaphores,
        chip.noc.max_packet_bytes,
        costs_of(chip),
        *chip.noc.torus,
        bytes(number for pair in _places(chip, layout) for number in pair),
    )
    runtime().inits(handle, numbered())
    return EmulatedChip(
        chip=chip,
        handle=handle,
        columns=layout.columns,
        rows=layout.rows,
        workers=layout.workers,
        banks=len(layout.banks),
        index_of={xy: number for number, xy in enumerate(layout.workers)},
    )


def _places(chip: Chip, layout: ChipLayout) -> list[tuple[int, int]]:
    """Column and row on the chip of the nodes, of the banks on NoC 0, and of those on NoC 1."""
    nodes = [chip.floorplan.node(x, y) for y in range(layout.rows) for x in range(layout.columns)]
    plan, count = chip.floorplan, len(layout.banks)
    return [
        *nodes,
        *(plan.banks[bank % len(plan.banks)] for bank in range(count)),
        *((plan.banks_of_noc_1 or plan.banks)[bank % len(plan.banks)] for bank in range(count)),
    ]
