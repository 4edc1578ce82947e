"""Where the cycles of a run went: by line of the user's program, by resource, by processor."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ttl.arch import Chip
from ttl.arch.microcores import role_of
from ttl.codegen.description import ProgramDescription
from ttl.diag.words import counted
from ttl.emu.advice.piece import Advice
from ttl.emu.advice.traffic import unique_dram_bytes
from ttl.emu.critical import Path, Resource, critical_path
from ttl.emu.fabric_profile import FabricCost, fabric_cost
from ttl.emu.launch import ChipRun, place_of
from ttl.emu.program import ROLES, KernelLine
from ttl.emu.record import Record
from ttl.emu.signposts import SignpostCost, SignpostKey, signposts
from ttl.emu.signposts import together as signposts_together
from ttl.lang.launches import LaunchName
from ttl.sim.diaries import WORKS
from ttl.source.files import line as source_line


@dataclass(frozen=True, kw_only=True, slots=True)
class LineCost:
    """The cost of a line. ``path``: cycles on the critical path; over all lines and processors these are the run's cycles.

    ``busy`` and ``waits`` by role of the processor: the mean over the nodes that ran it. ``text``: the line, as it was when it
    ran.
    """

    path: int
    busy: Mapping[str, float]
    waits: Mapping[str, float]
    text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessorCost:
    """One of the five processors, over all nodes."""

    role: str
    busy: float
    """Mean cycles in which it worked."""
    most_busy: int
    waits: float
    """Mean cycles in which it waited."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Roof:
    """The resource that would take longest if all other resources took no time."""

    resource: str
    cycles: int
    because: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """One run."""

    name: str
    chip: str
    clock_hz: int
    grid: tuple[int, int]
    """Columns and rows of nodes."""
    nodes: int
    """The number of nodes that ran kernels."""
    cycles: int
    path: Mapping[Resource, int]
    """Cycles of the critical path, by resource."""
    processors: tuple[ProcessorCost, ...]
    lines: Mapping[KernelLine, LineCost]
    roof: Roof
    dram_bytes: int
    dram_unique_bytes: int
    """The bytes without repeated reads: the least that has to come from DRAM, or go there."""
    busiest_bank: float
    """The share of the run's cycles in which the busiest bank worked."""
    busiest_link: float
    signposts: Mapping[SignpostKey, SignpostCost] = field(default_factory=dict)
    """Named stretches of the kernels."""
    kernels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The roles of the processors that run a kernel, by its name."""
    microcores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By name of a kernel, its processors as microcores: for a kernel that moves data its NoC, ``NOC0`` or ``NOC1``."""
    launch: LaunchName | None = None
    """The operation that was called; None for a program that is not of an operation."""
    advice: tuple[Advice, ...] = ()
    """Possible improvements, the most valuable first."""
    fabric: FabricCost | None = None
    """The costs of the links between several chips; for several runs, those of the first."""
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    """The lines of the kernels, which lie nowhere on disk, by file."""

    @property
    def verdict(self) -> str:
        """The result of the profile in a sentence."""
        return self.verdict_of(1)

    def verdict_of(self, launches: int) -> str:
        """Return the verdict where the cycles are those of several launches together."""
        again = f" in {launches:,} launches" if launches > 1 else ""
        return (
            f"{self.name}: {self.cycles:,} cycles{again} on {counted(self.nodes, 'node')} of {self.chip} "
            f"({self.nanoseconds / 1e3:,.1f} µs), bound by {self.bound_by}"
        )

    @property
    def bound_by(self) -> Resource:
        """The resource with most of the critical path."""
        return next(iter(self.path))

    @property
    def nanoseconds(self) -> float:
        """The time of the run at the clock of the chip."""
        return self.cycles * 1e9 / self.clock_hz


