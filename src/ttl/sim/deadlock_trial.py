"""Going on from a deadlock, to find out what would have prevented it.

The launch has failed, so its kernels can be used for an experiment: first every buffer that blocks a wait cycle
gets more blocks, one at a time. If all kernels end that way, the counts reached are *proved*: a program that
communicates through dataflow buffers alone does the same in every schedule, so it runs to its end with these
counts from the start; and with one less it stops as it did. Else whatever a kernel waits for is made up, again
and again, until all have ended. What was made up, and whether someone provided it later after all, tells one
push too few from a push too late.

Nothing of this may be seen: no task is computed, no tensor written, nothing printed, and kernels whose code
might change anything outside the launch are not run on.
"""

from __future__ import annotations

import bdb
import builtins
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ttl.lang.context import CURRENT
from ttl.sim.buffer import SimBuffer, WaitForData, WaitForSpace
from ttl.sim.deadlock_facts import Stuck, cycles, stuck_kernels
from ttl.sim.kernel import Kernel
from ttl.sim.kernel_code import leaves_no_trace
from ttl.sim.pipes import SimPipe, WaitToReceive, WaitToSend, wake_receivers
from ttl.sim.printing import print_replaced
from ttl.sim.semaphores import SimSemaphore, WaitForSemaphore
from ttl.sim.values import Value

if TYPE_CHECKING:
    from ttl.ops.types import BlockType
    from ttl.sim.engine import Engine

# Limits of the experiment, in units that do not depend on the speed of the machine.
_STEPS = 400_000
_ROUNDS = 2_000
_LARGEST_COUNT = 256


@dataclass(kw_only=True, slots=True)
class Trial:
    """What came of it."""

    grown: dict[SimBuffer, int] = field(default_factory=dict)
    """Block counts reached while only block counts were changed."""
    ended_by_growing: bool = False
    """Every kernel ended with the block counts in ``grown``."""
    went_on_by_growing: bool = False
    """No kernel waited in a circle any more with these block counts, but they did not all end."""
    cut_short: bool = False
    """The kernels went on for so long that the experiment was ended."""
    ended: bool = False
    """Every kernel ended after more was made up."""
    failure: BaseException | None = None
    failed_in: Kernel | None = None
    """A kernel failed after it went on, and which."""
    made_up_blocks: Counter[SimBuffer] = field(default_factory=Counter)
    made_up_messages: Counter[tuple[SimPipe, int]] = field(default_factory=Counter)
    made_up_receives: Counter[tuple[SimPipe, int]] = field(default_factory=Counter)
    semaphores: dict[tuple[SimSemaphore, int], tuple[int, int, int]] = field(default_factory=dict)
    """The value a semaphore had on a node, the one made up, and how often it had been changed by then."""

    def blocks_missing(self, buffer: SimBuffer) -> int:
        """How many blocks consumers took in all beyond those ever pushed."""
        return buffer.waited - (buffer.pushed - self.made_up_blocks[buffer])

    def blocks_left_over(self, buffer: SimBuffer) -> int:
        """How many blocks were pushed in all beyond those ever taken."""
        return -self.blocks_missing(buffer)

    def messages_missing(self, pipe: SimPipe, node: int) -> int:
        """How many messages a node received beyond those ever sent to it; below 0: sent beyond received."""
        channel = pipe.channel
        left = len(channel.queue) + (channel.in_flight is not None and node in channel.remaining)
        return self.made_up_messages[pipe, node] - self.made_up_receives[pipe, node] - left

    def semaphore_missing(self, semaphore: SimSemaphore, node: int, wanted: int) -> bool:
        """Whether a semaphore would never have become what was waited for."""
        before, made_up, changes = self.semaphores.get((semaphore, node), (0, 0, 0))
        now = semaphore.values[node]
        if semaphore.changes[node] == changes:
            return True
        return now > made_up and before + now - made_up < wanted


class _Stop(BaseException):
    """Ends the experiment from within a kernel."""


def attempt(engine: Engine) -> Trial | None:
    """Go on from a deadlock as far as that can be done unseen; None where it cannot."""
    if not _is_allowed(engine):
        return None
    trial = Trial()
    with _unseen(engine), suppress(_Stop):
        _grow(engine, trial)
        if not trial.ended_by_growing and trial.failure is None:
            _make_up(engine, trial)
    if isinstance(trial.failure, KeyboardInterrupt):
        raise trial.failure
    return trial


def _is_allowed(engine: Engine) -> bool:
    tracer = sys.gettrace()
    if isinstance(getattr(tracer, "__self__", None), bdb.Bdb):
        return False
    checked: set[Any] = set()
    for node in engine.nodes:
        for kernel in node.kernels:
            code = getattr(kernel.function, "__code__", kernel.function)
            if kernel.done or code in checked:
                continue
            if not leaves_no_trace(kernel.function):
                return False
            checked.add(code)
    return True


