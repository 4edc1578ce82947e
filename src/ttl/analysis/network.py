"""Limits of a chip's network: it sends to rectangles of nodes, and a receive takes the next message of its net.

The compiler and the checks share these functions and their messages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from math import prod
from typing import NamedTuple

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import of_kinds
from ttl.analysis.pipe_ends import pipe_ends
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.protocol.chips import NODE_DIMS
from ttl.protocol.grid import Grid, grid_size

Node = tuple[int, int, int]
"""Column and row on its chip, and the number of the chip in the mesh."""
Area = tuple[int, int, int, int]
"""The first column and row of a rectangle of nodes, and the last column and row."""


def device_grid(grid: Grid) -> tuple[int, int]:
    """Columns and rows of one device that a grid takes."""
    return (grid[-2], grid[-1]) if len(grid) > 1 else (grid[0], 1)


def place_of_index(index: int, grid: Grid) -> Node:
    """Return the place of the node with a linear index."""
    columns, rows = device_grid(grid)
    number, within = divmod(index, columns * rows)
    return (*divmod(within, rows), number)


def lattice_of(nodes: Collection[Node]) -> tuple[Area, tuple[int, int]] | None:
    """Return the rectangle that nodes of one chip span, and their distance along each axis; None if not a lattice."""
    columns, rows = ({node[axis] for node in nodes} for axis in (0, 1))
    steps = _step(columns), _step(rows)
    if 0 in steps or len(columns) * len(rows) != len(set(nodes)):
        return None
    return (min(columns), min(rows), max(columns), max(rows)), steps


def _step(numbers: Collection[int]) -> int:
    """Return the distance of equally spaced numbers, 1 for a single number; 0 if they are not equally spaced."""
    ordered = sorted(numbers)
    distances = {after - before for before, after in pairwise(ordered)} or {1}
    return distances.pop() if len(distances) == 1 else 0


def on_own_chip(source: Node, nodes: Collection[Node]) -> list[Node]:
    """Return the nodes on the chip of a sender: its network reaches them as one rectangle."""
    return [node for node in nodes if node[2] == source[2]]


def is_waited_for_alone(receive: dialect.CopyOp) -> bool:
    """Whether the handle of a receive is only used by waits, for it or for the first of several."""
    return all(isinstance(use.operation, dialect.WaitOp | dialect.WaitAnyOp) for use in receive.result.uses)


def overlapping(receive: dialect.CopyOp, others: Collection[dialect.CopyOp]) -> tuple[bool, bool]:
    """Whether receives over the same net start while one is active, and whether one of them is waited for before it.

    States are not carried beyond their uses, so only the paths from the copy to its last wait matter.
    """
    waits = {use.operation for use in receive.result.uses if isinstance(use.operation, dialect.WaitOp)}
    others_begin = others_end = False

    def along(at: Operation | None, ways: set[_OpenReceive]) -> set[_OpenReceive]:
        nonlocal others_begin, others_end
        while at is not None and waits and ways:
            if isinstance(at, scf.IfOp):
                sides = ((True, at.true_region), (False, at.false_region))
                ways = {
                    after
                    for holds, side in sides
                    for after in along(
                        side.blocks[0].first_op if side.blocks else None, _assuming(ways, at.cond, holds)
                    )
                }
            for block in () if isinstance(at, scf.IfOp) else (b for r in at.regions for b in r.blocks):
                ways = along(block.first_op, ways)
            if at in waits:
                waits.discard(at)
                return set()
            if isinstance(at, dialect.CopyOp) and at in others:
                others_begin = True
                ways = {way._replace(started=way.started | {at.result}) for way in ways}
            elif isinstance(at, dialect.WaitOp | dialect.WaitAnyOp):
                others_end |= any(not way.started.isdisjoint(at.operands) for way in ways)
            at = at.next_op
        return ways

    along(receive.next_op, {_OpenReceive(frozenset(), frozenset())})
    return others_begin, others_end


class _OpenReceive(NamedTuple):
    """A path from a receive without a wait for it: the receives that started there, and the answers excluded there."""

    started: frozenset[SSAValue]
    ruled_out: frozenset[tuple[SSAValue, int]]


def _assuming(ways: set[_OpenReceive], condition: SSAValue, holds: bool) -> set[_OpenReceive]:
    """Return the paths on which a condition holds, or not; comparisons of ``ttl.wait_any`` answers are recorded."""
    test = condition.owner
    if not isinstance(test, arith.CmpiOp) or not isinstance(test.lhs.owner, dialect.WaitAnyOp):
        return ways
    number, equal = integer_of(test.rhs), {0: holds, 1: not holds}.get(test.predicate.value.data)
    if number is None or equal is None:
        return ways
    answer, answers = test.lhs, range(len(test.lhs.owner.transfers))
    out = {(answer, other) for other in answers if (other == number) is not equal}
    after = {way._replace(ruled_out=way.ruled_out | out) for way in ways}
    return {way for way in after if not {(answer, possible) for possible in answers} <= way.ruled_out}


def node_range(
    remote: dialect.GetRemoteMulticastSemaphoreOp, grid: Grid
) -> tuple[list[SSAValue], list[SSAValue], tuple[int, ...]]:
    """Return start and stop in each dimension, and the sizes, without leading dimensions of size 1."""
    starts, stops = list(remote.starts), list(remote.stops)
    sizes = grid_size(grid, len(starts)) if starts else ()
    while len(starts) > 2 and sizes[0] == 1:
        starts, stops, sizes = starts[1:], stops[1:], sizes[1:]
    return starts, stops, sizes


def match_range(remote: dialect.GetRemoteMulticastSemaphoreOp, grid: Grid) -> Diagnostic | None:
    """Return an error if a range of nodes is not certainly a rectangle of the chip (TTL1417), else None."""
    starts, stops, sizes = node_range(remote, grid)
    columns, rows = device_grid(grid)
    if prod(grid[:-NODE_DIMS]) > 1 and 0 < len(starts) < len(grid):
        return not_a_rectangle()
    if not starts or (len(starts) == 2 and sizes == (columns, rows)) or len(starts) == len(grid) > NODE_DIMS:
        return None  # the last case: a rectangle on each chip of a box of chips
    if len(starts) == 1:
        first, stop = integer_of(starts[0]), integer_of(stops[0])
        if 1 in (columns, rows):
            return None
        # In row-major order: whole columns, or a part of one column.
        if first is not None and stop is not None:
            whole = first % rows == 0 and stop % rows == 0
            if whole or first // rows == (stop - 1) // rows:
                return None
    return not_a_rectangle()


def not_possible(operation: dialect.OperationOp, grid: Grid) -> Iterator[tuple[Operation, Diagnostic]]:
    """Yield the requests of a program that the network of its device cannot serve: TTL1414, TTL1415, TTL1417, TTL1420."""
    for op in of_kinds(operation, dialect.CreatePipeNetOp, dialect.SemaphoreSetOp):
        match op:
            case dialect.CreatePipeNetOp():
                yield from _not_possible_over(op, grid)
            case dialect.SemaphoreSetOp():
                remote = op.semaphore.owner
                if isinstance(remote, dialect.GetRemoteMulticastSemaphoreOp):
                    finding = match_range(remote, grid)
                    if finding is not None:
                        yield op, finding


def _not_possible_over(net: dialect.CreatePipeNetOp, grid: Grid) -> Iterator[tuple[Operation, Diagnostic]]:
    copies = [
        (isinstance(use.operation, dialect.IfPipeSrcOp), item.operation)
        for use in net.result.uses
        if isinstance(use.operation, dialect.IfPipeSrcOp | dialect.IfPipeDstOp)
        for item in use.operation.pipe.uses
        if isinstance(item.operation, dialect.CopyOp)
    ]
    if any(sends for sends, _ in copies):
        for source, nodes in pipe_ends(net.result, grid) or ():
            own = on_own_chip(place_of_index(source, grid), [place_of_index(node, grid) for node in nodes])
            if own and lattice_of(own) is None:
                yield net, scattered(net.net_name.data)
                return
    for sends, copy in copies:
        if not sends and not is_waited_for_alone(copy):
            yield copy, mixed_transfers()
        elif not sends and overlapping(copy, [copy for sends, copy in copies if not sends])[1]:
            yield copy, overtaken(net.net_name.data)


# --- the errors -------------------------------------------------------------------------------------------------


def mixed_transfers() -> Diagnostic:
    """Return the error for one wait on a receive and other transfers (TTL1414)."""
    return error(
        "TTL1414",
        "a receive is waited for in a group, but each receive has to be waited for alone",
        help="write .wait() on the transfer instead of adding it to a group",
    )


def overtaken(name: str) -> Diagnostic:
    """Return the error for a receive that is waited for after a later one over the same net (TTL1420)."""
    return error(
        "TTL1420",
        f"this receive over {name} is waited for after one that was started later",
        notes=(
            "messages come in the order of the receives, and on the chip the next one is taken where a receive is waited for",
        ),
        help="wait for receives over one net in the order in which they were started",
    )


def scattered(name: str) -> Diagnostic:
    """Return the error for destinations that are not a rectangle of nodes (TTL1415)."""
    return error(
        "TTL1415",
        f"the destinations of a pipe of {name} are not a rectangle of nodes, and the network sends to rectangles",
        notes=("a range in fewer dimensions than the grid has goes around its end",),
        help="write the destination in the dimensions of the grid, or as several pipes",
    )


def not_a_rectangle() -> Diagnostic:
    """Return the error for a range of nodes that is not a rectangle of the chip (TTL1417)."""
    return error(
        "TTL1417",
        "this range need not be a rectangle of nodes, and the network reaches rectangles",
        notes=("a range in fewer dimensions than the grid has goes around its end",),
        help="give the range in the dimensions of the grid",
    )
