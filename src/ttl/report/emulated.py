"""A recorded run on the emulated chip as a report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ttl.arch import Chip
from ttl.codegen import explanation
from ttl.codegen.declared import DeclaredBuffer
from ttl.codegen.description import CircularBufferDescription, ProgramDescription
from ttl.diag.words import counted
from ttl.emu import profile_json
from ttl.emu.critical import critical_path
from ttl.emu.headline import first_advice, headline
from ttl.emu.profile import Profile, profile
from ttl.emu.program import ROLES, Core
from ttl.emu.record import KINDS, Record
from ttl.emu.recorder import RecordedLaunch
from ttl.emu.stats import in_order as buffers_in_order
from ttl.emu.stats import stats_of
from ttl.emu.stopped import StoppedRun
from ttl.report.chip_plan import plan_of
from ttl.report.emulated_pipes import pipe_table
from ttl.report.events import FillEvents, MovedBytes, node_use
from ttl.report.mesh import mesh_of_record
from ttl.report.records import (
    BufferName,
    BufferTrack,
    FillColumns,
    FirstChange,
    KernelText,
    LaunchReport,
    LineUse,
    LinkUse,
    NodeUse,
    PipeUse,
    ReportTensor,
    RoofCeiling,
    Roofline,
    RoofPoint,
)
from ttl.report.sources import SourceTable, shown_files
from ttl.report.timeline import TimelineBuilder
from ttl.rows.dtypes import Array
from ttl.sim import stats
from ttl.sim.diaries import times_of_roles


def launch_report(launched: RecordedLaunch, number: int) -> LaunchReport:
    """The report of a recorded run; ``number`` is the number of the launch where the launch has no name."""
    run, description, chip = launched.run, launched.description, launched.chip
    launch, stopped = launched.name, launched.stopped
    assert run.record is not None, "the run was not recorded"
    record, sources = run.record, SourceTable()
    cost = profile(run, chip, description, launch=launch)
    cores = sorted({fiber // len(ROLES) for fiber in record.diaries})
    numbers = {core: position for position, core in enumerate(cores)}
    coordinates = {diary.core: numbers[fiber // len(ROLES)] for fiber, diary in record.diaries.items()}
    # In a run on several chips, rows count over all chips: such nodes have no place on the plan of a single chip.
    on_one = {} if record.system is not None else coordinates
    plan = plan_of(chip, on_one)
    for place in cost.lines:
        sources.number(place.file)
    declared = {} if run.declared is None else {item.name: item for item in run.declared.buffers}
    names = buffers_in_order(description, run.declared)
    bases = {buffer.index: buffer.base for buffer in run.program.circular_buffers}
    buffers = {buffer.index: position for position, buffer in enumerate(names)}
    pipes = pipe_table(run, description, chip, on_one, sources)
    timeline = TimelineBuilder(run, chip, description, sources, numbers, buffers, pipes, plan).build(
        critical_path(record, chip), stopped
    )
    passed = None
    if run.declared is not None and launch is not None:
        passed = stats.to_object(stats_of(run, description, run.declared, launch))
    tracks, fills = _fills(record, numbers, buffers)
    kernels = _kernels(description, cost, sources)
    decisions = tuple(map(shown_files, explanation.objects(run.remarks)))
    report = LaunchReport(
        name=cost.name,
        number=number if launch is None else launch.number,
        values="" if launch is None else launch.values,
        target="emu",
        unit="cycles",
        length=run.cycles,
        chip=plan,
        grid=(*description.mesh, *description.grid),
        headline=headline(cost),
        verdict=cost.verdict,
        first=_first(cost, sources),
        profile=shown_files(profile_json.to_object(cost)),
        stats=shown_files(passed),
        nodes=_nodes(record, chip, coordinates, pipes.uses),
        labels=timeline.labels,
        tracks=timeline.tracks,
        slices=timeline.slices,
        transfers=timeline.transfers,
        transfer_kinds=KINDS,
        ends=timeline.ends,
        links=_links(record, chip, run.cycles),
        buffer_names=tuple(
            replace(_buffer_name(buffer, declared.get(buffer.name), sources), address=bases.get(buffer.index))
            for buffer in names
        ),
        buffers=tracks,
        fills=fills,
        pipes=pipes.uses,
        kernels=kernels,
        decisions=decisions,
        roof=_roof(record, chip, cost),
        path=timeline.path,
        sources=sources.finished(_uses(cost, sources)),
        stands=timeline.stands,
        under_way=timeline.under_way,
        mesh=mesh_of_record(record, cost.fabric, chip.max_grid[1], coordinates),
        tensors=tuple(
            ReportTensor(
                name=tensor.name,
                memory="dram" if tensor.dram else "l1",
                address=tensor.begin,
                bank_bytes=tensor.end - tensor.begin,
            )
            for tensor in run.tensors
        ),
    )
    return report if stopped is None else _stopped(report, stopped)


def _stopped(report: LaunchReport, stopped: StoppedRun) -> LaunchReport:
    """The report of a run that has failed, without its speed."""
    waiting = sum(stand.state == "waits" for stand in report.stands)
    nodes = f"{counted(len(report.nodes), 'node')} of {report.chip.name}, emulated"
    said = f"{report.name}: stopped after {stopped.run.cycles:,} cycles on {nodes}"
    if stopped.deadlock:
        said = f"{said}; {waiting} of {counted(len(report.tracks), 'processor')} wait{'s' * (waiting == 1)}"
    uncosted = tuple(
        replace(source, lines=tuple(replace(line, cycles=0, share=0.0) for line in source.lines))
        for source in report.sources
    )
    return replace(
        report,
        length=stopped.until,
        headline="",
        verdict=said,
        first=None,
        profile=None,
        stats=None,
        roof=None,
        path=None,
        sources=uncosted,
    )


def _first(cost: Profile, sources: SourceTable) -> FirstChange | None:
    advice = first_advice(cost)
    if advice is None:
        return None
    return FirstChange(
        sentence=advice.sentence,
        change=advice.change,
        lines=tuple((sources.number(line.file), line.line) for line in advice.lines),
        cycles=advice.cycles,
    )


def _uses(cost: Profile, sources: SourceTable) -> dict[tuple[int, int], LineUse]:
    paths: defaultdict[tuple[int, int], int] = defaultdict(int)
    times: defaultdict[tuple[int, int], tuple[dict[str, float], dict[str, float]]] = defaultdict(
        lambda: ({}, {})
    )
    for place, line in cost.lines.items():
        file = sources.number(place.file)
        if file is None:
            continue
        paths[file, place.line] += line.path
        for sums, own in zip(times[file, place.line], (line.busy, line.waits), strict=True):
            for role, cycles in own.items():
                sums[role] = sums.get(role, 0.0) + cycles
    return {
        key: LineUse(
            line=key[1],
            cycles=paths[key],
            share=round(paths[key] / max(cost.cycles, 1), 4),
            busy={role: round(cycles, 1) for role, cycles in busy.items()},
            waits={role: round(cycles, 1) for role, cycles in waits.items()},
        )
        for key, (busy, waits) in times.items()
    }


def _kernels(description: ProgramDescription, cost: Profile, sources: SourceTable) -> tuple[KernelText, ...]:
    result = []
    for kernel in description.kernels:
        lines = []
        for number, span in sorted(kernel.lines.items()):
            file = sources.number(span.file)
            if file is not None:
                lines.append((number, file, span.line))
        result.append(
            KernelText(
                name=kernel.name,
                roles=tuple(cost.kernels.get(kernel.name, ())),
                microcores=tuple(cost.microcores.get(kernel.name, ())),
                file=kernel.file,
                text=kernel.source,
                lines=tuple(lines),
            )
        )
    return tuple(result)


def _buffer_name(
    buffer: CircularBufferDescription, known: DeclaredBuffer | None, sources: SourceTable
) -> BufferName:
    pages = 1 if known is None else known.pages
    span = None if known is None else known.span
    file = None if span is None else sources.number(span.file)
    return BufferName(
        text=buffer.name if known is None else known.shown,
        file=file,
        line=span.line if span is not None and file is not None else None,
        made_by="compiler" if known is None else "user",
        blocks=buffer.pages // pages if known is None else known.block_count,
        block_pages=pages,
        block_bytes=pages * buffer.page_bytes,
    )


def _fills(
    record: Record, nodes: Mapping[int, int], buffers: Mapping[int, int]
) -> tuple[tuple[BufferTrack, ...], FillColumns]:
    steps = record.steps[np.isin(record.steps["buffer"], list(buffers))]
    known = np.full(max(buffers, default=0) + 1, -1, np.int64)
    known[list(buffers)] = list(buffers.values())
    node = np.searchsorted(np.array(sorted(nodes)), steps["core"].astype(np.int64))
    key = known[steps["buffer"].astype(np.int64)] * len(nodes) + node
    keys, which = np.unique(key, return_inverse=True)
    return FillEvents(
        buffers=[divmod(one, len(nodes)) for one in keys.tolist()],
        which=which.reshape(-1),
        time=steps["clock"].astype(np.int64),
        change=steps["pages"].astype(np.int64),
    ).columns()


def _nodes(
    record: Record, chip: Chip, nodes: Mapping[Core, int], pipes: tuple[PipeUse, ...]
) -> tuple[NodeUse, ...]:
    roles = times_of_roles(diary for _, diary in sorted(record.diaries.items()))
    read, written, into, out = _bytes(record, chip, nodes)
    for pipe in pipes:
        if len(pipe.destinations) > 1:
            for node in pipe.destinations:
                if node != pipe.source:
                    into[node] += pipe.bytes
    result = []
    system, rows = record.system, chip.max_grid[1]
    for core in sorted(nodes, key=nodes.__getitem__):
        moved = MovedBytes(*(int(column[nodes[core]]) for column in (read, written, into, out)))
        number, y = divmod(core[1], rows)
        of_chip = () if system is None else system.coordinate(number)
        result.append(node_use((*of_chip, core[0], y), chip.floorplan.node(core[0], y), roles[core], moved))
    return tuple(result)


def _bytes(record: Record, chip: Chip, nodes: Mapping[Core, int]) -> tuple[Array, Array, Array, Array]:
    """Bytes of every node: read from DRAM, written to DRAM, in over the NoCs, and out over the NoCs.

    Bytes in do not include multicasts, which are messages of pipes.
    """
    transfers, count = record.transfers, len(nodes)
    columns, rows = chip.max_grid
    chips = 1 if record.system is None else record.system.chips
    at = np.full(chips << 16, count, np.int64)  # behind the nodes: everything else
    for (x, down), number in nodes.items():
        on, y = divmod(down, rows)
        column, row = chip.floorplan.node(x, y)
        at[on << 16 | column << 8 | row] = number
    size = transfers["size"].astype(np.float64)
    chip_of = transfers["fiber"].astype(np.int64) // (len(ROLES) * columns * rows) << 16
    source, target = at[chip_of | transfers["from"]], at[chip_of | transfers["to"]]
    reads, dram = transfers["kind"] == KINDS.index("read"), transfers["dram"] == 1
    several = transfers["kind"] == KINDS.index("multicast")
    away = transfers["from"] != transfers["to"]

    def summed(where: Array, which: Array) -> Array:
        return np.bincount(where[which], size[which], count + 1)[:count]

    return (
        summed(target, reads & dram),
        summed(source, ~reads & dram),
        summed(target, ~several & away),
        summed(source, away),
    )


def _links(record: Record, chip: Chip, cycles: int) -> tuple[LinkUse, ...]:
    rate = chip.costs.link_rate.per_cycle
    result = []
    for noc, y, x, along in np.argwhere(record.links > 0).tolist():
        busy = int(record.links[noc, y, x, along])
        result.append(
            LinkUse(
                noc=noc,
                x=x,
                y=y,
                along="column" if along else "row",
                busy=busy,
                bytes=round(busy * rate),
                share=round(busy / max(cycles, 1), 4),
            )
        )
    return tuple(result)


def _roof(record: Record, chip: Chip, cost: Profile) -> Roofline | None:
    math = sum(diary.busy for diary in record.diaries.values() if diary.role == "math")
    if not math or not cost.dram_bytes or not cost.cycles:
        return None
    math_unit = RoofCeiling(
        name=f"math units of {counted(cost.nodes, 'node')}", kind="compute", per_cycle=float(cost.nodes)
    )
    dram = RoofCeiling(name="DRAM", kind="bandwidth", per_cycle=round(chip.dram_bytes_per_cycle, 3))
    ceilings = [math_unit, dram]
    busiest = int(record.links.max(initial=0))
    text = (
        f"{math:,} cycles of math of all nodes together for {cost.dram_bytes:,} bytes from and to DRAM, "
        f"{cost.dram_unique_bytes:,} of them different"
    )
    if cost.bound_by == "NoC" and busiest:
        # The rate of DRAM in a run that lasts only as long as its busiest link works.
        ceilings.append(
            RoofCeiling(name="NoC", kind="bandwidth", per_cycle=round(cost.dram_bytes / busiest, 3))
        )
        text += f"; the busiest link of the NoC works in {busiest:,} of {cost.cycles:,} cycles, and its roof is a run in which it always does"
    points = [_point("this launch", math, cost.dram_bytes, cost.cycles)]
    if cost.dram_unique_bytes < cost.dram_bytes:
        points.append(_point("with every byte moved once", math, cost.dram_unique_bytes, cost.cycles))
    # Fewer transfers move the point of DRAM; the load of the busiest link is known only for the launch as it is.
    x = {"DRAM": points[-1].x, "NoC": points[0].x}
    above = min((roof.per_cycle * x.get(roof.name, 1.0), roof.name) for roof in ceilings)
    return Roofline(
        unit="cycles of math",
        points=tuple(points),
        ceilings=tuple(ceilings),
        bound_by=above[1],
        attained=round(points[-1].y / max(above[0], 1e-9), 4),
        text=text,
    )


def _point(name: str, work: int, nbytes: int, cycles: int) -> RoofPoint:
    return RoofPoint(name=name, x=round(work / max(nbytes, 1), 5), y=round(work / max(cycles, 1), 3))
