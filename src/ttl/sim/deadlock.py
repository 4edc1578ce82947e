"""A launch in which no kernel can continue, as the deadlock report sees it (``ttl.deadlock``).

The launch has failed, so its kernels can be used for an experiment. The experiment has no visible effect: no task is
computed, no tensor written, nothing printed, and kernels whose code might change anything outside of the launch are not
continued.
"""

from __future__ import annotations

import bdb
import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from ttl.deadlock import network as net
from ttl.deadlock.network import Place
from ttl.deadlock.report import report
from ttl.diag import DeadlockError, TTLError
from ttl.lang.context import CURRENT
from ttl.protocol.blocks import NOT_READ_YET, State
from ttl.session import Cancelled
from ttl.sim.block import SimBlock
from ttl.sim.buffer import WaitForData, WaitForSpace
from ttl.sim.kernel import Kernel
from ttl.sim.kernel_code import calls, leaves_no_trace, may_call, names_in
from ttl.sim.pipes import SimPipe, WaitToReceive, WaitToReceiveAny, WaitToSend, wake_receivers
from ttl.sim.printing import print_replaced
from ttl.sim.resets import ResetToken
from ttl.sim.semaphores import WaitForSemaphore
from ttl.sim.values import Value
from ttl.sim.where import calls_to, pipe_name, place_of, semaphore_name, site_of
from ttl.source.spans import Site, Span, span_of_site

if TYPE_CHECKING:
    from ttl.rows.types import BlockType
    from ttl.sim.engine import Engine

# Steps of the experiment: a unit that does not depend on the speed of the machine.
_STEPS = 400_000
_METHODS = {"if_src": ("if_src",), "if_dst": ("if_dst",), "semaphore": ("set", "inc")}


def error_of(engine: Engine) -> DeadlockError:
    """Return one report for the whole launch: the cause, the facts of each group of equal nodes, and what to do."""
    return DeadlockError(report(StalledLaunch(engine)))


