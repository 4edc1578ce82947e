"""The nodes that the pipes of a net connect, as linear indices: arrays, from which lists are made on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import OpResult, SSAValue

from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.protocol.chips import NODE_DIMS, nodes_per_chip
from ttl.protocol.devices import ChipGraph
from ttl.protocol.grid import Grid, resolve_coord, resolve_range
from ttl.session import SameObject, cached

Integers = NDArray[np.int64]
Ends = tuple[int, tuple[int, ...]]
"""Source, and destinations in ascending order."""


class NodeEnds:
    """One kind of end of all pipes of a net, node by node, in the order of the pipes."""

    def __init__(self, nodes: Integers, pipes: Integers, size: int) -> None:
        order = np.argsort(nodes, kind="stable")
        self.pipes: Integers = pipes[order]
        """The pipe of each end."""
        self.nodes: Integers = nodes[order]
        self.counts: Integers = np.bincount(nodes, minlength=size)
        self.first: Integers = np.cumsum(self.counts) - self.counts
        """The first end of each node."""
        self.index: Integers = np.arange(len(order)) - self.first[self.nodes]
        """The position of each end among those of its node."""

    def of(self, node: int) -> list[int]:
        """The pipes that have this end on a node."""
        first = self.first[node]
        pipes: list[int] = self.pipes[first : first + self.counts[node]].tolist()
        return pipes


@dataclass(frozen=True)
class NetEnds:
    """The ends of all pipes of a net. ``counts`` are the numbers of ``destinations`` of the pipes."""

    sources: Integers
    counts: Integers
    destinations: Integers
    size: int
    """The number of nodes."""

    @cached_property
    def sending(self) -> NodeEnds:
        """The ends at which pipes begin."""
        return NodeEnds(self.sources, np.arange(len(self.sources)), self.size)

    @cached_property
    def receiving(self) -> NodeEnds:
        """The ends at which pipes arrive."""
        return NodeEnds(self.destinations, np.repeat(np.arange(len(self.sources)), self.counts), self.size)

    @cached_property
    def at_source(self) -> tuple[Integers, Integers]:
        """The node at the source of each receiving end, and the position of the pipe among the ends of that node."""
        index = np.empty_like(self.sources)
        index[self.sending.pipes] = self.sending.index
        return self.sources[self.receiving.pipes], index[self.receiving.pipes]

    @cached_property
    def listed(self) -> tuple[Ends, ...]:
        """The ends of each pipe."""
        destinations, stops = self.destinations.tolist(), np.cumsum(self.counts).tolist()
        ends = zip(self.sources.tolist(), [0, *stops][:-1], stops, strict=True)
        return tuple((source, tuple(destinations[first:stop])) for source, first, stop in ends)


def net_of(value: SSAValue) -> dialect.CreatePipeNetOp | None:
    """The operation that makes a pipe net."""
    op = value.op if isinstance(value, OpResult) else None
    return op if isinstance(op, dialect.CreatePipeNetOp) else None


def net_ends(net: SSAValue, grid: Grid) -> NetEnds | None:
    """The ends of the pipes of a net; None if the net is not known or leaves the grid."""
    op = net_of(net)
    return None if op is None else _net_ends(SameObject(op.part_list or op.pipe_list), grid)


def pipe_ends(net: SSAValue, grid: Grid) -> tuple[Ends, ...] | None:
    """The ends of each pipe of a net, in order; None if the net is not known or leaves the grid."""
    ends = net_ends(net, grid)
    return None if ends is None else ends.listed


def pipes_by_node(op: dialect.IfPipeSrcOp | dialect.IfPipeDstOp, grid: Grid) -> NodeEnds | None:
    """Return for each node the pipes for which it runs the function passed to ``if_src`` or ``if_dst``, by index, in order."""
    ends = net_ends(op.net, grid)
    if ends is None:
        return None
    return ends.sending if isinstance(op, dialect.IfPipeSrcOp) else ends.receiving


def destination_of(pipe: dialect.PipeAttr) -> tuple[int | slice, ...]:
    """Return the destination of a pipe as a program writes it."""
    return tuple(
        item if isinstance(item, int) else slice(item.start, item.stop, item.step if item.step != 1 else None)
        for item in pipe.dst
    )


@cached(maxsize=64)
def _net_ends(made_of: SameObject, grid: Grid) -> NetEnds | None:
    """Return the ends of a list of pipes, or of graphs, cached because every analysis needs them."""
    nodes = nodes_per_chip(grid)
    parts: list[tuple[Integers, Integers, Integers]] = []
    for part in made_of.it if made_of.it and isinstance(made_of.it.data[0], dialect.NetPartAttr) else ():
        if part.graph.domain.extents != tuple(grid[:-NODE_DIMS]):
            return None
        on_chip = _arrays(part.node_pipes, grid[-NODE_DIMS:])
        if on_chip is None:
            return None
        source, destination = (chips[:, None] * nodes for chips in _edges(part.graph))
        sources, counts, destinations = on_chip
        parts.append(
            (
                (source + sources).ravel(),
                np.tile(counts, len(source)),
                (destination + destinations).ravel(),
            )
        )
    if not parts:
        listed = _arrays(made_of.it, grid)
        if listed is None:
            return None
        parts.append(listed)
    sources, counts, destinations = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return NetEnds(sources, counts, destinations, int(np.prod(grid)))


def _arrays(pipes: Sequence[dialect.PipeAttr], grid: Grid) -> tuple[Integers, Integers, Integers] | None:
    """Return sources, numbers of destinations, and destinations of pipes in a grid; None if a pipe leaves the grid."""
    sources: list[int] = []
    counts: list[int] = []
    destinations: list[int] = []
    for pipe in pipes:
        source = resolve_coord(tuple(pipe.src), grid)
        reached = resolve_range(destination_of(pipe), grid, stepped=True)
        if isinstance(source, Diagnostic) or isinstance(reached, Diagnostic):
            return None
        sources.append(source)
        counts.append(len(reached))
        destinations += reached
    return np.array(sources, np.int64), np.array(counts, np.int64), np.array(destinations, np.int64)


def _edges(graph: ChipGraph) -> tuple[Integers, Integers]:
    """Sources and destinations of all edges of a graph, in order."""
    if graph.kind != "stencil":
        edges = np.array([*graph.edges()], np.int64).reshape(-1, 2)
        return edges[:, 0], edges[:, 1]
    extents = graph.domain.extents
    chips = np.stack(np.unravel_index(np.arange(graph.domain.count), extents), axis=1)
    moved = chips[:, None, :] + np.array(graph.rows, np.int64)
    source, row = np.nonzero(((moved >= 0) & (moved < extents)).all(axis=2) | graph.wrap)
    return source, np.ravel_multi_index(tuple((moved[source, row] % extents).T), extents)
