"""The steps of kernels in the simulator: slices of tracks, their labels, the critical path, lines."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np

from ttl.emu.critical import RESOURCES, Resource, walk
from ttl.emu.trace_names import text_of_span
from ttl.report.events import PathEvents, TrackTable
from ttl.report.records import LineUse, PathColumns, SliceLabel
from ttl.report.simulated_launch import SimulatedLaunch
from ttl.sim.buffer import SimBuffer
from ttl.sim.diaries import MESSAGE, PAGES, SEMAPHORE, SPACE, WORKS
from ttl.sim.event_log import EventPlace
from ttl.sim.events import PASSED, POPPED, PUSHED
from ttl.sim.kernel import Kernel
from ttl.sim.pipes import SimPipe
from ttl.sim.semaphores import SimSemaphore
from ttl.source.names import target_name

_RESOURCES = ("data movement", "compute", "synchronisation")
# The position in _RESOURCES of each resource in the numbering of the walk.
_NUMBERS = np.array([{"math": 1, "synchronisation": 2}.get(name, 0) for name in RESOURCES], np.int64)
_WAITS_FOR = {PAGES: "data", SPACE: "room", SEMAPHORE: "semaphore", MESSAGE: "message"}


class StepTracks:
    """The tracks of a launch, their slices and labels."""

    def __init__(self, of: SimulatedLaunch) -> None:
        self._of = of
        self._numbers: dict[SliceLabel, int] = {}
        keys = [
            (place._replace(kernel=0, about=self._group(place)), kernel.name) for place, kernel in of.lines
        ]
        labels: dict[object, int] = {}
        for key, line in zip(keys, of.lines, strict=True):
            if key not in labels:
                labels[key] = self._label(*line)
        self.label_of_line = np.array([labels[key] for key in keys], np.int64)
        """The position of the label of every line of the log."""
        # Steps that follow each other at one expression are one slice; every wait is a slice of its own.
        self._table = TrackTable(of.diaries, self.label_of_line, shortest=0)
        self.tracks = self._table.tracks(of.cores)
        self.slices = self._table.columns(self.label_of_line[self._table.slices.line], np.empty(0, np.int64))

    @property
    def labels(self) -> tuple[SliceLabel, ...]:
        """The labels, in the order of their numbers."""
        return tuple(self._numbers)

    def _group(self, place: EventPlace) -> object:
        """Return the part of a step's subject that labels distinguish: its buffer, pipe or semaphore."""
        match place.about:
            case SimBuffer() as buffer if place.reason != WORKS or place.event in (PUSHED, POPPED):
                return self._of.buffer(buffer)
            case SimPipe() as pipe:
                return self._of.pipes.get(pipe)
            case SimSemaphore() as semaphore if place.reason != WORKS:
                return semaphore.ordinal
            case _:
                return None

    def _label(self, place: EventPlace, of_kernel: Kernel) -> int:
        kernel = self._of.names.index(of_kernel.name)
        span = self._of.span(place.site)
        at = "" if span is None else f" :{span.line}"
        text = f"{text_of_span(span)}{at}" if span is not None else f"the end of {of_kernel.name}"
        waits_for, buffer = _WAITS_FOR.get(place.reason), None
        net, pipe = self._of.pipe(place.about)
        match place.about:
            case SimBuffer() as waited if waits_for is not None:
                buffer = self._of.buffer(waited)
                text = f"waits for {waits_for} in {waited.name}{at}"
            case SimPipe() as of_pipe if waits_for is not None:
                text = f"waits for a message of {self._of.engine.pipes.name_of(of_pipe)}{at}"
            case SimSemaphore() as semaphore if waits_for is not None:
                text = f"waits for {target_name(semaphore.site) or f'semaphore {semaphore.ordinal}'}{at}"
            case SimBuffer() as moved if place.event in (PUSHED, POPPED):
                # Usually the end of a with statement does it: its text would be the beginning of that statement.
                text = f"{'push' if place.event == PUSHED else 'pop'} of {moved.name}{at}"
        if place.is_open:
            text = f"{text}, forever"
        file, line = self._of.place(place.site)
        label = SliceLabel(
            text=text,
            kind="busy" if waits_for is None else "wait",
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
        """The critical path, found backwards from the last step.

        It follows the work of a kernel, and continues from a wait at the step that ended the wait.
        """
        of, log = self._of, self._of.log
        if not of.diaries or log.failed:
            return None

        def resource_of(_: int, line: int) -> Resource:
            place, kernel = of.lines[line]
            if place.event == PASSED:
                return "synchronisation"
            return "math" if kernel.kind == "compute" else "data movement"

        steps = walk(of.diaries, of.last, resource_of, np.empty(0), of.engine.chip)
        events = PathEvents.of(tuple(steps))
        at = self._table.at(events.number, events.ends - 1)
        columns = events.columns(at, self.label_of_line[events.line], _RESOURCES)
        return replace(columns, resource=_NUMBERS[columns.resource])

    def uses(self, path: PathColumns | None) -> dict[tuple[int, int], LineUse]:
        """Return the cycles and waits of the program's lines, by file and line."""
        busy: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
        waits: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
        on_path: Counter[tuple[int, int]] = Counter()
        labels = list(self._numbers)
        nodes: dict[str, set[int]] = defaultdict(set)
        took = np.zeros(len(self._of.lines), np.int64)
        for diary in self._of.diaries.values():
            np.add.at(
                took, diary.spans["line"], (diary.spans["ends"] - diary.spans["begins"]).astype(np.int64)
            )
        for (place, kernel), steps in zip(self._of.lines, took.tolist(), strict=True):
            nodes[kernel.name].add(kernel.node.index)
            file, line = self._of.place(place.site)
            if file is not None and line is not None:
                (busy if place.reason == WORKS else waits)[file, line][kernel.name] += steps
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
