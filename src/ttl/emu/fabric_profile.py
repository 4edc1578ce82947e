"""The use of the links between chips in a run: bytes and busy cycles of each link, waits by chip, and the bound.

The bound is the least time that the run takes because of its links: the bytes that cross the middle of the system in one
direction, divided by the rate of all links there. Of the cuts between two halves of the rows or of the columns, in both
directions, the cut that takes longest counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ttl.arch.systems import System
from ttl.diag.words import counted
from ttl.emu.record import Record
from ttl.protocol.chips import chip_name
from ttl.sim.diaries import LINK, PACKETS

# The most links in the text of a profile.
_MOST = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkCost:
    """One port of a chip and its wire to another one, one way. Chips are numbers, row by row of the system."""

    source: int
    target: int
    plane: int
    """The number of the port among those to that chip."""
    bytes: int
    """The bytes that it carried, with the headers of packets."""
    packets: int
    busy: int
    """Cycles in which it carried something."""
    blocked: int
    """Cycles in which something was to be sent, and no slot was free at its other end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipCost:
    """The fabric of one chip, in cycles."""

    chip: int
    sends: int
    """Cycles in which at least one of its links carried something to another chip."""
    receives: int
    """Cycles in which at least one link carried something to it."""
    waits_to_send: int
    """The cycles in which its processors wait for slots of routers, together."""
    waits_for_packets: int
    """The cycles in which its processors wait for words from other chips, together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FabricCost:
    """The costs of the links in a run. ``cycles`` are those of the run."""

    system: str
    shape: tuple[int, int]
    cycles: int
    bytes_per_cycle: float
    """The bytes per cycle of one link, one way."""
    busy: int
    """Cycles in which at least one link carried something."""
    links: tuple[LinkCost, ...]
    chips: tuple[ChipCost, ...]
    bisection_bytes: int
    """The bytes across the cut that takes longest, one way."""
    bisection_links: int
    """The links across that cut, one way."""

    @property
    def bound(self) -> int:
        """Cycles that the bytes over the bisection take."""
        return (
            round(self.bisection_bytes / (self.bisection_links * self.bytes_per_cycle))
            if self.bisection_links
            else 0
        )

    @property
    def crossing(self) -> str:
        """The quantities behind the bound: ``17,152 bytes over 1 link of the bisection at 12.5 bytes a cycle``."""
        links = counted(self.bisection_links, "link")
        return f"{self.bisection_bytes:,} bytes over {links} of the bisection at {self.bytes_per_cycle:.1f} bytes a cycle"

    def utilisation(self, link: LinkCost) -> float:
        """The share of the run's cycles in which a link was busy."""
        return link.busy / max(self.cycles, 1)

    def name(self, chip: int) -> str:
        """``chip (0, 1)``."""
        return chip_name(divmod(chip, self.shape[1]))

    def to_object(self) -> dict[str, Any]:
        """Return the costs as an object for JSON and the report page."""
        links = [{**asdict(link), "utilisation": round(self.utilisation(link), 4)} for link in self.links]
        return {
            **{name: getattr(self, name) for name in ("system", "cycles", "busy", "bisection_bytes", "bisection_links", "bound")},
            "shape": list(self.shape),
            "bytes_per_cycle": round(self.bytes_per_cycle, 3),
            "links": links,
            "chips": [asdict(chip) for chip in self.chips],
        }  # fmt: skip


def from_object(data: Any) -> FabricCost:
    """Return the costs of an object that ``FabricCost.to_object`` returned."""
    names = LinkCost.__dataclass_fields__
    return FabricCost(
        **{name: int(data[name]) for name in ("cycles", "busy", "bisection_bytes", "bisection_links")},
        system=str(data["system"]),
        shape=(int(data["shape"][0]), int(data["shape"][1])),
        bytes_per_cycle=float(data["bytes_per_cycle"]),
        links=tuple(LinkCost(**{name: int(link[name]) for name in names}) for link in data["links"]),
        chips=tuple(
            ChipCost(**{name: int(cycles) for name, cycles in chip.items()}) for chip in data["chips"]
        ),
    )


