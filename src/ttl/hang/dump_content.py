"""The content of a dump of any tool. A core is (column, row) of the grid; programs are not known here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ttl.emu.program import Core

COUNTER = 1 << 16
"""The counters of a circular buffer start again after so many pages."""
Place = tuple[int, Core]
"""A device and a core of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DumpedFrame:
    """A call of a call stack; ``file`` is empty where the tool does not know it."""

    function: str
    file: str = ""
    line: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class DumpedRisc:
    """A processor: the innermost frame comes first. ``role`` is its place in ``ttl.emu.program.ROLES``."""

    at: Place
    role: int
    kernel: str = ""
    waypoint: str = ""
    frames: tuple[DumpedFrame, ...] = ()
    values: Mapping[str, int] = field(default_factory=dict)
    """The values of the arguments and variables of the innermost frame, if the tool shows them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DumpedBuffer:
    """A circular buffer of a core, in pages."""

    pages: int
    pushed: int
    popped: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DumpedSemaphore:
    """A semaphore of a core; ``number`` is None for a word of L1 that is not a semaphore of a program."""

    number: int | None
    address: int
    value: int


@dataclass(frozen=True, kw_only=True, slots=True)
class NocMismatch:
    """A core's count of its transfers beside the count of its NoC: more were begun than have ended, or fewer."""

    where: str
    register: str
    variable: str
    ended: int
    begun: int


@dataclass(kw_only=True, slots=True)
class Dump:
    """The content of a folder with dumps."""

    riscs: dict[tuple[Place, int], DumpedRisc] = field(default_factory=dict)
    buffers: dict[tuple[Place, int], DumpedBuffer] = field(default_factory=dict)
    semaphores: dict[tuple[Place, int], DumpedSemaphore] = field(default_factory=dict)
    """The semaphores, by place and address."""
    broken: dict[Place, str] = field(default_factory=dict)
    """Cores that do not answer, each with the tool's words about it."""
    noc: list[NocMismatch] = field(default_factory=list)
    noc_checked: bool = False
    alarms: list[str] = field(default_factory=list)
    """The problems that a tool itself reports, in its words."""
    read: list[str] = field(default_factory=list)
    """The files in which facts were found."""
    damaged: list[str] = field(default_factory=list)
    """The parts that could not be read, in words."""

    @property
    def devices(self) -> list[int]:
        """The devices that the dump mentions."""
        places = [*(at for at, _ in self.riscs), *self.broken, *(at for at, _ in self.buffers)]
        return sorted({device for device, _ in places})

    def merge(self, risc: DumpedRisc) -> None:
        """Add a processor: known facts stay, unknown ones are filled in."""
        key = risc.at, risc.role
        known = self.riscs.get(key)
        self.riscs[key] = risc if known is None else DumpedRisc(
            at=risc.at,
            role=risc.role,
            kernel=known.kernel or risc.kernel,
            waypoint=known.waypoint or risc.waypoint,
            frames=known.frames or risc.frames,
            values=known.values or risc.values,
        )  # fmt: skip
