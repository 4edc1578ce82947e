"""The content of a run's tracks: the activities of processors, merged where they belong together, and transfers.

The trace and the report page use it. All computations are on columns: a launch has millions of spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple

import numpy as np

from ttl.emu.program import ROLES
from ttl.emu.record import KINDS, Record
from ttl.rows.dtypes import Array
from ttl.sim.diaries import WORKS, Diary

# Waits shorter than this, in cycles, belong to the work around them: units that hand over to each other wait for every tile.
SHORTEST_WAIT = 100
# Above every clock: a number times this, plus a time, is one key to sort by both.
_BEYOND = 1 << 44


class Slice(NamedTuple):
    """An activity of a processor at a line, or a wait. ``short``: cycles of short waits in it."""

    begins: int
    ends: int
    line: int
    reason: int
    what: int
    by: int
    since: int
    short: int


@dataclass(frozen=True, slots=True, eq=False)
class SliceTable:
    """The slices of one processor, in order: a column of 64-bit integers for each field of ``Slice``."""

    begins: Array
    ends: Array
    line: Array
    reason: Array
    what: Array
    by: Array
    since: Array
    short: Array

    def __len__(self) -> int:
        return len(self.begins)

    def rows(self) -> Iterator[Slice]:
        """Yield the slices one after the other."""
        columns = (getattr(self, name).tolist() for name in Slice._fields)
        return starmap(Slice, zip(*columns, strict=True))


def texts_of(labels: Sequence[str]) -> Array:
    """Return a number for every label, the same for equal ones."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in labels], np.int64)


def slices(diary: Diary, texts: Array, cuts: Array, shortest: int = SHORTEST_WAIT) -> SliceTable:
    """A processor's spans; spans that follow each other at one expression are merged.

    ``texts``: by line, a number for the text of its expression; ``cuts``: times at which stretches begin or end;
    ``shortest``: waits shorter than that belong to the work around them.
    """
    spans = diary.spans[diary.spans["begins"] != diary.spans["ends"]]
    begins, ends = spans["begins"].astype(np.int64), spans["ends"].astype(np.int64)
    line, reason = spans["line"].astype(np.int64), spans["reason"].astype(np.int64)
    took = ends - begins
    waits = reason != WORKS
    long = waits & (took >= shortest)
    text = texts[line] if len(line) else line
    first = np.ones(len(spans), bool)
    first[1:] = (
        long[1:]
        | long[:-1]
        | (begins[1:] != ends[:-1])
        | (text[1:] != text[:-1])
        | np.isin(begins[1:], cuts.astype(np.int64))
    )
    starts = np.flatnonzero(first)
    short = np.where(waits & ~long, took, 0)
    return SliceTable(
        begins=begins[starts],
        ends=ends[np.append(starts[1:], len(spans)) - 1] if len(starts) else begins[starts],
        line=line[starts],
        reason=np.where(long, reason, WORKS)[starts],
        what=spans["what"].astype(np.int64)[starts],
        by=spans["by"].astype(np.int64)[starts],
        since=spans["since"].astype(np.int64)[starts],
        short=np.add.reduceat(short, starts) if len(starts) else short,
    )


def cuts_of(record: Record, fiber: int) -> Array:
    """The times at which named stretches of a processor begin or end."""
    own = record.zones[record.zones["fiber"] == fiber]
    return np.concatenate([own["begins"], own["ends"]])


class TransferGroup(NamedTuple):
    """Transfers that a processor issued one after the other at one line, usually those of a block."""

    first: int
    """The number of the first transfer."""
    fiber: int
    noc: int
    kind: str
    line: int
    begins: int
    ends: int
    size: int
    transfers: int
    lane: int


