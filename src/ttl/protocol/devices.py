"""Device domains and transfer graphs as data: the chips, and which of them send to which.

A chip has one number, row-major over the extents of its domain. A graph with a form (a stencil, a gather ...) is kept as that
form: the edges that leave a chip, those that enter it, and their count are computed on request from a few numbers, and no list is
made (``ChipGraph.out_of``, ``into``, ``count``). The order of edges is that of their sources, and for one source that of the
form: of offsets, of destinations, or of the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product as tuples
from math import prod
from typing import Any, Literal, get_args

from ttl.protocol.grid import Coord, Grid, coordinate, linear_index

Kind = Literal["edges", "stencil", "gather", "scatter", "all_to_all", "pairs", "own"]
End = Literal["src", "dst"]


@dataclass(frozen=True, slots=True)
class ChipDomain:
    """The chips of an operation: named components with one or more extents each. ``extents`` are all of these."""

    components: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def extents(self) -> tuple[int, ...]:
        """Chips along each axis of each component."""
        return tuple(extent for _, extents in self.components for extent in extents)

    @property
    def count(self) -> int:
        """The number of chips."""
        return prod(self.extents)

    def axes(self, component: str) -> tuple[int, ...]:
        """The places of a component's axes among all axes."""
        first = 0
        for name, extents in self.components:
            if name == component:
                return tuple(range(first, first + len(extents)))
            first += len(extents)
        raise KeyError(component)

    def coordinate(self, chip: int) -> Coord:
        """The coordinate of a chip on all axes."""
        extents = self.extents
        return coordinate(chip, extents, len(extents))

    def index(self, coord: Coord) -> int:
        """The number of the chip at a coordinate."""
        return linear_index(coord, self.extents)


class DeviceGrid(tuple[int, ...]):
    """The grid of an operation with a device domain: the domain's extents before those of the nodes of one chip.

    The nodes of all chips are numbered in it; the program counts in ``nodes``.
    """

    domain: ChipDomain

    def __new__(cls, domain: ChipDomain, nodes: Grid) -> DeviceGrid:
        """Make the grid of a domain each of whose chips has a grid of ``nodes``, two extents."""
        self = super().__new__(cls, (*domain.extents, *nodes))
        self.domain = domain
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return the arguments with which another process makes the same grid."""
        return self.domain, self.nodes

    @property
    def nodes(self) -> Grid:
        """Extents of one chip's nodes."""
        return tuple(self[len(self.domain.extents) :])


def node_grid(grid: Grid) -> Grid:
    """Return the grid of ``ttl.node()`` and ``ttl.grid_size()``: the nodes of one chip if the operation has a device domain."""
    return grid.nodes if isinstance(grid, DeviceGrid) else grid


def first_node(index: int, grid: Grid) -> int:
    """The node from which the program's coordinates count: the first one of the chip where the operation has a device domain."""
    return index - index % prod(grid.nodes) if isinstance(grid, DeviceGrid) else 0


