"""Where things are on a chip: columns and rows of routers, which both NoCs share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Floorplan:
    """Columns and rows of the routers at the compute nodes, in the order of the grid, and at the banks of DRAM.

    ``banks_of_noc_1``: where those of NoC 1 are others.
    """

    columns: tuple[int, ...]
    rows: tuple[int, ...]
    banks: tuple[tuple[int, int], ...]
    banks_of_noc_1: tuple[tuple[int, int], ...] = ()

    def node(self, x: int, y: int) -> tuple[int, int]:
        """Of the compute node in a column and row of the grid."""
        return self.columns[x], self.rows[y]