def profile(
    run: ChipRun,
    chip: Chip,
    description: ProgramDescription | None = None,
    name: str = "",
    launch: LaunchName | None = None,
) -> Profile:
    """The profile of a recorded run; ``description`` has the origins of its lines, ``launch`` the called operation."""
    assert run.record is not None, "the run was not recorded"
    record = run.record
    path = critical_path(record, chip)
    roles = _kernels(run, record)
    sources = _sources(run, description)
    fabric = fabric_cost(record, run.cycles)
    return Profile(
        name=name or (description.name if description else "program"),
        chip=chip.name,
        clock_hz=chip.clock_hz,
        grid=_grid(record) if description is None else description.grid,
        nodes=len({diary.core for diary in record.diaries.values()}),
        cycles=run.cycles,
        path=path.by_resource(),
        processors=_processors(record),
        lines=_lines(run, record, path, description, sources),
        roof=_roof(record, chip, fabric),
        dram_bytes=_dram_bytes(record),
        dram_unique_bytes=unique_dram_bytes(record, chip),
        busiest_bank=float(record.banks.max(initial=0)) / max(run.cycles, 1),
        busiest_link=float(record.links.max(initial=0)) / max(run.cycles, 1),
        signposts=signposts(run, description),
        kernels=roles,
        microcores={
            kernel.name: tuple(dict.fromkeys(role_of(role, kernel.noc) for role in roles[kernel.name]))
            for kernel in run.program.kernels
            if kernel.name in roles
        },
        launch=launch,
        advice=run.advice,
        fabric=fabric,
        sources=sources,
    )


def _sources(run: ChipRun, description: ProgramDescription | None) -> dict[str, tuple[str, ...]]:
    if description is None:
        return {kernel.file_name: tuple(kernel.source.splitlines()) for kernel in run.program.kernels}
    return {kernel.file: tuple(kernel.source.splitlines()) for kernel in description.kernels}


def _grid(record: Record) -> tuple[int, int]:
    columns, rows = zip(*(diary.core for diary in record.diaries.values()), strict=True)
    return max(columns) + 1, max(rows) + 1


def _kernels(run: ChipRun, record: Record) -> dict[str, tuple[str, ...]]:
    roles: defaultdict[str, set[str]] = defaultdict(set)
    for diary in record.diaries.values():
        roles[run.program.kernels[diary.kernel].name].add(diary.role)
    return {
        kernel.name: tuple(role for role in ROLES if role in roles[kernel.name])
        for kernel in run.program.kernels
        if kernel.name in roles
    }


def _processors(record: Record) -> tuple[ProcessorCost, ...]:
    processor_costs = []
    for role in ROLES:
        diaries = [diary for diary in record.diaries.values() if diary.role == role]
        if diaries:
            busy = [diary.busy for diary in diaries]
            processor_costs.append(
                ProcessorCost(
                    role=role,
                    busy=sum(busy) / len(busy),
                    most_busy=max(busy),
                    waits=sum(diary.waits for diary in diaries) / len(diaries),
                )
            )
    return tuple(processor_costs)


def _lines(
    run: ChipRun,
    record: Record,
    path: Path,
    description: ProgramDescription | None,
    sources: Mapping[str, Sequence[str]],
) -> dict[KernelLine, LineCost]:
    count = len(record.lines)
    busy, waits = np.zeros(count), np.zeros(count)
    for diary in record.diaries.values():
        spans = diary.spans
        took = (spans["ends"] - spans["begins"]).astype(np.float64)
        works = spans["reason"] == WORKS
        busy += np.bincount(spans["line"][works], took[works], count)
        waits += np.bincount(spans["line"][~works], took[~works], count)
    nodes = _nodes_of_kernels(record)
    on_path = path.by_line()
    paths: defaultdict[KernelLine, int] = defaultdict(int)
    sums: defaultdict[KernelLine, tuple[defaultdict[str, float], defaultdict[str, float]]] = defaultdict(
        lambda: (defaultdict(float), defaultdict(float))
    )
    for number, line in enumerate(record.lines):
        place = place_of(line, run, description)
        paths[place] += on_path.get(number, 0)
        worked, waited = sums[place]
        worked[line.role] += busy[number] / nodes[line.kernel]
        waited[line.role] += waits[number] / nodes[line.kernel]
    return {
        place: LineCost(
            path=paths[place], busy=dict(worked), waits=dict(waited), text=text_of(place, sources)
        )
        for place, (worked, waited) in sorted(sums.items())
    }


def text_of(place: KernelLine, sources: Mapping[str, Sequence[str]]) -> str:
    """A line of the user's program, or of a kernel in ``sources``, without its trailing space."""
    lines = sources.get(place.file)
    if lines is None:
        return (source_line(place.file, place.line) or "").rstrip()
    return lines[place.line - 1].rstrip() if place.line <= len(lines) else ""


