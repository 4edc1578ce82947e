"""Nodes of an operation's grid and the compute nodes of the chip.

The last two extents of a grid are columns and rows of one device, and those before them are the devices of a mesh
(``ttl.sim.placement``). A grid of one dimension is a row of columns. What the compiler makes is for one device.
"""

from __future__ import annotations

from math import prod

from ttl.diag import Diagnostic, error
from ttl.passes.building import Building, Number
from ttl.protocol.grid import Coord, Grid, coordinate, grid_size, linear_index


def device_grid(grid: Grid) -> tuple[int, int]:
    """Columns and rows of one device that a grid takes."""
    return (grid[-2], grid[-1]) if len(grid) > 1 else (grid[0], 1)


def one_device(grid: Grid) -> Diagnostic | None:
    """Whether a grid is of one device (TTL1410)."""
    devices = prod(grid[:-2])
    if devices == 1:
        return None
    columns, rows = device_grid(grid)
    return error(
        "TTL1410",
        f"a grid of {grid} nodes is on {devices} devices, and the compiler makes programs for one",
        notes=(
            f"the last two extents, {columns}x{rows}, are the nodes of one device, and those before them the devices of a mesh",
            "nodes of different devices are not on one network: what they send to each other goes through links that kernels cannot use yet",
        ),
        help="give the operation a grid of two dimensions: it runs once on each device of the mesh, on that device's part of the tensors, and"
        " ttnn.all_reduce or ttnn.all_gather combine the parts",
    )


def node_number(build: Building, grid: Grid) -> Number:
    """The number of this node, in row-major order."""
    return build.sum(build.product(column(build, grid), device_grid(grid)[1]), row(build, grid))


def column(build: Building, grid: Grid) -> Number:
    """The column of this node on its device."""
    return 0 if device_grid(grid)[0] == 1 else build.ask("get_absolute_logical_x")


def row(build: Building, grid: Grid) -> Number:
    """The row of this node on its device."""
    return 0 if device_grid(grid)[1] == 1 else build.ask("get_absolute_logical_y")


def coordinates(build: Building, grid: Grid, dims: int) -> list[Number]:
    """The coordinates of this node in ``dims`` dimensions (specification, "Grid")."""
    sizes = grid_size(grid, dims)
    if dims >= 2 and grid_size(grid, dims)[:-2] == (1,) * (dims - 2) and sizes[-2:] == device_grid(grid):
        return [*[0] * (dims - 2), column(build, grid), row(build, grid)]
    rest = node_number(build, grid)
    found: list[Number] = []
    for extent in reversed(sizes[1:]):
        found.append(build.remainder(rest, extent))
        rest = build.quotient(rest, extent)
    return [rest, *reversed(found)]


def place_of_coordinate(coord: Coord, grid: Grid) -> tuple[int, int]:
    """Column and row, on its device, of the node that a coordinate of any length names."""
    index = linear_index(coord, grid_size(grid, len(coord)))
    columns, rows = device_grid(grid)
    found = coordinate(index % (columns * rows), (columns, rows), 2)
    return (found[0], found[1])


def place_of_value(build: Building, coord: list[Number], grid: Grid) -> tuple[Number, Number]:
    """The same for coordinates that are known on the node only."""
    columns, rows = device_grid(grid)
    if len(coord) == 2 and grid_size(grid, 2) == (columns, rows):
        return coord[0], coord[1]
    index: Number = 0
    for value, extent in zip(coord, grid_size(grid, len(coord)), strict=True):
        index = build.sum(build.product(index, extent), value)
    return build.quotient(index, rows), build.remainder(index, rows)
