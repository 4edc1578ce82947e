"""Nodes of an operation's grid on the chip: their numbers and coordinates, their processors, addresses in their memory.

The last two extents of a grid are columns and rows of one device, and those before them are the devices of a mesh
(``ttl.sim.placement``). A grid of one dimension is a row of columns. Every chip of a mesh runs the same kernels; which of
the chips it is, row-major over the mesh, is an argument.

Only the host knows which coordinate on the network a column or a row of the grid has. If the compiler knows the node,
its coordinate is a single argument of the kernel; if the node depends on the node that the kernel runs on, its
coordinate is looked up in a table of arguments.

A node has two data movement processors: NCRISC, whose transfers go over NoC 0, the one that is better for reading
memory, and BRISC on NoC 1, better for writing it. The kernel that reads gets the first, the one that writes the second;
where that does not tell them apart, the order of the program does. A kernel that asks for a network, by a hint of its
author or a compile option, gets it and the processor with it; if both kernels ask for the same network, they share it
and keep the processors that they would have had (``DM_DYNAMIC_NOC`` of tt-metal; in its other mode a node with such
kernels hangs).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import SSAValue

from ttl.analysis.dominance import of_kinds
from ttl.analysis.network import Node, device_grid, place_of_index
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.ttkernel import CommonArgOp, call
from ttl.passes.building import Building, Number
from ttl.passes.choices import illegal, unknown_names
from ttl.passes.marks import NOC, PROCESSOR
from ttl.protocol.chips import chip_count
from ttl.protocol.grid import Coord, Grid, grid_size, linear_index


def node_number(build: Building, grid: Grid) -> Number:
    """The number of this node, in row-major order."""
    columns, rows = device_grid(grid)
    number = build.sum(build.product(column(build, grid), rows), row(build, grid))
    return build.sum(build.product(chip(build, grid), columns * rows), number)


def chip(build: Building, grid: Grid) -> Number:
    """The number of this chip in its mesh."""
    if chip_count(grid) == 1:
        return 0
    value = build.add(CommonArgOp("chip()")).results[0]
    value.name_hint = "chip"
    return value


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
    if dims >= len(grid) > 2:
        chips = _parts_of(build, chip(build, grid), sizes[: len(grid) - 2])
        return [*chips, column(build, grid), row(build, grid), *[0] * (dims - len(grid))]
    return _parts_of(build, node_number(build, grid), sizes)


def _parts_of(build: Building, number: Number, sizes: Sequence[int]) -> list[Number]:
    """The coordinates that a row-major number has in a space of these extents."""
    numbers: list[Number] = []
    for extent in reversed(sizes[1:]):
        numbers.append(build.remainder(number, extent))
        number = build.quotient(number, extent)
    return [number, *reversed(numbers)]


def place_of_coordinate(coord: Coord, grid: Grid) -> Node:
    """The column and row on its chip, and the chip, of the node at a coordinate of any length."""
    return place_of_index(linear_index(coord, grid_size(grid, len(coord))), grid)


def place_of_value(build: Building, coord: list[Number], grid: Grid) -> tuple[Number, Number, Number]:
    """Return column, row and chip of coordinates that are known on the node only."""
    columns, rows = device_grid(grid)
    if len(coord) == 2 and grid_size(grid, 2) == (columns, rows):
        return coord[0], coord[1], 0
    if len(coord) == len(grid):
        return coord[-2], coord[-1], _number_of(build, coord[:-2], grid[:-2])
    index = _number_of(build, coord, grid_size(grid, len(coord)))
    if chip_count(grid) == 1:
        return build.quotient(index, rows), build.remainder(index, rows), 0
    within = build.remainder(index, columns * rows)
    chip_of_node = build.quotient(index, columns * rows)
    return build.quotient(within, rows), build.remainder(within, rows), chip_of_node


def chip_number(build: Building, coord: Sequence[Number], grid: Grid) -> Number:
    """The number of a chip by its place in the mesh."""
    return _number_of(build, coord, grid[:-2])


def _number_of(build: Building, coord: Sequence[Number], sizes: Sequence[int]) -> Number:
    index: Number = 0
    for value, extent in zip(coord, sizes, strict=True):
        index = build.sum(build.product(index, extent), value)
    return index


# --- addresses in other nodes ----------------------------------------------------------------------------------


# On a call that looks up an argument: the entries of its table, or the name that they share for the columns or rows of
# the grid. The position of the table is added to the index when arguments are numbered.
TABLE = "ttl.table"


@dataclass(frozen=True, kw_only=True, slots=True)
class RectangleOfNodes:
    """Nodes of columns ``left`` to ``right`` and rows ``top`` to ``bottom``, the last ones included."""

    left: Number
    top: Number
    right: Number
    bottom: Number

    def count(self, build: Building) -> Number:
        """Return the number of nodes in the rectangle."""
        width = build.sum(build.difference(self.right, self.left), 1)
        height = build.sum(build.difference(self.bottom, self.top), 1)
        return build.product(width, height)


def node_address(build: Building, column: Number, row: Number, address: Number) -> SSAValue:
    """An address in the memory of a node."""
    value = build.ask(
        "get_noc_addr_xy", _coordinate(build, "noc_x", column), _coordinate(build, "noc_y", row), address
    )
    return _named(value, "remote", address)


def rectangle_address(
    build: Building, nodes: RectangleOfNodes, address: Number, noc: Literal[0, 1]
) -> SSAValue:
    """An address in the memory of every node of a rectangle. NoC 1 runs the other way, from the last node on."""
    first = [_coordinate(build, "noc_x", nodes.left), _coordinate(build, "noc_y", nodes.top)]
    last = [_coordinate(build, "noc_x", nodes.right), _coordinate(build, "noc_y", nodes.bottom)]
    corners = first + last if noc == 0 else last + first
    return _named(build.ask("get_noc_multicast_addr", *corners, address), "all", address)


def _named(value: SSAValue, prefix: str, address: Number) -> SSAValue:
    """Name an address on the network after the one in the node's memory."""
    hint = address.name_hint if isinstance(address, SSAValue) else None
    if hint is not None:
        value.name_hint = f"{prefix}_{hint.removesuffix('_address')}"
    return value


