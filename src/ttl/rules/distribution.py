"""The distribution of a tensor over the nodes of a grid: the part that each node owns, and the errors.

The language, every execution and the dialect's ``!ttl.dist_tensor`` use this module. Extents are in tiles (tiled) or
elements (row-major), and a node is (x, y): its column and its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, Literal

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Argument, BufferCreation, DecoratorAround, DropArguments, OfDestination
from ttl.diag.values import is_int
from ttl.diag.words import counted
from ttl.rows.types import TILE, Layout, describe_shape
from ttl.rules.words import describe, node_list, node_name

Strategy = Literal["sharded", "interleaved", "replicated"]
Order = Literal["row_major", "col_major"]
STRATEGIES: tuple[Strategy, ...] = ("sharded", "interleaved", "replicated")
NO_DISTRIBUTION, UNEVEN, GRID, ELSEWHERE, NO_SHARD, MANY_WRITERS, BEYOND = (
    "TTL0530",
    "TTL0531",
    "TTL0532",
    "TTL0533",
    "TTL0534",
    "TTL0535",
    "TTL0536",
)
_ON_NODES = ("height_sharded", "width_sharded", "block_sharded")
Nodes = tuple[tuple[int, int], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryDistribution:
    """The memory layout of a tensor. ``shard`` is in the tensor's unit; ``holders`` get the shards in this order."""

    memory: str
    spread: str
    shard: tuple[int, ...] | None = None
    holders: Nodes = ()

    @property
    def is_on_nodes(self) -> bool:
        """Whether the shards are two-dimensional and lie in the L1 of nodes."""
        return self.memory == "l1" and self.spread in _ON_NODES and self.shard is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Distribution:
    """The distribution of a tensor of ``extents`` over a grid of (columns, rows) nodes.

    Shards, ``shards`` = (rows, columns) of them, are counted row by row; nodes get them row by row or column by column.
    """

    strategy: Strategy
    grid: tuple[int, int]
    extents: tuple[int, ...]
    shard: tuple[int, ...]
    shards: tuple[int, int]
    layout: Layout
    order: Order = "row_major"

    def origin(self, x: Any, y: Any) -> tuple[Any, ...]:
        """The start of a node's shard in each dimension.

        Coordinates are ints, or any values with the same operators.
        """
        if self.strategy == "replicated":
            return (0,) * len(self.extents)
        row, column = self._place(x, y)
        return row * self.shard[0], column * self.shard[1]

    def _place(self, x: Any, y: Any) -> tuple[Any, Any]:
        (columns, rows), (down, across) = self.grid, self.shards
        by_rows = self.order == "row_major"
        if by_rows and across == columns:
            return y, x
        if not by_rows and across == rows:
            return x, y
        number = x + y * columns if by_rows else x * rows + y
        if across == 1 or down == 1:
            return (number, 0) if across == 1 else (0, number)
        return number // across, number % across

    def holders(self) -> Nodes:
        """The nodes in the order in which they hold shards."""
        return in_order(self.grid, self.order)

    def text(self) -> str:
        """A text with a line for each node and the part of the tensor that it owns."""
        what = describe_shape(self.extents, self.layout)
        if self.strategy == "interleaved":
            return f"interleaved: {what}, distributed over the banks of memory; no node has its own part"
        lines = [f"{self.strategy}: {what} over {self.grid[0]}x{self.grid[1]} nodes"]
        for node in in_order(self.grid):
            bounds = zip(self.origin(*node), self.shard, strict=True)
            lines.append(
                f"  {node_name(node)}: [{', '.join(f'{start}:{start + size}' for start, size in bounds)}]"
            )
        return "\n".join(lines)


def in_order(grid: tuple[int, int], order: Order = "row_major") -> Nodes:
    """The nodes of a grid row by row, or column by column."""
    if order == "row_major":
        return tuple((x, y) for y in range(grid[1]) for x in range(grid[0]))
    return tuple((x, y) for x in range(grid[0]) for y in range(grid[1]))