@contextmanager
def _unseen(engine: Engine) -> Iterator[None]:
    """Nothing is computed, written, counted or printed inside, and it does not take long."""
    printing, failed = builtins.print, engine.failed

    def print(*values: Any, **options: Any) -> None:
        if CURRENT.get() is not engine:
            printing(*values, **options)

    engine.scheduler.on_finish = engine.pending.on_flush = None
    engine.pending.suspended = True
    engine.limit_steps(_STEPS, _Stop)
    try:
        with print_replaced(print, printing):
            yield
    finally:
        engine.limit_steps(-1, _Stop)
        engine.failed = failed


def _grow(engine: Engine, trial: Trial) -> None:
    for _ in range(_ROUNDS):
        stuck = tuple(stuck_kernels(engine))
        if any(each.missing is not None for each in stuck):
            trial.went_on_by_growing = bool(trial.grown) and not any(cycles(stuck))
            return
        full = _full_buffers(stuck)
        if not full or any(buffer.block_count >= _LARGEST_COUNT for buffer in full):
            return
        for buffer in full:
            _add_block(engine, buffer)
            trial.grown[buffer] = buffer.block_count
        if _go_on(engine, trial):
            trial.ended_by_growing = trial.failure is None
            trial.went_on_by_growing = trial.cut_short
            return


def _full_buffers(stuck: tuple[Stuck, ...]) -> list[SimBuffer]:
    """Of each wait cycle the buffer that costs least to enlarge."""
    found = []
    for cycle in cycles(stuck):
        full = [each.reason.buffer for each in cycle if isinstance(each.reason, WaitForSpace)]
        if full:
            found.append(min(full, key=lambda buffer: buffer.type.nbytes))
    return found


def _make_up(engine: Engine, trial: Trial) -> None:
    for _ in range(_ROUNDS):
        stuck = tuple(stuck_kernels(engine))
        chosen = [each for each in stuck if each.missing is not None]
        if not chosen:
            chosen = [min(cycle, key=_preference) for cycle in cycles(stuck)]
        if not chosen:
            return
        for each in chosen:
            _provide(engine, trial, each)
        if _go_on(engine, trial):
            trial.ended = trial.failure is None
            return


def _preference(stuck: Stuck) -> int:
    order = (WaitForData, WaitToReceive, WaitForSemaphore, WaitToSend, WaitForSpace)
    return order.index(type(stuck.reason))


def _go_on(engine: Engine, trial: Trial) -> bool:
    """Run on until nobody can. True when the experiment is over."""
    scheduler = engine.scheduler
    ended = scheduler.resume()
    failure = scheduler.failure
    if failure is not None:
        trial.failure = failure
        trial.cut_short = isinstance(failure, _Stop)
        trial.failed_in = engine.failed
    return ended or failure is not None


def _provide(engine: Engine, trial: Trial, stuck: Stuck) -> None:
    """Make up what a kernel waits for."""
    kernel = stuck.kernel
    engine.current = kernel
    match stuck.reason:
        case WaitForSpace(buffer=buffer):
            _add_block(engine, buffer)
        case WaitForData(buffer=buffer):
            trial.made_up_blocks[buffer] += 1
            buffer.slots.append(_nothing(buffer.type))
            buffer.pushed += 1
            buffer.waiting_consumer = None
            engine.wake(kernel)
        case WaitToReceive(pipe=pipe, node=node):
            trial.made_up_messages[pipe, node] += 1
            receive = pipe.receives[node].pop(0)
            receive.block.value = _nothing(receive.block.buffer.type)
            receive.arrived = True
            wake_receivers(engine, pipe)
        case WaitToSend(pipe=pipe):
            for node in sorted(pipe.channel.remaining):
                trial.made_up_receives[pipe, node] += 1
                pipe.channel.receive(node)
            pipe.sender = None
            engine.wake(kernel)
            wake_receivers(engine, pipe)
        case WaitForSemaphore(semaphore=semaphore, value=value):
            node = kernel.node.index
            trial.semaphores[semaphore, node] = (semaphore.values[node], value, semaphore.changes[node])
            semaphore.values[node] = value
            semaphore.helped[node] = kernel
            for waiting in semaphore.waiting.pop(node, ()):
                engine.wake(waiting)


def _add_block(engine: Engine, buffer: SimBuffer) -> None:
    buffer.block_count += 1
    waiting = buffer.waiting_producer
    if waiting is not None:
        buffer.waiting_producer = None
        engine.current = waiting
        engine.wake(waiting)


def _nothing(type_: BlockType) -> Value:
    return Value(type_, None, np.broadcast_to(np.zeros((), np.float32), type_.elements))
