"""What happened in a launch, in the events that both executions write down for a report and that all of its columns are read from.

The simulator has its log (``ttl.sim.event_log``), in steps, and the emulated chip its record (``ttl.emu.record``), in cycles. What
is in them becomes these events: what tracks did, what filled and emptied buffers, what the critical path goes through, and what a
node did altogether.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ttl.report.model import BufferTrack, FillColumns, NodeUse, PathColumns, SliceColumns
from ttl.report.pack import Array


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class TrackEvents:
    """What tracks did, track after track, in order; ``cause`` as in ``SliceColumns``."""

    track: Array
    begins: Array
    ends: Array
    label: Array
    cause: Array

    def shares(self, tracks: int) -> list[tuple[int, int]]:
        """Of every track its first event, and how many it has."""
        firsts = np.searchsorted(self.track, np.arange(tracks + 1)).tolist()
        return [(first, after - first) for first, after in pairwise(firsts)]

    def columns(self) -> SliceColumns:
        """The events as a report has them."""
        before = np.zeros_like(self.ends)
        before[1:] = np.where(self.track[1:] == self.track[:-1], self.ends[:-1], 0)
        return SliceColumns(
            gap=self.begins - before, length=self.ends - self.begins, label=self.label, cause=self.cause
        )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FillEvents:
    """What was put into buffers (``change`` above zero) and taken out; ``buffers`` are names and nodes, by ``which``."""

    buffers: Sequence[tuple[int, int]]
    which: Array
    time: Array
    change: Array

    def columns(self) -> tuple[tuple[BufferTrack, ...], FillColumns]:
        """How full each buffer is; what happens at one time stays in its order."""
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
    """The critical path, step by step from the beginning; columns as in ``PathColumns``."""

    length: Array
    resource: Array
    at: Array
    label: Array

    def columns(self, resources: tuple[str, ...]) -> PathColumns:
        """The path, steps together that go through one slice or transfer for one resource."""
        alike = np.ones(max(len(self.length) - 1, 0), bool)
        for column in (self.resource, self.at, self.label):
            alike &= column[1:] == column[:-1]
        starts = np.flatnonzero(np.concatenate([np.ones(min(len(self.length), 1), bool), ~alike]))
        return PathColumns(
            length=np.add.reduceat(self.length, starts) if len(starts) else self.length,
            resource=self.resource[starts],
            at=self.at[starts],
            label=self.label[starts],
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
    """A node of which it is known what each of its roles did: how long it worked, and how long it waited."""
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
