"""Which nodes the pipes of a net connect, as linear indices."""

from __future__ import annotations

from xdsl.ir import OpResult, SSAValue

from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.protocol.grid import Grid, resolve_coord, resolve_range
from ttl.session import SameObject, cached

Ends = tuple[int, tuple[int, ...]]
"""Source, and destinations in ascending order."""


def net_of(value: SSAValue) -> dialect.CreatePipeNetOp | None:
    """The operation that makes a pipe net."""
    op = value.op if isinstance(value, OpResult) else None
    return op if isinstance(op, dialect.CreatePipeNetOp) else None


def pipe_ends(net: SSAValue, grid: Grid) -> tuple[Ends, ...] | None:
    """The ends of each pipe of a net, in order; None if the net is not known or leaves the grid."""
    op = net_of(net)
    if op is None:
        return None
    return _all_ends(SameObject(op.pipes), grid)


@cached(maxsize=64)
def _all_ends(pipes: SameObject, grid: Grid) -> tuple[Ends, ...] | None:
    """The ends of the pipes of a list: every analysis asks for them, and there may be one for each of many chips."""
    ends = tuple(_ends(pipe, grid) for pipe in pipes.it)
    known = tuple(end for end in ends if end is not None)
    return known if len(known) == len(ends) else None


def pipes_by_node(op: dialect.IfPipeSrcOp | dialect.IfPipeDstOp, grid: Grid) -> dict[int, list[int]] | None:
    """For each node the pipes for which it runs the function given to ``if_src`` or ``if_dst``, by index, in order."""
    ends = pipe_ends(op.net, grid)
    if ends is None:
        return None
    by_node: dict[int, list[int]] = {}
    for index, (source, destinations) in enumerate(ends):
        for node in (source,) if isinstance(op, dialect.IfPipeSrcOp) else destinations:
            by_node.setdefault(node, []).append(index)
    return by_node


def destination_of(pipe: dialect.PipeAttr) -> tuple[int | slice, ...]:
    """The destination as a program writes it."""
    return tuple(
        item if isinstance(item, int) else slice(item.start, item.stop, item.step if item.step != 1 else None)
        for item in pipe.dst
    )


def _ends(pipe: dialect.PipeAttr, grid: Grid) -> Ends | None:
    source = resolve_coord(tuple(pipe.src), grid)
    destinations = resolve_range(destination_of(pipe), grid, stepped=True)
    if isinstance(source, Diagnostic) or isinstance(destinations, Diagnostic):
        return None
    return source, destinations
