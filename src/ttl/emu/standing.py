"""The emulated chip when no processor can continue, in its own words: processors, circular buffers, semaphores.

It stands still until the next program; an experiment can make up the events that it waits for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from ttl.deadlock.network import Outcome
from ttl.emu.chip import SEMAPHORES, EmulatedChip
from ttl.emu.program import Program
from ttl.emu.runtime import runtime
from ttl.source.spans import Span

TRANSFERS, RUNS = 100, 101
"""Reasons that only a card's dump shows, besides those of ``ttl.sim.diaries``.

``TRANSFERS``: a processor waits for transfers of its own. ``RUNS``: it is in its kernel, and no reason is known.
"""
# The distance between the memories of two cores (``native/emu``), and between two semaphores of one core.
_SLOT, _STEP = 1 << 21, 16
# The number of semaphores that the host sets.
_NUMBERS = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Processor:
    """One RISC-V processor. ``kernel`` is a number of the program; ``steps`` counts its calls about circular buffers."""

    core: int
    role: int
    kernel: int
    name: str
    """The name of the kernel."""
    done: bool
    clock: int
    """-1, like the following numbers, where it is not known."""
    waits: int
    what: int
    amount: int
    now: int
    exact: bool
    file: str
    line: int
    steps: int
    span: Span | None
    """Where in the user's program it is."""

    @property
    def semaphore(self) -> int:
        """The number of the semaphore it waits for."""
        return semaphore_number(self.what % _SLOT)


def semaphore_number(offset: int) -> int:
    """The number of the semaphore at an offset in L1; words beyond those of the host have the numbers that follow."""
    return (offset - SEMAPHORES) // _STEP


def semaphore_text(program: Program, number: int) -> str:
    """A semaphore for a report: its name, its number, or the address of the word that serves as a semaphore."""
    names = {semaphore.id: semaphore.name for semaphore in program.semaphores}
    if names.get(number) or number < _NUMBERS:
        return f"semaphore {names.get(number) or number}"
    return f"the word at {SEMAPHORES + _STEP * number} of L1"


def processor_of(program: Program, fields: Sequence[Any]) -> Processor:
    """A processor from the fields that the runtime returns (``native/emu/run.cpp: fiber_tuple``)."""
    core, role, kernel, done, clock, _, waits, what, amount, now, file, line, at_least, steps = fields
    return Processor(
        core=core,
        role=role,
        kernel=kernel,
        name=program.kernels[kernel].name,
        done=bool(done),
        clock=clock,
        waits=waits,
        what=what,
        amount=amount,
        now=now,
        exact=not at_least,
        file=file,
        line=line,
        steps=steps,
        span=program.kernels[kernel].span(line),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class RingState:
    """A circular buffer of one core, in pages; the processors that use it are roles, or -1."""

    pages: int
    pushed: int
    popped: int
    reserved: int
    waited: int
    pushing: int
    popping: int
    reserving: int
    reserve_line: int
    reserve_step: int
    waiting: int
    wait_line: int
    wait_step: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SemaphoreWord:
    """A semaphore of one core.

    ``arrived`` counts changes from other cores, ``set`` those by its own core, and ``own`` those by the processor for
    which an experiment set its value.
    """

    value: int
    arrived: int
    set: int
    own: int
    by: int = -1
    """The number of the processor that changed it last from another core; -1: no other core changed it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkState:
    """A link between chips.

    ``room``: free slots for kernels of its chip; ``queued``: packets that wait to be sent; ``held``: packets at the
    other end that wait to be put away; ``free``: slots that are free there.
    """

    room: int
    queued: int
    held: int
    free: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ConnectionState:
    """A connection that a kernel has built to a link. ``state``: as in ``native/emu/fabric.h``."""

    core: int
    role: int
    kernel: int
    link: int
    state: int
    file: str
    line: int


BUILT, OPEN = 0, 1


@dataclass(slots=True)
class ResourceMap:
    """The state of processors, circular buffers, semaphores and links. Cores are numbers of the chip."""

    program: Program
    chip: EmulatedChip
    processors: list[Processor] = field(init=False)
    rings: dict[tuple[int, int], RingState] = field(init=False)
    semaphores: dict[tuple[int, int], SemaphoreWord] = field(init=False)
    links: list[LinkState] = field(init=False)
    connections: list[ConnectionState] = field(init=False)
    goes_on: ClassVar[bool] = True
    """Whether experiments can be made with it."""

    def __post_init__(self) -> None:
        self._look()

    def _look(self) -> None:
        processors, rings, semaphores = runtime().standing(self.chip.handle)
        names = RingState.__dataclass_fields__
        links, connections = runtime().standing_links(self.chip.handle)
        self.links = [LinkState(**dict(zip(LinkState.__dataclass_fields__, it, strict=True))) for it in links]
        self.connections = [
            ConnectionState(**dict(zip(ConnectionState.__dataclass_fields__, it, strict=True)))
            for it in connections
        ]
        self.processors = [processor_of(self.program, fields) for fields in processors]
        self.rings = {
            (core, index): RingState(**dict(zip(names, counts, strict=True)))
            for core, index, *counts in rings
        }
        self.semaphores = {
            (core, number): SemaphoreWord(value=value, arrived=arrived, set=changed, own=own, by=by)
            for core, number, value, arrived, changed, own, by in semaphores
        }

    def span(self, kernel: int, line: int) -> Span | None:
        """Where in the user's program a line of a kernel comes from."""
        return self.program.kernels[kernel].span(line)

    def processor(self, core: int, role: int) -> Processor | None:
        """The processor of a core, where it has a kernel."""
        return next((it for it in self.processors if (it.core, it.role) == (core, role)), None)

    # --- an experiment -----------------------------------------------------------------------------------

    def value(self, core: int, semaphore: int) -> int:
        """Return the value of a semaphore on a core."""
        state = self.semaphores.get((core, semaphore))
        initial = {semaphore.id: semaphore.initial for semaphore in self.program.semaphores}
        return initial.get(semaphore, 0) if state is None else state.value

    def alter(self, what: str, core: int, number: int, amount: int, role: int = -1) -> None:
        """Give a circular buffer ``room`` for pages, or ``pages``, or a semaphore a ``value``, for a processor."""
        runtime().alter(self.chip.handle, what, core, number, amount, role)
        self._look()

    def resume(self, calls: int) -> Outcome:
        """Run until no processor can continue, or for a number of calls of functions."""
        outcome = cast("Outcome", runtime().resume(self.chip.handle, calls))
        self._look()
        return outcome