def request(strategy: object, shard: object) -> tuple[Strategy, tuple[int, int] | None] | Diagnostic:
    """Return the strategy that a program requests and the shape of a shard or None, or an error (TTL0530)."""
    named = next((name for name in STRATEGIES if isinstance(strategy, str) and name == strategy), None)
    if named is None:
        return error(
            NO_DISTRIBUTION,
            f"a tensor is distributed {', '.join(STRATEGIES[:-1])} or {STRATEGIES[-1]}, not {describe(strategy)}",
            help='write ttl.distribute(x, "sharded")',
        ).remedied_by(Argument(name="strategy", value='"sharded"', position=1))
    if shard is None:
        return named, None
    if named != "sharded":
        return error(
            NO_DISTRIBUTION,
            f"a tensor that is {named} takes no shard shape, but got {describe(shard)}",
            help="leave shard out, or distribute it sharded",
        ).remedied_by(DropArguments(names=("shard",)))
    if (
        isinstance(shard, tuple | list)
        and len(shard) == 2
        and all(is_int(size) and size > 0 for size in shard)
    ):
        return named, (int(shard[0]), int(shard[1]))
    return error(
        NO_DISTRIBUTION,
        f"the shape of a shard is its rows and columns, in tiles or elements, not {describe(shard)}",
        help="write shard=(rows, columns), or leave it out",
    ).remedied_by(DropArguments(names=("shard",)))


@lru_cache(maxsize=256)
def distribution(
    strategy: Strategy,
    extents: tuple[int, ...],
    layout: Layout,
    grid: tuple[int, ...],
    shard: tuple[int, int] | None,
    lying: MemoryDistribution,
) -> Distribution | Diagnostic:
    """The distribution of a tensor over a grid, or an error (TTL0530 to TTL0533).

    ``shard`` is the shape that the program requests. If shards lie in the L1 of nodes, they are the nodes' parts.
    Otherwise the rows of the tensor are divided by the rows of nodes, and its columns by the columns of nodes.
    """
    if len(grid) > 2:
        return error(
            GRID,
            f"a tensor is distributed over a grid of {len(grid)} dimensions, {grid}",
            notes=("shards are parts of one device's nodes, which have a column and a row",),
            help="give the operation a grid of two dimensions: it then runs on every device of a mesh",
        )
    over = (grid[0], grid[1] if len(grid) == 2 else 1)
    if strategy == "sharded":
        return _sharded(extents, layout, over, shard, lying)
    if strategy == "interleaved" and lying.spread != "interleaved":
        return error(
            ELSEWHERE,
            f"a tensor that is {lying.spread.replace('_', ' ')} is distributed as interleaved",
            help="say sharded, as its memory is; or make it interleaved on the host: ttnn.sharded_to_interleaved(x)",
        )
    return Distribution(
        strategy=strategy, grid=over, extents=extents, shard=extents, shards=(1, 1), layout=layout
    )  # fmt: skip


