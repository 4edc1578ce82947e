"""Systems as data: the chips of a machine, their wiring, and the routes between them.

A system is a mesh of equal chips. Chips have numbers, row by row of the mesh; neighbours are joined by a link of one
or more *channels*, each of which is one ethernet port at either end with the rate of ``chip.ethernet``, both ways at
once. An axis may be a ring: its last chip is a neighbour of its first.

The systems that are sold are the rows of ``_ROWS``. All others are files (``ttl.arch.system_file``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice, product
from types import MappingProxyType
from typing import Literal

from ttl.arch import Chip, chip_named
from ttl.arch.chip import DramPort

__all__ = ["Link", "System", "Topology", "ideal", "system_named", "system_names"]

Topology = Literal["single", "line", "ring", "mesh", "torus"]
Shape = tuple[int, int]
MOST_CHIPS = 4096
"""The most chips of a mesh: a hundred times as many as in a large installation of today. Every one has a shard of each tensor."""


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """The wires between two neighbours: chips ``a`` < ``b``, over ``channels`` ports at each end."""

    a: int
    b: int
    channels: int


@dataclass(frozen=True, kw_only=True, slots=True)
class System:
    """One machine. ``sources`` has the sources of its fields."""

    name: str
    title: str
    chip: Chip
    """The type of its chips; its grid is the one that programs may use on this card."""
    shape: Shape
    """Rows and columns of chips."""
    channels: int
    """Ports at either end of each link."""
    rings: tuple[bool, bool] = (False, False)
    """Whether the last row is wired to the first one, and the last column."""
    remote: tuple[int, ...] = ()
    """The chips that are not on PCIe themselves, but reached through the other chip of their card."""
    sources: Mapping[str, str]

    @property
    def chips(self) -> int:
        """The number of chips."""
        return self.shape[0] * self.shape[1]

    @property
    def hosts(self) -> tuple[int, ...]:
        """The chips on PCIe."""
        return tuple(chip for chip in range(self.chips) if chip not in self.remote)

    @property
    def topology(self) -> Topology:
        """The name of the wiring."""
        if self.chips == 1:
            return "single"
        ringed = any(self.rings)
        if min(self.shape) == 1:
            return "ring" if ringed else "line"
        return "torus" if ringed else "mesh"

    @property
    def links(self) -> tuple[Link, ...]:
        """Every link once, in the order of its chips."""
        return _links(self.shape, self.rings, self.channels)

    def coordinate(self, chip: int) -> tuple[int, int]:
        """Row and column of a chip. Raises ``IndexError`` for a number that no chip has."""
        if not 0 <= chip < self.chips:
            raise IndexError(f"chip {chip}: {self.title} has chips 0 to {self.chips - 1}")
        return divmod(chip, self.shape[1])

    def neighbours(self, a: int) -> tuple[int, ...]:
        """The chips that a link joins to ``a``, in order. Raises ``IndexError``."""
        self.coordinate(a)
        return _neighbours(self.shape, self.rings)[a]

    def route(self, a: int, b: int) -> tuple[int, ...]:
        """The chips on the route from ``a`` to ``b``, both among them.

        The route goes along the column first, then along the row, as packets of a two-dimensional fabric do; on a ring
        the shorter way, and of two equally short ways in the direction of rising numbers. Raises ``IndexError`` for a
        number that no chip has.
        """
        here, there = list(self.coordinate(a)), self.coordinate(b)
        passed = [a]
        for axis in (0, 1):
            extent = self.shape[axis]
            ahead = (there[axis] - here[axis]) % extent
            around = self.rings[axis]
            forward = ahead <= extent - ahead if around else there[axis] > here[axis]
            while here[axis] != there[axis]:
                here[axis] = (here[axis] + (1 if forward else -1)) % extent
                passed.append(here[0] * self.shape[1] + here[1])
        return tuple(passed)

    def bytes_per_second(self, link: Link) -> int:
        """The rate of a link, each way."""
        return link.channels * self.chip.ethernet.bytes_per_second

    @property
    def bisection_bytes_per_second(self) -> int:
        """The rate across the narrowest cut between two halves of the rows or of the columns, each way; 0 for one chip."""
        cuts = [
            self.chips // extent * (2 if ring else 1)
            for extent, ring in zip(self.shape, self.rings, strict=True)
            if extent > 1
        ]
        return min(cuts, default=0) * self.channels * self.chip.ethernet.bytes_per_second

    def placed(self, shape: tuple[int, ...], first: tuple[int, ...] = (0, 0)) -> tuple[int, ...] | None:
        """The chips of a mesh of this shape with its first chip at a coordinate; None if the system lacks any of them.

        They are in the order of the mesh, row by row. The mesh is a rectangle of the system, turned by a quarter if
        needed; a line from the system's first chip may also go through the system row by row, there and back, so that
        each of its chips is a neighbour of the next.
        """
        rows, columns = ((1, *shape) if len(shape) == 1 else tuple(shape) if len(shape) == 2 else (0, 0))  # fmt: skip
        if len(first) != 2 or min(rows, columns, first[0] + 1, first[1] + 1) < 1:
            return None
        height, width = self.shape[0] - first[0], self.shape[1] - first[1]
        corner = first[0] * self.shape[1] + first[1]
        down, right = self.shape[1], 1
        if rows <= height and columns <= width:
            return tuple(
                corner + row * down + column * right for row, column in product(range(rows), range(columns))
            )
        if columns <= height and rows <= width:
            return tuple(
                corner + row * right + column * down for row, column in product(range(rows), range(columns))
            )
        if min(rows, columns) == 1 and rows * columns <= self.chips and not any(first):
            path = (
                row * down + (column if row % 2 == 0 else down - 1 - column)
                for row, column in product(range(self.shape[0]), range(down))
            )
            return tuple(islice(path, rows * columns))
        return None


@cache
def _neighbours(shape: Shape, rings: tuple[bool, bool]) -> tuple[tuple[int, ...], ...]:
    rows, columns = shape
    result = []
    for row, column in product(range(rows), range(columns)):
        near = set()
        for step in (-1, 1):
            for axis, at in enumerate(((row + step, column), (row, column + step))):
                if rings[axis] or 0 <= at[axis] < shape[axis]:
                    near.add(at[0] % rows * columns + at[1] % columns)
        result.append(tuple(sorted(near - {row * columns + column})))
    return tuple(result)


@cache
def _links(shape: Shape, rings: tuple[bool, bool], channels: int) -> tuple[Link, ...]:
    near = _neighbours(shape, rings)
    return tuple(Link(a, b, channels) for a, others in enumerate(near) for b in others if a < b)


_WHEEL = "ttnn 0.69.0 and 0.81.1, tt_metal/fabric/mesh_graph_descriptors"
_CARD = "ttnn 0.81.1 with a mock device: what a board of this kind has, less a row (Wormhole) or column (Blackhole) for dispatch"
_PLACES = "an n300 describes itself (tt-mlir b8f6d2e776); of several cards, that of a mesh of 2x4 the chips on PCIe are the middle ones: ASSUMED"
_SMALL_CARD: Mapping[str, object] = MappingProxyType({"grid": (11, 10)})
_P100: Mapping[str, object] = MappingProxyType(
    {"grid": (11, 10), "dram": DramPort(channels=7, bytes_per_channel=4 << 30)}
)
_CHIPS: Mapping[str, tuple[str, Mapping[str, object]]] = MappingProxyType(
    {
        "n150": ("wormhole", {}),
        "n300": ("wormhole", {}),
        "galaxy": ("wormhole", {"grid": (8, 9)}),
        "p100": ("blackhole", _P100),
        "p150": ("blackhole", {}),
        "p300": ("blackhole", _SMALL_CARD),
        "blackhole_galaxy": ("blackhole", {"grid": (12, 10)}),
    }
)
"""For each card its chip, and the fields of the chip that differ on this card."""

# Name, title, card, rows and columns of chips, ports of a link, its descriptor.
_ROWS = (
    ("n150", "n150", "n150", (1, 1), 1, "n150_mesh"),
    ("n300", "n300", "n300", (1, 2), 2, "n300_mesh"),
    ("n300_x2", "2 x n300 as a line", "n300", (4, 1), 2, "n300_x2_mesh"),
    ("n300_2x2", "2 x n300 as a square", "n300", (2, 2), 2, "n300_2x2_mesh"),
    ("t3000", "T3000 (4 x n300)", "n300", (2, 4), 2, "t3k_mesh"),
    ("quietbox", "QuietBox Wormhole (4 x n300)", "n300", (2, 4), 2, "t3k_mesh"),
    ("galaxy", "Galaxy Wormhole", "galaxy", (8, 4), 4, "single_galaxy_mesh"),
    ("p100", "p100", "p100", (1, 1), 1, "p100_mesh"),
    ("p150", "p150", "p150", (1, 1), 1, "p150_mesh"),
    ("p150_x2", "2 x p150", "p150", (1, 2), 4, "p150_x2_mesh"),
    ("p150_x4", "4 x p150", "p150", (2, 2), 4, "p150_x4_mesh"),
    ("p150_x8", "8 x p150", "p150", (2, 4), 2, "p150_x8_mesh"),
    ("quietbox_blackhole", "QuietBox Blackhole (4 x p150)", "p150", (2, 2), 4, "p150_x4_mesh"),
    ("p300", "p300", "p300", (1, 2), 2, "p300_mesh"),
    ("p300_x2", "2 x p300", "p300", (2, 2), 2, "p300_x2_mesh"),
    ("blackhole_galaxy", "Galaxy Blackhole", "blackhole_galaxy", (8, 4), 2, "single_bh_galaxy_mesh"),
)  # fmt: skip
# The second chips of the cards in systems of n300.
_REMOTE: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"n300": (1,), "n300_x2": (0, 3), "n300_2x2": (1, 3), "t3000": (0, 3, 4, 7), "quietbox": (0, 3, 4, 7)}
)
# Rings that a galaxy can be wired to, (rows, columns), by the descriptor's word that replaces ``mesh``.
_TORI = MappingProxyType({"torus_x": (False, True), "torus_y": (True, False), "torus_xy": (True, True)})


@cache
def _rows() -> Mapping[str, tuple[str, str, Shape, int, tuple[bool, bool], str]]:
    result: dict[str, tuple[str, str, Shape, int, tuple[bool, bool], str]] = {}
    for name, title, card, shape, channels, descriptor in _ROWS:
        result[name] = (title, card, shape, channels, (False, False), descriptor)
        if shape == (8, 4):
            for word, rings in _TORI.items():
                turned = descriptor.replace("mesh", word)
                result[f"{name}_{word}"] = (f"{title}, {word}", card, shape, channels, rings, turned)
    return MappingProxyType(result)


def system_names() -> tuple[str, ...]:
    """The systems there are by name."""
    return tuple(_rows())


@cache
def system_named(name: str) -> System:
    """The system of a name. Raises ``KeyError`` for another name: settings are checked where they are read."""
    title, card, shape, channels, rings, descriptor = _rows()[name]
    chip, otherwise = _CHIPS[card]
    wires = f"{_WHEEL}: {descriptor}_graph_descriptor.textproto"
    return System(
        name=name,
        title=title,
        chip=replace(chip_named(chip), **otherwise) if otherwise else chip_named(chip),  # type: ignore[arg-type]
        shape=shape,
        channels=channels,
        rings=rings,
        remote=_REMOTE.get(name, ()),
        sources=MappingProxyType(
            {"chip": _CARD, "shape": wires, "channels": wires, "rings": wires, "remote": _PLACES}
        ),
    )


@lru_cache(maxsize=64)
def _ideal(name: str, shape: Shape) -> System:
    origin = "made up: a mesh as a program asked for it, where no system was chosen"
    sources = MappingProxyType(dict.fromkeys(("chip", "shape", "channels", "rings"), origin))
    return System(
        name="ideal", title="an ideal mesh", chip=chip_named(name), shape=shape, channels=1, sources=sources
    )


def ideal(chip: Chip, shape: Shape) -> System:
    """Return a mesh of chips of this shape, rows by columns, whose neighbours are joined by one channel, without rings."""
    return replace(_ideal(chip.name, shape), chip=chip)
