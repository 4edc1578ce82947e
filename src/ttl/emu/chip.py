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
    workers = tuple((x, y) for y in plan.translated_rows[:rows] for x in plan.translated_columns[:columns])
    drams = plan.translated_banks
    handle = runtime().open(
        columns,
        rows,
        bytes(number for pair in workers for number in pair),
        bytes(number for pair in drams for number in pair),
        chip.l1_bytes,
        chip.l1_reserved_bytes,
        _DRAM_BYTES,
        SEMAPHORES,
        chip.noc.max_packet_bytes,
        costs_of(chip),
        *chip.noc.torus,
        bytes(number for pair in _places(chip, columns, rows) for number in pair),
    )
    runtime().inits(handle, numbered())
    return EmulatedChip(
        chip=chip,
        handle=handle,
        columns=columns,
        rows=rows,
        workers=workers,
        banks=len(drams),
        index_of={xy: number for number, xy in enumerate(workers)},
    )


def _places(chip: Chip, columns: int, rows: int) -> list[tuple[int, int]]:
    """Column and row on the chip of the nodes, of the banks on NoC 0, and of those on NoC 1."""
    nodes = [chip.floorplan.node(x, y) for y in range(rows) for x in range(columns)]
    plan = chip.floorplan
    return [*nodes, *plan.banks, *(plan.banks_of_noc_1 or plan.banks)]
