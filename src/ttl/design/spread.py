"""Spreading of loops over nodes: all ways to do it, and the share of each loop that a node then has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from ttl.design.graph import Graph, Item, Loop, Store, items, loops_in


@dataclass(frozen=True, kw_only=True, slots=True)
class Spreading:
    """The way in which the loops of a nest are spread.

    The first ``down`` loops are spread over rows of nodes, the others over columns; with None all are spread over the
    nodes in line. With a ``split``, the first ``outer`` loops are spread over the parts of the grid, of which ``split``
    has the numbers beside and below each other; the others over the rows and columns of a part.
    """

    down: int | None
    multicast: bool
    divided: bool
    """Whether loads are divided between both data movement kernels."""
    diagonal: bool = False
    """Whether the nodes that read for a row or a column are on a diagonal, so that they do not share links."""
    outer: int = 0
    split: tuple[int, int] = (1, 1)
    summed: int | None = None
    """The number of the loop that is spread over the parts instead: each part has its own sum (``ttl.design.sums``)."""
    joined: bool = False
    """Whether loads of neighbouring parts are merged."""
    kept: tuple[str, ...] = ()
    """The tensors whose parts for all iterations of a loop are read before the loop."""


@dataclass(eq=False, kw_only=True, slots=True)
class NodeShare:
    """The iterations of some loops along one direction of the grid."""

    loops: tuple[Loop, ...]
    nodes: int
    iterations: int
    """The number of iterations of one node; the last nodes may have fewer."""
    where: str
    """The direction in words."""
    name: str
    """The variable that holds a node's place in the direction."""
    in_turn: bool = False
    """Whether iterations are dealt out to nodes round-robin, not in contiguous pieces."""

    @property
    def total(self) -> int:
        """The iterations of all nodes."""
        return prod(loop.count for loop in self.loops)

    @property
    def even(self) -> bool:
        """Whether all nodes have the same number."""
        return self.iterations * self.nodes == self.total


@dataclass(eq=False, kw_only=True, slots=True)
class Nest:
    """Spatial loops, one directly in the other, and their spreading."""

    parts: NodeShare | None
    """Parts of the grid; None if there is only one."""
    down: NodeShare | None
    """Rows of nodes of a part; None if the nodes in line have all loops."""
    across: NodeShare
    extent: tuple[int, int]
    """Columns and rows of all nodes with work."""
    split: tuple[int, int] = (1, 1)
    """The numbers of parts beside and below each other."""

    @property
    def shares(self) -> list[NodeShare]:
        """The shares of all directions, outer loops first."""
        return [share for share in (self.parts, self.down, self.across) if share is not None]

    def places(self, share: NodeShare, x: Any, y: Any, rows: int) -> Any:
        """Return the places of nodes in a direction, in a grid of ``rows`` rows; coordinates are arrays or numbers."""
        wide, high = self.across.nodes, 1 if self.down is None else self.down.nodes
        if share is self.parts:
            return y // high * self.split[0] + x // wide
        if share is self.down:
            return y % high if self.split[1] > 1 else y
        if self.down is None:
            return x * rows + y
        return x % wide if self.split[0] > 1 else x


def share_of(loop: Loop, nests: Mapping[Loop, Nest]) -> NodeShare | None:
    """Return the share of a loop that one direction of the grid has; None for a loop that every node runs."""
    shares = (share for nest in nests.values() for share in nest.shares)
    return next((share for share in shares if loop in share.loops), None)


def iterations_of(loop: Loop, nests: Mapping[Loop, Nest]) -> int:
    """Return the number of a node's iterations of a loop; of loops that are spread together, the first has all."""
    share = share_of(loop, nests)
    if share is None:
        return loop.count
    return share.iterations if share.loops[0] is loop else 1


def decide_kinds(graph: Graph) -> None:
    """Decide the kind of loops marked ``spread``: spatial if that is possible, else temporal.

    A loop can be spatial if it carries no values, has a store whose index depends on it, is the only loop at its place,
    and all loops around it are spatial.
    """

    def visit(body: list[Item], spatial: bool) -> None:
        loops = [item for item in body if isinstance(item, Loop)]
        for loop in loops:
            if loop.kind == "spread":
                stores = any(
                    isinstance(item, Store) and loop.number in loops_in(item.index)
                    for item in items(loop.body)
                )
                loop.kind = (
                    "spatial" if spatial and not loop.carried and stores and len(loops) == 1 else "temporal"
                )
            visit(loop.body, loop.kind == "spatial")

    visit(graph.body, True)


def nests_of(body: list[Item]) -> list[Loop]:
    """Return the loops of a body that are spread."""
    return [item for item in body if isinstance(item, Loop) and item.kind == "spatial"]


def chain_of(loop: Loop) -> tuple[Loop, ...]:
    """Return a spatial loop and those nested directly in it."""
    chain = [loop]
    while len(nests_of(chain[-1].body)) == 1 and not any(isinstance(item, Store) for item in chain[-1].body):
        chain.append(nests_of(chain[-1].body)[0])
    return tuple(chain)


