"""The chips of a system, emulated together: one scheduler and one time, links between them.

The rows of nodes follow each other chip by chip: node (x, y) of chip c is core (x, c * rows + y) of a program
(``EmulatedChip.at``). Only the names of nodes and the links depend on chips otherwise. ``native/emu/fabric.h``
describes how links carry packets.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ttl.arch import Chip, chip_named
from ttl.arch.chip import EthernetLink
from ttl.arch.costs import Costs
from ttl.arch.systems import System
from ttl.emu.chip import DRAM_BYTES_OF_MANY, EmulatedChip, EmulatedLink, last, layout_of, opened
from ttl.emu.runtime import require, runtime
from ttl.settings import costed

_NO_WAY = 0xFFFF


def emulated_system(system: System) -> EmulatedChip:
    """The emulated chips of a system. Their memory lasts until another system is asked for.

    Raises ``ProgramError`` TTL1505 where this installation has no emulated chip, TTL1520 where there is no room for their memory.
    """
    require()
    costs = costed(chip_named(system.chip.name)).costs
    given = (system.chip.name, costs, system.chip.ethernet, system.shape, system.rings, system.channels)
    handle: EmulatedChip
    handle, links = last(_machine, *given)
    return replace(handle, chip=system.chip, system=system, links=links)


def _machine(
    name: str,
    costs: Costs,
    ethernet: EthernetLink,
    shape: tuple[int, int],
    rings: tuple[bool, bool],
    channels: int,
) -> tuple[EmulatedChip, tuple[EmulatedLink, ...]]:
    chip = replace(chip_named(name), costs=costs, ethernet=ethernet)
    system = System(name="", title="", chip=chip, shape=shape, rings=rings, channels=channels, sources={})
    machine = opened(chip, layout_of(chip, DRAM_BYTES_OF_MANY), system.chips)
    links = tuple(
        EmulatedLink(source=source, target=target, plane=plane)
        for source in range(system.chips)
        for target in system.neighbours(source)
        for plane in range(channels)
    )
    runtime().connect(
        machine.handle,
        _links(chip, system, links),
        _ways(system),
        ethernet.slots,
        ethernet.slots,
        ethernet.packet_bytes,
    )
    return machine, links


def _links(chip: Chip, system: System, links: tuple[EmulatedLink, ...]) -> bytes:
    """Return the links as the runtime reads them: from, to, plane, axis, and the routers at both ends."""
    ports: dict[tuple[int, int, int], tuple[int, int]] = {}
    used: Counter[int] = Counter()
    for link in links:
        # The port that leads to a chip differs between boards: here ports are taken in order.
        routers = chip.floorplan.ethernet
        ports[link.source, link.target, link.plane] = routers[used[link.source] % len(routers)]
        used[link.source] += 1
    words: list[int] = []
    for link in links:
        rows = [system.coordinate(end)[0] for end in (link.source, link.target)]
        near = ports[link.source, link.target, link.plane]
        far = ports[link.target, link.source, link.plane]
        axis = int(rows[0] == rows[1])
        words += [link.source, link.target, link.plane, axis | system.rings[axis] << 1, *near, *far]
    return array("I", words).tobytes()


def _ways(system: System) -> bytes:
    """Return, for each pair of chips, the next chip on the way."""
    count = system.chips
    ways: Any = array("H", [_NO_WAY] * (count * count))
    for source in range(count):
        for target in range(count):
            for here, there in pairwise(system.route(source, target)):
                if here == source:
                    ways[source * count + target] = there
                    break
    return bytes(ways.tobytes())
