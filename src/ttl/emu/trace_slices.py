"""What lies on the tracks of a trace: what processors do, together where it belongs together, and transfers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ttl.emu.record import KINDS, WORKS, Array, Diary, Record

# Waits shorter than this, in cycles, belong to the work around them: units that hand over to each other wait for every tile.
SHORTEST_WAIT = 100


class Slice(NamedTuple):
    """Something that a processor did at a line, or a wait. ``short``: cycles of short waits in it."""

    begins: int
    ends: int
    line: int
    reason: int
    what: int
    by: int
    since: int
    short: int


def slices(diary: Diary, label: list[str], cuts: Array) -> Iterator[Slice]:
    """A processor's spans, those together that follow each other at one expression; ``cuts``: where stretches begin or end."""
    cut = set(cuts.tolist())
    open_slice: Slice | None = None
    for begins, ends, since, line, by, reason, what in diary.spans.tolist():
        if begins == ends:
            continue
        if reason != WORKS and ends - begins >= SHORTEST_WAIT:
            if open_slice is not None:
                yield open_slice
                open_slice = None
            yield Slice(begins, ends, line, reason, what, by, since, 0)
            continue
        short = 0 if reason == WORKS else ends - begins
        if (
            open_slice is not None
            and open_slice.ends == begins
            and begins not in cut
            and label[open_slice.line] == label[line]
        ):
            open_slice = open_slice._replace(ends=ends, short=open_slice.short + short)
            continue
        if open_slice is not None:
            yield open_slice
        open_slice = Slice(begins, ends, line, WORKS, what, by, since, short)
    if open_slice is not None:
        yield open_slice


@dataclass(slots=True)
class TransferGroup:
    """Transfers that a processor issued one after the other at one line: of a block, usually."""

    first: int
    """The number of the first one."""
    fiber: int
    noc: int
    kind: str
    line: int
    begins: int
    ends: int
    size: int = 0
    count: int = 0
    lane: int = field(default=0)


def groups_of(record: Record) -> tuple[list[TransferGroup], Array]:
    """Transfers in groups, each in a lane in which no two overlap, and of every transfer its group."""
    transfers = record.transfers
    columns = (
        transfers[name].tolist() for name in ("issued", "arrives", "size", "fiber", "line", "kind", "noc")
    )
    groups: list[TransferGroup] = []
    last: dict[int, int] = {}
    group_of = np.empty(len(transfers), np.int64)
    for number, (issued, arrives, size, fiber, line, kind, noc) in enumerate(zip(*columns, strict=True)):
        at = last.get(fiber)
        group = None if at is None else groups[at]
        if (
            group is None
            or (group.line, group.kind, group.noc) != (line, KINDS[kind], noc)
            or issued > group.ends
        ):
            at = last[fiber] = len(groups)
            group = TransferGroup(number, fiber, noc, KINDS[kind], line, issued, arrives)
            groups.append(group)
        assert at is not None
        group.ends = max(group.ends, arrives)
        group.size += size
        group.count += 1
        group_of[number] = at
    free: dict[tuple[int, int], list[int]] = {}
    for group in sorted(groups, key=lambda item: item.begins):
        lanes = free.setdefault((group.fiber // 5, group.noc), [])
        group.lane = next((lane for lane, until in enumerate(lanes) if until <= group.begins), len(lanes))
        lanes[group.lane : group.lane + 1] = [group.ends]
    return groups, group_of


def load(begins: Array, ends: Array, amounts: Array, edges: Array) -> Array:
    """Amounts that come evenly between two times each: how much there is a cycle between edges, the mean."""
    begins, ends = begins.astype(np.float64), np.maximum(ends, begins + 1).astype(np.float64)
    rate = amounts / (ends - begins)
    times, change = np.concatenate([begins, ends]), np.concatenate([rate, -rate])
    order = np.argsort(times, kind="stable")
    times, flow = times[order], np.cumsum(change[order])
    total = np.concatenate([[0.0], np.cumsum(np.diff(times) * flow[:-1])])
    result: Array = np.diff(np.interp(edges, times, total)) / np.diff(edges)
    return result
