"""Errors in device domains, transfer graphs and nets over them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Argument, DecoratorOf, Index
from ttl.diag.values import is_int
from ttl.diag.words import counted, listed
from ttl.protocol.devices import ChipDomain
from ttl.rules.words import describe


def extents_of(extent: object) -> tuple[int, ...] | Diagnostic:
    """The extents of a device domain, a positive int or a tuple of them, or an error (TTL0622)."""
    given = extent if isinstance(extent, tuple | list) else (extent,)
    if given and all(is_int(entry) and entry > 0 for entry in given):
        return tuple(map(int, given))
    return error(
        "TTL0622",
        f"the extent of a device domain is a positive int or a tuple of them, not {describe(extent)}",
        help="write ttl.DeviceDomain(4) for four chips in a row, ttl.DeviceDomain((2, 4)) for a mesh",
    )


def bad_product(why: str) -> Diagnostic:
    """The error for a product of device domains with wrong components (TTL0622)."""
    return error(
        "TTL0622",
        f"a product of device domains {why}",
        help="name its components, each of which is a domain: ttl.DeviceDomain.product(row=ttl.DeviceDomain(2), column=ttl.DeviceDomain(4))",
    )


def bad_component(name: str, value: object) -> Diagnostic:
    """The error for a component of a product that is not a device domain (TTL0622)."""
    finding = bad_product(f"has a component {name} that is not a ttl.DeviceDomain")
    if isinstance(extents_of(value), Diagnostic):
        return finding
    text = f"ttl.DeviceDomain({value})"
    return finding.remedied_by(Argument(description="make it a domain", name=name, value=text))


def device_of(
    domain: ChipDomain, coords: object, named: Sequence[tuple[str, object]] = ()
) -> int | Diagnostic:
    """The number of the chip at coordinates on all axes, or at coordinates by component, or an error (TTL0623)."""
    if named:
        by_name = dict(named)
        missing = [name for name, _ in domain.components if name not in by_name]
        unknown = [name for name in by_name if name not in dict(domain.components)]
        if missing or unknown:
            problem = f"has no component {unknown[0]}" if unknown else f"has a component {missing[0]}, too"
            return _no_device(domain, f"the domain {problem}")
        parts = (by_name[name] for name, _ in domain.components)
        coords = tuple(
            entry for part in parts for entry in (part if isinstance(part, tuple | list) else (part,))
        )
    return coordinate_in(domain, coords, domain.extents)


def kept_of(extent: int, entry: slice) -> range | Diagnostic:
    """Return the chips that a slice keeps along one dimension, or the error for its bounds (TTL0633)."""
    bounds = (entry.start, entry.stop, entry.step)
    if any(bound is not None and not is_int(bound) for bound in bounds) or entry.step == 0:
        return bad_argument("an entry of a selection", entry, "a slice of ints with a step other than 0")
    return range(extent)[entry]


def coordinate_in(domain: ChipDomain, coords: object, extents: tuple[int, ...]) -> int | Diagnostic:
    """The row-major index of a coordinate within extents of a domain, or an error (TTL0623)."""
    entries = coords if isinstance(coords, tuple | list) else (coords,)
    if not all(map(is_int, entries)):
        return _no_device(domain, f"coordinates of a chip must be ints, not {describe(coords)}")
    shown = f"({', '.join(map(str, entries))})" if len(entries) != 1 else str(entries[0])
    if len(entries) != len(extents):
        return _no_device(
            domain,
            f"chip {shown} has {counted(len(entries), 'coordinate')}, and there {'is' if len(extents) == 1 else 'are'} {counted(len(extents), 'dimension')}",
        )
    index = 0
    for entry, extent in zip(entries, extents, strict=True):
        if not 0 <= entry < extent:
            return _no_device(domain, f"chip {shown} is outside of extents {extents}")
        index = index * extent + int(entry)
    return index


def _no_device(domain: ChipDomain, message: str) -> Diagnostic:
    return error(
        "TTL0623",
        message,
        notes=(f"the domain has {counted(domain.count, 'chip')}: {shown_domain(domain)}",),
        help="count from 0 in each dimension: ttl.DeviceRef(0, 1), or by the names of components",
    )


def shown_domain(domain: ChipDomain) -> str:
    """``row=2, column=4``: components and their extents."""
    return ", ".join(
        f"{name}={extents[0] if len(extents) == 1 else extents}" for name, extents in domain.components
    )


def to_itself(chip: str) -> Diagnostic:
    """The error for an edge of a graph from a chip to itself (TTL0624)."""
    return error(
        "TTL0624",
        f"an edge from {chip} to itself: source and destination in a transfer graph must be different chips",
        notes=("around a ring, an offset that is a multiple of its length leads back to where it began",),
        help="nodes of one chip send to each other over a net without a graph: ttl.PipeNet([ttl.Pipe(src=..., dst=...)])",
    )


def range_in_net(what: str) -> Diagnostic:
    """The error for a net over an edge to several chips (TTL0625)."""
    return error(
        "TTL0625",
        f"a net over an edge to {what}: a message goes to one chip",
        help="write an edge for each of the chips: [(source, destination) for destination in ...]",
    )


def component_of(domain: ChipDomain, component: object, function: str) -> str | Diagnostic:
    """The component that a graph is over, or an error (TTL0626).

    It is an error if the domain does not have the named component, or has several and the program names none of them.
    """
    names = [name for name, _ in domain.components]
    if component is None and len(names) == 1:
        return names[0]
    if component in names:
        return str(component)
    return error(
        "TTL0626",
        f"{function} over a product of domains needs its component"
        if component is None
        else f"the domain has no component {describe(component)}",
        notes=(f"the components are {listed(names)}",),
        help=f'write component="{names[0]}"',
    ).remedied_by(Argument(name="component", value=f'"{names[0]}"'))


def bad_offset(why: str) -> Diagnostic:
    """The error for a graph whose offsets are invalid (TTL0627)."""
    return error(
        "TTL0627",
        why,
        help="axis_neighbor goes forward, offset=1 and more; stencil(offsets=[-1, 1]) goes both ways, each offset once",
    )


def match_mesh(domain: ChipDomain, devices: int | None) -> Diagnostic | None:
    """The error for a device domain with a different number of chips than the mesh of the tensors (TTL0628), or None.

    ``devices`` is None if the tensors are not on a mesh.
    """
    if devices == domain.count or (devices is None and domain.count == 1):
        return None
    have = "no argument is on a mesh" if devices is None else f"the arguments are on a mesh of {devices}"
    return error(
        "TTL0628",
        f"the device domain has {counted(domain.count, 'chip')} ({shown_domain(domain)}), but {have}",
        help="put the tensors on a mesh of as many chips: ttnn.open_mesh_device(ttnn.MeshShape(...))",
    )


def two_domains(first: ChipDomain, second: ChipDomain) -> Diagnostic:
    """The error for an operation that uses two device domains (TTL0629)."""
    return error(
        "TTL0629",
        f"an operation has one device domain, and here are two: {shown_domain(first)} and {shown_domain(second)}",
        notes=("all nets with a graph are over it, and ttl.DeviceDomain.current_index() counts in it",),
        help="make all graphs over one domain, and name it: @ttl.operation(device_domain=domain)",
    )


def no_domain(what: str) -> Diagnostic:
    """The error for a use of a device domain in an operation without one (TTL0629)."""
    return error(
        "TTL0629",
        f"{what} in an operation without a device domain",
        notes=(
            "the device domain is taken from a net, graph or domain outside of the operation; this one is made in its body",
        ),
        help="say it: @ttl.operation(grid=..., device_domain=domain)",
    )


def no_device_domain(value: object) -> Diagnostic:
    """The error for ``device_domain=`` with a value that is not a device domain (TTL0629)."""
    return error(
        "TTL0629",
        f"device_domain is a ttl.DeviceDomain, not {describe(value)}",
        help="write device_domain=ttl.DeviceDomain(4)",
    )


def grid_of_a_chip(grid: tuple[int, ...]) -> Diagnostic:
    """The error for a grid with extents of a mesh in an operation with a device domain (TTL0630)."""
    return error(
        "TTL0630",
        f"grid {grid} of an operation with a device domain: it counts the nodes of one chip, in two dimensions",
        help=f"write grid={grid[-2:]}; the domain has the chips",
    ).remedied_by(DecoratorOf(remedy=Argument(name="grid", value=str(grid[-2:]), position=0)))


def multicast_on_graph(pipe: str) -> Diagnostic:
    """The error for a pipe to a range of nodes in a net over chips (TTL0631)."""
    return error(
        "TTL0631",
        f"{pipe} goes to a range of nodes: in a net over chips pipes lead from one node to one node",
        help="make a pipe for each node, or send to one node of the chip and from there over a net without a graph",
    )


def unequal(src: int, dst: int, *, pairwise: bool) -> Diagnostic:
    """The error for a pipe between selections of chips (TTL0632).

    ``pairwise``: their numbers of chips differ. Otherwise they do not have one chip each.
    """
    if pairwise:
        message = f"Pipe.pairwise from {counted(src, 'chip')} to {counted(dst, 'chip')}: the first sends to the first, and so on"
        advice = "select as many chips on both sides"
    else:
        message = (
            f"a pipe from {counted(src, 'chip')} to {counted(dst, 'chip')} leads from one chip to one chip"
        )
        advice = "ttl.Pipe.pairwise(src=..., dst=...) makes a pipe for each pair"
    return error("TTL0632", message, help=advice)


def _all_of_the_rest(rank: int, given: Collection[object]) -> Index | None:
    """The remedy that appends ``:`` for the other dimensions to a selection of a single number."""
    (entry,) = given if len(given) == 1 else (None,)
    if not is_int(entry):
        return None
    description = "take all chips along the other dimensions"
    return Index(description=description, axis=0, value=", ".join([str(entry), *[":"] * (rank - 1)]))


def bad_net(why: str, advice: str) -> Diagnostic:
    """The error for arguments of a net, graph or selection that do not fit each other (TTL0633)."""
    return error("TTL0633", why, help=advice)


def bad_argument(what: str, value: object, wanted: str) -> Diagnostic:
    """The error for an argument of a net, graph or selection of the wrong kind (TTL0633)."""
    return bad_net(f"{what} is {wanted}, not {describe(value)}", f"give {wanted}")


def bad_view(rank: int, given: Collection[object]) -> Diagnostic:
    """The error for a selection of a domain with the wrong number of entries (TTL0633)."""
    return bad_net(
        f"a selection names {len(given)} of the {counted(rank, 'dimension')} of its domain",
        "write an int or a slice for each dimension: domain[0, :]",
    ).remedied_by(_all_of_the_rest(rank, given))