def address_on_another_chip(build: Building, column: Number, row: Number, address: Number) -> SSAValue:
    """An address in the memory of a node of another chip, for the router there, which writes over NoC 0."""
    x, y = _coordinate(build, "noc_x", column), _coordinate(build, "noc_y", row)
    return _named(build.ask("get_noc_addr_over", x, y, build.value(address), noc=0), "remote", address)


def argument_among(build: Building, entries: Sequence[str], index: Number) -> SSAValue:
    """The argument that holds one of several entries, chosen by an index."""
    if isinstance(index, int) or len(entries) == 1:
        return build.add(CommonArgOp(entries[index if isinstance(index, int) else 0])).results[0]
    op = call("get_common_arg_val", index)
    op.attributes[TABLE] = ArrayAttr(map(StringAttr, entries))
    return build.add(op).results[0]


def address_across(build: Building, names: Sequence[str], index: Number = 0) -> SSAValue:
    """The address of one of several semaphores that nodes of other chips change; the host has made them."""
    value = argument_among(build, [f"semaphore({name})" for name in names], index)
    value.name_hint = f"{names[0]}_address"
    return value


def _coordinate(build: Building, table: str, index: Number) -> SSAValue:
    if isinstance(index, int):
        return build.add(CommonArgOp(f"{table}({index})")).results[0]
    op = call("get_common_arg_val", index)
    op.attributes[TABLE] = StringAttr(table)
    return build.add(op).results[0]