def _sharded(
    extents: tuple[int, ...],
    layout: Layout,
    grid: tuple[int, int],
    asked: tuple[int, int] | None,
    lying: MemoryDistribution,
) -> Distribution | Diagnostic:
    if len(extents) != 2:
        return error(
            NO_DISTRIBUTION,
            f"a tensor of {counted(len(extents), 'dimension')} is cut into shards",
            notes=("a shard is some rows and some columns",),
            help="reshape it to two dimensions on the host: ttnn.reshape(x, (rows, columns))",
        )
    own = lying.shard if lying.is_on_nodes else None
    if own is not None and asked is not None and own != asked:
        return error(
            ELSEWHERE,
            f"shards of {asked} {layout.unit}s are requested of a tensor whose shards in L1 have {own}",
            notes=("a part of another shape would be on several nodes",),
            help="leave shard out, or reshard the tensor on the host: ttnn.to_memory_config(x, ...)",
        ).remedied_by(DropArguments(names=("shard",)))
    part = own or asked
    if part is None:
        part = tuple(-(-extent // count) for extent, count in zip(extents, grid[::-1], strict=True))
        if extents != (part[0] * grid[1], part[1] * grid[0]):
            return _uneven(extents, layout, grid)
    if any(extent % size for extent, size in zip(extents, part, strict=True)):
        return error(
            UNEVEN,
            f"shards of {describe_shape(part, layout)} do not divide a tensor of {describe_shape(extents, layout)}",
            notes=("the last shards would be smaller, but every node must have an equal part",),
            help="pad the tensor on the host, or take a shard shape that divides it",
        )
    shards = (extents[0] // part[0], extents[1] // part[1])
    nodes = in_order(grid)
    holders = lying.holders[: prod(shards)] if own is not None else nodes
    if prod(shards) != len(nodes):
        right = _grid_for(shards, holders, own)
        return error(
            GRID,
            f"{counted(prod(shards), 'shard')} ({shards[0]} below and {shards[1]} beside each other) for "
            f"{counted(len(nodes), 'node')}, a grid of {grid}",
            notes=("every node of the grid has one shard",),
            help=f"give the operation a grid of as many nodes as there are shards: grid={right}",
        ).remedied_by(DecoratorAround(remedy=Argument(name="grid", value=str(right))))
    outside = [holder for holder in holders if holder not in nodes]
    if outside:
        bare = [node for node in nodes if node not in holders]
        return error(
            ELSEWHERE,
            f"shards in the L1 of {node_list(outside)}, which the operation's grid {grid} does not have",
            notes=(f"{node_list(bare)}: no shard of the tensor",) if bare else (),
            help="give the tensor's shards and the operation the same nodes, those from (0, 0) on",
        )
    order = _order(holders, grid)
    if order is None:
        return error(
            ELSEWHERE,
            "the shards do not follow the nodes row by row or column by column",
            notes=(f"shards are, in order, on {node_list(holders)}",),
            help="give the shards one rectangle of cores",
        )
    return Distribution(
        strategy="sharded", grid=grid, extents=extents, shard=part, shards=shards, layout=layout, order=order
    )  # fmt: skip


def _grid_for(shards: tuple[int, int], holders: Nodes, own: object) -> tuple[int, int]:
    """The grid (columns, rows) with a node for each shard: that of the holders, if the shards lie on nodes."""
    if own is None:
        return shards[1], shards[0]
    return max(x for x, _ in holders) + 1, max(y for _, y in holders) + 1


_SHARDED = BufferCreation(remedy=Argument(name="strategy", value='"sharded"', position=1))


def _uneven(extents: tuple[int, ...], layout: Layout, grid: tuple[int, int]) -> Diagnostic:
    return error(
        UNEVEN,
        f"a tensor of {describe_shape(extents, layout)} does not divide over {counted(grid[1], 'row')} and "
        f"{counted(grid[0], 'column')} of nodes",
        notes=("rows of the tensor go to rows of nodes, its columns to columns of nodes; every node must have an equal part",),
        help=("pad the tensor on the host, take another grid", "or give the shape of a shard: shard=(rows, columns)"),
    )  # fmt: skip


def _order(holders: Nodes, grid: tuple[int, int]) -> Order | None:
    """Return the order in which the nodes of a grid hold shards; None for other orders."""
    orders: tuple[Order, ...] = ("row_major", "col_major")
    return next((order for order in orders if holders == in_order(grid, order)), None)


def no_tensor(value: object) -> Diagnostic:
    """The error for distributing something that is not a TT-NN tensor on a device (TTL0530)."""
    return error(
        NO_DISTRIBUTION,
        f"ttl.distribute takes a TT-NN tensor, not {describe(value)}",
        help="pass one of the operation's tensor arguments, in the operation's body",
    )


def no_shard(strategy: str) -> Diagnostic:
    """The error for a shard shape given for an interleaved tensor (TTL0534)."""
    return error(
        NO_SHARD,
        f"the shard of a tensor that is {strategy}",
        notes=("its pages are distributed over the banks of memory: they do not belong to a node",),
        help='slice the tensor, or distribute its rows and columns over the nodes: ttl.distribute(x, "sharded")',
    ).remedied_by(_SHARDED)


def many_writers(grid: Sequence[int]) -> Diagnostic:
    """The error for a copy into a replicated tensor on a grid of several nodes (TTL0535)."""
    return error(
        MANY_WRITERS,
        f"a replicated tensor is written by all {prod(grid)} nodes of the grid",
        notes=("the shard of each node is the whole tensor: the last write would decide its content",),
        help="distribute it sharded, so that every node writes its own part, or let one node write a slice of the tensor",
    ).remedied_by(OfDestination(remedy=_SHARDED))


def beyond(axis: int, start: int, stop: int, extent: int, layout: Layout) -> Diagnostic:
    """The error for a part of a shard that exceeds the shard (TTL0536)."""
    return error(
        BEYOND,
        f"{start}:{stop} of a shard that has {counted(extent, layout.unit)} in dimension {axis}",
        notes=("elements beyond the ends of a shard belong to another node",),
        help="stay inside of the shard: guard the copy with if; other nodes send their data over pipes",
    )


def in_units(shape: Sequence[int], layout: Layout) -> tuple[int, ...]:
    """A shape in elements, converted to the unit of slices: tiles, rounded up, in the last two dimensions if tiled."""
    if layout is not Layout.TILE:
        return tuple(shape) or (1,)
    whole = (*(1,) * (2 - len(shape)), *shape)
    return (*whole[:-2], *(-(-extent // TILE) for extent in whole[-2:]))
