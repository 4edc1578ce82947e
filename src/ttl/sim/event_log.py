"""The steps of every kernel of a launch, and the events that ended its waits.

A step is one call of the language: a block acquired, stored to, pushed or popped, a copy begun or waited for. Kernels run one at
a time here, and the order in which the scheduler runs them says nothing about the program. Therefore each has a clock of its own
(Lamport, 1978): a call takes one step, and a call that depends on another kernel lasts until that kernel has provided for it.
Calls that do not depend on each other happen at the same time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ttl import control
from ttl.sim.block import SimBlock
from ttl.sim.buffer import WaitForData, WaitForSpace
from ttl.sim.diaries import MESSAGE, NOTHING_NAMED, PAGES, SEMAPHORE, SPACE, SPAN, WORKS
from ttl.sim.engine import Engine
from ttl.sim.events import ACQUIRED, ARRIVED, CHANGED, COPIED, PASSED, POPPED, PUSHED, STORED
from ttl.sim.kernel import Kernel
from ttl.sim.pipes import PipeReceive, PipeSend, SimPipe, WaitToReceive, WaitToReceiveAny, WaitToSend
from ttl.sim.semaphores import SimSemaphore, WaitForSemaphore
from ttl.sim.tensor_slices import SimSlice
from ttl.sim.transfer import HeldBuffer, SimTransfer
from ttl.sim.where import site_of
from ttl.source.spans import Site

# In a launch that has failed, a wait that nothing ended is shown behind the last step, with a length of one part in
# this many of all steps.
_SHOWN = 20
_LINE = SPAN.names.index("line")  # type: ignore[union-attr]


class EventPlace(NamedTuple):
    """A step or a wait of a kernel at a place; the ``line`` of a span is its number."""

    kernel: int
    event: int
    """One of ``ttl.sim.events``; for a wait, the event with which it ends."""
    reason: int
    """``WORKS``, or the reason of the wait (``ttl.sim.diaries``)."""
    is_open: bool
    """Whether nothing ended the wait."""
    about: object
    """The buffer, pipe or semaphore; for a copy with a tensor, the tensor's storage; else None."""
    site: Site | None


class Moment(NamedTuple):
    """The time, on a kernel's clock, at which a step of the kernel was complete."""

    kernel: int
    end: int


@dataclass(slots=True)
class CopyRow:
    """A copy, from the step that began it, at ``line``, to the end of the wait for it; without a wait, to the end of that step."""

    line: int
    begin: int
    end: int
    writes: bool
    """Whether it writes into the block."""
    other: object
    """The pipe, or the tensor's storage."""
    buffer: HeldBuffer
    nbytes: int


