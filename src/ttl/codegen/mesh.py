"""The connections that each node of a program over several chips needs to other chips, and its arguments for them.

Packets leave a chip towards the next chip of their route, so that a node has one connection for each neighbour that
its packets leave to (``ttl.passes.movement.links``). Which neighbour that is depends on the wiring of the chips, and
is known at the launch.
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
    """The chips of a mesh in a system: ``places`` has the number in the system of each chip of the mesh, row by row of it."""

    system: System
    places: Sequence[int]

    def next_chip(self, source: int, target: int) -> int:
        """Return the neighbour of ``source``, in the system, over which its packets for ``target`` leave: both in the mesh."""
        return self.system.route(self.places[source], self.places[target])[1]


@dataclass(frozen=True, kw_only=True, slots=True)
class OutgoingLink:
    """A link out of a chip: the neighbour that it leads to, and which of the channels to it is used."""

    neighbour: int
    """Its number in the system."""
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
    """Its own arguments before those of the connections: how many there are; whether it shares a link, where that may be; and, where a
    node may have several, which leads to each chip."""


def usual_wiring(description: ProgramDescription) -> Wiring:
    """The wiring of the system that the settings name, else of a mesh without rings, whose neighbours are joined by one channel."""
    rows, columns = shape_of(description)
    system = current_system()
    places = None if system is None else system.placed((rows, columns))
    if system is None or places is None:
        system, places = ideal(chip_named(description.chip), (rows, columns)), tuple(range(description.chips))
    return Wiring(system=system, places=places)


def shape_of(description: ProgramDescription) -> tuple[int, int]:
    """Rows and columns of the mesh that a program runs on: all but the last extent are rows."""
    return description.chips // description.mesh[-1], description.mesh[-1]


def links_of(description: ProgramDescription, wiring: Wiring) -> Iterator[NodeLinks]:
    """The connections of every node that sends to other chips.

    Each has a channel of its own while there are any; then kernels share channels, in order.
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
        # With as many kernels as channels each is alone; one more, and the first channel has two.
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