def fabric_cost(record: Record, cycles: int) -> FabricCost | None:
    """Return the costs of the links in a recorded run; None for a run on one chip."""
    system = record.system
    if system is None or not record.links_between:
        return None
    links = tuple(
        LinkCost(
            source=wire.source,
            target=wire.target,
            plane=wire.plane,
            **{name: int(work[name]) for name in ("bytes", "packets", "busy", "blocked")},
        )
        for wire, work in zip(record.links_between, record.between, strict=True)
    )
    crossing, across = _bisection(system, links)
    sources = np.array([link.source for link in links])
    targets = np.array([link.target for link in links])
    of_hop = record.hops["link"]
    rate = system.chip.ethernet.bytes_per_second / system.chip.clock_hz
    return FabricCost(
        system=system.title,
        shape=system.shape,
        cycles=cycles,
        bytes_per_cycle=rate,
        busy=_covered(record, np.ones(len(of_hop), bool)),
        links=links,
        chips=tuple(
            ChipCost(
                chip=chip,
                sends=_covered(record, sources[of_hop] == chip),
                receives=_covered(record, targets[of_hop] == chip),
                waits_to_send=_waits(record, system, chip, LINK),
                waits_for_packets=_waits(record, system, chip, PACKETS),
            )
            for chip in range(system.chips)
        ),
        bisection_bytes=crossing,
        bisection_links=across,
    )


def _covered(record: Record, chosen: Any) -> int:
    """Cycles in which at least one of some hops was on a wire."""
    hops = np.sort(record.hops[chosen], order="begins")
    if not len(hops):
        return 0
    begins, ends = hops["begins"].astype(np.int64), hops["ends"].astype(np.int64)
    before = np.concatenate(([0], np.maximum.accumulate(ends)[:-1]))
    return int(np.maximum(ends - np.maximum(begins, before), 0).sum())


def _waits(record: Record, system: System, chip: int, reason: int) -> int:
    rows = record.rows_of_chip
    total = 0
    for diary in record.diaries.values():
        if diary.core[1] // rows == chip:
            spans = diary.spans[diary.spans["reason"] == reason]
            total += int((spans["ends"] - spans["begins"]).sum())
    return total


def _bisection(system: System, links: Sequence[LinkCost]) -> tuple[int, int]:
    """Bytes one way over the cut that takes longest, and the links there."""
    cuts: list[tuple[int, int]] = []
    for axis, extent in enumerate(system.shape):
        if extent == 1:
            continue
        for first in (True, False):
            over = [
                link
                for link in links
                if (system.coordinate(link.source)[axis] < extent // 2) is first
                and (system.coordinate(link.target)[axis] < extent // 2) is not first
            ]
            cuts.append((sum(link.bytes for link in over), len(over)))
    return max(cuts, key=lambda cut: cut[0] / cut[1], default=(0, 0))


def lines(cost: FabricCost) -> Iterator[str]:
    """Yield the links in the text of a profile: the busiest of them, the waits of chips, the bound."""

    def share(part: float) -> str:
        return f"{100 * part / max(cost.cycles, 1):.0f} %"

    yield (
        f"links between chips: busy {cost.busy:,} cycles ({share(cost.busy)}); bound {cost.bound:,} cycles: {cost.crossing}; "
        f"the program is at {share(cost.bound)} of it"
    )
    yield f"{'busy':>11}  {'':5}  {'blocked':>10}  {'bytes':>12}  {'packets':>8}  link"
    used = sorted((link for link in cost.links if link.packets), key=lambda link: -link.busy)
    for link in used[:_MOST]:
        name = (
            f"{cost.name(link.source)} to {cost.name(link.target).removeprefix('chip ')}, link {link.plane}"
        )
        yield f"{link.busy:>11,}  {share(link.busy):>5}  {link.blocked:>10,}  {link.bytes:>12,}  {link.packets:>8,}  {name}"
    if len(used) > _MOST:
        yield f"{'':11}  and {len(used) - _MOST} more links"
    yield f"{'sends':>11}  {'receives':>10}  {'waits: slots':>12}  {'packets':>10}  chip"
    for chip in sorted(cost.chips, key=lambda chip: -(chip.waits_to_send + chip.waits_for_packets))[:_MOST]:
        yield (
            f"{chip.sends:>11,}  {chip.receives:>10,}  {chip.waits_to_send:>12,}  {chip.waits_for_packets:>10,}  "
            f"{cost.name(chip.chip)}"
        )