class EventLog:
    """An observer of a launch (``ttl.sim.launch.observed``)."""

    def __init__(self, ended: Callable[[Engine, EventLog], None]) -> None:
        """``ended`` is called when the launch has ended, well or not (``failed``), before the engine is taken apart."""
        self.failed = False
        self.kernels: dict[Kernel, int] = {}
        self.lines: dict[EventPlace, int] = {}
        self.spans: list[list[tuple[int, ...]]] = []
        """Rows of ``ttl.sim.diaries.SPAN`` for every kernel."""
        self.fills: list[tuple[int, ...]] = []
        """Rows of ``ttl.sim.diaries.FILL``; a buffer is named by its ordinal on its node."""
        self.last = -1
        """The kernel of the latest step; of several, the kernel whose step was recorded first."""
        self.copies: list[CopyRow] = []
        self._ended = ended
        self._clock: list[int] = []
        self._ended_at = 0
        self._pushes: defaultdict[HeldBuffer, list[Moment]] = defaultdict(list)
        self._pops: defaultdict[HeldBuffer, list[Moment]] = defaultdict(list)
        self._sends: defaultdict[SimPipe, list[Moment]] = defaultdict(list)
        self._receives: defaultdict[tuple[SimPipe, int], list[Moment]] = defaultdict(list)
        self._under_way: dict[int, tuple[SimTransfer, int, int]] = {}
        self._changes: dict[tuple[SimSemaphore, int], Moment] = {}

    @property
    def buffers(self) -> list[HeldBuffer]:
        """The buffers whose blocks were used."""
        return sorted({*self._pushes, *self._pops}, key=lambda item: (item.ordinal, item.node.index))

    @property
    def length(self) -> int:
        """The number of steps until the last kernel has ended; open waits of a launch that failed are included."""
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
        """Record the waits that nothing ended, up to the end of the log: the launch has failed."""
        engine.on_event = None
        self._under_way.clear()
        self.failed = True
        for kernel in (kernel for node in engine.nodes for kernel in node.kernels):
            if kernel.waiting is None or kernel.done:
                continue
            number = self._number(kernel)
            place = EventPlace(number, *_missing(kernel.waiting), site_of(kernel))
            self._write(place, self._clock[number], self.length)
        self._ended(engine, self)

    # --- events ------------------------------------------------------------------------------------------------

    def _note(self, event: int, subject: Any) -> None:
        if event == ACQUIRED:
            self._acquired(subject)
        elif event in (PUSHED, POPPED):
            buffer, moments = subject.buffer, self._pushes if event == PUSHED else self._pops
            moment = self._of_block(event, subject)
            moments[buffer].append(moment)
            self.fills.append((moment.end, buffer.node.index, buffer.ordinal, 1 if event == PUSHED else -1))
        elif event == STORED:
            self._of_block(event, subject)
        elif event == COPIED:
            self._copied(*subject)
        elif event == ARRIVED:
            self._arrived(subject)
        else:
            self._semaphore(event, *subject)

    def _of_block(self, event: int, block: SimBlock) -> Moment:
        return self._happens(block.kernel, event, block.buffer, control.site_of_user() or block.site)

    def _acquired(self, block: SimBlock) -> None:
        buffer = block.buffer
        if block.acquired_by_reserve:
            number, ended, reason = buffer.reserved - buffer.block_count, self._pops[buffer], SPACE
        else:
            number, ended, reason = buffer.waited, self._pushes[buffer], PAGES
        cause = ended[number - 1] if 0 < number <= len(ended) else None
        self._happens(block.kernel, ACQUIRED, buffer, block.site, reason, cause)

    def _copied(self, transfer: SimTransfer, source: Any, destination: Any) -> None:
        block = transfer.block
        other: object = None
        if isinstance(transfer, PipeSend | PipeReceive):
            other = transfer.pipe
        else:
            there = source if transfer.writes else destination
            other = there.storage if isinstance(there, SimSlice) else None
        begun = self._happens(block.kernel, COPIED, other, transfer.site)
        number = 0
        if isinstance(transfer, PipeSend):
            number = len(self._sends[transfer.pipe])
            self._sends[transfer.pipe].append(begun)
        elif isinstance(transfer, PipeReceive):
            started = self._receives[transfer.pipe, transfer.node]
            number = len(started)
            started.append(begun)
        self._under_way[id(transfer)] = (transfer, number, len(self.copies))
        line = self.spans[begun.kernel][-1][_LINE]
        self.copies.append(
            CopyRow(
                line,
                begun.end - 1,
                begun.end,
                transfer.writes,
                other,
                block.buffer,
                block.buffer.type.nbytes,
            )
        )

    def _arrived(self, transfer: SimTransfer) -> None:
        known = self._under_way.pop(id(transfer), None)
        if known is None:
            return
        _, number, at = known
        cause: Moment | None = None
        if isinstance(transfer, PipeReceive):
            sent = self._sends[transfer.pipe]
            cause = sent[number] if number < len(sent) else None
        elif isinstance(transfer, PipeSend) and number:
            # A message leaves its block when every destination has received the message before it.
            pipe = transfer.pipe
            before = [self._sends[pipe][number - 1]] + [
                started[number - 1]
                for node in pipe.channel.dsts
                if number <= len(started := self._receives[pipe, node])
            ]
            cause = max(before, key=lambda moment: moment.end)
        copy = self.copies[at]
        arrived = self._happens(transfer.block.kernel, ARRIVED, copy.other, transfer.site, MESSAGE, cause)
        copy.end = arrived.end

    def _semaphore(self, event: int, kernel: Kernel, semaphore: SimSemaphore, node: int) -> None:
        cause = self._changes.get((semaphore, node)) if event == PASSED else None
        moment = self._happens(kernel, event, semaphore, control.site_of_user(), SEMAPHORE, cause)
        if event == CHANGED:
            self._changes[semaphore, node] = moment

    def _happens(
        self,
        kernel: Kernel,
        event: int,
        about: object,
        site: Site | None,
        reason: int = WORKS,
        cause: Moment | None = None,
    ) -> Moment:
        """Record a step of a kernel, and before it the wait for its cause. Return the moment of the step."""
        number = self._number(kernel)
        clock = self._clock[number]
        if cause is not None and cause.end > clock:
            self._write(EventPlace(number, event, reason, False, about, site), clock, cause.end, cause.kernel)
            clock = cause.end
        self._write(EventPlace(number, event, WORKS, False, about, site), clock, clock + 1)
        self._clock[number] = clock + 1
        return Moment(number, clock + 1)

    def _write(self, place: EventPlace, begin: int, end: int, by: int = -1) -> None:
        """Record a span of a kernel. The event that ended a wait is at the end of the span."""
        line = self.lines.setdefault(place, len(self.lines))
        self.spans[place.kernel].append((begin, end, end, line, by, place.reason, NOTHING_NAMED))
        if place.reason == WORKS and end > self._ended_at:
            self._ended_at, self.last = end, place.kernel

    def _number(self, kernel: Kernel) -> int:
        number = self.kernels.setdefault(kernel, len(self._clock))
        if number == len(self._clock):
            self._clock.append(0)
            self.spans.append([])
        return number


def _missing(reason: Any) -> tuple[int, int, bool, object]:
    """Return the event that would end a wait, its reason, True as it is open, and its subject: fields of ``EventPlace``."""
    match reason:
        case WaitForData(buffer=buffer):
            return PUSHED, PAGES, True, buffer
        case WaitForSpace(buffer=buffer):
            return POPPED, SPACE, True, buffer
        case WaitForSemaphore(semaphore=semaphore):
            return CHANGED, SEMAPHORE, True, semaphore
        case WaitToReceive(pipe=pipe) | WaitToSend(pipe=pipe):
            return COPIED, MESSAGE, True, pipe
        case WaitToReceiveAny(pipes=pipes):
            return COPIED, MESSAGE, True, pipes[0]
    raise AssertionError(reason)