class StalledLaunch:
    """The kernels of a launch, numbered; see ``ttl.deadlock.network.Network``."""

    untried = net.OUTSIDE

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kernels = [kernel for node in engine.nodes for kernel in node.kernels]
        self._kernel_numbers = {kernel: number for number, kernel in enumerate(self._kernels)}
        self._buffers = [buffer for node in engine.nodes for buffer in node.buffers]
        self._buffer_numbers = {buffer: number for number, buffer in enumerate(self._buffers)}
        self._pipes: list[SimPipe] = []
        self._pipe_numbers: dict[SimPipe, int] = {}
        self._names: dict[tuple[int, str], bool] = {}
        self._calls: dict[Place, tuple[Span, ...]] = {}
        self._failed: TTLError | BaseException | None = None
        self._failed_in: int | None = None
        self._filled: set[int] = set()
        self.kernels = [
            net.NetworkKernel(kernel.name, kernel.node.index, kernel.is_compute) for kernel in self._kernels
        ]
        self.nodes = [(node.coord,) for node in engine.nodes]
        self.buffers = [
            net.NetworkBuffer(
                buffer.name,
                buffer.node.index,
                buffer.site,
                buffer.type.shape,
                buffer.type.nbytes,
                engine.backed is not None and engine.backed.has(buffer),
                buffer.mover if isinstance(buffer, ResetToken) else None,
            )
            for buffer in self._buffers
        ]
        self.semaphores = [
            net.NetworkSemaphore(semaphore_name(semaphore), semaphore.initial, semaphore.site)
            for semaphore in engine.semaphores.all
        ]
        self.pipes: list[net.NetworkPipe] = []
        self._number_pipes()
        self.first_of_several = engine.pipes.first_of_several
        self.l1_bytes = engine.chip.l1_available_bytes

    def _number_pipes(self) -> None:
        """Number new pipes: nets are resolved when a kernel first uses them, also while the experiment continues."""
        for of in self._engine.pipes.nets:
            for pipe in of.pipes:
                if pipe not in self._pipe_numbers:
                    self._pipe_numbers[pipe] = len(self._pipes)
                    self._pipes.append(pipe)
                    channel = pipe.channel
                    self.pipes.append(
                        net.NetworkPipe(
                            pipe_name(self._engine, pipe), channel.src, channel.dsts, pipe.pipe.site
                        )
                    )

    def span(self, place: Place) -> Span | None:
        """Return where in the program a site is."""
        return span_of_site(cast("Site", place))

    def calls(self, place: Place) -> tuple[Span, ...]:
        """The calls around a place where a kernel waits."""
        return self._calls.get(place, ())

    # --- the present state -------------------------------------------------------------------------------

    def waiting(self) -> Iterator[net.Waiting]:
        """The kernels that wait, node by node."""
        self._number_pipes()
        for number, kernel in enumerate(self._kernels):
            if kernel.waiting is None or kernel.done:
                continue
            site = site_of(kernel)
            if site is not None:
                self._calls.setdefault(site, calls_to(kernel))
            match kernel.waiting:
                case WaitForData(buffer=buffer):
                    yield net.Waiting(number, "data", self._buffer_numbers[buffer], site)
                case WaitForSpace(buffer=buffer):
                    yield net.Waiting(number, "space", self._buffer_numbers[buffer], site)
                case WaitToReceive(pipe=pipe):
                    yield net.Waiting(number, "message", self._pipe_numbers[pipe], site)
                case WaitToReceiveAny(pipes=pipes):
                    first, *others = (self._pipe_numbers[pipe] for pipe in pipes)
                    yield net.Waiting(number, "message", first, site, others=tuple(others))
                case WaitToSend(pipe=pipe):
                    yield net.Waiting(number, "pipe", self._pipe_numbers[pipe], site)
                case WaitForSemaphore(semaphore=semaphore, value=value, exact=exact):
                    yield net.Waiting(number, "semaphore", semaphore.ordinal, site, value, exact)

    def ended(self, kernel: int) -> bool:
        """Whether a kernel has ended."""
        return bool(self._kernels[kernel].done)

    def producer(self, buffer: int) -> int | None:
        """The kernel that has reserved, or waits to reserve, a block."""
        return self._number_of(self._buffers[buffer].producer)

    def consumer(self, buffer: int) -> int | None:
        """The kernel that has waited, or waits, for a block."""
        return self._number_of(self._buffers[buffer].consumer)

    def _number_of(self, kernel: Kernel | None) -> int | None:
        return None if kernel is None else self._kernel_numbers[kernel]

    def buffer(self, buffer: int) -> net.BufferState:
        """The state of a buffer."""
        it = self._buffers[buffer]
        writing, reading = it.held_reserved, it.held_waited
        return net.BufferState(
            block_count=it.block_count,
            pushed=it.pushed,
            waited=it.waited,
            writing=len(writing),
            reading=len(reading),
            producer=self.producer(buffer),
            consumer=self.consumer(buffer),
            filled_at=_site(writing[0] if writing else it.last_reserved),
            taken_at=_site(reading[0] if reading else it.last_waited),
            written=bool(writing) and writing[0].value is not None,
        )

    def events(self, buffer: int) -> tuple[str, ...]:
        """Return the last uses of a buffer by its kernels, in words."""
        it = self._buffers[buffer]
        events = []
        for block, acquired, released in (
            (it.last_reserved, "reserved", "pushed"),
            (it.last_waited, "took", "popped"),
        ):
            if block is None:
                continue
            how = "reserved" if block.acquired_by_reserve else "acquired"
            site = getattr(block, "released", None)
            if block.state != State.OUT_OF_SCOPE:
                events.append(f"{block.kernel.name} {acquired} a block at {place_of(block.site)}")
            elif site is not None:
                events.append(f"{block.kernel.name} {released} a block at {place_of(site)}")
            else:
                events.append(f"{block.kernel.name} {released} the block {how} at {place_of(block.site)}")
        return tuple(events)

    def pipe(self, pipe: int) -> net.PipeState:
        """The state of a pipe."""
        channel = self._pipes[pipe].channel
        return net.PipeState(channel.sent, channel.received, tuple(sorted(channel.remaining)))

    def undelivered(self, pipe: int, node: int) -> int:
        """The number of messages that were sent and that a destination has not received."""
        channel = self._pipes[pipe].channel
        return len(channel.queue) + (channel.in_flight is not None and node in channel.remaining)

    def semaphore(self, semaphore: int, node: int) -> tuple[int, int]:
        """Value of a semaphore on a node, and how often others have changed it."""
        it = self._engine.semaphores.all[semaphore]
        return it.values[node], it.changes[node]

    def history(self, kernel: int) -> tuple[str, ...]:
        """Return no events, as none are recorded."""
        return ()

    # --- what the code of a kernel does on some path -----------------------------------------------------

    def may_reserve(self, kernel: int, buffer: int) -> bool:
        """Whether it may reserve blocks of a buffer."""
        return may_call(self._kernels[kernel].function, self._buffers[buffer], "reserve")

    def calls_reserve(self, kernel: int, buffer: int) -> bool:
        """Whether it names the buffer, or reserves blocks of it on another node."""
        it, wanted = self._kernels[kernel], self._buffers[buffer]
        if calls(it.function, wanted, "reserve"):
            return True
        return any(
            buffer.site == wanted.site
            and buffer.ordinal == wanted.ordinal
            and buffer.producer is not None
            and buffer.producer.name == it.name
            for buffer in self._buffers
        )

    def may_wait(self, kernel: int, buffer: int) -> bool:
        """Whether it may wait for blocks of a buffer."""
        return may_call(self._kernels[kernel].function, self._buffers[buffer], "wait")

    def uses(self, kernel: int, what: Literal["if_src", "if_dst", "semaphore"]) -> bool:
        """Whether it may send, receive, or change semaphores."""
        known = self._names.get((kernel, what))
        if known is None:
            it = self._kernels[kernel]
            known = it.moves_data and not names_in(it.function).isdisjoint(_METHODS[what])
            self._names[kernel, what] = known
        return known

    def writes_first(self, waiting: net.Waiting) -> bool:
        """Whether the failed kernel wrote, before reading it, a made-up block of a buffer made at the same place.

        That is an error of the program.
        """
        if self._failed_in is None or self.failure != (self._failed_in, NOT_READ_YET):
            return False
        site = self._buffers[waiting.resource].site
        return any(
            self._buffers[buffer].site == site and self.consumer(buffer) == self._failed_in
            for buffer in self._filled
        )

    # --- the experiment ----------------------------------------------------------------------------------

    @contextmanager
    def experiment(self) -> Iterator[StalledLaunch | None]:
        """The launch itself; None where a kernel might have effects outside of it, or a debugger is attached."""
        if not self._is_allowed():
            yield None
            return
        with _unseen(self._engine), suppress(Cancelled):
            yield self
        if isinstance(self._failed, KeyboardInterrupt):
            raise self._failed

    def _is_allowed(self) -> bool:
        if isinstance(getattr(sys.gettrace(), "__self__", None), bdb.Bdb):
            return False
        checked: set[Any] = set()
        for kernel in self._kernels:
            code = getattr(kernel.function, "__code__", kernel.function)
            if kernel.done or code in checked:
                continue
            if not leaves_no_trace(kernel.function):
                return False
            checked.add(code)
        return True

    def add_block(self, buffer: int) -> None:
        """Give a buffer one block more."""
        it = self._buffers[buffer]
        it.block_count += 1
        waiting = it.waiting_producer
        if waiting is not None:
            it.waiting_producer = None
            self._engine.current = waiting
            self._engine.wake(waiting)

    def put(self, buffer: int, kernel: int) -> None:
        """Push a block in place of the missing producer; it takes a free slot where there is one."""
        it, waiting = self._buffers[buffer], self._kernels[kernel]
        self._engine.current = waiting
        self._filled.add(buffer)
        it.slots.append(_nothing(it.type))
        if it.reserved - it.popped < it.block_count:
            it.reserved += 1
        it.pushed += 1
        it.waiting_consumer = None
        self._engine.wake(waiting)

    def send(self, pipe: int, kernel: int) -> None:
        """Deliver a message in place of the missing sender to the node of a kernel."""
        it, waiting = self._pipes[pipe], self._kernels[kernel]
        self._engine.current = waiting
        receive = it.receives[waiting.node.index].pop(0)
        receive.block.value = _nothing(receive.block.buffer.type)
        receive.arrived = True
        wake_receivers(self._engine, it)

    def receive(self, pipe: int, kernel: int) -> tuple[int, ...]:
        """Receive the message under way on every destination that has not received it. Return these nodes."""
        it, waiting = self._pipes[pipe], self._kernels[kernel]
        self._engine.current = waiting
        nodes = tuple(sorted(it.channel.remaining))
        for node in nodes:
            it.channel.receive(node)
        it.sender = None
        self._engine.wake(waiting)
        wake_receivers(self._engine, it)
        return nodes

    def change(self, semaphore: int, kernel: int, value: int) -> None:
        """Give a semaphore the value that a kernel waits for."""
        it, waiting = self._engine.semaphores.all[semaphore], self._kernels[kernel]
        node = waiting.node.index
        self._engine.current = waiting
        it.values[node] = value
        it.helped[node] = waiting
        for waiter in it.waiting.pop(node, ()):
            self._engine.wake(waiter)

    def go_on(self) -> net.Outcome:
        """Run until no kernel can continue."""
        scheduler = self._engine.scheduler
        ended = scheduler.resume()
        if scheduler.failure is not None:
            self._failed = scheduler.failure
            failed = self._engine.failed
            self._failed_in = None if failed is None else self._kernel_numbers.get(failed)
            return "cut short" if isinstance(self._failed, Cancelled) else "failed"
        return "ended" if ended else "stuck"

    @property
    def failure(self) -> tuple[int, str] | None:
        """The kernel that failed while it continued, and the code of the error."""
        if self._failed is None or self._failed_in is None:
            return None
        return self._failed_in, self._failed.code if isinstance(self._failed, TTLError) else ""


@contextmanager
def _unseen(engine: Engine) -> Iterator[None]:
    """Suppress computation, writes, counts and prints inside the context, and limit its time."""
    printing, failed = builtins.print, engine.failed

    def print(*values: Any, **options: Any) -> None:
        if CURRENT.get() is not engine:
            printing(*values, **options)

    engine.scheduler.on_finish = engine.pending.on_flush = None
    engine.pending.suspended = True
    engine.limit_steps(_STEPS, Cancelled)
    try:
        with print_replaced(print, printing):
            yield
    finally:
        engine.limit_steps(-1, Cancelled)
        engine.failed = failed


def _site(block: SimBlock | None) -> Site | None:
    return None if block is None else block.site


def _nothing(type_: BlockType) -> Value:
    return Value(type_, None, np.broadcast_to(np.zeros((), np.float32), type_.elements))