def _nodes_of_kernels(record: Record) -> Mapping[int, int]:
    cores: defaultdict[int, set[Any]] = defaultdict(set)
    for diary in record.diaries.values():
        cores[diary.kernel].add(diary.core)
    return {kernel: len(item) for kernel, item in cores.items()}


def _dram_bytes(record: Record) -> int:
    transfers = record.transfers
    return int(transfers["size"][transfers["dram"] == 1].sum())


def _roof(record: Record, chip: Chip, fabric: FabricCost | None) -> Roof:
    """The largest lower bound: the launch, a unit of the busiest node, DRAM at its peak, or the bisection."""
    roofs = [Roof(resource="launch", cycles=chip.costs.launch.value, because="an empty program")]
    for role in ("math", "unpack", "pack"):
        most = max((diary.busy for diary in record.diaries.values() if diary.role == role), default=0)
        roofs.append(Roof(resource=role, cycles=most, because=f"{role} of the busiest node, without waiting"))
    # Bytes that are read again, by the same node or by another one, count once: a multicast, or keeping them in L1,
    # would suffice.
    moved = unique_dram_bytes(record, chip)
    chips = {number // (len(ROLES) * chip.max_grid[0] * chip.max_grid[1]) for number in record.diaries}
    peak = chip.dram_bytes_per_cycle * len(chips)
    least = int(moved / peak)
    roofs.append(
        Roof(
            resource="DRAM",
            cycles=least,
            because=f"{moved / 1e6:,.1f} MB at {peak * chip.clock_hz / 1e9:,.0f} GB/s",
        )
    )
    if fabric is not None:
        roofs.append(Roof(resource="links", cycles=fabric.bound, because=fabric.crossing))
    return max(roofs, key=lambda roof: roof.cycles)


def together(profiles: Sequence[Profile]) -> Profile:
    """Several runs of one program as one profile: cycles are added."""
    first, *others = profiles
    if not others:
        return first
    cycles = sum(entry.cycles for entry in profiles)
    return Profile(
        name=first.name,
        chip=first.chip,
        clock_hz=first.clock_hz,
        grid=first.grid,
        nodes=first.nodes,
        cycles=cycles,
        path=path_together(profiles),
        processors=tuple(
            ProcessorCost(
                role=processors[0].role,
                busy=sum(p.busy for p in processors),
                most_busy=sum(p.most_busy for p in processors),
                waits=sum(p.waits for p in processors),
            )
            for processors in zip(*(entry.processors for entry in profiles), strict=True)
        ),
        lines=lines_together(profiles),
        roof=Roof(
            resource=first.roof.resource,
            cycles=sum(entry.roof.cycles for entry in profiles),
            because=f"{len(profiles)} launches",
        ),
        dram_bytes=sum(entry.dram_bytes for entry in profiles),
        dram_unique_bytes=sum(entry.dram_unique_bytes for entry in profiles),
        busiest_bank=sum(entry.busiest_bank * entry.cycles for entry in profiles) / cycles,
        busiest_link=sum(entry.busiest_link * entry.cycles for entry in profiles) / cycles,
        signposts=signposts_together([entry.signposts for entry in profiles]),
        kernels=first.kernels,
        microcores=first.microcores,
        launch=first.launch,
        advice=first.advice,
        fabric=first.fabric,
        sources=first.sources,
    )


def lines_together(profiles: Sequence[Profile]) -> dict[KernelLine, LineCost]:
    """Return the cost of every line over all profiles, in the order of the lines."""
    lines: dict[KernelLine, LineCost] = {}
    for item in profiles:
        for place, cost in item.lines.items():
            lines[place] = cost if place not in lines else _added(lines[place], cost)
    return dict(sorted(lines.items()))


def path_together(profiles: Sequence[Profile]) -> dict[Resource, int]:
    """The critical paths one after the other by resource, the most first."""
    path: defaultdict[Resource, int] = defaultdict(int)
    for item in profiles:
        for resource, cycles in item.path.items():
            path[resource] += cycles
    return dict(sorted(path.items(), key=lambda entry: -entry[1]))


def _added(one: LineCost, other: LineCost) -> LineCost:
    def sums(a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, float]:
        return {role: a.get(role, 0.0) + b.get(role, 0.0) for role in {**a, **b}}

    return LineCost(
        path=one.path + other.path,
        busy=sums(one.busy, other.busy),
        waits=sums(one.waits, other.waits),
        text=one.text,
    )
