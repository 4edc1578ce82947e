"""Device domains, transfer graphs and selections of chips: several chips under one operation.

A domain says which chips there are, a graph which of them send to which, and ``ttl.PipeNet(graph=...)`` is a net over
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from ttl.lang.check import fail, is_int, public, right
from ttl.lang.context import current
from ttl.protocol.chips import chip_name
from ttl.protocol.devices import ChipDomain, ChipGraph, Kind
from ttl.rules import devices as rules


@dataclass(frozen=True, slots=True, init=False, repr=False)
class DeviceRef:
    """A chip, by its coordinates in a domain, ``DeviceRef(0, 1)``, or by component, ``DeviceRef(row=0, column=1)``."""

    coords: tuple[Any, ...]
    named: tuple[tuple[str, Any], ...]

    def __init__(self, *coords: Any, **named: Any) -> None:
        if bool(coords) is bool(named):
            fail(
                rules.bad_net(
                    "a ttl.DeviceRef has coordinates, or values of components by name",
                    "write ttl.DeviceRef(0, 1) or ttl.DeviceRef(row=0, column=1)",
                )
            )
        object.__setattr__(self, "coords", coords)
        object.__setattr__(self, "named", tuple(named.items()))

    def __repr__(self) -> str:
        return f"DeviceRef({', '.join([*map(repr, self.coords), *(f'{key}={value!r}' for key, value in self.named)])})"


@dataclass(frozen=True, slots=True)
class DeviceRange:
    """The chips from ``lo`` to before ``hi``. Nets do not support a range as the destination of an edge (TTL0625)."""

    lo: Any
    hi: Any


@dataclass(frozen=True, slots=True, init=False, repr=False)
class DeviceDomain:
    """The chips that an operation runs on, all with the same grid: ``DeviceDomain(4)``, ``DeviceDomain((2, 4))``.

    Chips are numbered row-major. The mesh that the tensors are on must have as many chips (TTL0628).
    """

    domain: ChipDomain

    @public
    def __init__(self, extent: Any, *, name: str = "device") -> None:
        if not isinstance(name, str) or not name.isidentifier():
            fail(rules.bad_argument("the name of a device domain", name, 'a name such as "chip"'))
        object.__setattr__(self, "domain", ChipDomain(((name, right(rules.extents_of(extent))),)))

    @staticmethod
    def product(**components: Any) -> DeviceDomain:
        """The product of several named domains, its components: ``product(row=..., column=...)``."""
        if not components:
            fail(rules.bad_product("has no components"))
        listed = []
        for name, component in components.items():
            if not isinstance(component, DeviceDomain):
                fail(rules.bad_component(name, component))
            if len(component.domain.components) > 1:
                fail(rules.bad_product(f"has a component {name} that is a product itself"))
            listed.append((name, component.domain.components[0][1]))
        return _domain(ChipDomain(tuple(listed)))

    @property
    def flattened_extent(self) -> int:
        """The number of chips."""
        return self.domain.count

    def current_index(self) -> Any:
        """The number of the chip that runs this, row-major over all components. In operations."""
        return current("DeviceDomain.current_index()").device_index(self.domain)

    def is_current(self, device: Any) -> Any:
        """Whether a chip is the one that runs this. In operations."""
        return self.current_index() == self.index_order(device)

    def index_order(self, device: Any) -> int:
        """The number of a chip, row-major over all components."""
        return device_index(self.domain, device)

    def iter_device_refs(self) -> Iterator[DeviceRef]:
        """All chips, in order."""
        return (DeviceRef(*self.domain.coordinate(chip)) for chip in range(self.domain.count))

    def __getitem__(self, key: Any) -> DeviceView:
        """Select chips by an int or a slice for each axis.

        Ints fix an axis, slices keep it; negative numbers and steps work as in Python.
        """
        entries = key if isinstance(key, tuple) else (key,)
        extents = self.domain.extents
        if len(entries) != len(extents):
            fail(rules.bad_view(len(extents), entries))
        rows = []
        for entry, extent in zip(entries, extents, strict=True):
            if isinstance(entry, slice):
                kept = right(rules.kept_of(extent, entry))
                if not kept:
                    fail(rules.bad_net(f"domain[{key}] selects no chip", f"the extents are {extents}"))
                rows.append((kept.start, kept.stop, kept.step))
            else:
                whole = entry + extent if isinstance(entry, int) and -extent <= entry < 0 else entry
                at = right(rules.coordinate_in(self.domain, (whole,), (extent,)))
                rows.append((at, at + 1, 1))
        return DeviceView(self.domain, tuple(rows), ())

    def select(self, devices: Iterable[Any]) -> DeviceView:
        """The chips of a list, as a selection in the list's order."""
        chips = (device_index(self.domain, device) for device in listed_in(devices, "what is selected"))
        return DeviceView(self.domain, (), tuple(chips))

    def __repr__(self) -> str:
        return f"DeviceDomain({rules.shown_domain(self.domain)})"


