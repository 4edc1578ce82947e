"""``ttl.report.load``: a report of a run as objects, for scripts: launches, their nodes, kernels, lines, events and waits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath
from typing import Any

from ttl.emu.profile import Profile
from ttl.emu.profile_json import from_object
from ttl.report.pack import unpacked
from ttl.report.reading import of_this_version, read
from ttl.report.records import LineUse


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedEvent:
    """Work or a wait of a processor, from ``begin`` on for ``length``. Short waits are part of their calls."""

    node: tuple[int, ...]
    role: str
    """``brisc``, ``ncrisc``, ``unpack``, ``math`` or ``pack``; in the simulator the kernel."""
    kernel: str
    begin: int
    length: int
    text: str
    waits_for: str | None
    """``data``, ``room``, ``semaphore``, ``message``, ``DRAM``, ``NoC``, or a processor; None where it works."""
    file: str
    """The file of the event's line; empty, with ``line`` 0, where the event belongs to no line of the program."""
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedNode:
    """A node of a launch, and how long its processors worked and waited."""

    node: tuple[int, ...]
    busy: int
    waits: int
    roles: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedKernel:
    """A kernel: the processors that run it, and its C++, where it was compiled."""

    name: str
    roles: tuple[str, ...]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedLine(LineUse):
    """A line of the program: its cycles, its waits, and its text."""

    file: str
    text: str


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedLaunch:
    """A launch. Times are in ``unit``: cycles of the emulated chip, or steps of the simulator."""

    name: str
    number: int
    target: str
    chip: str
    unit: str
    length: int
    verdict: str
    nodes: tuple[LoadedNode, ...]
    kernels: tuple[LoadedKernel, ...]
    lines: tuple[LoadedLine, ...]
    profile: Profile | None
    """On the emulated chip, the profile, as ``ttl.profile`` returns it; None otherwise."""
    data: Mapping[str, Any] = field(repr=False)
    """The object of the launch in the file (docs/reference/report.md)."""
    report: str = field(repr=False)
    """The file."""

    @cached_property
    def events(self) -> tuple[LoadedEvent, ...]:
        """The events of each processor in turn. Raises ``ProgramError`` TTL0142 where the file is damaged."""
        with of_this_version(self.report):
            return tuple(_events(self.data))

    @property
    def waits(self) -> tuple[LoadedEvent, ...]:
        """The events in which a processor waited, the longest first."""
        waiting = (event for event in self.events if event.waits_for is not None)
        return tuple(sorted(waiting, key=lambda event: -event.length))


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedReport:
    """A run of a program: its launches in order."""

    title: str
    launches: tuple[LoadedLaunch, ...]


def load(path: str | PathLike[str]) -> LoadedReport:
    """The report in a file that ``ttl run --report FILE.json`` wrote, or ``ttl profile -o FILE``. Raises ``ProgramError`` TTL0142."""
    file = fspath(path)
    data = read(file)
    with of_this_version(file):
        launches = tuple(_launch(launch, file) for launch in data["launches"])
    return LoadedReport(title=data["title"], launches=launches)


def _launch(data: Mapping[str, Any], file: str) -> LoadedLaunch:
    return LoadedLaunch(
        report=file,
        name=data["name"],
        number=data["number"],
        target=data["target"],
        chip=data["chip"]["name"],
        unit=data["unit"],
        length=data["length"],
        verdict=data["verdict"],
        nodes=tuple(
            LoadedNode(
                node=tuple(one["node"]),
                busy=one["busy"],
                waits=one["waits"],
                roles={role: (busy, waits) for role, (busy, waits) in one["roles"].items()},
            )
            for one in data["nodes"]
        ),
        kernels=tuple(
            LoadedKernel(name=one["name"], roles=tuple(one["roles"]), text=one["text"])
            for one in data["kernels"]
        ),
        lines=tuple(_lines(data)),
        profile=None if data["profile"] is None else from_object(data["profile"]),
        data=data,
    )


def _lines(data: Mapping[str, Any]) -> Iterator[LoadedLine]:
    for source in data["sources"]:
        texts = source["text"].split("\n")
        for one in source["lines"]:
            text = texts[one["line"] - 1] if 0 < one["line"] <= len(texts) else ""
            yield LoadedLine(file=source["file"], text=text, **one)


def _events(data: Mapping[str, Any]) -> Iterator[LoadedEvent]:
    columns = data["slices"]
    gaps, lengths, labels = (unpacked(columns[name]).tolist() for name in ("gap", "length", "label"))
    for track in data["tracks"]:
        kernel = track["kernel"]
        now = 0
        for number in range(track["first"], track["first"] + track["count"]):
            label = data["labels"][labels[number]]
            begin = now + gaps[number]
            now = begin + lengths[number]
            file = label["file"]
            yield LoadedEvent(
                node=tuple(data["nodes"][track["node"]]["node"]),
                role=track["role"],
                kernel="" if kernel is None else data["kernels"][kernel]["name"],
                begin=begin,
                length=lengths[number],
                text=label["text"],
                waits_for=label["waits_for"],
                file="" if file is None else data["sources"][file]["file"],
                line=label["line"] or 0,
            )
