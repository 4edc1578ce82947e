"""What every kernel of a launch did, and what ended each of its waits, in steps.

A step is one call of the language: a block acquired, stored to, pushed or popped, a copy begun or waited for. Kernels run
one at a time here, and the order in which the scheduler runs them says nothing about the program. So each has a clock of
its own (Lamport, 1978): a call takes one step, and one that needs what another kernel does lasts until that is done. What
need not wait for each other happens at the same time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ttl import control
from ttl.sim.block import SimBlock
from ttl.sim.buffer import SimBuffer, WaitForData, WaitForSpace
from ttl.sim.engine import Engine
from ttl.sim.events import ACQUIRED, ARRIVED, CHANGED, COPIED, PASSED, POPPED, PUSHED, STORED
from ttl.sim.kernel import Kernel
from ttl.sim.pipes import PipeReceive, PipeSend, SimPipe, WaitToReceive, WaitToSend
from ttl.sim.semaphores import SimSemaphore, WaitForSemaphore
from ttl.sim.storage import SimSlice
from ttl.sim.transfer import SimTransfer
from ttl.sim.where import site_of
from ttl.source.spans import Site

# Of a launch that has failed, a wait without an end is shown behind the last step, for this part of the steps.
_SHOWN = 20


@dataclass(slots=True)
class EventRow:
    """Something that a kernel did, from a step to another one, or a wait. ``cause``: the row that ended it, or -1: nothing did."""

    kernel: int
    begin: int
    end: int
    event: int
    """One of ``ttl.sim.events``; of a wait, what it ended with, and ``waits`` says that it is one. Of one that nothing ended,
    what would have: ``PUSHED``, ``POPPED``, ``COPIED`` or ``CHANGED``.
    """
    waits: bool
    about: object
    """The buffer, pipe or semaphore; of a copy the transfer's memory, else None."""
    site: Site | None
    cause: int


@dataclass(frozen=True, slots=True)
class CopyRow:
    """A copy, by the rows of its beginning and its end; the end is -1 where nobody waited."""

    begin: int
    end: int
    writes: bool
    """Into the block."""
    other: object
    """The pipe, or the tensor's storage."""
    buffer: SimBuffer
    nbytes: int


