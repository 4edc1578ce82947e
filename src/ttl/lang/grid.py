"""``ttl.grid_size`` and ``ttl.node`` (specification, "Grid")."""

from __future__ import annotations

from typing import Any

from ttl import control
from ttl.diag import Diagnostic
from ttl.lang.check import fail
from ttl.lang.context import CURRENT, LAST_GRID, current
from ttl.protocol import grid as arithmetic
from ttl.protocol.devices import first_node, node_grid
from ttl.rules.launches import dimensions
from ttl.settings import current_chip


def grid_size(dims: int = 2) -> Any:
    """Size of the grid in ``dims`` dimensions.

    Fewer dimensions than the grid has: the highest ones are flattened into the last. More: padded with 1.
    Returns an int for ``dims=1`` and a tuple of ints otherwise. On the host, after an operation has run, it refers to
    the grid of that operation. Specification: "Grid size function".
    """
    sizes = arithmetic.grid_size(_grid(), _check(dims, "grid_size"))
    return sizes[0] if dims == 1 else sizes


def node(dims: int = 2) -> Any:
    """Coordinate of the current node in ``dims`` dimensions, each counting from 0.

    Fewer dimensions than the grid has: the highest ones are flattened into the last. More: padded with 0.
    Returns an int for ``dims=1`` and a tuple of ints otherwise. Specification: "Node function".
    """
    execution = current("ttl.node()")
    index, grid = execution.node_index, execution.grid
    coord = arithmetic.coordinate(index - first_node(index, grid), node_grid(grid), _check(dims, "node"))
    return coord[0] if dims == 1 else coord


grid_size = control.function("grid_size", grid_size)
node = control.function("node", node)


def _grid() -> tuple[int, ...]:
    """The grid of the running operation, or of the last one that ran."""
    last = LAST_GRID.get() if CURRENT.get() is None else None
    if last is None:
        return node_grid(current("ttl.grid_size()").grid)
    return current_chip().grid if isinstance(last, str) else tuple(last)


def _check(dims: object, function: str) -> int:
    result = dimensions(function, dims)
    if isinstance(result, Diagnostic):
        fail(result)
    return result
