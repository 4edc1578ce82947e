"""What kernels did in the simulator, step by step: slices of tracks, what they are called, the critical path, lines."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from ttl.emu.trace_names import text_of_span
from ttl.report.events import PathEvents, TrackEvents
from ttl.report.model import LineUse, PathColumns, SliceLabel, Track
from ttl.report.pack import Array
from ttl.report.simulated_launch import SimulatedLaunch
from ttl.sim.buffer import SimBuffer
from ttl.sim.event_log import EventRow
from ttl.sim.events import PASSED, POPPED, PUSHED
from ttl.sim.pipes import SimPipe
from ttl.sim.semaphores import SimSemaphore
from ttl.source.names import target_name

_RESOURCES = ("data movement", "compute", "synchronisation")


@dataclass(frozen=True, slots=True)
class _Layout:
    """The rows of a log in the order of a report: track after track, and what was merged."""

    order: Array
    """Rows by track and time."""
    slice_of: Array
    """Of every row its slice."""
    first: Array
    """Of every slice its first row, in ``order``."""


class StepTracks:
    """The tracks of a launch, their slices and labels."""

    def __init__(self, of: SimulatedLaunch) -> None:
        self._of = of
        self._numbers: dict[SliceLabel, int] = {}
        layout, labels = self._layout()
        self._layout_of_rows = layout
        self.label_of_row = labels
        """Of every row of the log, the position of its label."""
        rows = of.log.rows
        track_of = {of.log.kernels[kernel]: number for number, kernel in enumerate(of.kernels)}
        first_rows = [rows[row] for row in layout.first.tolist()]
        slice_track = np.array([track_of[row.kernel] for row in first_rows], np.int64)
        begins = np.array([row.begin for row in first_rows], np.int64)
        ends = np.zeros(len(first_rows), np.int64)
        np.maximum.at(ends, layout.slice_of, np.array([row.end for row in rows], np.int64))
        causes = np.array([row.cause for row in first_rows], np.int64)
        cause = np.where(causes >= 0, layout.slice_of[np.maximum(causes, 0)], -1) if len(rows) else causes
        events = TrackEvents(
            track=slice_track, begins=begins, ends=ends, label=labels[layout.first], cause=cause
        )
        self.tracks = tuple(
            Track(
                node=of.node[kernel.node.index],
                role=kernel.name,
                kernel=of.names.index(kernel.name),
                first=first,
                count=count,
            )
            for kernel, (first, count) in zip(of.kernels, events.shares(len(of.kernels)), strict=True)
        )
        self.slices = events.columns()

    @property
    def labels(self) -> tuple[SliceLabel, ...]:
        """In the order of their numbers."""
        return tuple(self._numbers)

    def _layout(self) -> tuple[_Layout, Array]:
        """Rows by track; steps that follow each other at one expression are one slice. And of every row its label."""
        rows = self._of.log.rows
        numbers: dict[object, int] = {}
        label = np.empty(len(rows), np.int64)
        names = {
            self._of.log.kernels[kernel]: self._of.names.index(kernel.name) for kernel in self._of.kernels
        }
        for number, row in enumerate(rows):
            about = self._group(row)
            is_room = row.waits and self._is_room(row)
            key = (
                row.site,
                row.event,
                row.waits,
                (row.waits and row.cause < 0, is_room),
                about,
                names[row.kernel],
            )
            known = numbers.get(key)
            if known is None:
                known = numbers[key] = self._label(row, names[row.kernel])
            label[number] = known
        track_of = {self._of.log.kernels[kernel]: number for number, kernel in enumerate(self._of.kernels)}
        track = np.array([track_of[row.kernel] for row in rows], np.int64)
        begin = np.array([row.begin for row in rows], np.int64)
        end = np.array([row.end for row in rows], np.int64)
        waits = np.array([row.waits for row in rows], bool)
        order = np.lexsort((begin, track))
        first = np.ones(len(rows), bool)
        at, after = order[:-1], order[1:]
        first[1:] = (
            waits[at]
            | waits[after]
            | (track[at] != track[after])
            | (label[at] != label[after])
            | (end[at] != begin[after])
        )
        slice_of = np.empty(len(rows), np.int64)
        slice_of[order] = np.cumsum(first) - 1
        return _Layout(order, slice_of, order[first]), label

    def _group(self, row: EventRow) -> object:
        """What labels tell apart, of what steps are about."""
        match row.about:
            case SimBuffer() as buffer if row.waits or row.event in (PUSHED, POPPED):
                return self._of.buffer(buffer)
            case SimPipe() as pipe:
                return ("pipe", self._of.pipes.get(pipe))
            case SimSemaphore() as semaphore if row.waits:
                return ("semaphore", semaphore.ordinal)
            case _:
                return None

    def _is_room(self, row: EventRow) -> bool:
        """Whether a wait for a buffer is one for room in it."""
        return (row.event if row.cause < 0 else self._of.log.rows[row.cause].event) == POPPED

    def _label(self, row: EventRow, kernel: int) -> int:
        span = self._of.span(row.site)
        at = "" if span is None else f" :{span.line}"
        text = f"{text_of_span(span)}{at}" if span is not None else f"the end of {self._of.names[kernel]}"
        waits_for, buffer = None, None
        net, pipe = self._of.pipe(row.about)
        if row.waits:
            match row.about:
                case SimBuffer() as waited:
                    buffer = self._of.buffer(waited)
                    waits_for = "room" if self._is_room(row) else "data"
                    text = f"waits for {waits_for} in {waited.name}{at}"
                case SimPipe() as of_pipe:
                    waits_for = "message"
                    text = f"waits for a message of {self._of.engine.pipes.name_of(of_pipe)}{at}"
                case SimSemaphore() as semaphore:
                    waits_for = "semaphore"
                    text = f"waits for {target_name(semaphore.site) or f'semaphore {semaphore.ordinal}'}{at}"
            if row.cause < 0:
                text = f"{text}, for ever"
        elif row.event in (PUSHED, POPPED) and isinstance(row.about, SimBuffer):
            # By the end of a with statement, usually, whose text would say what it began with.
            text = f"{'push' if row.event == PUSHED else 'pop'} of {row.about.name}{at}"
        file, line = self._of.place(row.site)
        label = SliceLabel(
            text=text,
            kind="wait" if row.waits else "busy",
            waits_for=waits_for,
            file=file,
            line=line,
            kernel=kernel,
            buffer=buffer,
            net=net,
            pipe=pipe,
        )
        return self._numbers.setdefault(label, len(self._numbers))

    def path(self) -> PathColumns | None:
        """Back from the last step: over the work of a kernel, and from a wait to what ended it."""
        layout, labels, rows = self._layout_of_rows, self.label_of_row, self._of.log.rows
        if not rows or self._of.log.failed:
            return None
        previous = np.full(len(rows), -1, np.int64)
        kernels = np.array([rows[row].kernel for row in layout.order.tolist()])
        same = kernels[1:] == kernels[:-1]
        previous[layout.order[1:][same]] = layout.order[:-1][same]
        at = max(range(len(rows)), key=lambda row: (rows[row].end, -row))
        kinds = {number: kernel.kind for kernel, number in self._of.log.kernels.items()}
        steps: list[tuple[int, int, int, int]] = []
        while at >= 0:
            row = rows[at]
            if row.waits:
                at = row.cause
                continue
            resource = 1 if kinds[row.kernel] == "compute" else 0
            if row.event == PASSED:
                resource = 2
            steps.append((row.end - row.begin, resource, int(layout.slice_of[at]), int(labels[at])))
            at = int(previous[at])
        length, resources, slices, label = np.array(steps[::-1], np.int64).reshape(-1, 4).T
        return PathEvents(length=length, resource=resources, at=slices, label=label).columns(_RESOURCES)

    def uses(self, path: PathColumns | None) -> dict[tuple[int, int], LineUse]:
        busy: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
        waits: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
        on_path: Counter[tuple[int, int]] = Counter()
        labels = list(self._numbers)
        nodes: dict[str, set[int]] = defaultdict(set)
        names = {number: kernel for kernel, number in self._of.log.kernels.items()}
        for row in self._of.log.rows:
            kernel = names[row.kernel]
            nodes[kernel.name].add(kernel.node.index)
            file, line = self._of.place(row.site)
            if file is not None and line is not None:
                (waits if row.waits else busy)[file, line][kernel.name] += row.end - row.begin
        if path is not None:
            for length, number in zip(path.length.tolist(), path.label.tolist(), strict=True):
                label = labels[number]
                if label.file is not None and label.line is not None:
                    on_path[label.file, label.line] += length
        whole = max(self._of.log.length, 1)

        def mean(sums: Counter[str]) -> dict[str, float]:
            return {name: round(steps / len(nodes[name]), 1) for name, steps in sums.items()}

        return {
            key: LineUse(
                line=key[1],
                cycles=on_path[key],
                share=round(on_path[key] / whole, 4),
                busy=mean(busy[key]),
                waits=mean(waits[key]),
            )
            for key in sorted({*busy, *waits})
        }