def _domain(domain: ChipDomain) -> DeviceDomain:
    product = object.__new__(DeviceDomain)
    object.__setattr__(product, "domain", domain)
    return product


def device_index(domain: ChipDomain, device: Any) -> int:
    """The number of a chip of a domain, for a ``DeviceRef``, an int or a tuple; an error if it is missing (TTL0623)."""
    if isinstance(device, DeviceRef):
        return right(rules.device_of(domain, device.coords, device.named))
    return right(rules.device_of(domain, device))


@dataclass(frozen=True, slots=True)
class DeviceView:
    """A sequence of chips of a domain: a box, by start, stop and step on each axis, or a list."""

    domain: ChipDomain
    rows: tuple[tuple[int, int, int], ...]
    chips: tuple[int, ...]

    def __len__(self) -> int:
        return prod(len(range(*row)) for row in self.rows) if self.rows else len(self.chips)

    def numbers(self) -> tuple[int, ...]:
        """The numbers of the chips, in order."""
        if not self.rows:
            return self.chips
        numbers = [0]
        for row, extent in zip(self.rows, self.domain.extents, strict=True):
            numbers = [number * extent + entry for number in numbers for entry in range(*row)]
        return tuple(numbers)

    def __iter__(self) -> Iterator[DeviceRef]:
        return (DeviceRef(*self.domain.coordinate(chip)) for chip in self.numbers())

    def __or__(self, other: Any) -> DeviceView:
        """The chips of both selections, without duplicates: first those of the left one."""
        if not isinstance(other, DeviceView):
            fail(
                rules.bad_argument("what a selection is joined with", other, "a selection of the same domain")
            )
        require_one((self.domain, other.domain))
        return DeviceView(self.domain, (), tuple(dict.fromkeys((*self.numbers(), *other.numbers()))))

    def at_node(self, *node: int) -> DevicePoints:
        """The same node on each of the chips: an end of a pipe."""
        if not node or not all(map(is_int, node)):
            fail(rules.bad_argument("a node", node, "its coordinates on the chip: at_node(0, 0)"))
        return DevicePoints(self, node)


@dataclass(frozen=True, slots=True)
class DevicePoints:
    """The same node on each chip of a selection: an end of the pipes between chips."""

    view: DeviceView
    node: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TransferGraph:
    """A graph of the chips of a domain that send to each other, made by its class methods.

    ``ranged`` describes an edge to several chips, if there is one.
    """

    graph: ChipGraph
    ranged: str = ""

    @staticmethod
    @public
    def edges(domain: DeviceDomain, edges: Iterable[tuple[Any, Any]]) -> TransferGraph:
        """The graph of a list of sources and destinations."""
        within, rows, ranged = _of(domain), [], ""
        for edge in listed_in(edges, "the edges of a graph"):
            if not isinstance(edge, tuple | list) or len(edge) != 2:
                fail(rules.bad_argument("an edge", edge, "a pair of chips: (source, destination)"))
            source, destination = edge
            if isinstance(destination, DeviceRange):
                ranged = repr(destination)
                continue
            row = device_index(within, source), device_index(within, destination)
            if row[0] == row[1]:
                fail(rules.to_itself(chip_name(within.coordinate(row[0]))))
            rows.append(row)
        return TransferGraph(ChipGraph(within, "edges", tuple(rows)), ranged)

    @staticmethod
    @public
    def axis_neighbor(
        domain: DeviceDomain, component: Any = None, axis: int = 0, offset: int = 1, wrap: bool = False
    ) -> TransferGraph:
        """Every chip sends to the chip that is ``offset`` further along an axis of a component.

        With ``wrap``, the last chips send to the first.
        """
        axes = _axes(domain, component, "axis_neighbor")
        if not is_int(axis) or not 0 <= axis < len(axes):
            fail(rules.bad_offset(f"axis {axis!r} of a component with {len(axes)} of them"))
        if not is_int(offset) or offset <= 0:
            fail(rules.bad_offset(f"the offset of axis_neighbor is positive, not {offset!r}"))
        return _stencil(domain, (axes[axis],), [(offset,)], wrap)

    @staticmethod
    @public
    def stencil(
        domain: DeviceDomain, offsets: Iterable[Any], component: Any = None, wrap: bool = False
    ) -> TransferGraph:
        """Every chip sends to those at some offsets from it: ints, or tuples on a component with several axes."""
        axes = _axes(domain, component, "stencil")
        given = listed_in(offsets, "the offsets of a stencil")
        rows = [tuple(offset) if isinstance(offset, tuple | list) else (offset,) for offset in given]
        for row in rows:
            if len(row) != len(axes) or not all(map(is_int, row)) or not any(row):
                fail(
                    rules.bad_offset(
                        f"offset {row} of a stencil: it has {len(axes)} ints, not all of them zero"
                    )
                )
        if not rows or len(set(rows)) < len(rows):
            fail(rules.bad_offset("offsets of a stencil are different from each other, and at least one"))
        return _stencil(domain, axes, rows, wrap)

    @staticmethod
    @public
    def gather(domain: DeviceDomain, root: Any, component: Any = None) -> TransferGraph:
        """All chips of a component send to its ``root``, in each group of chips that differ in this component only."""
        return _star(domain, "gather", root, component)

    @staticmethod
    @public
    def scatter(domain: DeviceDomain, source: Any, component: Any = None) -> TransferGraph:
        """The ``source`` of a component sends to all others, in each group of chips that differ in it only."""
        return _star(domain, "scatter", source, component)

    @staticmethod
    @public
    def all_to_all(domain: DeviceDomain, component: Any = None) -> TransferGraph:
        """All chips of a component send to all others of it."""
        return TransferGraph(ChipGraph(_of(domain), "all_to_all", (), _axes(domain, component, "all_to_all")))


