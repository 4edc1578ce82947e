"""The chip of a node, and the names of chips and nodes in messages.

A program over several chips has a grid of more than two dimensions: the last two count the nodes of a chip, those
before them the chips, and a node has one linear index, row-major over both. A grid of two dimensions is one chip, whose
nodes are named without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ttl.protocol.grid import Grid, coordinate

NODE_DIMS = 2
"""Dimensions that count the nodes of a chip; all before them count chips."""


def chip_count(grid: Grid) -> int:
    """Return how many chips a grid spans."""
    return prod(grid[:-NODE_DIMS])


def nodes_per_chip(grid: Grid) -> int:
    """Return how many nodes of each chip a grid has."""
    return prod(grid[-NODE_DIMS:])


def chip_of(index: int, grid: Grid) -> int:
    """The number of the chip, row-major over the mesh, that the node with a linear index is on."""
    return index // nodes_per_chip(grid)


def name_of(index: int, grid: Grid) -> str:
    """``chip (0, 1), node (2, 3)`` for the node with a linear index; on one chip ``node (2, 3)``."""
    return name_at(coordinate(index, grid, len(grid)))


def chip_name(coord: Sequence[int]) -> str:
    """``chip (0, 1)``, by its place in the mesh; ``chip 1`` in a row of chips."""
    return f"chip {coord[0]}" if len(coord) == 1 else f"chip {_shown(coord)}"


def name_at(coord: Sequence[int]) -> str:
    """``chip (0, 1), node (2, 3)`` for a coordinate in all dimensions of a grid; on one chip ``node (2, 3)``."""
    chip, node = coord[:-NODE_DIMS], coord[-NODE_DIMS:]
    return f"{chip_name(chip)}, node {_shown(node)}" if chip else f"node {_shown(node)}"


def names_at(coords: Sequence[Sequence[int]]) -> str:
    """Names of several nodes without the leading word where they are on one chip: ``(0, 0), (0, 1)``."""
    if any(len(coord) > NODE_DIMS for coord in coords):
        return "; ".join(map(name_at, coords))
    return ", ".join(map(_shown, coords))


def _shown(coord: Sequence[int]) -> str:
    return f"({', '.join(map(str, coord))})"
