"""The connections of nodes to other chips in a program over several chips, and the arguments for them.

Packets leave a chip towards the next chip of their route, so that a node has a connection for each neighbour to which
its packets leave (``ttl.passes.movement.links``). The neighbours depend on the wiring of the chips, which is known at
the launch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ttl.arch import chip_named
from ttl.arch.systems import System, ideal
from ttl.codegen.description import ProgramDescription
from ttl.settings import current_system


@dataclass(frozen=True, kw_only=True, slots=True)
class Wiring:
    """The chips of a mesh in a system. ``places`` has the system's number of each chip, row by row of the mesh."""

    system: System
    places: Sequence[int]

    def next_chip(self, source: int, target: int) -> int:
        """Return the neighbour over which packets of ``source`` for ``target`` leave, by its number in the system.

        ``source`` and ``target`` are numbers of chips in the mesh.
        """
        return self.system.route(self.places[source], self.places[target])[1]


@dataclass(frozen=True, kw_only=True, slots=True)
class OutgoingLink:
    """A link out of a chip: the neighbour to which it leads, and the channel that is used."""

    neighbour: int
    """The number of the neighbour in the system."""
    towards: int
    """The first chip of the mesh that packets reach over this link."""
    channel: int


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeLinks:
    """The connections of one node's kernel."""

    kernel: int
    """Position of the kernel in the program."""
    chip: int
    node: tuple[int, int]
    connections: tuple[OutgoingLink, ...]
    first_args: tuple[int, ...]
    """The arguments before those of the connections.

    They are the number of connections; whether the kernel shares a link, if it may; and the connection to each chip, if
    a node may have several.
    """


def usual_wiring(description: ProgramDescription) -> Wiring:
    """The wiring of the system of the settings, else of a mesh without rings with one channel between neighbours."""
    rows, columns = shape_of(description)
    system = current_system()
    places = None if system is None else system.placed((rows, columns))
    if system is None or places is None:
        system, places = ideal(chip_named(description.chip), (rows, columns)), tuple(range(description.chips))
    return Wiring(system=system, places=places)


def shape_of(description: ProgramDescription) -> tuple[int, int]:
    """The rows and columns of a program's mesh: the last extent is the columns, the product of the others the rows."""
    return description.chips // description.mesh[-1], description.mesh[-1]


def links_of(description: ProgramDescription, wiring: Wiring) -> Iterator[NodeLinks]:
    """The connections of every node that sends to other chips.

    Each connection gets a channel of its own as long as there are free ones; further ones share channels, in order.
    """
    wanted: dict[tuple[int, int], int] = Counter()
    nodes = []
    for number, kernel in enumerate(description.kernels):
        for reach in kernel.reaches:
            hops = {chip: wiring.next_chip(reach.chip, chip) for chip in reach.chips}
            connections = []
            for neighbour in sorted(set(hops.values())):
                turn = wanted[reach.chip, neighbour]
                wanted[reach.chip, neighbour] += 1
                towards = min(chip for chip, hop in hops.items() if hop == neighbour)
                channel = turn % wiring.system.channels
                connections.append(OutgoingLink(neighbour=neighbour, channel=channel, towards=towards))
            nodes.append((number, reach, hops, tuple(connections)))
    contended = sum(len({reach.node for reach in kernel.reaches}) for kernel in description.kernels) > 1
    for number, reach, hops, ways in nodes:
        # With at most as many kernels as channels, each has its own; with one more, two share the first channel.
        shared = any(wanted[reach.chip, way.neighbour] > wiring.system.channels + way.channel for way in ways)
        place = {way.neighbour: position for position, way in enumerate(ways)}
        table = (place[hops[chip]] if chip in hops else 0 for chip in range(description.chips))
        yield NodeLinks(
            kernel=number,
            chip=reach.chip,
            node=reach.node,
            connections=ways,
            first_args=(
                len(ways),
                *((int(shared),) if contended else ()),
                *(table if description.kernels[number].links > 1 else ()),
            ),
        )