def spreadings(graph: Graph, summed: list[Loop], limit: tuple[int, int]) -> Iterator[Spreading]:
    """Yield every way to spread the nests of a program over a grid; of its ``variants`` only the likeliest.

    ``summed`` are the loops that may be spread over parts of the grid that the nest does not need.
    """
    chains = [chain_of(loop) for loop in nests_of(graph.body)]
    depth = max(map(len, chains), default=0)
    for down in (None, *range(1, depth)):
        for multicast in (True, False):
            yield Spreading(
                down=down, multicast=multicast, divided=True, diagonal=multicast and down is not None
            )
    if len(chains) != 1:  # with several nests, these would need equal parts
        return
    (chain,) = chains
    for outer in range(1, depth - 1):
        for split in _splits(prod(loop.count for loop in chain[:outer]), limit):
            for down in range(1, depth - outer):
                yield Spreading(
                    down=down, multicast=True, divided=True, diagonal=True, outer=outer, split=split
                )
    others = prod(loop.count for loop in chain)
    for loop in summed:
        for split in _splits(loop.count, limit, prod(limit) // others):
            for down in range(1, depth) or (0, 1):
                yield Spreading(
                    down=down, multicast=True, divided=True, diagonal=True, split=split, summed=loop.number
                )


def variants(spreading: Spreading) -> Iterator[Spreading]:
    """Yield the spreading's variants with other reading nodes."""
    for divided in (True, False):
        for diagonal in (True, False) if spreading.diagonal else (False,):
            other = replace(spreading, divided=divided, diagonal=diagonal)
            if other != spreading:
                yield other


def _splits(iterations: int, limit: tuple[int, int], most: int = 1 << 30) -> list[tuple[int, int]]:
    """Return all layouts, in columns and rows, of the largest number of parts that divides the iterations.

    The number does not exceed ``most``, and the parts fit the grid; without such a number above 1 there is no layout.
    """
    every = [
        (beside, below)
        for beside in range(1, limit[0] + 1)
        for below in range(1, limit[1] + 1)
        if iterations % (beside * below) == 0 and beside * below <= most
    ]
    return [split for split in every if prod(split) == max(map(prod, every)) > 1]


def nest_of(loop: Loop, spreading: Spreading, limit: tuple[int, int]) -> Nest:
    """Spread a nest over nodes; ``limit`` is the largest number of columns and rows."""
    chain, down, outer, split = chain_of(loop), spreading.down, spreading.outer, spreading.split
    summed = [item for item in chain[-1].body if isinstance(item, Loop) and item.number == spreading.summed]
    if down is None or not (summed or 0 < down < len(chain) - outer):
        across = _line(chain, spreading, limit)
        return Nest(parts=None, down=None, across=across, extent=_in_line(across.nodes, limit))
    is_multicast = spreading.multicast
    most = limit[0] // split[0], limit[1] // split[1]
    parts = None
    if outer or summed:
        of_parts = chain[:outer] if outer else tuple(summed)
        parts = _share(of_parts, prod(split), is_multicast, "parts of the grid", "part")
    rows, columns = chain[outer : outer + down], chain[outer + down :]
    below = _share(rows, most[1], is_multicast, "rows of nodes", "in_y" if split[1] > 1 else "node_y")
    beside = _share(columns, most[0], is_multicast, "columns of nodes", "in_x" if split[0] > 1 else "node_x")
    extent = beside.nodes * split[0], below.nodes * split[1]
    return Nest(parts=parts, down=below, across=beside, extent=extent, split=split)


def _in_line(nodes: int, limit: tuple[int, int]) -> tuple[int, int]:
    """Return columns and rows for nodes in line, which are numbered down the columns (``ttl.node(dims=1)``)."""
    return _rectangle(nodes, limit) or (-(-nodes // limit[1]), limit[1])


def _rectangle(nodes: int, limit: tuple[int, int]) -> tuple[int, int] | None:
    """Return columns and rows of the widest rectangle of exactly ``nodes`` nodes; None if no rectangle fits."""
    for columns in range(min(nodes, limit[0]), 0, -1):
        if nodes % columns == 0 and nodes // columns <= limit[1]:
            return columns, nodes // columns
    return None


def _share(loops: tuple[Loop, ...], most: int, is_multicast: bool, where: str, name: str) -> NodeShare:
    """Share iterations among at most ``most`` nodes; with multicast, all nodes have as many, to stay in step."""
    total = prod(loop.count for loop in loops)
    iterations = -(-total // most)
    while is_multicast and total % iterations:
        iterations += 1
    return NodeShare(
        loops=loops, nodes=-(-total // iterations), iterations=iterations, where=where, name=name
    )


def _line(loops: tuple[Loop, ...], spreading: Spreading, limit: tuple[int, int]) -> NodeShare:
    """Share iterations among all nodes in line: with multicast a rectangle of nodes, else round-robin.

    Round-robin, nodes access neighbouring parts of memory at the same time, which are in different banks.
    """
    total, most = prod(loop.count for loop in loops), limit[0] * limit[1]
    iterations, nodes = -(-total // most), min(total, most)
    if spreading.multicast:
        while total % iterations or _rectangle(total // iterations, limit) is None:
            iterations += 1
        nodes = total // iterations
    in_turn = not spreading.multicast
    return NodeShare(
        loops=loops, nodes=nodes, iterations=iterations, where="nodes in line", name="node", in_turn=in_turn
    )