def listed_in(given: Any, what: str) -> list[Any]:
    """Return the members of a list or similar object; an error for any other value."""
    try:
        return list(given)
    except TypeError:
        fail(rules.bad_argument(what, given, "a list"))


def _of(domain: object) -> ChipDomain:
    if not isinstance(domain, DeviceDomain):
        fail(rules.bad_argument("the domain of a graph", domain, "a ttl.DeviceDomain"))
    return domain.domain


def _axes(domain: object, component: Any, function: str) -> tuple[int, ...]:
    within = _of(domain)
    return within.axes(right(rules.component_of(within, component, f"TransferGraph.{function}")))


def _stencil(
    domain: DeviceDomain, axes: tuple[int, ...], offsets: Iterable[tuple[int, ...]], wrap: bool
) -> TransferGraph:
    within, rows = domain.domain, []
    for offset in offsets:
        row = [0] * len(within.extents)
        for axis, step in zip(axes, offset, strict=True):
            row[axis] = step
        if wrap and not any(step % extent for step, extent in zip(row, within.extents, strict=True)):
            fail(rules.to_itself("every chip"))
        rows.append(tuple(row))
    return TransferGraph(ChipGraph(within, "stencil", tuple(rows), (), bool(wrap)))


def _star(domain: DeviceDomain, kind: Kind, hub: Any, component: Any) -> TransferGraph:
    axes = _axes(domain, component, kind)
    within = domain.domain
    coords = hub
    if isinstance(hub, DeviceRef):
        named = dict(hub.named)
        coords = hub.coords if not named else named.get(component or within.components[0][0], hub.named)
    coords = tuple(coords) if isinstance(coords, tuple | list) else (coords,)
    if len(coords) == len(within.extents) > len(axes):
        coords = tuple(coords[axis] for axis in axes)
    right(rules.coordinate_in(within, coords, tuple(within.extents[axis] for axis in axes)))
    return TransferGraph(ChipGraph(within, kind, (coords,), axes))


@dataclass(frozen=True, slots=True)
class PipeMapping:
    """Part of a net: a graph, and the pipes between nodes on each of its edges.

    Without pipes, every node sends to the same node of the other chip.
    """

    graph: TransferGraph
    pipes: Any = None


def between(src: Any, dst: Any, *, pairwise: bool) -> tuple[ChipGraph, Any, Any]:
    """The graph from the chips of one selection to those of another, and the source and destination nodes on them."""
    for end in (src, dst):
        if not isinstance(end, DevicePoints):
            fail(rules.bad_argument("an end of a pipe between chips", end, "domain[...].at_node(x, y)"))
    first, second = src.view, dst.view
    require_one((first.domain, second.domain))
    if len(first) != len(second) or (not pairwise and len(first) != 1):
        fail(rules.unequal(len(first), len(second), pairwise=pairwise))
    if first.rows and second.rows:
        graph = ChipGraph(first.domain, "pairs", (*first.rows, *second.rows))
    else:
        rows = tuple(zip(first.numbers(), second.numbers(), strict=True))
        graph = ChipGraph(first.domain, "edges", rows)
    if src.node == dst.node and (chip := _in_both(first, second)) is not None:
        fail(rules.to_itself(chip_name(chip)))
    return graph, src.node, dst.node


def _in_both(first: DeviceView, second: DeviceView) -> tuple[int, ...] | None:
    """The coordinate of a chip that has the same position in two selections, or None.

    Boxes of the same shape are compared without listing their chips.
    """
    if [len(range(*row)) for row in first.rows] == [len(range(*row)) for row in second.rows] and first.rows:
        same = [
            [entry for entry, other in zip(range(*row), range(*other_row), strict=True) if entry == other]
            for row, other_row in zip(first.rows, second.rows, strict=True)
        ]
        return tuple(entries[0] for entries in same) if all(same) else None
    pairs = zip(first.numbers(), second.numbers(), strict=True)
    chip = next((source for source, destination in pairs if source == destination), None)
    return None if chip is None else first.domain.coordinate(chip)


def require_one(domains: Iterable[ChipDomain]) -> None:
    """Raise an error unless domains, at least one, are equal (TTL0629)."""
    first, *others = domains
    for other in others:
        if other != first:
            fail(rules.two_domains(first, other))