@dataclass(frozen=True, slots=True, eq=False)
class GroupTable:
    """Groups of transfers by the number of their first one: a column of 64-bit integers for each field of ``TransferGroup``."""

    first: Array
    fiber: Array
    noc: Array
    kind: Array
    """Position in ``KINDS``."""
    line: Array
    begins: Array
    ends: Array
    size: Array
    transfers: Array
    """The number of transfers in the group."""
    lane: Array

    def __len__(self) -> int:
        return len(self.first)

    def rows(self) -> Iterator[TransferGroup]:
        """Yield the groups one after the other."""
        columns = [getattr(self, name).tolist() for name in TransferGroup._fields]
        columns[3] = [KINDS[kind] for kind in columns[3]]
        return starmap(TransferGroup, zip(*columns, strict=True))


def groups_of(record: Record) -> tuple[GroupTable, Array]:
    """The transfers in groups, each group in a lane in which no two overlap; and the group of every transfer."""
    fiber = record.transfers["fiber"].astype(np.int64)
    order = np.argsort(fiber, kind="stable")
    transfers, fiber = record.transfers[order], fiber[order]
    issued, arrives = transfers["issued"].astype(np.int64), transfers["arrives"].astype(np.int64)
    alike = np.ones(len(order), bool)
    alike[:1] = False
    for column in (fiber, transfers["line"], transfers["kind"], transfers["noc"]):
        alike[1:] &= column[1:] == column[:-1]
    # The time until which earlier transfers at the line were on their way: a transfer that is issued later begins a
    # group, and arrives later still, so the latest arrival of all before it is the latest of its group.
    stretch = np.cumsum(~alike) * _BEYOND
    until = np.maximum.accumulate(stretch + arrives) - stretch
    alike[1:] &= issued[1:] <= until[:-1]
    starts = np.flatnonzero(~alike)
    # Groups have numbers in the order of their first transfers.
    rank = np.argsort(order[starts], kind="stable")
    number = np.empty(len(starts), np.int64)
    number[rank] = np.arange(len(starts))
    group_of = np.empty(len(order), np.int64)
    group_of[order] = number[np.cumsum(~alike) - 1] if len(order) else 0

    def summed(values: Array) -> Array:
        return np.add.reduceat(values, starts)[rank] if len(starts) else values

    begins = issued[starts][rank]
    ends = np.maximum.reduceat(arrives, starts)[rank] if len(starts) else arrives
    noc, of_group = transfers["noc"].astype(np.int64)[starts][rank], fiber[starts][rank]
    return (
        GroupTable(
            first=order[starts][rank],
            fiber=of_group,
            noc=noc,
            kind=transfers["kind"].astype(np.int64)[starts][rank],
            line=transfers["line"].astype(np.int64)[starts][rank],
            begins=begins,
            ends=ends,
            size=summed(transfers["size"].astype(np.int64)),
            transfers=summed(np.ones(len(order), np.int64)),
            lane=lanes_of((of_group // len(ROLES)) * 2 + noc, begins, ends),
        ),
        group_of,
    )


def lanes_of(where: Array, begins: Array, ends: Array) -> Array:
    """Return the lane of each stretch of time at its place: the first lane of the place that is free when it begins."""
    lane = np.zeros(len(begins), np.int64)
    free: dict[int, list[int]] = {}
    order = np.argsort(begins, kind="stable")
    columns = (column[order].tolist() for column in (where, begins, ends))
    for number, place, begin, end in zip(order.tolist(), *columns, strict=True):
        lanes = free.setdefault(place, [])
        at = next((at for at, until in enumerate(lanes) if until <= begin), len(lanes))
        lanes[at : at + 1] = [end]
        lane[number] = at
    return lane


def load(begins: Array, ends: Array, amounts: Array, edges: Array) -> Array:
    """The mean amount in a cycle between edges, where each amount comes evenly between its begin and its end."""
    begins, ends = begins.astype(np.float64), np.maximum(ends, begins + 1).astype(np.float64)
    rate = amounts / (ends - begins)
    times, change = np.concatenate([begins, ends]), np.concatenate([rate, -rate])
    order = np.argsort(times, kind="stable")
    times, flow = times[order], np.cumsum(change[order])
    total = np.concatenate([[0.0], np.cumsum(np.diff(times) * flow[:-1])])
    result: Array = np.diff(np.interp(edges, times, total)) / np.diff(edges)
    return result
