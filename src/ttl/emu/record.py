"""The activities of a run's processors, as the runtime recorded them (``native/emu/record.h``)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ttl.arch.systems import System
from ttl.emu.chip import EmulatedChip, EmulatedLink
from ttl.emu.program import ROLES, Program
from ttl.emu.runtime import runtime
from ttl.protocol.chips import name_at
from ttl.rows.dtypes import Array
from ttl.sim.diaries import FILL, SPAN, Diary

KINDS = ("read", "write", "multicast", "word", "increment")

_TRANSFER = np.dtype(
    [
        ("issued", "u8"), ("served", "u8"), ("entered", "u8"), ("left", "u8"), ("arrives", "u8"), ("size", "u4"),
        ("fiber", "u4"), ("line", "u4"), ("kind", "u1"), ("noc", "u1"), ("dram", "u1"), ("hops", "u1"),
        ("from", "u2"), ("to", "u2"), ("there", "u4"), ("here", "u4"), ("receivers", "u4"),
    ]
)  # fmt: skip
_ZONE = np.dtype(
    [("begins", "u8"), ("ends", "u8"), ("name", "u4"), ("fiber", "u4"), ("depth", "u4"), ("unused", "u4")]
)
_PACKET = np.dtype(
    [
        ("issued", "u8"), ("lands", "u8"), ("fiber", "u4"), ("line", "u4"), ("size", "u4"), ("link", "u4"), ("device", "u4"),
        ("unused", "u4"),
    ]
)  # fmt: skip
_HOP = np.dtype(
    [
        ("entered", "u8"), ("begins", "u8"), ("ends", "u8"), ("arrives", "u8"), ("link", "u4"), ("packet", "u4"), ("size", "u4"),
        ("unused", "u4"),
    ]
)  # fmt: skip
_LINK_WORK = np.dtype([("busy", "u8"), ("bytes", "u8"), ("packets", "u8"), ("blocked", "u8")])
_SECTIONS = np.dtype([("line", "u4"), ("room", "u4"), ("count", "u8"), ("tiles", "u8")])


@dataclass(frozen=True, kw_only=True, slots=True)
class Signpost:
    """A named stretch of a kernel."""

    kernel: int
    """Position among the kernels of the program."""
    name: str
    file: str
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A line of a kernel, as one of its processors runs it."""

    kernel: int
    """Position among the kernels of the program."""
    role: str
    file: str
    line: int


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Record:
    """The record of a run.

    ``links``: busy cycles by NoC, row, column, and whether the link leads along the row or the column; for several
    chips, those of the chip where each is busiest.
    """

    lines: tuple[Line, ...]
    diaries: dict[int, Diary]
    """The diaries by the numbers to which ``by`` of a span refers."""
    transfers: Array
    links: Array
    banks: Array
    """Busy cycles of every bank of DRAM."""
    signposts: tuple[Signpost, ...] = ()
    zones: Array = field(default_factory=lambda: np.empty(0, _ZONE))
    """Every time that a processor was in a named stretch: begin, end, name, processor and depth of nesting."""
    steps: Array = field(default_factory=lambda: np.empty(0, FILL))
    """Pages pushed into circular buffers and popped (less than zero), with the clock and the number of the core."""
    sections: Array = field(default_factory=lambda: np.empty(0, _SECTIONS))
    """Sections of DST by the line that releases them: their number, their tiles, and the room of each in tiles."""

    packets: Array = field(default_factory=lambda: np.empty(0, _PACKET))
    """Packets to other chips: sender, first link, destination chip, and the times of sending and landing."""
    hops: Array = field(default_factory=lambda: np.empty(0, _HOP))
    """Each passage of a packet over a link: when it entered a slot of the router, was on the wire, and arrived."""
    between: Array = field(default_factory=lambda: np.empty(0, _LINK_WORK))
    """For each link between chips, by its number: busy cycles, bytes, packets, and blocked cycles.

    A link is blocked while a packet waits for a slot at its other end.
    """
    system: System | None = None
    """The system, for a run on several chips; then the rows in a diary's core count chip after chip."""
    links_between: tuple[EmulatedLink, ...] = ()
    rows_of_chip: int = 0

    def node_name(self, core: tuple[int, int]) -> str:
        """``node (2, 3)``; of a system ``chip (0, 1), node (2, 3)``."""
        if self.system is None:
            return name_at(core)
        chip, y = divmod(core[1], self.rows_of_chip)
        return name_at((*self.system.coordinate(chip), core[0], y))


def start(chip: EmulatedChip, wanted: bool) -> None:
    """Turn the recording of a chip's next runs on or off."""
    runtime().record(chip.handle, wanted)


def finish(chip: EmulatedChip, program: Program) -> Record | None:
    """Return the record of the last run; None where nothing was recorded."""
    result = runtime().recorded(chip.handle)
    if result is None:
        return None
    lines, spans, transfers, links, banks, names, zones, steps, sections, packets, hops, between = result
    width, height = chip.chip.noc.torus
    return Record(
        lines=tuple(
            Line(kernel=kernel, role=ROLES[role], file=file, line=line) for kernel, role, file, line in lines
        ),
        diaries={
            core * len(ROLES) + role: Diary(
                core=chip.place(core),
                role=ROLES[role],
                kernel=kernel,
                started=started,
                ended=ended,
                spans=np.frombuffer(data, SPAN),
            )
            for core, role, kernel, started, ended, data in spans
        },
        transfers=np.frombuffer(transfers, _TRANSFER),
        links=np.frombuffer(links, "u8").reshape(-1, 2, height, width, 2).max(axis=0),
        banks=np.frombuffer(banks, "u8"),
        signposts=tuple(
            Signpost(kernel=kernel, name=name, file=file, line=line) for kernel, name, file, line in names
        ),
        zones=np.frombuffer(zones, _ZONE),
        steps=np.frombuffer(steps, FILL),
        sections=np.frombuffer(sections, _SECTIONS),
        packets=np.frombuffer(packets, _PACKET),
        hops=np.frombuffer(hops, _HOP),
        between=np.frombuffer(between, _LINK_WORK),
        system=chip.system,
        links_between=chip.links,
        rows_of_chip=chip.rows,
    )