class EventLog:
    """An observer of a launch (``ttl.sim.launch.observed``)."""

    def __init__(self, ended: Callable[[Engine, EventLog], None]) -> None:
        """``ended`` is called when the launch has ended, well or not (``failed``), while the engine is whole."""
        self.failed = False
        self.rows: list[EventRow] = []
        self.kernels: dict[Kernel, int] = {}
        self.copies: list[CopyRow] = []
        self._ended = ended
        self._clock: list[int] = []
        self._pushes: defaultdict[SimBuffer, list[int]] = defaultdict(list)
        self._pops: defaultdict[SimBuffer, list[int]] = defaultdict(list)
        self._sends: defaultdict[SimPipe, list[int]] = defaultdict(list)
        self._receives: defaultdict[tuple[SimPipe, int], list[int]] = defaultdict(list)
        self._under_way: dict[int, tuple[SimTransfer, int, int]] = {}
        self._changes: dict[tuple[SimSemaphore, int], int] = {}

    @property
    def fills(self) -> dict[SimBuffer, tuple[list[int], list[int]]]:
        """Of every buffer the rows that pushed a block, and those that popped one."""
        return {
            buffer: (self._pushes[buffer], self._pops[buffer])
            for buffer in sorted(
                {*self._pushes, *self._pops}, key=lambda item: (item.ordinal, item.node.index)
            )
        }

    @property
    def length(self) -> int:
        """Steps until the last kernel has ended, or as far as waits are shown that nothing ended."""
        steps = max(self._clock, default=0)
        return steps + max(steps // _SHOWN, 1) if self.failed else steps

    def begin(self, engine: Engine) -> None:
        """The launch begins."""
        engine.on_event = self._note

    def end(self, engine: Engine) -> None:
        """The launch has ended well."""
        engine.on_event = None
        self._under_way.clear()
        self._ended(engine, self)

    def stopped(self, engine: Engine) -> None:
        """The launch has failed: what kernels wait for now, they wait for to the end."""
        engine.on_event = None
        self._under_way.clear()
        self.failed = True
        for kernel in (kernel for node in engine.nodes for kernel in node.kernels):
            if kernel.waiting is None or kernel.done:
                continue
            event, about = _missing(kernel.waiting)
            number = self._number(kernel)
            self.rows.append(
                EventRow(number, self._clock[number], self.length, event, True, about, site_of(kernel), -1)
            )
        self._ended(engine, self)

    # --- what happens ------------------------------------------------------------------------------------------

    def _note(self, event: int, subject: Any) -> None:
        if event == ACQUIRED:
            self._acquired(subject)
        elif event in (PUSHED, POPPED):
            rows = self._pushes if event == PUSHED else self._pops
            rows[subject.buffer].append(self._of_block(event, subject))
        elif event == STORED:
            self._of_block(event, subject)
        elif event == COPIED:
            self._copied(*subject)
        elif event == ARRIVED:
            self._arrived(subject)
        else:
            self._semaphore(event, *subject)

    def _of_block(self, event: int, block: SimBlock) -> int:
        return self._happens(block.kernel, event, block.buffer, control.site_of_user() or block.site)

    def _acquired(self, block: SimBlock) -> None:
        buffer = block.buffer
        if block.acquired_by_reserve:
            number, ended = buffer.reserved - buffer.block_count, self._pops[buffer]
        else:
            number, ended = buffer.waited, self._pushes[buffer]
        cause = ended[number - 1] if 0 < number <= len(ended) else -1
        self._happens(block.kernel, ACQUIRED, buffer, block.site, cause)

    def _copied(self, transfer: SimTransfer, source: Any, destination: Any) -> None:
        block = transfer.block
        other: object = None
        if isinstance(transfer, PipeSend | PipeReceive):
            other = transfer.pipe
        else:
            there = source if transfer.writes else destination
            other = there.storage if isinstance(there, SimSlice) else None
        row = self._happens(block.kernel, COPIED, other, transfer.site)
        number = 0
        if isinstance(transfer, PipeSend):
            number = len(self._sends[transfer.pipe])
            self._sends[transfer.pipe].append(row)
        elif isinstance(transfer, PipeReceive):
            started = self._receives[transfer.pipe, transfer.node]
            number = len(started)
            started.append(row)
        self._under_way[id(transfer)] = (transfer, number, len(self.copies))
        self.copies.append(CopyRow(row, -1, transfer.writes, other, block.buffer, block.buffer.type.nbytes))

    def _arrived(self, transfer: SimTransfer) -> None:
        known = self._under_way.pop(id(transfer), None)
        if known is None:
            return
        _, number, at = known
        cause = -1
        if isinstance(transfer, PipeReceive):
            sent = self._sends[transfer.pipe]
            cause = sent[number] if number < len(sent) else -1
        elif isinstance(transfer, PipeSend) and number:
            # It leaves its block when the message before it was received everywhere.
            pipe = transfer.pipe
            before = [self._sends[pipe][number - 1]] + [
                started[number - 1]
                for node in pipe.channel.dsts
                if number <= len(started := self._receives[pipe, node])
            ]
            cause = max(before, key=lambda row: self.rows[row].end)
        copy = self.copies[at]
        row = self._happens(transfer.block.kernel, ARRIVED, copy.other, transfer.site, cause)
        self.copies[at] = CopyRow(copy.begin, row, copy.writes, copy.other, copy.buffer, copy.nbytes)

    def _semaphore(self, event: int, kernel: Kernel, semaphore: SimSemaphore, node: int) -> None:
        cause = self._changes.get((semaphore, node), -1) if event == PASSED else -1
        row = self._happens(kernel, event, semaphore, control.site_of_user(), cause)
        if event == CHANGED:
            self._changes[semaphore, node] = row

    def _happens(self, kernel: Kernel, event: int, about: object, site: Site | None, cause: int = -1) -> int:
        """A step of a kernel, after the wait for its cause; gives its row."""
        number = self._number(kernel)
        clock = self._clock[number]
        if cause >= 0 and self.rows[cause].end > clock:
            until = self.rows[cause].end
            self.rows.append(EventRow(number, clock, until, event, True, about, site, cause))
            clock = until
        self.rows.append(EventRow(number, clock, clock + 1, event, False, about, site, -1))
        self._clock[number] = clock + 1
        return len(self.rows) - 1

    def _number(self, kernel: Kernel) -> int:
        number = self.kernels.setdefault(kernel, len(self._clock))
        if number == len(self._clock):
            self._clock.append(0)
        return number


def _missing(reason: Any) -> tuple[int, object]:
    """What would end a wait, and what it is about."""
    match reason:
        case WaitForData(buffer=buffer):
            return PUSHED, buffer
        case WaitForSpace(buffer=buffer):
            return POPPED, buffer
        case WaitForSemaphore(semaphore=semaphore):
            return CHANGED, semaphore
        case WaitToReceive(pipe=pipe) | WaitToSend(pipe=pipe):
            return COPIED, pipe
    raise AssertionError(reason)
