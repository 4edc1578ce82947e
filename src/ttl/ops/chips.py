"""Chips of a mesh in rings: the next chip, the part of a tensor on each chip, and the blocks of each node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ttl
from ttl.lang.library import TILE, require_choice


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipRings:
    """The chips of a grid (mesh rows, mesh columns, x, y) in one ring, or in one for each row or column of the mesh.

    The part of a chip is its number in its ring by rows and columns of the mesh, as TT-NN counts; its place is its position along the
    ring. Of the nodes of a chip, those with an even number send to the next chip of the ring and those with an odd
    number to the one before, so that links are busy in both directions.
    """

    grid: tuple[int, int, int, int]
    axis: int | None
    """0: rings along columns of the mesh, whose chips differ in their row; 1: along rows; None: one ring of all chips."""
    parts: tuple[int, ...]
    """The part of the chip at each place."""
    places: tuple[int, ...]
    """The place of the chip with each part."""

    @property
    def size(self) -> int:
        """The number of chips in a ring."""
        return len(self.parts)

    @property
    def nodes(self) -> int:
        """The number of nodes of a chip."""
        return self.grid[2] * self.grid[3]

    def chips(self) -> list[list[tuple[int, int]]]:
        """The coordinates of the chips of every ring, by their places."""
        rows, columns = self.grid[:2]
        if self.axis is None:
            return [[divmod(part, columns) for part in self.parts]]
        if self.axis == 0:
            return [[(row, column) for row in range(rows)] for column in range(columns)]
        return [[(row, column) for column in range(columns)] for row in range(rows)]

    def each(self, function: Callable[[Sequence[Any]], Sequence[Any]], shards: Sequence[Any]) -> list[Any]:
        """The results of a function of the shards of a ring, by their parts, for the chips of every ring, row by row of the mesh."""
        results = list(shards)
        for ring in self.chips():
            numbers = [ring[place][0] * self.grid[1] + ring[place][1] for place in self.places]
            for number, result in zip(numbers, function([shards[number] for number in numbers]), strict=True):
                results[number] = result
        return results

    def net(self, active: int, shift: int = 1, *, mirrored: bool = True, closed: bool = True) -> Any:
        """Pipes from every chip to the one ``shift`` places on, from the first ``active`` nodes to the same nodes there.

        ``mirrored``: from nodes with an odd number ``shift`` places back. Not ``closed``: no pipe over the end of the ring. None if every ring has one chip.
        """
        numbers = range(min(active, self.nodes))
        steps = [(number, -shift if mirrored and number % 2 else shift, number) for number in numbers]
        return self.net_of(steps, closed=closed)

    def net_of(self, steps: Sequence[tuple[int, int, int]], *, closed: bool = True) -> Any:
        """Pipes from every chip: from the node with the first number to that with the last one, so many places on as the second one says."""
        rows, pipes = self.grid[3], []
        for ring in self.chips():
            for place, chip in enumerate(ring):
                for number, shift, to in steps:
                    on = place + shift
                    if closed or 0 <= on < len(ring):
                        there = (*ring[on % len(ring)], *divmod(to, rows))
                        pipes.append(ttl.Pipe((*chip, *divmod(number, rows)), there))
        return ttl.PipeNet(pipes) if self.size > 1 and pipes else None


def chip_rings(
    grid: tuple[int, int, int, int], axis: int | None = None, operation: str = "chip_rings"
) -> ChipRings:
    """The rings of a grid along an axis of the mesh. Raises TTL1650 for an axis that is neither 0, 1 nor None."""
    if axis is not None:
        require_choice(operation, "axis", axis, (0, 1))
    parts = _round(*grid[:2]) if axis is None else tuple(range(grid[axis]))
    places = tuple(parts.index(part) for part in range(len(parts)))
    return ChipRings(grid=grid, axis=axis, parts=parts, places=places)


def _round(rows: int, columns: int) -> tuple[int, ...]:
    """The chips of a mesh so that each is beside the next one, and the last beside the first, where that is possible.

    With an even number of rows: along the first one, back and forth through the others without their first column, and home
    through that column. With an even number of columns, the same turned by 90 degrees. Where both are odd, or there is one row,
    the last step leads through several chips.
    """
    if min(rows, columns) == 1:
        return tuple(range(rows * columns))
    if rows % 2 and columns % 2 == 0:
        return tuple(part % rows * columns + part // rows for part in _round(columns, rows))
    chips = [(0, 0)]
    for row in range(rows):
        chips += [(row, column) for column in (range(1, columns), range(columns - 1, 0, -1))[row % 2]]
    chips += [(row, 0) for row in range(rows - 1, 0, -1)]
    return tuple(row * columns + column for row, column in chips)


def node_of_chip() -> tuple[int, int, int]:
    """The row and the column of the chip that the current node is on, and the number of the node there."""
    row, column, node = ttl.node(dims=3)
    return row, column, node


def own_part(rings: ChipRings) -> int:
    """The part of the chip that the current node is on."""
    row, column, _ = node_of_chip()
    if rings.axis is None:
        return row * rings.grid[1] + column
    return row if rings.axis == 0 else column


def own_place(rings: ChipRings) -> int:
    """The place of the chip that the current node is on."""
    return rings.places[own_part(rings)] if rings.axis is None else own_part(rings)


def part_behind(rings: ChipRings, steps: int) -> int:
    """The part that arrives at the current node after some steps around the ring, each to the chip that follows."""
    _, _, node = node_of_chip()
    behind = (own_place(rings) + (2 * (node % 2) - 1) * steps) % rings.size
    return rings.parts[behind] if rings.axis is None else behind


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipParts:
    """A tensor as parts for chips, side by side along ``dim``, and these as blocks for nodes."""

    sizes: tuple[int, int]
    """The extents of a part, (rows, columns) in elements."""
    blocks: tuple[int, int]
    """(rows, columns) in tiles."""
    dim: int = 0
    tile: int = TILE
    """Rows and columns of a tile; 1 where tensors are row-major."""

    @property
    def across(self) -> int:
        """The number of blocks side by side in a part."""
        return -(-self.sizes[1] // self.tile) // self.blocks[1]

    @property
    def total(self) -> int:
        """The number of blocks of a part."""
        return -(-self.sizes[0] // self.tile) // self.blocks[0] * self.across

    def times(self, count: int) -> tuple[int, int]:
        """The sizes of ``count`` parts side by side."""
        rows, columns = self.sizes
        return (rows * count, columns) if self.dim == 0 else (rows, columns * count)

    @property
    def offset(self) -> tuple[int, int]:
        """Rows and columns, in tiles, from one part to the next one."""
        extent = self.sizes[self.dim] // self.tile
        return (extent, 0) if self.dim == 0 else (0, extent)


def block_of(tensor: Any, parts: ChipParts, block: int, part: int = 0) -> Any:
    """The block with a number of the part with a number, of a tensor."""
    top = block // parts.across * parts.blocks[0] + part * parts.offset[0]
    left = block % parts.across * parts.blocks[1] + part * parts.offset[1]
    return tensor[top : top + parts.blocks[0], left : left + parts.blocks[1]]


def fetch(source: Any, dfb: Any) -> None:
    """Read a block into a dataflow buffer."""
    with dfb.reserve() as blk:
        ttl.copy(source, blk).wait()


def put(dfb: Any, target: Any) -> None:
    """Write the next block of a dataflow buffer."""
    with dfb.wait() as blk:
        ttl.copy(blk, target).wait()


def send(dfb: Any, net: Any) -> None:
    """Send the next block of a dataflow buffer over the pipe of a net that leads from here."""
    with dfb.wait() as blk:
        net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())


def receive(net: Any, dfb: Any) -> None:
    """Receive a message over the pipe of a net into a dataflow buffer."""
    with dfb.reserve() as blk:
        net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
