"""The tracks of a run on the emulated chip: slices, transfers, the critical path; all as columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.emu.critical import RESOURCES, Path
from ttl.emu.launch import ChipRun
from ttl.emu.program import ROLES
from ttl.emu.record import KINDS, Record
from ttl.emu.stopped import ExpectedSignaller, StoppedRun
from ttl.emu.trace_names import TraceNames
from ttl.emu.trace_slices import SliceTable, cuts_of, groups_of, texts_of
from ttl.report.emulated_pipes import PipeTable
from ttl.report.events import PathEvents, TrackTable
from ttl.report.records import (
    ChipPlan,
    PathColumns,
    SliceColumns,
    SliceLabel,
    StopPosition,
    Track,
    TransferColumns,
    TransferEnd,
)
from ttl.report.sources import SourceTable
from ttl.rows.dtypes import Array
from ttl.sim.diaries import FIRST_TRANSFER_REASON, NOTHING_NAMED, OF_SEMAPHORES, WAITS, WORKS

# The reasons of waits: in terms of the language where it has one, else the processor or the part of the chip.
_WAITS_FOR = {
    "pages": "data", "space": "room", "operands": "unpack", "source registers": "math", "DST": "pack",
    "results": "math", "atomics": "NoC",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Timeline:
    """The parts of a report that have times."""

    tracks: tuple[Track, ...]
    slices: SliceColumns
    labels: tuple[SliceLabel, ...]
    transfers: TransferColumns
    ends: tuple[TransferEnd, ...]
    path: PathColumns
    stands: tuple[StopPosition, ...]
    under_way: tuple[int, ...]


class TimelineBuilder:
    """Makes the timeline of one recorded run.

    ``nodes`` has the position of the node of each core by the core's number, row by row; ``buffers`` has the position
    of the name of each circular buffer by the buffer's index.
    """

    def __init__(
        self,
        run: ChipRun,
        chip: Chip,
        description: ProgramDescription,
        sources: SourceTable,
        nodes: dict[int, int],
        buffers: dict[int, int],
        pipes: PipeTable,
        plan: ChipPlan,
    ) -> None:
        assert run.record is not None, "the run was not recorded"
        self._run, self._chip, self._description, self._sources = run, chip, description, sources
        self._record: Record = run.record
        self._nodes, self._buffers, self._pipes, self._plan = nodes, buffers, pipes, plan
        self._names = TraceNames(run, chip, description)
        self._labels: dict[SliceLabel, int] = {}

    def build(self, path: Path, stopped: StoppedRun | None = None) -> Timeline:
        """Make the timeline; ``path`` is the critical path, ``stopped`` the end of a run that has failed."""
        record = self._record
        table = TrackTable(record.diaries, texts_of(self._names.lines), partial(cuts_of, record))
        cores = {diary.core: self._nodes[number // len(ROLES)] for number, diary in record.diaries.items()}
        whole, tracks = table.slices, table.tracks(cores)
        groups, group_of = groups_of(record)
        nodes = np.array([item.node for item in tracks], np.int64)
        label = self._labelled(
            whole.line, whole.reason, whole.what, whole.by, self._waited(whole, nodes[table.track])
        )
        transfer_label = self._labelled(
            groups.line,
            np.zeros_like(groups.line),
            groups.line,
            np.full_like(groups.line, -1),
            self._carried(group_of, len(groups)),
        )
        stands = () if stopped is None else self._stands(stopped, table.numbers, tracks, label)
        source, destination, ends = self._ends(groups.first, groups.kind)
        steps = self._path(path, table, group_of)
        return Timeline(
            tracks=tracks,
            slices=table.columns(label, group_of),
            transfers=TransferColumns(
                begin=groups.begins,
                length=groups.ends - groups.begins,
                node=np.searchsorted(np.array(sorted(self._nodes)), groups.fiber // len(ROLES)),
                source=source,
                destination=destination,
                bytes=groups.size,
                count=groups.transfers,
                receivers=record.transfers["receivers"].astype(np.int64)[groups.first],
                noc=groups.noc,
                lane=groups.lane,
                label=transfer_label,
                kind=groups.kind,
            ),
            ends=ends,
            path=steps,
            stands=stands,
            under_way=() if stopped is None else tuple(np.unique(group_of[list(stopped.under_way)]).tolist()),
            labels=tuple(self._labels),
        )

    def _waited(self, whole: SliceTable, node: Array) -> Array:
        """Return the pipe that each slice waits for; -1 for none, or an unknown one."""
        result = np.full(len(whole), -1, np.int64)
        if self._pipes.waited:
            semaphores = max(semaphore for _, semaphore in self._pipes.waited) + 1
            known = np.full((len(self._nodes), semaphores), -1, np.int64)
            for place, pipe in self._pipes.waited.items():
                known[place] = pipe
            rows = np.flatnonzero(np.isin(whole.reason, OF_SEMAPHORES) & (whole.what < semaphores))
            result[rows] = known[node[rows], whole.what[rows]]
        return result

    def _carried(self, group_of: Array, count: int) -> Array:
        """Return the pipe of each group of transfers; -1 for none, or for several."""
        least, most = np.full(count, len(self._pipes.uses), np.int64), np.full(count, -1, np.int64)
        np.minimum.at(least, group_of, self._pipes.of_transfer)
        np.maximum.at(most, group_of, self._pipes.of_transfer)
        return np.where(least == most, most, -1)

    def _stands(
        self, stopped: StoppedRun, fibers: list[int], tracks: tuple[Track, ...], label: Array
    ) -> tuple[StopPosition, ...]:
        """Return the places of processors; an open wait, the last slice of its track, gets a label that says so."""
        track_of = {fiber: number for number, fiber in enumerate(fibers)}
        result = []
        for stand in stopped.stands:
            number = track_of[stand.fiber]
            track = tracks[number]
            last = track.first + track.count - 1 if track.count else -1
            ender = stand.ender
            own = -1 if last < 0 else int(label[last])
            if stand.state == "waits" and last >= 0:
                own = label[last] = self._open_wait(own, ender, stopped.deadlock)
            if own < 0:
                own = self._number(self._label(stand.line, WORKS, NOTHING_NAMED, -1, -1))
            needs = stand.needs
            if ender is not None and ender.pipe is not None:
                name = self._pipes.named(-1, self._pipes.position(ender.pipe))
                needs = f"room at the receivers of {name}" if ender.sends else f"a message of {name}"
            result.append(
                StopPosition(
                    track=number,
                    state=stand.state,
                    label=int(own),
                    slice=last,
                    needs=needs,
                    awaited=()
                    if ender is None
                    else tuple(track_of[fiber] for fiber in ender.fibers if fiber in track_of),
                )
            )
        return tuple(result)

    def _open_wait(self, label: int, ender: ExpectedSignaller | None, deadlock: bool) -> int:
        """Return the label of a wait that nothing ended; ``label`` is its label as a slice."""
        known = [*self._labels][label]
        if ender is not None and ender.pipe is not None:
            pipe = self._pipes.position(ender.pipe)
            if pipe >= 0:
                at = known.text.rpartition(" :")[2]
                text = f"{self._of_pipe(ender.sends, self._pipes.names[pipe])} :{at}"
                known = replace(
                    known, pipe=pipe, net=self._pipes.uses[pipe].net, text=text, waits_for="message"
                )
        return self._number(replace(known, text=f"{known.text}, {'forever' if deadlock else 'to the end'}"))

    @staticmethod
    def _of_pipe(sends: bool, name: str) -> str:
        return f"waits for room at the receivers of {name}" if sends else f"waits for a message of {name}"

    def _number(self, label: SliceLabel) -> int:
        return self._labels.setdefault(label, len(self._labels))

    def _labelled(self, line: Array, reason: Array, what: Array, by: Array, pipe: Array) -> Array:
        """Return the labels of slices; new labels are added."""
        near, far = self._names.end_numbers
        ends = len(self._names.end_texts) + 1
        named = (reason >= FIRST_TRANSFER_REASON) & (by >= 0)
        end = np.zeros(len(line), np.int64)
        end[named] = near[by[named]] * ends + far[by[named]] + 1
        thing = np.where((reason == WORKS) | (what == NOTHING_NAMED), 0, what + 1)
        things, end_keys = int(thing.max(initial=0)) + 1, ends * ends + 1
        key = (((line * 64 + reason) * things + thing) * end_keys + end) * (len(self._pipes.uses) + 1) + pipe
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        rows = zip(*(column[first].tolist() for column in (line, reason, what, by, pipe)), strict=True)
        numbers = [self._number(self._label(*row)) for row in rows]
        result: Array = np.array(numbers, np.int64)[which.reshape(-1)] if numbers else line
        return result

    def _label(self, line: int, reason: int, what: int, by: int, pipe: int) -> SliceLabel:
        at, place = self._record.lines[line], self._names.places[line]
        file = self._sources.number(place.file)
        wait = None if reason == WORKS else WAITS.get(reason, "something")
        waits_for = None if wait is None else _WAITS_FOR.get(wait, wait)
        if wait in ("reads", "writes"):
            waits_for = "DRAM" if by >= 0 and self._record.transfers["dram"][by] else "NoC"
        text = self._names.slice(line, reason, what, by)
        net = self._pipes.nets.get(what) if waits_for == "semaphore" else None
        if net is not None:
            waits_for = "message"
            at_line = text.rpartition(" :")[2]
            sends = self._pipes.kinds[what] != "valid"
            text = f"{self._of_pipe(sends, self._pipes.named(net, pipe))} :{at_line}"
        elif pipe >= 0:
            net = self._pipes.uses[pipe].net
        return SliceLabel(
            text=text,
            kind="busy" if wait is None else "wait",
            waits_for=waits_for,
            file=file,
            line=place.line if file is not None else None,
            kernel=at.kernel,
            kernel_line=at.line if at.file == self._run.program.kernels[at.kernel].file_name else None,
            buffer=self._buffers.get(what) if waits_for in ("data", "room") else None,
            net=net,
            pipe=pipe if pipe >= 0 else None,
        )

    def _ends(self, first: Array, kind: Array) -> tuple[Array, Array, tuple[TransferEnd, ...]]:
        """The numbers of the source and destination of each group of transfers, and the ends that they number."""
        transfers, plan = self._record.transfers[first], self._plan
        near_text, far_text = (column[first] for column in self._names.end_numbers)
        reads, several = kind == KINDS.index("read"), kind == KINDS.index("multicast")
        router = np.where(reads, transfers["from"], transfers["to"]).astype(np.int64)
        own = np.where(reads, transfers["to"], transfers["from"]).astype(np.int64)
        near_cell, far_cell = ((at & 255) * plan.columns + (at >> 8) for at in (own, router))
        wide = len(plan.cells) + 1
        near, far = near_text * wide + near_cell + 1, far_text * wide + np.where(several, 0, far_cell + 1)
        keys, which = np.unique(np.concatenate([near, far]), return_inverse=True)
        near, far = which.reshape(-1)[: len(first)], which.reshape(-1)[len(first) :]
        ends = []
        for text, place in zip((keys // wide).tolist(), (keys % wide).tolist(), strict=True):
            cell = plan.cells[place - 1] if place else None
            ends.append(
                TransferEnd(
                    text=self._names.end_texts[text],
                    cell=place - 1 if place else None,
                    node=cell.node if cell is not None else None,
                    bank=cell.bank if cell is not None else None,
                )
            )
        return np.where(reads, far, near), np.where(reads, near, far), tuple(ends)

    def _path(self, path: Path, table: TrackTable, group_of: Array) -> PathColumns:
        """The critical path from the beginning of the launch."""
        events = PathEvents.of(path.steps)
        launch, moved = events.resource == RESOURCES.index("launch"), events.transfer >= 0
        groups = group_of[events.transfer[moved]]
        at = table.at(events.number, np.maximum(events.ends - 1, 0))
        at[moved] = len(table.slices) + groups
        at[launch] = -1
        label, pipe = np.full_like(events.line, -1), np.full_like(events.line, -1)
        pipe[moved] = self._carried(group_of, int(group_of.max(initial=-1)) + 1)[groups]
        line = events.line[~launch]
        label[~launch] = self._labelled(
            line, np.zeros_like(line), line, np.full_like(line, -1), pipe[~launch]
        )
        return events.columns(at, label, RESOURCES)
