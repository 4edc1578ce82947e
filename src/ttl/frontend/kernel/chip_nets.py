"""Nets over several chips while an operation is read. Graphs stay graphs; their edges are not listed."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal

from xdsl.ir import SSAValue

from ttl.dialects import ttl as ir
from ttl.frontend import refusals
from ttl.frontend.kernel.trace import OperationTrace
from ttl.frontend.stop import Reject
from ttl.lang.pipe import NetPart, PipeNet
from ttl.protocol.chips import NODE_DIMS
from ttl.protocol.devices import ChipGraph, DeviceGrid, node_grid
from ttl.protocol.grid import coordinate, resolve_coord

End = Literal["src", "dst"]


def parts_of(net: PipeNet[Any], trace: OperationTrace) -> tuple[NetPart, ...]:
    """Return the parts of a net on a device domain; empty if the net is a list of pipes on the whole grid."""
    if net.parts:
        trace.require_domain(net.parts[0].graph.domain, "a net over a graph")
        return net.parts
    if isinstance(trace.grid, DeviceGrid):  # a net on each chip separately
        return (NetPart(ChipGraph(trace.grid.domain, "own"), net.pipes),)
    return ()


def on_chip(entries: tuple[Any, ...], grid: DeviceGrid) -> tuple[Any, ...]:
    """A coordinate or range on a chip in two dimensions, from one in any number of dimensions."""
    if len(entries) != 1:
        return entries[:NODE_DIMS]
    (entry,) = entries
    if isinstance(entry, slice):
        if (entry.start or 0) == 0 and entry.stop in (None, prod(grid.nodes)):
            return slice(None), slice(None)
        raise Reject(
            refusals.pipes_differ(
                "a range of nodes of a chip in one dimension", "write it in two dimensions: (x, slice(0, 4))"
            )
        )
    return entry // grid.nodes[1], entry % grid.nodes[1]


def attribute(part: NetPart, grid: tuple[int, ...]) -> ir.NetPartAttr:
    """A part of a net as an attribute of the IR. The ends of its pipes are in the grid."""
    nodes = node_grid(grid)
    if part.pipes is None:
        return ir.NetPartAttr(part.graph, nodes)
    assert isinstance(grid, DeviceGrid)
    pipes = []
    for pipe in part.pipes:
        src = resolve_coord(pipe.src, nodes)
        assert isinstance(src, int)
        entries = pipe.dst if isinstance(pipe.dst, tuple | list) else (pipe.dst,)
        dst = [
            _entry(entry, extent) for entry, extent in zip(on_chip(tuple(entries), grid), nodes, strict=True)
        ]
        pipes.append(ir.PipeAttr(coordinate(src, nodes, NODE_DIMS), dst))
    return ir.NetPartAttr(part.graph, (), pipes)


def _entry(entry: Any, extent: int) -> int | ir.SliceAttr:
    if not isinstance(entry, slice):
        return int(entry)
    return ir.SliceAttr(
        int(entry.start or 0), extent if entry.stop is None else int(entry.stop), int(entry.step or 1)
    )


def everywhere(parts: Sequence[NetPart], end: str, grid: tuple[int, ...]) -> bool | None:
    """Return whether every node of every chip is an end of a pipe (True), or no node is (False); else None."""
    empty = True
    for part in parts:
        of: End = "src" if end == "src" else "dst"
        chips = part.graph.every(of)
        nodes = _ends_on_chip(part, of, grid)
        if chips is False or not nodes:
            continue
        if chips and len(nodes) == prod(node_grid(grid)):
            return True
        empty = False
    return False if empty else None


def _ends_on_chip(part: NetPart, end: End, grid: tuple[int, ...]) -> dict[int, int]:
    """The nodes of a chip at which pipes of a part begin or end, with the number of these pipes."""
    nodes = node_grid(grid)
    if part.pipes is None:
        return dict.fromkeys(range(prod(nodes)), 1)
    counts: dict[int, int] = {}
    for pipe in attribute(part, grid).pipes:
        ends = pipe.src if end == "src" else pipe.dst
        places = [0]
        for entry, extent in zip(ends, nodes, strict=True):
            axis = (entry,) if isinstance(entry, int) else entry.indices
            places = [place * extent + index for place in places for index in axis]
        for place in places:
            counts[place] = counts.get(place, 0) + 1
    return counts


def destination_count(parts: Sequence[NetPart], trace: OperationTrace) -> Any:
    """Return the number of pipes from which the node receives.

    For each part, this is the number of edges to its chip times the number of pipes that end at its place on the chip.
    """
    nodes, total = node_grid(trace.grid), 0
    for part in parts:
        graph, by_node = part.graph, _ends_on_chip(part, "dst", trace.grid)
        into = [len(graph.into(chip)) for chip in range(graph.domain.count)]
        ending = [by_node.get(place, 0) for place in range(prod(nodes))]
        total += _looked_up(trace, into, trace.device_index(graph.domain)) * _looked_up(
            trace, ending, trace.node(1)
        )
    return total


def _looked_up(trace: OperationTrace, members: Sequence[int], index: Any) -> Any:
    if len(set(members)) == 1 or isinstance(index, int):
        return members[0]
    return trace.builder.looked_up(members, index, (min(members), max(members)), None)


def coordinates(parts: Sequence[NetPart], trace: OperationTrace, pipe: SSAValue, of: End) -> Any:
    """``pipe.src`` or ``pipe.dst`` on its chip; constant if all pipes agree."""
    if all(part.pipes is None for part in parts):
        return trace.node(NODE_DIMS)
    given = [getattr(item, of) for part in parts for item in part.pipes or ()]
    if all(part.pipes is not None for part in parts) and all(item == given[0] for item in given):
        return given[0]
    if any(isinstance(entry, slice) for item in given if isinstance(item, tuple) for entry in item):
        raise Reject(
            refusals.pipes_differ(
                f"pipe.{of} is a range of nodes that differs between the pipes of the net",
                "use the coordinates that are single nodes, or make a net for each range",
            )
        )
    rank = len(trace.grid) - NODE_DIMS
    x, y = (_axis(trace, pipe, of, rank + axis) for axis in range(NODE_DIMS))
    return (x, y) if isinstance(given[0], tuple) else x * node_grid(trace.grid)[1] + y


def chip_coordinate(trace: OperationTrace, pipe: SSAValue, of: End) -> tuple[Any, ...]:
    """The coordinate of the chip on which an end of a pipe is."""
    return tuple(_axis(trace, pipe, of, axis) for axis in range(len(trace.grid) - NODE_DIMS))


def _axis(trace: OperationTrace, pipe: SSAValue, of: End, axis: int) -> Any:
    if trace.grid[axis] == 1:
        return 0
    value = trace.emit(ir.PipeCoordinateOp(pipe, of=of, axis=axis)).result
    return trace.builder.atom(value, 0, trace.grid[axis] - 1)
