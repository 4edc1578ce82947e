"""Grid arithmetic: sizes and coordinates in any number of dimensions (specification, "Grid").

A node has one linear index, row-major over the grid. Flattening the highest dimensions and padding with ones
both keep it, so a coordinate in any dimensionality names the node with its own row-major index.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ttl.diag.model import Diagnostic, error
from ttl.diag.values import is_int, short

Grid = tuple[int, ...]
Coord = tuple[int, ...]


def grid_size(grid: Grid, dims: int) -> tuple[int, ...]:
    """Extents in ``dims`` dimensions: the first ``dims - 1`` are kept, the rest multiplied into the last."""
    if dims >= len(grid):
        return grid + (1,) * (dims - len(grid))
    return (*grid[: dims - 1], prod(grid[dims - 1 :]))


def coordinate(index: int, grid: Grid, dims: int) -> Coord:
    """Coordinate in ``dims`` dimensions of the node with a linear index."""
    result = []
    for extent in reversed(grid_size(grid, dims)):
        index, remainder = divmod(index, extent)
        result.append(remainder)
    return tuple(reversed(result))


def linear_index(coord: Coord, sizes: tuple[int, ...]) -> int:
    """Row-major index of a coordinate."""
    index = 0
    for value, extent in zip(coord, sizes, strict=True):
        index = index * extent + value
    return index


def resolve_coord(coord: object, grid: Grid) -> int | Diagnostic:
    """Linear index of the node a user's coordinate names (an int, or a tuple of any length)."""
    values = coord if isinstance(coord, tuple | list) else (coord,)
    if not values or not all(map(is_int, values)):
        return error(
            "TTL0601",
            f"a node coordinate is an int or a tuple of ints, not {_show(coord)}",
            help="write (x, y) with 0 <= x < x_size and 0 <= y < y_size",
        )
    numbers = tuple(map(int, values))
    sizes = grid_size(grid, len(numbers))
    if any(not 0 <= value < extent for value, extent in zip(numbers, sizes, strict=True)):
        return _outside(coord, numbers, sizes, grid)
    return linear_index(numbers, sizes)


def resolve_range(node_range: object, grid: Grid, *, stepped: bool = False) -> tuple[int, ...] | Diagnostic:
    """Linear indices, ascending, of the nodes in a user's range: ints and slices mixed.

    ``stepped``: slices may have a step, as the destination of a pipe may.
    """
    entries = node_range if isinstance(node_range, tuple | list) else (node_range,)
    if not entries:
        return _no_range(node_range)
    sizes = grid_size(grid, len(entries))
    axes: list[range] = []
    for entry, extent in zip(entries, sizes, strict=True):
        if isinstance(entry, slice):
            given = [bound for bound in (entry.start, entry.stop, entry.step) if bound is not None]
            step = 1 if entry.step is None else entry.step
            if not all(map(is_int, given)) or int(step) < 1 or (int(step) != 1 and not stepped):
                return _no_slice(entry, stepped=stepped)
            start = 0 if entry.start is None else int(entry.start)
            stop = extent if entry.stop is None else int(entry.stop)
            if not 0 <= start < stop <= extent:
                return _outside(node_range, entries, sizes, grid)
            axes.append(range(start, stop, int(step)))
        elif is_int(entry):
            if not 0 <= int(entry) < extent:
                return _outside(node_range, entries, sizes, grid)
            axes.append(range(int(entry), int(entry) + 1))
        else:
            return _no_range(node_range)
    indices = [0]
    for axis, extent in zip(axes, sizes, strict=True):
        indices = [index * extent + value for index in indices for value in axis]
    return tuple(indices)


def _no_slice(given: slice, *, stepped: bool) -> Diagnostic:
    if stepped:
        return error(
            "TTL0602",
            f"{_show(given)} is not a slice of ints with a step of 1 or more",
            help="count upwards: slice(0, 8, 2) for every other node of eight",
        )
    return error(
        "TTL0602",
        f"a node range is contiguous: {_show(given)} is not a slice of ints with step 1",
        help="give start and stop only, or one semaphore operation per node",
    )


def _no_range(given: object) -> Diagnostic:
    return error(
        "TTL0601",
        f"a node range is a tuple of ints and slices, not {_show(given)}",
        help="write (x, slice(0, y_size)) for a column, (slice(0, x_size), y) for a row",
    )


def _outside(given: object, entries: Sequence[Any], sizes: tuple[int, ...], grid: Grid) -> Diagnostic:
    return error(
        "TTL0603",
        f"{_show(given)} is outside the grid, which has extents {sizes}",
        notes=(
            f"each coordinate counts from 0, so the last node is {tuple(extent - 1 for extent in sizes)}",
            *_chip_or_node(tuple(entries), sizes, len(grid) - 2),
        ),
        help=(
            *_other_way_round(given, sizes),
            "derive coordinates from ttl.grid_size(...), or launch on a larger grid",
        ),
    )


def _chip_or_node(entries: tuple[Any, ...], sizes: tuple[int, ...], mesh: int) -> tuple[str, ...]:
    """A note on whether the chip or the node does not exist, where the first ``mesh`` coordinates count chips."""
    if mesh < 1 or len(sizes) < mesh + 2:
        return ()
    if all(_is_within(entry, extent) for entry, extent in zip(entries[:mesh], sizes)):
        return (
            f"a chip has {' x '.join(map(str, sizes[mesh:]))} nodes, and no node {_show(entries[mesh:])}",
        )
    return (f"the mesh has {' x '.join(map(str, sizes[:mesh]))} chips, and no chip {_show(entries[:mesh])}",)


def _is_within(entry: Any, extent: int) -> bool:
    """Whether a coordinate, or all of a slice, is at least 0 and below an extent."""
    if not isinstance(entry, slice):
        return is_int(entry) and 0 <= entry < extent
    bounds = (entry.start or 0, extent - 1 if entry.stop is None else entry.stop - 1)
    return all(_is_within(bound, extent) for bound in bounds)


def _other_way_round(given: object, sizes: tuple[int, ...]) -> tuple[str, ...]:
    """Advice where the two coordinates are in the grid when they are swapped."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        return ()
    swapped = tuple(reversed(given))
    if not all(_is_within(entry, extent) for entry, extent in zip(swapped, sizes, strict=True)):
        return ()
    return (f"are x and y the wrong way round? {_show(swapped)} is inside",)


def _show(value: object) -> str:
    if isinstance(value, slice):
        bounds = (value.start, value.stop) if value.step is None else (value.start, value.stop, value.step)
        return f"slice({', '.join(short(bound) for bound in bounds)})"
    if isinstance(value, tuple):
        inner = ", ".join(_show(entry) for entry in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return short(value)


show_nodes = _show
