"""A program that stands still on the emulated chip, as the deadlock report sees it (``ttl.deadlock``).

It has to be compiled from an operation: pages and words of semaphores, which the chip counts, are converted to blocks and
messages. Its kernels can continue for an experiment: tensors are copied back only after a run that succeeds, so that their writes
have no visible effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import cast

from ttl.analysis.events.resources import Resources
from ttl.check.network.static import ReadNetwork, only_operation
from ttl.codegen.signals import PipeSignals, on_the_chip
from ttl.deadlock import network as net
from ttl.deadlock.graph import WaitEnders, stuck_kernels
from ttl.deadlock.report import report
from ttl.diag import DeadlockError
from ttl.emu.program import ROLES
from ttl.emu.standing import (
    Processor,
    ResourceMap,
    RingState,
    SemaphoreWord,
    semaphore_number,
)
from ttl.emu.stopped import ExpectedSignaller
from ttl.emu.stuck import ChipDeadlockError
from ttl.frontend.lowered import Lowered
from ttl.rules.blocks import HOLDS_ALL, LEFT_OVER
from ttl.rules.waiting import WaitKind
from ttl.sim.diaries import PAGES, POLL, SEMAPHORE, SPACE

# Calls of the kernel API in an experiment: a unit that does not depend on the speed of the machine.
_CALLS = 2_000_000
_NOTHING = SemaphoreWord(value=0, arrived=0, set=0, own=0)


def explained(deadlock: ChipDeadlockError, lowered: Lowered) -> DeadlockError:
    """Return the common deadlock report for an operation that was read, with the chip's own note.

    Where a kernel waits for an object that the compiler made, return the chip's own report.
    """
    network = StalledChip(lowered, deadlock.standing)
    if not network.is_explained:
        return deadlock
    return DeadlockError(report(network).noting(deadlock.on_the_chip))


def enders(lowered: Callable[[], Lowered], standing: ResourceMap) -> dict[int, ExpectedSignaller]:
    """Return the processors that should have ended waits for events outside of the waiting processor's kernel.

    They are by the number of the waiting processor.
    """
    network = StalledChip(lowered(), standing)
    return {**_of_rings(standing), **network.enders()}


def _of_rings(standing: ResourceMap) -> dict[int, ExpectedSignaller]:
    """Return the processors at the other end of the circular buffers that processors wait for, where that end has been used."""
    result = {}
    for processor in standing.processors:
        ring = standing.rings.get((processor.core, processor.what))
        if processor.done or processor.waits not in (PAGES, SPACE) or ring is None:
            continue
        role = ring.pushing if processor.waits == PAGES else ring.popping
        if role >= 0:
            result[_fiber(processor)] = ExpectedSignaller(fibers=(processor.core * len(ROLES) + role,))
    return result


def _fiber(processor: Processor) -> int:
    return processor.core * len(ROLES) + processor.role


# In pipes with these protocols, receivers signal each time that they have a message, or room for the next one.
_COUNTED = ("staged", "across", "direct")


class StalledChip(ReadNetwork):
    """Kernels, buffers, pipes and semaphores of an operation on all of its nodes, numbered node by node."""

    def __init__(self, lowered: Lowered, standing: ResourceMap) -> None:
        operation = only_operation(lowered.module)
        grid, chip = operation.grid.extents, standing.chip
        resources = Resources(operation, grid)
        names = on_the_chip(operation, chip.chip)
        nodes = [(node,) for node in range(len(names.places))]
        super().__init__(resources, operation.kernels, grid, nodes, chip.chip.l1_available_bytes)
        self._standing = standing
        if not standing.goes_on:
            self.untried = "a dump cannot continue"
        # The kernels of each chip of a mesh follow those of the one before it; their cores tell which of the emulated
        # chips it is.
        kernels_of_chip = len(operation.kernels)
        self._cores = [
            chip.index(
                chip.at(standing.program.kernels[number * kernels_of_chip].cores[0][1] // chip.rows, (x, y))
            )
            for x, y, number in names.places
        ]
        self._rows = {core: row for row, core in enumerate(self._cores)}
        self._signals = names.pipes
        program = standing.program
        kernels = [op.kernel_name for op in operation.kernels]
        self._of_program = [kernels.index(kernel.name) for kernel in program.kernels]
        self._in_program = {kernel: number for number, kernel in enumerate(self._of_program)}
        buffers = {buffer.name: buffer for buffer in program.circular_buffers}
        used = [buffers.get(name) for name in names.buffers]
        self._indices = [None if buffer is None else buffer.index for buffer in used]
        self._pages = [
            1 if buffer is None else op.result.type.block_type.nbytes // buffer.page_bytes
            for op, buffer in zip(resources.buffers, used, strict=True)
        ]
        self._ahead = names.ahead
        self._buffers = names.buffers
        self._counts = [op.result.type.block_count for op in resources.buffers]
        self._ids = {semaphore.name: semaphore.id for semaphore in program.semaphores}
        if names.words:
            begin = buffers[names.words_in].base
            assert begin is not None, "the buffers of a program of the language have places"
            self._ids |= {name: semaphore_number(begin + offset) for name, offset in names.words.items()}
        self._names = {number: name for name, number in self._ids.items()}
        self._own = names.semaphores
        self._sent: Counter[tuple[int, int]] = Counter()
        self._received: Counter[tuple[int, int]] = Counter()
        self._outcome: net.Outcome = "stuck"
        self._look()

    def _look(self) -> None:
        """Read the state of the chip: the kernels that wait, and the object of each wait."""
        self._kernel_processors: dict[int, list[Processor]] = {}
        for processor in self._standing.processors:
            number = self._number(processor)
            self._kernel_processors.setdefault(number, []).append(processor)
        # The processors of a kernel make the same calls in one order: the kernel is where the last of them is.
        self._stands: dict[int, Processor] = {}
        self._waiting: dict[int, net.Waiting] = {}
        for kernel, processors in sorted(self._kernel_processors.items()):
            for processor in sorted(processors, key=lambda processor: processor.steps):
                waiting = None if processor.done else self._wait_of(kernel, processor)
                if waiting is not None:
                    self._stands[kernel], self._waiting[kernel] = processor, waiting
                    break

    @property
    def is_explained(self) -> bool:
        """Whether every kernel that has not ended waits for an object of the program's own."""
        return all(self.ended(kernel) or kernel in self._waiting for kernel in self._kernel_processors)

    def _number(self, processor: Processor) -> int:
        return self._rows[processor.core] * len(self._kernel_ops) + self._of_program[processor.kernel]

    def _core(self, kernel: int) -> int:
        return self._cores[kernel // len(self._kernel_ops)]

    def _wait_of(self, kernel: int, processor: Processor) -> net.Waiting | None:
        row, span = self._rows[processor.core], processor.span
        if processor.waits in (PAGES, SPACE):
            if processor.what not in self._indices:
                return None
            buffer = row * len(self._indices) + self._indices.index(processor.what)
            kind: WaitKind = "data" if processor.waits == PAGES else "space"
            return net.Waiting(kernel, kind, buffer, self.acquisition(kernel, buffer, kind, span))
        if processor.waits == POLL:
            first = self.first_of(kernel, span)
            return first and net.Waiting(kernel, "message", first[1][0], first[0], others=first[1][1:])
        if processor.waits != SEMAPHORE:
            return None
        name = self._names.get(processor.semaphore, "")
        if name in self._own:
            number = self._own.index(name)
            return net.Waiting(kernel, "semaphore", number, span, processor.amount, processor.exact)
        for pipe, signals in enumerate(self._signals):
            if signals is None:
                continue
            ends = self.pipes[pipe]
            if signals.valid == name and row in ends.destinations and self._receives(pipe, signals):
                return net.Waiting(kernel, "message", pipe, self.transfer_end(kernel, span))
            if signals.ready == name and row == ends.source:
                return net.Waiting(kernel, "pipe", pipe, self.transfer_end(kernel, span))
        return None

    def _receives(self, pipe: int, signals: PipeSignals) -> bool:
        """Whether a node waits for a message of this pipe, and not of another one that uses the same semaphore."""
        ready = self._at_source(pipe, signals)
        return signals.protocol != "late" or ready.arrived > ready.set

    # --- the present state -------------------------------------------------------------------------------

    def waiting(self) -> Iterator[net.Waiting]:
        """The kernels that wait, node by node."""
        yield from self._waiting.values()

    def enders(self) -> dict[int, ExpectedSignaller]:
        """Return the processors that should have ended the waits of kernels.

        They are of kernels that have ended only if there are no others.
        """
        result = {}
        anybody = WaitEnders(self, ended=True)
        for stuck in stuck_kernels(self):
            waiting = stuck.waiting
            kernels = stuck.partners or tuple(chain.from_iterable(own for _, own in anybody.of(waiting)))
            fibers = (self._ending(kernel, waiting.kind) for kernel in kernels if kernel != waiting.kernel)
            pipe = self.pipes[waiting.resource] if waiting.kind in ("message", "pipe") else None
            place = self._standing.chip.place
            result[_fiber(self._stands[waiting.kernel])] = ExpectedSignaller(
                fibers=tuple(fibers),
                pipe=None
                if pipe is None
                else (
                    place(self._cores[pipe.source]),
                    tuple(place(self._cores[node]) for node in pipe.destinations),
                ),
                sends=waiting.kind == "pipe",
            )
        return result

    def _ending(self, kernel: int, kind: WaitKind) -> int:
        """The processor of a kernel that would end a wait: of a compute kernel the packer fills blocks, the unpacker frees them."""
        processors = sorted(self._kernel_processors[kernel], key=lambda processor: processor.role)
        return _fiber(processors[-1 if kind == "data" else 0])

    def ended(self, kernel: int) -> bool:
        """Whether a kernel has ended."""
        return all(processor.done for processor in self._kernel_processors[kernel])

    def producer(self, buffer: int) -> int | None:
        """The kernel that has reserved, or waits to reserve, a block."""
        ring = self._ring(buffer)
        return None if ring is None else self._user(buffer, ring.reserving)

    def consumer(self, buffer: int) -> int | None:
        """The kernel that has waited, or waits, for a block."""
        ring = self._ring(buffer)
        return None if ring is None else self._user(buffer, ring.waiting)

    def _ring(self, buffer: int) -> RingState | None:
        row, local = divmod(buffer, len(self._indices))
        index = self._indices[local]
        return None if index is None else self._standing.rings.get((self._cores[row], index))

    def _user(self, buffer: int, role: int) -> int | None:
        core = self._cores[buffer // len(self._indices)]
        processor = self._standing.processor(core, role)
        return None if processor is None else self._number(processor)

    def buffer(self, buffer: int) -> net.BufferState:
        """The state of a buffer, in blocks."""
        local = buffer % len(self._indices)
        ring, pages = self._ring(buffer), self._pages[local]
        if ring is None:
            return net.BufferState(self._counts[local], 0, 0, 0, 0, None, None, None, None, False)
        producer, consumer = self._user(buffer, ring.reserving), self._user(buffer, ring.waiting)
        pushed, popped = ring.pushed // pages, ring.popped // pages
        writing = max(-(-(ring.pushed + ring.reserved) // pages) - pushed - self._ahead[local], 0)
        reading = -(-(ring.popped + ring.waited) // pages) - popped
        if self._is_ahead(producer, ring.reserve_step):
            writing = 0
        if self._is_ahead(consumer, ring.wait_step):
            reading = 0
        filled_at = self._place(producer, buffer, "space", ring.reserve_line)
        at = None if producer is None else self._waiting.get(producer)
        return net.BufferState(
            block_count=ring.pages // pages - self._ahead[local],
            pushed=pushed,
            waited=popped + reading,
            writing=writing,
            reading=reading,
            producer=producer,
            consumer=consumer,
            filled_at=filled_at,
            taken_at=self._place(consumer, buffer, "data", ring.wait_line),
            written=bool(writing) and at is not None and self.is_written(filled_at, at.place),
        )

    def _is_ahead(self, kernel: int | None, step: int) -> bool:
        """Whether a processor did something that comes after the place where its kernel is."""
        at = None if kernel is None else self._stands.get(kernel)
        return at is not None and step > at.steps

    def _place(self, kernel: int | None, buffer: int, kind: WaitKind, line: int) -> net.Place:
        if kernel is None:
            return None
        span = self._standing.span(
            self._in_program[kernel % len(self._kernel_ops)], line
        )  # the kernels of all chips are alike
        return self.acquisition(kernel, buffer, kind, span)

    def pipe(self, pipe: int) -> net.PipeState:
        """The state of a pipe. A message that waits for its receivers counts as sent, as in the language."""
        destinations, sent = self.pipes[pipe].destinations, self._sent_on(pipe)
        got = {node: self._got(pipe, node) for node in destinations}
        last = min(got.values(), default=0)
        return net.PipeState(
            sent=sent,
            received=sum(got.values()),
            remaining=tuple(sorted(node for node in got if got[node] == last)) if sent > last else (),
        )

    def _sent_on(self, pipe: int) -> int:
        """The number of messages of a pipe, with the one that waits to be sent."""
        signals = self._signals[pipe]
        if signals is None:
            return 0
        waits = any(waiting.kind == "pipe" and waiting.resource == pipe for waiting in self._waiting.values())
        if signals.protocol == "early":
            return self._at(self.pipes[pipe].destinations[0], signals.valid).arrived + waits
        if signals.protocol in ("across", "direct"):
            # The source waits for room once more at its end, so that what has arrived is counted.
            return self._at(self.pipes[pipe].destinations[0], signals.valid).arrived + waits
        return self._at_source(pipe, signals).set + waits

    def _got(self, pipe: int, node: int) -> int:
        """The number of messages of a pipe that a node has received."""
        signals = self._signals[pipe]
        if signals is None:
            return 0
        taken = self._at(node, signals.valid).set
        if signals.protocol == "late":
            taken = self._at_source(pipe, signals).arrived - self._waits_for_message(pipe, node)
        if signals.protocol == "direct":
            # Each message has a block of that buffer, which is acquired where the receive starts.
            local = self._buffers.index(signals.landing)
            landing = self.buffer(node * len(self._indices) + local)
            taken = landing.pushed + landing.writing - self._waits_for_message(pipe, node)
        return taken - self._sent[pipe, node] + self._received[pipe, node]

    def _waits_for_message(self, pipe: int, node: int) -> bool:
        return any(
            (waiting.kind, waiting.resource) == ("message", pipe)
            and self.kernels[waiting.kernel].node == node
            for waiting in self._waiting.values()
        )

    def _at(self, node: int, name: str) -> SemaphoreWord:
        return self._standing.semaphores.get((self._cores[node], self._ids.get(name, -1)), _NOTHING)

    def _at_source(self, pipe: int, signals: PipeSignals) -> SemaphoreWord:
        """The semaphore with which receivers of a pipe signal that there is room, or that they have its message."""
        return self._at(self.pipes[pipe].source, signals.ready)

    def undelivered(self, pipe: int, node: int) -> int:
        """The number of messages that were sent and that a destination has not received."""
        return self._sent_on(pipe) - self._got(pipe, node)

    def semaphore(self, semaphore: int, node: int) -> tuple[int, int]:
        """Value of a semaphore on a node, and how often others have changed it."""
        network_semaphore, name = self.semaphores[semaphore], self._own[semaphore]
        state = self._standing.semaphores.get((self._cores[node], self._ids.get(name, -1)))
        return (
            (network_semaphore.initial, 0)
            if state is None
            else (state.value, state.arrived + state.set - state.own)
        )

    def history(self, kernel: int) -> Sequence[str]:
        """Return no events, as none are recorded."""
        return ()

    # --- the experiment ----------------------------------------------------------------------------------

    @contextmanager
    def experiment(self) -> Iterator[StalledChip | None]:
        """Return the chip itself, whose writes are not copied back; None for a chip that is known from a dump."""
        yield self if self._standing.goes_on else None

    def add_block(self, buffer: int) -> None:
        """Give a buffer one block more."""
        self._alter("room", buffer)

    def put(self, buffer: int, kernel: int) -> None:
        """Push a block that no kernel pushed; it takes a free one where there is one."""
        self._alter("pages", buffer)

    def _alter(self, what: str, buffer: int) -> None:
        row, local = divmod(buffer, len(self._indices))
        index = self._indices[local]
        assert index is not None, "somebody waits for it"
        self._standing.alter(what, self._cores[row], index, self._pages[local])

    def send(self, pipe: int, kernel: int) -> None:
        """Send a message that no kernel sent to the node of a kernel."""
        node, signals = self.kernels[kernel].node, self._of_pipe(pipe)
        arrived = self._valid(node, signals) + 1 if signals.protocol == "direct" else 1
        self._set(self._cores[node], signals.valid, arrived)
        self._sent[pipe, node] += 1
        if signals.protocol in _COUNTED:
            # The receiver will signal that it has a message, which the source has not sent.
            self._count(pipe, -1)

    def receive(self, pipe: int, kernel: int) -> tuple[int, ...]:
        """Receive the message under way on each node that has not received it."""
        nodes, signals = self.pipe(pipe).remaining, self._of_pipe(pipe)
        for node in nodes:
            self._received[pipe, node] += 1
            if signals.protocol in _COUNTED:
                arrived = self._valid(node, signals) - 1 if signals.protocol == "direct" else 0
                self._set(self._cores[node], signals.valid, arrived)
                self._count(pipe, 1)
        if signals.protocol not in _COUNTED:
            self._set(self._core(kernel), signals.ready, self._stands[kernel].amount)
        return nodes

    def _valid(self, node: int, signals: PipeSignals) -> int:
        return self._standing.value(self._cores[node], self._ids[signals.valid])

    def _of_pipe(self, pipe: int) -> PipeSignals:
        return cast("PipeSignals", self._signals[pipe])

    def _count(self, pipe: int, by: int) -> None:
        """Change the count of receivers that have the last message."""
        core, name = self._cores[self.pipes[pipe].source], self._of_pipe(pipe).ready
        self._set(core, name, self._standing.value(core, self._ids[name]) + by & 0xFFFFFFFF)

    def _set(self, core: int, name: str, value: int, role: int = -1) -> None:
        self._standing.alter("value", core, self._ids[name], value, role)

    def change(self, semaphore: int, kernel: int, value: int) -> None:
        """Give a semaphore the value that a kernel waits for."""
        processor = self._stands[kernel]
        self._standing.alter("value", processor.core, processor.semaphore, value, processor.role)

    def go_on(self) -> net.Outcome:
        """Run until no processor can continue."""
        self._outcome = self._standing.resume(_CALLS)
        self._look()
        return "failed" if self.failure is not None else self._outcome

    @property
    def failure(self) -> tuple[int, str] | None:
        """The kernel that ended with blocks, or holds all blocks of a buffer, and the code of that error.

        ``(0, "")`` after another failure, and None without a failure.
        """
        for buffer in range(len(self.buffers)):
            state = self.buffer(buffer)
            sides = (state.producer, state.writing, "space"), (state.consumer, state.reading, "data")
            for side, (user, held, kind) in enumerate(sides):
                if user is None or not held:
                    continue
                if self.ended(user):
                    return user, LEFT_OVER[side]
                at = self._waiting.get(user)
                if at is not None and (at.kind, at.resource) == (kind, buffer) and held >= state.block_count:
                    return user, HOLDS_ALL[side]
        return (0, "") if self._outcome == "failed" else None
