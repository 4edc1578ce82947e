"""``ttl.grid_size`` and ``ttl.node`` (specification, "Grid")."""

from __future__ import annotations

from typing import Any

from ttl import control
from ttl.diag import error
from ttl.lang.check import describe, fail, is_int
from ttl.lang.context import current
from ttl.protocol import grid as arithmetic

# More than any grid has; a number beyond it is a mistake, and padding to it would take memory.
_MOST_DIMS = 64


def grid_size(dims: int = 2) -> Any:
    """Size of the grid in ``dims`` dimensions.

    Fewer dimensions than the grid has: the highest ones are flattened into the last. More: padded with 1.
    Returns an int for ``dims=1`` and a tuple of ints otherwise. Specification: "Grid size function".
    """
    execution = current("ttl.grid_size()")
    sizes = arithmetic.grid_size(execution.grid, _check(dims, "grid_size"))
    return sizes[0] if dims == 1 else sizes


def node(dims: int = 2) -> Any:
    """Coordinate of the current node in ``dims`` dimensions, each counting from 0.

    Fewer dimensions than the grid has: the highest ones are flattened into the last. More: padded with 0.
    Returns an int for ``dims=1`` and a tuple of ints otherwise. Specification: "Node function".
    """
    execution = current("ttl.node()")
    coord = arithmetic.coordinate(execution.node_index, execution.grid, _check(dims, "node"))
    return coord[0] if dims == 1 else coord


grid_size = control.function("grid_size", grid_size)
node = control.function("node", node)


def _check(dims: object, function: str) -> int:
    if not is_int(dims) or not 1 <= int(dims) <= _MOST_DIMS:  # type: ignore[call-overload]
        fail(
            error(
                "TTL0202",
                f"dims of ttl.{function}() is a positive int{_at_most(dims)}, not {describe(dims)}",
                help=f"write ttl.{function}(dims=2) for (x, y), dims=1 for one flat number",
            )
        )
    return int(dims)  # type: ignore[call-overload, no-any-return]


def _at_most(dims: object) -> str:
    return f" of at most {_MOST_DIMS}" if is_int(dims) and int(dims) > _MOST_DIMS else ""  # type: ignore[call-overload]