# --- processors ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class MovementProcessor:
    """A processor of a node and the network it uses."""

    processor: Literal["ncrisc", "brisc"]
    noc: Literal[0, 1]


READER = MovementProcessor(processor="ncrisc", noc=0)
WRITER = MovementProcessor(processor="brisc", noc=1)


def assign_processors(
    operation: dialect.OperationOp, asked: Mapping[str, str] | None = None
) -> list[Diagnostic]:
    """Give every data movement kernel of an operation its processor and network; its copies must still be there.

    ``asked`` has the network of some kernels, by name. Returns errors for networks that are not possible.
    """
    kernels = movement_kernels(operation)
    asked = asked or {}
    findings = unknown_names(
        "noc", "data movement kernel", asked, [op.kernel_name for op in kernels], operation
    )
    for kernel in kernels:
        wanted, hint = asked.get(kernel.kernel_name), hinted_noc(kernel)
        if wanted is not None and not findings and wanted not in ("0", "1"):
            reason = "a node is on two networks, 0 and 1"
            findings.append(illegal(f"noc.{kernel.kernel_name}", wanted, reason, ("0", "1"), kernel))
        elif wanted is not None and not findings and hint is not None and str(hint) != wanted:
            reason = f"the program asks for network {hint} itself, @ttl.datamovement(noc={hint})"
            findings.append(illegal(f"noc.{kernel.kernel_name}", wanted, reason, (str(hint),), kernel))
    if findings:
        return findings
    nocs = [int(asked[op.kernel_name]) if op.kernel_name in asked else hinted_noc(op) for op in kernels]
    for kernel, place in zip(kernels, places_of(kernels, nocs)):
        kernel.attributes[PROCESSOR] = StringAttr(place.processor)
        kernel.attributes[NOC] = IntegerAttr(place.noc, i64)
    return []


def places_of(
    kernels: Sequence[dialect.UserKernelOp], asked: Sequence[int | None]
) -> tuple[MovementProcessor, ...]:
    """The processors and networks of data movement kernels, some of which ask for a network."""
    places: tuple[MovementProcessor, ...] = (READER, WRITER)
    if kernels and _only_writes(kernels[0]) and not (len(kernels) > 1 and _only_writes(kernels[1])):
        places = (WRITER, READER)
    match list(asked):
        case [int(noc), int(other)] if noc == other:
            return tuple(replace(place, noc=1 if noc else 0) for place in places)
        case [int(noc), *_]:
            return (READER, WRITER) if noc == 0 else (WRITER, READER)
        case [None, int(noc)]:
            return (WRITER, READER) if noc == 0 else (READER, WRITER)
    return places


def hinted_noc(kernel: dialect.UserKernelOp) -> Literal[0, 1] | None:
    """The network that the author of a data movement kernel asks for, or None."""
    hint = kernel.microcore_hint
    return None if hint is None else 1 if hint == "NOC1" else 0


def movement_kernels(operation: dialect.OperationOp) -> list[dialect.DataMovementKernelOp]:
    """The data movement kernels of an operation, in order."""
    return [op for op in operation.kernels if isinstance(op, dialect.DataMovementKernelOp)]


def place_of(kernel: dialect.UserKernelOp) -> MovementProcessor:
    """The processor and network of a data movement kernel."""
    noc, processor = kernel.attributes.get(NOC), kernel.attributes.get(PROCESSOR)
    if not (isinstance(noc, IntegerAttr) and isinstance(processor, StringAttr)):
        return READER
    return MovementProcessor(
        processor="brisc" if processor.data == "brisc" else "ncrisc", noc=1 if noc.value.data == 1 else 0
    )


def _only_writes(kernel: dialect.UserKernelOp) -> bool:
    copies = of_kinds(kernel, dialect.CopyOp)
    reads = any(isinstance(op.src.type, dialect.SliceType) for op in copies)
    return not reads and any(isinstance(op.dst.type, dialect.SliceType) for op in copies)