@dataclass(frozen=True)
class ChipGraph:
    """Which chips send to which. ``rows`` are numbers whose meaning depends on ``kind``.

    ``edges``: pairs of chips; ``stencil``: offsets on all axes, round the ends with ``wrap``; ``gather`` and
    ``scatter``: one row with the coordinate, on ``axes``, of the chip that all others of its group send to or receive
    from; ``all_to_all``: no rows. A group is the chips that differ on ``axes`` only. ``pairs``: start, stop and step on
    every axis of the sources, then of the destinations, of which the first receives from the first source and so on;
    ``own``: every chip sends to itself.
    """

    domain: ChipDomain
    kind: Kind
    rows: tuple[tuple[int, ...], ...] = ()
    axes: tuple[int, ...] = ()
    wrap: bool = False

    @cached_property
    def count(self) -> int:
        """The number of edges."""
        extents = self.domain.extents
        members = prod(extents[axis] for axis in self.axes)
        match self.kind:
            case "edges":
                return len(self.rows)
            case "stencil" if self.wrap:
                return len(self.rows) * self.domain.count
            case "stencil":
                return sum(
                    prod(max(0, extent - abs(step)) for extent, step in zip(extents, row, strict=True))
                    for row in self.rows
                )
            case "gather" | "scatter":
                return self.domain.count // members * (members - 1)
            case "all_to_all":
                return self.domain.count * (members - 1)
            case "pairs":
                return prod(map(len, self._box(0)))
        return self.domain.count

    def out_of(self, chip: int) -> tuple[int, ...]:
        """The chips that a chip sends to, in the order of the edges."""
        return self._ends(chip, "src")

    def into(self, chip: int) -> tuple[int, ...]:
        """The chips that send to a chip, in the order of the edges."""
        return self._ends(chip, "dst")

    def every(self, end: End) -> bool | None:
        """Whether every chip is an end of some edge; False if there is no edge, None if this is not plain to see."""
        if not self.count:
            return False
        if self.kind in ("own", "all_to_all") or (self.kind == "stencil" and self.wrap):
            return True
        if self.kind == "pairs":
            return True if self.count == self.domain.count else None
        if self.kind == "edges":
            return True if len(self._listed[end]) == self.domain.count else None
        return None

    def problem(self) -> str:
        """Return the first mistake in the numbers of a hand-written graph; empty if there is no mistake."""
        rank, extents = len(self.domain.extents), self.domain.extents
        if not extents or min(extents) < 1:
            return f"extents of chips are positive, not {list(extents)}"
        if self.kind not in get_args(Kind):
            return f"a graph is one of {', '.join(get_args(Kind))}, not {self.kind}"
        if any(not 0 <= axis < rank for axis in self.axes):
            return f"axes of {rank} extents, not {list(self.axes)}"
        lengths = {
            "edges": 2,
            "stencil": rank,
            "pairs": 3,
            "gather": len(self.axes),
            "scatter": len(self.axes),
        }
        if any(len(row) != lengths.get(self.kind, 0) for row in self.rows):
            return f"a row of {self.kind} has {lengths.get(self.kind, 0)} numbers"
        expected = {"pairs": 2 * rank, "gather": 1, "scatter": 1}.get(self.kind, len(self.rows))
        if len(self.rows) != expected:
            return f"{self.kind} has {expected} rows, not {len(self.rows)}"
        if self.kind == "edges" and any(
            not 0 <= chip < self.domain.count for row in self.rows for chip in row
        ):
            return f"chips are numbered from 0 to {self.domain.count - 1}"
        if self.kind == "pairs" and any(row[2] == 0 for row in self.rows):
            return "a step is not 0"
        if self.kind == "pairs" and prod(map(len, self._box(0))) != prod(map(len, self._box(1))):
            return "as many destinations as sources"
        return ""

    def edges(self) -> Iterator[tuple[int, int]]:
        """All edges, in order."""
        if self.kind == "edges":
            yield from ((source, destination) for source, destination in self.rows)
            return
        for source in range(self.domain.count):
            yield from ((source, destination) for destination in self.out_of(source))

    def _ends(self, chip: int, end: End) -> tuple[int, ...]:
        sends = end == "src"
        match self.kind:
            case "edges":
                return self._listed[end].get(chip, ())
            case "stencil":
                reached = (self._moved(chip, row, 1 if sends else -1) for row in self.rows)
                moved = [other for other in reached if other is not None]
                return tuple(moved if sends else sorted(moved))
            case "gather" | "scatter":
                return self._of_star(chip, (self.kind == "gather") is sends)
            case "all_to_all":
                return tuple(other for other in self._group(chip) if other != chip)
            case "pairs":
                first, second = (self._box(0), self._box(1)) if sends else (self._box(1), self._box(0))
                coord = self.domain.coordinate(chip)
                if not all(entry in axis for entry, axis in zip(coord, first, strict=True)):
                    return ()
                sizes, its_sizes = tuple(map(len, first)), tuple(map(len, second))
                places = tuple(axis.index(entry) for entry, axis in zip(coord, first, strict=True))
                place = coordinate(linear_index(places, sizes), its_sizes, len(its_sizes))
                return (self.domain.index(tuple(axis[at] for at, axis in zip(place, second, strict=True))),)
        return (chip,)

    @cached_property
    def _listed(self) -> dict[End, dict[int, tuple[int, ...]]]:
        ends: dict[End, dict[int, tuple[int, ...]]] = {"src": {}, "dst": {}}
        for source, destination in self.rows:
            ends["src"][source] = (*ends["src"].get(source, ()), destination)
            ends["dst"][destination] = (*ends["dst"].get(destination, ()), source)
        return ends

    def _moved(self, chip: int, offset: Coord, sign: int) -> int | None:
        coord = []
        steps = zip(self.domain.coordinate(chip), offset, self.domain.extents, strict=True)
        for entry, step, extent in steps:
            entry += sign * step
            if not self.wrap and not 0 <= entry < extent:
                return None
            coord.append(entry % extent)
        return self.domain.index(tuple(coord))

    def _of_star(self, chip: int, points_to_hub: bool) -> tuple[int, ...]:
        coord = list(self.domain.coordinate(chip))
        for axis, entry in zip(self.axes, self.rows[0], strict=True):
            coord[axis] = entry
        hub = self.domain.index(tuple(coord))
        if points_to_hub:
            return () if hub == chip else (hub,)
        return tuple(other for other in self._group(chip) if other != chip) if hub == chip else ()

    def _group(self, chip: int) -> Iterator[int]:
        coord, extents = self.domain.coordinate(chip), self.domain.extents
        places = (range(extents[axis]) if axis in self.axes else (coord[axis],) for axis in range(len(coord)))
        return map(self.domain.index, tuples(*places))

    def _box(self, number: int) -> tuple[range, ...]:
        rank = len(self.domain.extents)
        return tuple(range(*row) for row in self.rows[number * rank : (number + 1) * rank])
