"""Traffic of the network and of memory: bytes that were read, and how many of them are distinct."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ttl.arch import Chip
from ttl.emu.program import ROLES
from ttl.emu.record import KINDS, Record
from ttl.rows.dtypes import Array

READ, WRITE, MULTICAST = KINDS.index("read"), KINDS.index("write"), KINDS.index("multicast")
# Added to the number of a bank, so that it differs from the numbers of all nodes.
_DRAM = 1 << 16
# The lowest bit of the number of the chip.
_CHIP = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Reads:
    """Bytes that were read.

    A page that several nodes read, one of them twice, counts every time in ``total``, once for each node in ``by_node``, and once
    in ``unique``.
    """

    total: int
    by_node: int
    unique: int
    nodes: int
    """The number of nodes that read."""

    @property
    def repeated_on_other_nodes(self) -> int:
        """Bytes that another node had already read: those that a multicast would save."""
        return self.by_node - self.unique


def far_ends(record: Record, chip: Chip, which: Array) -> Array:
    """Return the memory at the other end of some transfers: a number for every bank of DRAM, and for every node."""
    transfers = record.transfers[which]
    place = np.where(transfers["kind"] == READ, transfers["from"], transfers["to"]).astype(np.int64)
    banks = (chip.floorplan.banks, chip.floorplan.banks_of_noc_1 or chip.floorplan.banks)
    result = place.copy()
    for noc, places in enumerate(banks):
        number_of = {x << 8 | y: number for number, (x, y) in enumerate(places)}
        on_noc = (transfers["dram"] == 1) & (transfers["noc"] == noc)
        result[on_noc] = [_DRAM + number_of.get(int(one), int(one)) for one in place[on_noc]]
    return result | chips_of(record, chip, which) << _CHIP


def chips_of(record: Record, chip: Chip, which: Array) -> Array:
    """The number of the chip on which each of some transfers was issued."""
    columns, rows = chip.max_grid
    return record.transfers["fiber"][which].astype(np.int64) // (len(ROLES) * columns * rows)


def nodes_of(record: Record, which: Array) -> Array:
    """A number for the node that issued each of some transfers."""
    fibers = record.transfers["fiber"][which]
    diaries = record.diaries
    known = {number: (diary.core[0] << 16 | diary.core[1]) for number, diary in diaries.items()}
    return np.array([known[int(fiber)] for fiber in fibers], np.int64)


def reads_of(record: Record, chip: Chip, which: Array) -> Reads:
    """The reads among some transfers."""
    which = which[record.transfers["kind"][which] == READ]
    if not len(which):
        return Reads(total=0, by_node=0, unique=0, nodes=0)
    transfers = record.transfers[which]
    begins, sizes = transfers["there"].astype(np.int64), transfers["size"].astype(np.int64)
    ends, nodes = far_ends(record, chip, which), nodes_of(record, which)
    return Reads(
        total=int(sizes.sum()),
        by_node=covered(ends << 32 | nodes, begins, sizes),
        unique=covered(ends, begins, sizes),
        nodes=len(np.unique(nodes)),
    )


def unique_dram_bytes(record: Record, chip: Chip) -> int:
    """Return the distinct bytes that are read from DRAM or written to it: repeated reads count once."""
    total = 0
    for reads in (True, False):
        kind = record.transfers["kind"]
        which = np.flatnonzero((record.transfers["dram"] == 1) & ((kind == READ) == reads))
        transfers = record.transfers[which]
        total += covered(
            far_ends(record, chip, which),
            transfers["there"].astype(np.int64),
            transfers["size"].astype(np.int64),
        )
    return total


def covered(memory: Array, begins: Array, sizes: Array) -> int:
    """How many bytes of all memories some ranges cover together."""
    if not len(begins):
        return 0
    order = np.lexsort((begins, memory))
    memory, begins, sizes = memory[order], begins[order], sizes[order]
    # Every memory gets a range of numbers of its own, so that one pass suffices for all.
    _, memory = np.unique(memory, return_inverse=True)
    begins = begins + memory.astype(np.int64) * (1 << 40)
    reached = np.maximum.accumulate(begins + sizes)
    before = np.concatenate([[0], reached[:-1]])
    return int(np.maximum(reached - np.maximum(before, begins), 0).sum())
