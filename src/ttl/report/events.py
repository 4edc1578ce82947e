"""The columns of a report, from the diaries that the simulator and the emulated chip write (``ttl.sim.diaries``).

They are the slices of tracks, the fill of buffers, the critical path, and the totals of nodes; in steps of the
simulator (``ttl.sim.event_log``) or cycles of the emulated chip (``ttl.emu.record``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ttl.emu.critical import RESOURCES, PathStep
from ttl.emu.trace_slices import SHORTEST_WAIT, Slice, SliceTable, slices
from ttl.report.records import BufferTrack, FillColumns, NodeUse, PathColumns, SliceColumns, Track
from ttl.rows.dtypes import Array
from ttl.sim.diaries import FIRST_TRANSFER_REASON, WORKS, Diary

# Above every clock: a key that sorts by track and then by time is track * _BEYOND + time.
_BEYOND = 1 << 44


class TrackTable:
    """The slices of all diaries, track after track, in the order of the numbers of the diaries."""

    def __init__(
        self,
        diaries: Mapping[int, Diary],
        texts: Array,
        cuts: Callable[[int], Array] = lambda number: np.empty(0, np.int64),
        shortest: int = SHORTEST_WAIT,
    ) -> None:
        """``texts``, ``cuts`` (by the number of a diary) and ``shortest`` are arguments of ``slices``."""
        self.numbers = sorted(diaries)
        self._diaries = diaries
        tables = [slices(diaries[number], texts, cuts(number), shortest) for number in self.numbers]
        self._counts = [len(table) for table in tables]
        self._firsts = np.concatenate([[0], np.cumsum(self._counts)]).astype(np.int64)
        nothing = np.empty(0, np.int64)
        self.slices = SliceTable(
            *(
                np.concatenate([nothing, *(getattr(table, name) for table in tables)])
                for name in Slice._fields
            )
        )
        self.track = np.repeat(np.arange(len(tables)), self._counts)
        self._begins = self.track * _BEYOND + self.slices.begins

    def tracks(self, nodes: Mapping[tuple[int, int], int]) -> tuple[Track, ...]:
        """A track for every diary; ``nodes`` maps cores to positions of nodes."""
        return tuple(
            Track(node=nodes[diary.core], role=diary.role, kernel=diary.kernel, first=int(first), count=count)
            for diary, first, count in zip(
                (self._diaries[number] for number in self.numbers),
                self._firsts[:-1],
                self._counts,
                strict=True,
            )
        )

    def at(self, numbers: Array, times: Array) -> Array:
        """The slices of diaries in which times lie; -1 if there was no slice until then."""
        if not len(numbers) or not len(self._begins):
            return np.full(len(numbers), -1, np.int64)
        track = np.searchsorted(np.array(self.numbers, np.int64), numbers)
        result = np.searchsorted(self._begins, track * _BEYOND + times, "right") - 1
        return np.where(result >= self._firsts[track], result, -1)

    def columns(self, label: Array, group_of: Array) -> SliceColumns:
        """The slices as columns of a report, with the slice or transfer that ended each wait.

        ``group_of`` has the group of every transfer.
        """
        whole = self.slices
        ended = (whole.reason != WORKS) & (whole.by >= 0)
        by_transfer = ended & (whole.reason >= FIRST_TRANSFER_REASON)
        by_diary = ended & ~by_transfer
        cause = np.full(len(whole), -1, np.int64)
        cause[by_diary] = self.at(whole.by[by_diary], np.maximum(whole.since[by_diary] - 1, 0))
        cause[by_transfer] = len(whole) + group_of[whole.by[by_transfer]]
        before = np.zeros_like(whole.ends)
        before[1:] = np.where(self.track[1:] == self.track[:-1], whole.ends[:-1], 0)
        return SliceColumns(
            gap=whole.begins - before, length=whole.ends - whole.begins, label=label, cause=cause
        )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FillEvents:
    """Blocks put into buffers (``change`` above zero) and taken out; ``which`` indexes ``buffers`` (name and node)."""

    buffers: Sequence[tuple[int, int]]
    which: Array
    time: Array
    change: Array

    def columns(self) -> tuple[tuple[BufferTrack, ...], FillColumns]:
        """Return the fill of each buffer over time; events at the same time stay in their order."""
        order = np.lexsort((self.time, self.which))
        total, counts = np.cumsum(self.change[order]), np.bincount(self.which, minlength=len(self.buffers))
        ends = np.cumsum(counts)
        firsts = ends - counts
        full = np.concatenate([np.zeros(1, np.int64), total])
        tracks = tuple(
            BufferTrack(name=name, node=node, first=first, count=count)
            for (name, node), first, count in zip(self.buffers, firsts.tolist(), counts.tolist(), strict=True)
        )
        return tracks, FillColumns(time=self.time[order], fill=total - np.repeat(full[firsts], counts))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PathEvents:
    """The steps of the critical path from the beginning, each with its diary, its line, and its transfer, if any."""

    number: Array
    line: Array
    begins: Array
    ends: Array
    transfer: Array
    resource: Array

    @classmethod
    def of(cls, steps: Sequence[PathStep]) -> PathEvents:
        """Make the events from ``steps``, which are in order from the end of the path."""
        rows = [
            (step.fiber, step.line, step.begins, step.ends, step.transfer, RESOURCES.index(step.resource))
            for step in reversed(steps)
        ]
        number, line, begins, ends, transfer, resource = np.array(rows, np.int64).reshape(-1, 6).T
        return cls(number=number, line=line, begins=begins, ends=ends, transfer=transfer, resource=resource)

    def columns(self, at: Array, label: Array, resources: tuple[str, ...]) -> PathColumns:
        """The path with steps merged that follow each other through one slice or transfer for one resource."""
        length = self.ends - self.begins
        alike = np.ones(max(len(length) - 1, 0), bool)
        for column in (self.resource, at, label):
            alike &= column[1:] == column[:-1]
        starts = np.flatnonzero(np.concatenate([np.ones(min(len(length), 1), bool), ~alike]))
        return PathColumns(
            length=np.add.reduceat(length, starts) if len(starts) else length,
            resource=self.resource[starts],
            at=at[starts],
            label=label[starts],
            resources=resources,
        )


@dataclass(slots=True)
class MovedBytes:
    """Bytes of a node: from and to DRAM, and in and out over the NoCs."""

    read: int = 0
    written: int = 0
    into: int = 0
    out: int = 0


def node_use(
    node: tuple[int, ...],
    router: tuple[int | None, int | None],
    roles: Mapping[str, tuple[int, int]],
    moved: MovedBytes,
) -> NodeUse:
    """The use of a node; ``roles`` has the time that each of its processors worked, and the time that it waited."""
    return NodeUse(
        node=node,
        x=router[0],
        y=router[1],
        busy=sum(busy for busy, _ in roles.values()),
        waits=sum(waits for _, waits in roles.values()),
        roles=roles,
        dram_read=moved.read,
        dram_written=moved.written,
        noc_in=moved.into,
        noc_out=moved.out,
    )
