"""A launch in the simulator as a report: what its kernels did, in steps (``ttl.sim.event_log``)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttl.diag.words import counted
from ttl.emu.trace_names import text_of_span
from ttl.emu.trace_slices import lanes_of
from ttl.host.tensor import Tensor
from ttl.lang.launches import LaunchName, name_of
from ttl.ops.types import BlockType
from ttl.report.chip_plan import plan_of
from ttl.report.model import (
    BufferName,
    BufferTrack,
    ChipPlan,
    FillColumns,
    KernelText,
    LaunchReport,
    LineUse,
    NodeUse,
    PathColumns,
    PipeUse,
    SliceColumns,
    SliceLabel,
    Track,
    TransferColumns,
    TransferEnd,
)
from ttl.report.pack import Array
from ttl.report.sources import SourceTable, shown_files
from ttl.sim import stats
from ttl.sim.buffer import SimBuffer
from ttl.sim.engine import Engine
from ttl.sim.event_log import CopyRow, EventLog, EventRow
from ttl.sim.events import ACQUIRED, PASSED, POPPED, PUSHED
from ttl.sim.pipes import SimPipe
from ttl.sim.placement import Launch
from ttl.sim.semaphores import SimSemaphore
from ttl.sim.storage import Storage
from ttl.source.names import target_name
from ttl.source.spans import Site, Span, span_of_site

_RESOURCES = ("data movement", "compute", "synchronisation")
_KINDS = ("read", "write", "multicast")


def launch_report(engine: Engine, launched: Launch, log: EventLog) -> LaunchReport:
    """The report of a launch that has ended well; the engine is still whole."""
    return _SimulatedReport(engine, launched, log).build()


@dataclass(frozen=True, slots=True)
class _Layout:
    """The rows of a log in the order of a report: track after track, and what was merged."""

    order: Array
    """Rows by track and time."""
    slice_of: Array
    """Of every row its slice."""
    first: Array
    """Of every slice its first row, in ``order``."""


class _SimulatedReport:
    def __init__(self, engine: Engine, launched: Launch, log: EventLog) -> None:
        self._engine, self._launched, self._log = engine, launched, log
        self._sources = SourceTable()
        self._spans: dict[Site, Span] = {}
        self._labels: dict[SliceLabel, int] = {}
        # Nodes of a launch on a mesh have the places that they have on their own devices.
        columns, rows = engine.chip.max_grid
        grid = (*engine.grid, 1)[:2]
        self._fits = len(engine.nodes) == grid[0] * grid[1] and grid[0] <= columns and grid[1] <= rows
        self._order = sorted(range(len(engine.nodes)), key=lambda index: self._core(index)[::-1])
        self._node = {index: position for position, index in enumerate(self._order)}
        self._kernels = sorted(
            log.kernels, key=lambda kernel: (self._node[kernel.node.index], kernel.node.kernels.index(kernel))
        )
        self._names = list(dict.fromkeys(kernel.name for kernel in self._kernels))
        self._buffers = self._buffer_groups()
        self._nets = {pipe: number for number, net in enumerate(engine.pipes.nets) for pipe in net.pipes}

    def _core(self, index: int) -> tuple[int, int]:
        rows = (*self._engine.grid, 1)[1] if self._fits else 1
        return index // rows, index % rows

    def _buffer_groups(self) -> dict[object, int]:
        groups: dict[object, int] = {}
        for node in self._engine.nodes:
            for buffer in node.buffers:
                groups.setdefault(buffer.site or (buffer.ordinal,), len(groups))
        return groups

    def build(self) -> LaunchReport:
        log, launched = self._log, self._launched
        launch = name_of(
            launched.operation, launched.args, launched.kwargs, number=launched.number, device=launched.device
        )
        cores = {self._core(index): self._node[index] for index in self._order} if self._fits else {}
        plan = plan_of(self._engine.chip, cores)
        layout, labels = self._layout()
        rows = log.rows
        track_of = {log.kernels[kernel]: number for number, kernel in enumerate(self._kernels)}
        first_rows = [rows[row] for row in layout.first.tolist()]
        slice_track = np.array([track_of[row.kernel] for row in first_rows], np.int64)
        begins = np.array([row.begin for row in first_rows], np.int64)
        ends = np.zeros(len(first_rows), np.int64)
        np.maximum.at(ends, layout.slice_of, np.array([row.end for row in rows], np.int64))
        causes = np.array([row.cause for row in first_rows], np.int64)
        cause = np.where(causes >= 0, layout.slice_of[np.maximum(causes, 0)], -1) if len(rows) else causes
        firsts = np.searchsorted(slice_track, np.arange(len(self._kernels) + 1))
        before = np.concatenate([np.zeros(1, np.int64), ends[:-1]]) if len(ends) else ends
        before[firsts[:-1][np.diff(firsts) > 0]] = 0
        passed = shown_files(stats.to_object(stats.of_engine(self._engine, launched)))
        names = self._buffer_names()
        fills, fill_columns = self._fills()
        transfers, transfer_ends = self._transfers(plan, labels)
        path = self._path(layout, labels)
        return LaunchReport(
            name=launch.operation,
            number=launch.number,
            values=launch.values,
            target="sim",
            unit="steps",
            length=log.length,
            chip=plan,
            grid=self._engine.grid,
            verdict=self._verdict(launch),
            first=None,
            profile=None,
            stats=passed,
            nodes=self._nodes(),
            labels=tuple(self._labels),
            tracks=tuple(
                Track(
                    node=self._node[kernel.node.index],
                    role=kernel.name,
                    kernel=self._names.index(kernel.name),
                    first=int(firsts[number]),
                    count=int(firsts[number + 1] - firsts[number]),
                )
                for number, kernel in enumerate(self._kernels)
            ),
            slices=SliceColumns(
                gap=begins - before, length=ends - begins, label=labels[layout.first], cause=cause
            ),
            transfers=transfers,
            transfer_kinds=_KINDS,
            ends=transfer_ends,
            links=(),
            buffer_names=names,
            buffers=fills,
            fills=fill_columns,
            pipes=self._pipes(),
            kernels=tuple(
                KernelText(name=name, roles=(name,), file="", text="", lines=()) for name in self._names
            ),
            decisions=(),
            roof=None,
            path=path,
            sources=self._sources.finished(self._uses(path)),
        )

    # --- slices ------------------------------------------------------------------------------------------------

    def _layout(self) -> tuple[_Layout, Array]:
        """Rows by track; steps that follow each other at one expression are one slice. And of every row its label."""
        rows = self._log.rows
        numbers: dict[tuple[Site | None, int, bool, object, int], int] = {}
        label = np.empty(len(rows), np.int64)
        names = {self._log.kernels[kernel]: self._names.index(kernel.name) for kernel in self._kernels}
        for number, row in enumerate(rows):
            about = self._group(row.about) if row.waits or row.event in (PUSHED, POPPED) else None
            key = (row.site, row.event, row.waits, about, names[row.kernel])
            known = numbers.get(key)
            if known is None:
                known = numbers[key] = self._label(row, names[row.kernel])
            label[number] = known
        track_of = {self._log.kernels[kernel]: number for number, kernel in enumerate(self._kernels)}
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

    def _group(self, about: object) -> object:
        match about:
            case SimBuffer():
                return self._buffers[about.site or (about.ordinal,)]
            case SimPipe():
                return ("net", self._nets.get(about))
            case SimSemaphore():
                return ("semaphore", about.ordinal)
            case _:
                return None

    def _label(self, row: EventRow, kernel: int) -> int:
        span = self._span(row.site)
        at = "" if span is None else f" :{span.line}"
        text = f"{text_of_span(span)}{at}" if span is not None else f"the end of {self._names[kernel]}"
        waits_for, buffer, net = None, None, None
        if row.waits:
            match row.about:
                case SimBuffer() as waited:
                    buffer = self._buffers[waited.site or (waited.ordinal,)]
                    waits_for = "room" if self._log.rows[row.cause].event == POPPED else "data"
                    text = f"waits for {waits_for} in {waited.name}{at}"
                case SimPipe() as pipe:
                    waits_for, net = "message", self._nets.get(pipe)
                    text = f"waits for a message of {self._engine.pipes.name_of(pipe)}{at}"
                case SimSemaphore() as semaphore:
                    waits_for = "semaphore"
                    text = f"waits for {target_name(semaphore.site) or f'semaphore {semaphore.ordinal}'}{at}"
        elif row.event in (PUSHED, POPPED) and isinstance(row.about, SimBuffer):
            # By the end of a with statement, usually, whose text would say what it began with.
            text = f"{'push' if row.event == PUSHED else 'pop'} of {row.about.name}{at}"
        file = None if span is None else self._sources.number(span.file)
        label = SliceLabel(
            text=text,
            kind="wait" if row.waits else "busy",
            waits_for=waits_for,
            file=file,
            line=span.line if span is not None and file is not None else None,
            kernel=kernel,
            buffer=buffer,
            net=net,
        )
        return self._labels.setdefault(label, len(self._labels))

    def _span(self, site: Site | None) -> Span | None:
        if site is None:
            return None
        if site not in self._spans:
            self._spans[site] = span_of_site(site)
        return self._spans[site]

    # --- the others --------------------------------------------------------------------------------------------

    def _path(self, layout: _Layout, labels: Array) -> PathColumns | None:
        """Back from the last step: over the work of a kernel, and from a wait to what ended it."""
        rows = self._log.rows
        if not rows:
            return None
        previous = np.full(len(rows), -1, np.int64)
        kernels = np.array([rows[row].kernel for row in layout.order.tolist()])
        same = kernels[1:] == kernels[:-1]
        previous[layout.order[1:][same]] = layout.order[:-1][same]
        at = max(range(len(rows)), key=lambda row: (rows[row].end, -row))
        kinds = {number: kernel.kind for kernel, number in self._log.kernels.items()}
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
        columns = np.array(steps[::-1], np.int64)
        first = np.ones(len(columns), bool)
        first[1:] = (columns[1:, 1:] != columns[:-1, 1:]).any(axis=1)
        starts = np.flatnonzero(first)
        return PathColumns(
            length=np.add.reduceat(columns[:, 0], starts),
            resource=columns[starts, 1],
            at=columns[starts, 2],
            label=columns[starts, 3],
            resources=_RESOURCES,
        )

    def _uses(self, path: PathColumns | None) -> dict[tuple[int, int], LineUse]:
        busy: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
        waits: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
        on_path: Counter[tuple[int, int]] = Counter()
        labels = list(self._labels)
        nodes: dict[str, set[int]] = defaultdict(set)
        names = {number: kernel for kernel, number in self._log.kernels.items()}
        for row in self._log.rows:
            kernel = names[row.kernel]
            nodes[kernel.name].add(kernel.node.index)
            span = self._span(row.site)
            file = None if span is None else self._sources.number(span.file)
            if span is not None and file is not None:
                (waits if row.waits else busy)[file, span.line][kernel.name] += row.end - row.begin
        if path is not None:
            for length, number in zip(path.length.tolist(), path.label.tolist(), strict=True):
                label = labels[number]
                if label.file is not None and label.line is not None:
                    on_path[label.file, label.line] += length
        whole = max(self._log.length, 1)

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

    def _nodes(self) -> tuple[NodeUse, ...]:
        roles: dict[int, dict[str, list[int]]] = {position: {} for position in self._node.values()}
        names = {number: kernel for kernel, number in self._log.kernels.items()}
        moved: defaultdict[int, Counter[str]] = defaultdict(Counter)
        for row in self._log.rows:
            kernel = names[row.kernel]
            own = roles[self._node[kernel.node.index]].setdefault(kernel.name, [0, 0])
            own[row.waits] += row.end - row.begin
        for copy in self._log.copies:
            node = self._node[copy.buffer.node.index]
            if isinstance(copy.other, SimPipe):
                moved[node]["in" if copy.writes else "out"] += copy.nbytes
                continue
            if _in_dram(copy.other):
                moved[node]["read" if copy.writes else "written"] += copy.nbytes
            moved[node]["in" if copy.writes else "out"] += copy.nbytes
        result = []
        for index in self._order:
            position, core = self._node[index], self._core(index)
            x, y = self._engine.chip.floorplan.node(*core) if self._fits else (None, None)
            result.append(
                NodeUse(
                    node=self._engine.nodes[index].coord,
                    x=x,
                    y=y,
                    busy=sum(busy for busy, _ in roles[position].values()),
                    waits=sum(waits for _, waits in roles[position].values()),
                    roles={name: (busy, waits) for name, (busy, waits) in sorted(roles[position].items())},
                    dram_read=moved[position]["read"],
                    dram_written=moved[position]["written"],
                    noc_in=moved[position]["in"],
                    noc_out=moved[position]["out"],
                )
            )
        return tuple(result)

    def _buffer_names(self) -> tuple[BufferName, ...]:
        first: dict[int, SimBuffer] = {}
        for node in self._engine.nodes:
            for buffer in node.buffers:
                first.setdefault(self._buffers[buffer.site or (buffer.ordinal,)], buffer)
        result = []
        for _, buffer in sorted(first.items()):
            span = self._span(buffer.site)
            file = None if span is None else self._sources.number(span.file)
            block_type: BlockType = buffer.type
            result.append(
                BufferName(
                    text=buffer.name,
                    file=file,
                    line=span.line if span is not None and file is not None else None,
                    made_by="user",
                    blocks=buffer.block_count,
                    block_pages=1,
                    block_bytes=block_type.nbytes,
                )
            )
        return tuple(result)

    def _fills(self) -> tuple[tuple[BufferTrack, ...], FillColumns]:
        tracks, times, fills, first = [], [], [], 0
        for buffer, (pushes, pops) in self._log.fills.items():
            ends = [
                (self._log.rows[row].end, change)
                for rows, change in ((pushes, 1), (pops, -1))
                for row in rows
            ]
            ends.sort(key=lambda item: (item[0], item[1]))
            steps = np.array(ends, np.int64).reshape(-1, 2)
            times.append(steps[:, 0])
            fills.append(np.cumsum(steps[:, 1]))
            name = self._buffers[buffer.site or (buffer.ordinal,)]
            tracks.append(
                BufferTrack(name=name, node=self._node[buffer.node.index], first=first, count=len(steps))
            )
            first += len(steps)
        nothing = [np.empty(0, np.int64)]
        return tuple(tracks), FillColumns(
            time=np.concatenate(times or nothing), fill=np.concatenate(fills or nothing)
        )

    def _transfers(self, plan: ChipPlan, labels: Array) -> tuple[TransferColumns, tuple[TransferEnd, ...]]:
        rows, copies = self._log.rows, self._log.copies
        tensors = _tensor_names(self._launched)
        cells: dict[int | None, int] = {
            cell.node: number for number, cell in enumerate(plan.cells) if cell.node is not None
        }
        numbers: dict[TransferEnd, int] = {}

        def end(text: str, node: int | None) -> int:
            place = TransferEnd(text=text, cell=cells.get(node), node=node)
            return numbers.setdefault(place, len(numbers))

        columns: list[tuple[int, ...]] = []
        for copy in copies:
            node = self._node[copy.buffer.node.index]
            near = end(copy.buffer.name, node)
            far = end(*self._far(copy, tensors))
            kind = 0 if copy.writes else 1
            receivers = 1
            if isinstance(copy.other, SimPipe) and not copy.writes:
                receivers = len(copy.other.channel.dsts)
                kind = 2 if receivers > 1 else 1
            begin = rows[copy.begin].begin
            until = rows[copy.end].end if copy.end >= 0 else rows[copy.begin].end
            source, destination = (far, near) if copy.writes else (near, far)
            columns.append(
                (begin, until - begin, node, source, destination, copy.nbytes, receivers, int(labels[copy.begin]), kind)
            )  # fmt: skip
        table = np.array(columns, np.int64).reshape(-1, 9).T
        begins, lengths, nodes, sources, destinations, nbytes, several, label, kinds = table
        return (
            TransferColumns(
                begin=begins,
                length=lengths,
                node=nodes,
                source=sources,
                destination=destinations,
                bytes=nbytes,
                count=np.ones_like(begins),
                receivers=several,
                noc=np.zeros_like(begins),
                lane=lanes_of(nodes, begins, begins + lengths),
                label=label,
                kind=kinds,
            ),
            tuple(numbers),
        )

    def _far(self, copy: CopyRow, tensors: Mapping[int, str]) -> tuple[str, int | None]:
        match copy.other:
            case SimPipe() as pipe:
                name = self._engine.pipes.name_of(pipe)
                if copy.writes:
                    return f"{name}, from {self._engine.nodes[pipe.channel.src]}", self._node[
                        pipe.channel.src
                    ]
                if len(pipe.channel.dsts) == 1:
                    (node,) = pipe.channel.dsts
                    return f"{name}, to {self._engine.nodes[node]}", self._node[node]
                return f"{name}, to {counted(len(pipe.channel.dsts), 'node')}", None
            case Storage() as storage:
                name = tensors.get(id(storage.tensor), "a tensor")
                return f"{name}, in {'DRAM' if _in_dram(storage) else 'L1'}", None
            case _:
                return "a tensor", None

    def _pipes(self) -> tuple[PipeUse, ...]:
        result = []
        for number, net in enumerate(self._engine.pipes.nets):
            span = self._span(net.site)
            file = None if span is None else self._sources.number(span.file)
            for pipe in net.pipes:
                result.append(
                    PipeUse(
                        net=number,
                        name=self._engine.pipes.name_of(pipe),
                        source=self._node[pipe.channel.src],
                        destinations=tuple(sorted(self._node[node] for node in pipe.channel.dsts)),
                        bytes=pipe.bytes,
                        transfers=pipe.channel.sent,
                        file=file,
                        line=span.line if span is not None and file is not None else None,
                    )
                )
        return tuple(result)

    def _verdict(self, launch: LaunchName) -> str:
        """How much of the time kernels wait, and for what most."""
        waits: Counter[str] = Counter()
        for row in self._log.rows:
            if row.waits:
                waits[_what(row, self._engine)] += row.end - row.begin
        length = self._log.length
        said = (
            f"{launch.operation}: {counted(length, 'step')} on {counted(len(self._engine.nodes), 'node')} "
            f"of {self._engine.chip.name}, simulated"
        )
        whole = length * len(self._kernels)
        if not waits or not whole:
            return f"{said}; no kernel waits for another one"
        most, steps = min(waits.items(), key=lambda item: (-item[1], item[0]))
        share = 100 * sum(waits.values()) / whole
        return f"{said}; kernels wait {share:.0f} % of the time, {100 * steps / whole:.0f} % for {most}"


def _what(row: EventRow, engine: Engine) -> str:
    match row.about:
        case SimBuffer() as buffer:
            return f"{'data' if row.event == ACQUIRED else 'blocks'} in {buffer.name}"
        case SimPipe() as pipe:
            return f"messages of {engine.pipes.name_of(pipe)}"
        case _:
            return "semaphores"


def _in_dram(storage: object) -> bool:
    if not isinstance(storage, Storage):
        return False
    config = storage.tensor.memory_config()
    return config is None or config.buffer_type.name == "DRAM"


def _tensor_names(launched: Launch) -> dict[int, str]:
    """The parameter that each tensor is an argument for, by identity."""
    bound = launched.operation.signature.bind_partial(*launched.args, **launched.kwargs)
    result: dict[int, str] = {}
    for name, value in bound.arguments.items():
        values: Sequence[Any] = value if isinstance(value, list | tuple) else [value]
        for tensor in values:
            if isinstance(tensor, Tensor):
                for part in (tensor, *(tensor.shards or ())):
                    result.setdefault(id(part), name)
    return result
