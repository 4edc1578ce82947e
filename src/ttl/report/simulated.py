"""A launch in the simulator as a report: the work and waits of its kernels, in steps (``ttl.sim.event_log``)."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain

import numpy as np

from ttl.deadlock.graph import WaitEnders, stuck_kernels
from ttl.deadlock.network import Waiting
from ttl.diag.words import counted
from ttl.lang.launches import LaunchName, name_of
from ttl.report.chip_plan import plan_of
from ttl.report.events import FillEvents, MovedBytes, node_use
from ttl.report.mesh import mesh_of
from ttl.report.records import (
    BufferName,
    BufferTrack,
    FillColumns,
    KernelText,
    LaunchReport,
    NodeUse,
    StopPosition,
)
from ttl.report.simulated_copies import KINDS, Copies, in_dram
from ttl.report.simulated_launch import SimulatedLaunch
from ttl.report.simulated_steps import StepTracks
from ttl.report.sources import shown_files
from ttl.rows.types import BlockType
from ttl.rules.waiting import wanted
from ttl.sim import stats
from ttl.sim.buffer import SimBuffer
from ttl.sim.deadlock import StalledLaunch
from ttl.sim.diaries import FILL, WORKS, times_of_roles
from ttl.sim.engine import Engine
from ttl.sim.event_log import EventLog, EventPlace
from ttl.sim.pipes import SimPipe
from ttl.sim.placement import Launch


def launch_report(engine: Engine, launched: Launch, log: EventLog) -> LaunchReport:
    """The report of a launch that has ended, successfully or not; the engine still has all its state."""
    return _SimulatedReport(SimulatedLaunch(engine, launched, log)).build()


class _SimulatedReport:
    def __init__(self, of: SimulatedLaunch) -> None:
        self._of = of

    def build(self) -> LaunchReport:
        of = self._of
        engine, launched, log = of.engine, of.launched, of.log
        launch = name_of(
            launched.operation, launched.args, launched.kwargs, number=launched.number, device=launched.device
        )
        plan = plan_of(engine.chip, of.cores if of.fits else {})
        steps, copies = StepTracks(of), Copies(of)
        names = self._buffer_names()
        fills, fill_columns = self._fills()
        transfers, ends = copies.transfers(plan, steps.label_of_line)
        path = steps.path()
        return LaunchReport(
            name=launch.operation,
            number=launch.number,
            values=launch.values,
            target="sim",
            unit="steps",
            length=log.length,
            chip=plan,
            grid=engine.grid,
            headline="",
            verdict=self._verdict(launch),
            first=None,
            profile=None,
            stats=None if log.failed else shown_files(stats.to_object(stats.of_engine(engine, launched))),
            nodes=self._nodes(),
            labels=steps.labels,
            tracks=steps.tracks,
            slices=steps.slices,
            transfers=transfers,
            transfer_kinds=KINDS,
            ends=ends,
            links=(),
            buffer_names=names,
            buffers=fills,
            fills=fill_columns,
            pipes=copies.pipes(),
            kernels=tuple(
                KernelText(name=name, roles=(name,), microcores=(), file="", text="", lines=())
                for name in of.names
            ),
            decisions=(),
            roof=None,
            path=path,
            sources=of.sources.finished(steps.uses(path)),
            stands=self._stands(steps) if log.failed else (),
            mesh=mesh_of(of),
        )

    def _stands(self, steps: StepTracks) -> tuple[StopPosition, ...]:
        """The kernels that wait in a deadlock, and the kernels that should have ended their waits."""
        of, network = self._of, StalledLaunch(self._of.engine)
        numbers = [kernel for node in of.engine.nodes for kernel in node.kernels]
        track_of = {kernel: track for track, kernel in enumerate(of.kernels)}
        anybody, result = WaitEnders(network, ended=True), []
        for stuck in stuck_kernels(network):
            track = track_of.get(numbers[stuck.kernel])
            if track is None or not steps.tracks[track].count:
                continue
            kernels = stuck.partners or tuple(
                chain.from_iterable(own for _, own in anybody.of(stuck.waiting))
            )
            last = steps.tracks[track].first + steps.tracks[track].count - 1
            result.append(
                StopPosition(
                    track=track,
                    state="waits",
                    label=int(steps.slices.label[last]),
                    slice=last,
                    needs=_needs(network, stuck.waiting),
                    awaited=tuple(
                        track_of[numbers[kernel]]
                        for kernel in kernels
                        if numbers[kernel] in track_of and kernel != stuck.kernel
                    ),
                )
            )
        return tuple(sorted(result, key=lambda stand: stand.track))

    def _nodes(self) -> tuple[NodeUse, ...]:
        roles = times_of_roles(self._of.diaries.values())
        moved: defaultdict[int, MovedBytes] = defaultdict(MovedBytes)
        for copy in self._of.log.copies:
            of_node = moved[self._of.node[copy.buffer.node.index]]
            dram = copy.nbytes if in_dram(copy.other) else 0
            if copy.writes:
                of_node.into, of_node.read = of_node.into + copy.nbytes, of_node.read + dram
            else:
                of_node.out, of_node.written = of_node.out + copy.nbytes, of_node.written + dram
        result = []
        for index in self._of.order:
            position, core = self._of.node[index], self._of.core(index)
            router = self._of.router(index)
            times = dict(sorted(roles[core].items()))
            result.append(node_use(self._of.engine.nodes[index].coord, router, times, moved[position]))
        return tuple(result)

    def _buffer_names(self) -> tuple[BufferName, ...]:
        first: dict[int, SimBuffer] = {}
        for node in self._of.engine.nodes:
            for buffer in node.buffers:
                first.setdefault(self._of.buffer(buffer), buffer)
        result = []
        for _, buffer in sorted(first.items()):
            file, line = self._of.place(buffer.site)
            block_type: BlockType = buffer.type
            result.append(
                BufferName(
                    text=buffer.name,
                    file=file,
                    line=line,
                    made_by="user",
                    blocks=buffer.block_count,
                    block_pages=1,
                    block_bytes=block_type.nbytes,
                )
            )
        return tuple(result)

    def _fills(self) -> tuple[tuple[BufferTrack, ...], FillColumns]:
        of, buffers = self._of, self._of.log.buffers
        # Among the events of one step, pops come before pushes.
        fills = np.sort(np.array(of.log.fills, FILL), order=("clock", "pages"))
        numbers = np.array([(buffer.ordinal << 16) + buffer.node.index for buffer in buffers], np.int64)
        return FillEvents(
            buffers=[(of.buffer(buffer), of.node[buffer.node.index]) for buffer in buffers],
            which=np.searchsorted(numbers, (fills["buffer"].astype(np.int64) << 16) + fills["core"]),
            time=fills["clock"].astype(np.int64),
            change=fills["pages"].astype(np.int64),
        ).columns()

    def _verdict(self, launch: LaunchName) -> str:
        """The share of time that kernels wait, and the main reason; of a failed launch, how many wait forever."""
        of = self._of
        nodes = f"{counted(len(of.engine.nodes), 'node')} of {of.engine.chip.name}, simulated"
        if of.log.failed:
            spans = [span for diary in of.diaries.values() for span in diary.spans.tolist()]
            stuck = sum(of.lines[line][0].is_open for _, _, _, line, *_ in spans)
            steps = max((end for _, end, _, line, *_ in spans if not of.lines[line][0].is_open), default=0)
            said = f"{launch.operation}: stopped after {counted(steps, 'step')} on {nodes}"
            return (
                f"{said}; {counted(stuck, 'kernel')} of {len(of.kernels)} wait{'s' * (stuck == 1)}"
                if stuck
                else said
            )
        waits: Counter[str] = Counter()
        for diary in of.diaries.values():
            for begin, end, _, line, *_ in diary.spans[diary.spans["reason"] != WORKS].tolist():
                waits[_what(of.lines[line][0], of.engine)] += end - begin
        length = of.log.length
        said = f"{launch.operation}: {counted(length, 'step')} on {nodes}"
        whole = length * len(of.kernels)
        if not waits or not whole:
            return f"{said}; no kernel waits for another one"
        most, steps = min(waits.items(), key=lambda item: (-item[1], item[0]))
        share = 100 * sum(waits.values()) / whole
        return f"{said}; kernels wait {share:.0f} % of the time, {100 * steps / whole:.0f} % for {most}"


def _needs(network: StalledLaunch, waiting: Waiting) -> str:
    match waiting.kind:
        case "data" | "space":
            state, name = network.buffer(waiting.resource), network.buffers[waiting.resource].name
            used = state.pushed - state.popped
            counts = f"{used} of {counted(state.block_count, 'block')} {'is' if used == 1 else 'are'} full"
            return f"a {'filled' if waiting.kind == 'data' else 'free'} block of {name}, of which {counts}"
        case "message":
            return f"a message of {network.pipes[waiting.resource].name}"
        case "pipe":
            return f"room at the receivers of {network.pipes[waiting.resource].name}"
        case "semaphore":
            node = network.kernels[waiting.kernel].node
            value, _ = network.semaphore(waiting.resource, node)
            to_be = wanted(waiting.value, exact=waiting.exact)
            return f"{network.semaphores[waiting.resource].name} to be {to_be}, and it is {value}"


def _what(place: EventPlace, engine: Engine) -> str:
    match place.about:
        case SimBuffer() as buffer:
            return f"data in {buffer.name}"
        case SimPipe() as pipe:
            return f"messages of {engine.pipes.name_of(pipe)}"
        case _:
            return "semaphores"
