"""The critical path of a run: from the end of the last processor back to the launch, through the cause of each wait.

A processor that worked is followed back through its work. One that waited for another processor is left for that one,
at the moment that ended the wait. One that waited for a transfer is followed back to where the transfer was issued; the
time in between is the network's, or the memory's. So every cycle of the run belongs to one line and to one resource,
and shortening anything that is not on the path does not make the run shorter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ttl.arch import Chip
from ttl.emu.record import KINDS, Record
from ttl.rows.dtypes import Array
from ttl.sim.diaries import FIRST_PACKET, FIRST_TRANSFER_REASON, LINK, PACKETS, WORKS, Diary

Resource = Literal[
    "math", "unpack", "pack", "data movement", "NoC", "DRAM", "links", "synchronisation", "launch"
]
RESOURCES: tuple[Resource, ...] = (
    "math", "unpack", "pack", "data movement", "NoC", "DRAM", "links", "synchronisation", "launch",
)  # fmt: skip
_OF_ROLE: dict[str, Resource] = {
    "math": "math",
    "unpack": "unpack",
    "pack": "pack",
    "brisc": "data movement",
    "ncrisc": "data movement",
}


class PathStep(NamedTuple):
    """A piece of the path: cycles of one processor, at one line, for one resource."""

    fiber: int
    line: int
    resource: Resource
    begins: int
    ends: int
    transfer: int = -1
    """The number of the transfer that was on its way, if there was one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Path:
    """The critical path, its steps from the end backwards."""

    steps: tuple[PathStep, ...]

    def by_resource(self) -> dict[Resource, int]:
        """Cycles on the path, the most first."""
        result: defaultdict[Resource, int] = defaultdict(int)
        for step in self.steps:
            result[step.resource] += step.ends - step.begins
        return dict(sorted(result.items(), key=lambda item: (-item[1], RESOURCES.index(item[0]))))

    def by_line(self) -> dict[int, int]:
        """Cycles on the path by number of the line; those of the launch belong to no line."""
        result: defaultdict[int, int] = defaultdict(int)
        for step in self.steps:
            if step.resource != "launch":
                result[step.line] += step.ends - step.begins
        return dict(result)


def critical_path(record: Record, chip: Chip) -> Path:
    """Walk back from the processor that ended last, the first of those that ended together."""
    last = max(record.diaries, key=lambda number: (record.diaries[number].ended, -number))
    steps = walk(
        record.diaries,
        last,
        lambda number, _: _OF_ROLE[record.diaries[number].role],
        record.transfers,
        chip,
        record.packets,
    )
    return Path(steps=tuple(steps))


class _Cursor:
    """One processor's spans, as far as they are not passed yet; times only go back."""

    def __init__(self, spans: Any) -> None:
        self._columns = {
            name: spans[name].tolist() for name in ("begins", "ends", "line", "by", "reason", "since")
        }
        self._next = len(spans) - 1

    def before(self, time: int) -> tuple[int, int, int, int, int] | None:
        """``begins``, ``line``, ``by``, ``reason`` and ``since`` of the span under way just before a time, or None."""
        begins = self._columns["begins"]
        while self._next >= 0 and begins[self._next] >= time:
            self._next -= 1
        if self._next < 0:
            return None
        at, columns = self._next, self._columns
        return begins[at], columns["line"][at], columns["by"][at], columns["reason"][at], columns["since"][at]


def walk(
    diaries: Mapping[int, Diary],
    fiber: int,
    resource_of: Callable[[int, int], Resource],
    transfers: Array,
    chip: Chip,
    packets: Array | None = None,
) -> Iterator[PathStep]:
    """The steps of the path back from the end of a diary, given by number.

    ``resource_of`` returns the resource of the work in a diary at a line.
    """
    cursors: dict[int, _Cursor] = {}
    time, line = diaries[fiber].ended, 0
    # The processors that were left for another one at this very time: coming back to one of them closes a circle of
    # waits.
    left: dict[int, int] = {}
    while True:
        cursor = cursors.get(fiber)
        if cursor is None:
            cursor = cursors[fiber] = _Cursor(diaries[fiber].spans)
        span = cursor.before(time)
        if span is None:
            break
        begins, line, by, reason, since = span
        if reason == WORKS:
            yield PathStep(fiber, line, resource_of(fiber, line), begins, time)
            time = begins
        elif reason >= FIRST_TRANSFER_REASON and by >= 0:
            transfer = transfers[by]
            issued = min(int(transfer["issued"]), time)
            yield from _of_transfer(transfer, by, fiber, line, issued, time, chip)
            fiber, time = int(transfer["fiber"]), issued
        elif reason == PACKETS and by <= FIRST_PACKET and packets is not None:
            packet = packets[FIRST_PACKET - by]
            issued = min(int(packet["issued"]), time)
            if issued < time:
                yield PathStep(fiber, line, "links", issued, time)
            fiber, time = int(packet["fiber"]), issued
        elif by in diaries and left.get(by) != time:
            # The event that ended the wait happened at this very time, at the end of an activity of the other
            # processor, or was on its way since ``since``.
            if 0 < since < time:
                yield PathStep(fiber, line, "synchronisation", since, time)
                time = since
            left[fiber] = time
            fiber = by
        else:
            yield PathStep(fiber, line, "links" if reason == LINK else "synchronisation", begins, time)
            time = begins
    if time > 0:
        yield PathStep(fiber, line, "launch", 0, time)


def _of_transfer(
    transfer: Any, number: int, fiber: int, line: int, issued: int, time: int, chip: Chip
) -> Iterator[PathStep]:
    """The time of a transfer, shared out: waiting for a bank and its work, waiting for links, words on their way."""
    kind = KINDS[int(transfer["kind"])]
    whole = time - issued
    if kind in ("word", "increment"):
        costs = chip.costs
        alone = costs.arrive_fixed.value + costs.arrive_hop.value * int(transfer["hops"])
        parts: list[tuple[Resource, int]] = [
            ("synchronisation", min(alone, whole)),
            ("NoC", max(whole - alone, 0)),
        ]
    elif transfer["dram"]:
        jam = min(int(transfer["entered"]) - int(transfer["served"]), whole)
        if kind == "write":
            # It enters a bank: that is where it waits.
            parts = [("DRAM", whole)]
        else:
            parts = [("DRAM", whole - jam), ("NoC", jam)]
    else:
        parts = [("NoC", whole)]
    for resource, cycles in parts:
        if cycles:
            yield PathStep(fiber, line, resource, time - cycles, time, number)
            time -= cycles
