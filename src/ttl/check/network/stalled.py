"""A round that has stopped with waiting kernels, in the form of the deadlock report (``ttl.deadlock``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.ir import Operation

from ttl.analysis.events.sequences import EventKind, Jump
from ttl.check.network.game import Game, PlayedRound
from ttl.check.network.machine import LIMIT, NOBODY
from ttl.check.network.static import ReadNetwork
from ttl.deadlock import network as net
from ttl.protocol.grid import coordinate
from ttl.rules.waiting import WaitKind

# The history of a kernel: the most steps that are shown, the most that are replayed, and the longest repetition that is
# merged.
_STEPS = 5
_REPLAYED = 4096
_PATTERN = 4
_VERB = {
    EventKind.RESERVE: "reserve",
    EventKind.WAIT: "wait for",
    EventKind.PUT: "fill",
    EventKind.TAKE: "take",
    EventKind.PUSH: "push",
    EventKind.POP: "pop",
    EventKind.SEND: "send",
    EventKind.RECEIVE: "receive",
}
_WAITS: dict[int, WaitKind] = {
    EventKind.RESERVE: "space",
    EventKind.PUT: "space",
    EventKind.WAIT: "data",
    EventKind.TAKE: "data",
    EventKind.SENT: "pipe",
    EventKind.RECEIVED: "message",
    EventKind.ANY: "message",
    EventKind.UNTIL_EQUAL: "semaphore",
    EventKind.UNTIL_AT_LEAST: "semaphore",
}


class StalledRound(ReadNetwork):
    """A stuck round, as a ``ttl.deadlock.network.Network``.

    Kernels and buffers have the numbers of the machine. Without pipes and semaphores a node stands for its class.
    """

    def __init__(self, game: Game, round_: PlayedRound, l1_bytes: int) -> None:
        self._game, self._round, self._machine = game, round_, round_.machine
        nodes = [
            (round_.rows[row],) if game.meets else members.nodes for row, members in enumerate(round_.classes)
        ]
        super().__init__(game.resources, game.kernels, game.grid, nodes, l1_bytes)
        shown = {node for members in nodes for node in members}
        rest = [node for node in range(game.slots.nodes) if node not in shown]
        self.nodes += [tuple(coordinate(node, game.grid, len(game.grid)) for node in rest)] if rest else []

    # --- the present state -------------------------------------------------------------------------------

    def waiting(self) -> Iterator[net.Waiting]:
        """Yield the kernels that wait, node by node."""
        machine = self._machine
        for number, process in enumerate(machine.processes):
            if machine.done[number]:
                continue
            kind, resource, _, nodes, event = process.code.instructions[machine.at[number]]
            wait = _WAITS[kind]
            if kind == EventKind.ANY:
                resource, *others = nodes[::3]
                yield net.Waiting(number, wait, resource, self._game.event(event).op, others=tuple(others))
                continue
            if wait in ("data", "space"):
                resource += process.row * machine.per_row
            it = self._game.event(event)
            value = it.value if wait == "semaphore" else 0
            yield net.Waiting(number, wait, resource, it.op, value, kind == EventKind.UNTIL_EQUAL)

    def ended(self, kernel: int) -> bool:
        """Whether a kernel has ended."""
        return self._machine.done[kernel]

    def producer(self, buffer: int) -> int | None:
        """Return the kernel that has reserved, or waits to reserve, a block; None if no kernel has."""
        machine = self._machine
        if machine.want_space[buffer] != NOBODY:
            return machine.want_space[buffer]
        if not machine.pushed[buffer] - machine.made_up[buffer] and not machine.writing(buffer):
            return None
        return self._owner(0, buffer)

    def consumer(self, buffer: int) -> int | None:
        """Return the kernel that has waited, or waits, for a block; None if no kernel has."""
        machine = self._machine
        if machine.want_data[buffer] != NOBODY:
            return machine.want_data[buffer]
        return self._owner(1, buffer) if machine.waited[buffer] else None

    def _owner(self, way: int, buffer: int) -> int | None:
        machine = self._machine
        if (way, buffer) in machine.owners:
            return machine.owners[way, buffer]
        row, local = divmod(buffer, machine.per_row)
        for process in range(row * len(self._game.kernels), (row + 1) * len(self._game.kernels)):
            code = machine.processes[process].code
            if local in (code.consumes if way else code.produces):
                return process
        return None

    def buffer(self, buffer: int) -> net.BufferState:
        """The state of a buffer."""
        machine, writing = self._machine, self._machine.writing(buffer)
        producer, consumer = self.producer(buffer), self.consumer(buffer)
        filled_at = (
            None if producer is None else self._acquired(producer, buffer, (EventKind.RESERVE, EventKind.PUT))
        )
        return net.BufferState(
            block_count=machine.counts[buffer],
            pushed=machine.pushed[buffer],
            waited=machine.waited[buffer],
            writing=writing,
            reading=machine.reading[buffer],
            producer=producer,
            consumer=consumer,
            filled_at=filled_at,
            taken_at=None
            if consumer is None
            else self._acquired(consumer, buffer, (EventKind.WAIT, EventKind.TAKE)),
            written=bool(writing) and producer is not None and self._is_written(filled_at, producer),
        )

    def _acquired(self, process: int, buffer: int, kinds: tuple[EventKind, EventKind]) -> Operation | None:
        """Return the operation by which a kernel last acquired a block of a buffer."""
        machine = self._machine
        instructions = machine.processes[process].code.instructions
        local, at = buffer % machine.per_row, machine.at[process]
        # Before its current place; else, in a loop, after it.
        for index in (*range(at - 1, -1, -1), *range(len(instructions) - 1, at - 1, -1)):
            kind, resource, _, _, number = instructions[index]
            if kind in kinds and resource == local:
                return self._game.event(number).op
        return None

    def _is_written(self, acquire: Operation | None, holder: int) -> bool:
        machine = self._machine
        number = machine.processes[holder].code.instructions[machine.at[holder]][4]
        return number >= 0 and self.is_written(acquire, self._game.event(number).op)

    def pipe(self, pipe: int) -> net.PipeState:
        """The state of a pipe."""
        machine = self._machine
        ends = zip(machine.ends[pipe], self._ends(pipe), strict=True)
        return net.PipeState(
            sent=machine.sent[pipe],
            received=sum(machine.got[end] for end in machine.ends[pipe]),
            remaining=tuple(node for end, node in ends if machine.got[end] < machine.left[pipe]),
        )

    def _ends(self, pipe: int) -> tuple[int, ...]:
        of, index = self._game.resources.pipes[pipe]
        return of.ends[index][1]

    def undelivered(self, pipe: int, node: int) -> int:
        """Return the number of sent messages that a destination has not received."""
        machine = self._machine
        end = machine.end_of[pipe, node]
        return machine.sent[pipe] - machine.left[pipe] + (machine.got[end] < machine.left[pipe])

    def semaphore(self, semaphore: int, node: int) -> tuple[int, int]:
        """Return the value of a semaphore on a node, and the number of its changes.

        Changes by a process for which an experiment set the semaphore do not count.
        """
        here = semaphore * self._machine.nodes + node
        return self._machine.values[here], self._machine.changes[here]

    # --- the experiment ----------------------------------------------------------------------------------

    @contextmanager
    def experiment(self) -> Iterator[StalledRound]:
        """Yield a copy of the machine, which can be changed without effect on the original."""
        machine = self._machine.clone()
        machine.limit = machine.steps + LIMIT
        if machine.asks:
            machine.stop_asking()
        round_ = PlayedRound(machine=machine, rows=self._round.rows, classes=self._round.classes)
        yield StalledRound(self._game, round_, self.l1_bytes)

    def add_block(self, buffer: int) -> None:
        """Give a buffer one block more."""
        machine = self._machine
        machine.counts[buffer] += 1
        machine.space[buffer] += 1
        waiting = machine.want_space[buffer]
        if waiting != NOBODY:
            machine.want_space[buffer] = NOBODY
            machine.wake(waiting, machine.processes[waiting].row)

    def put(self, buffer: int, kernel: int) -> None:
        """Push a block that no kernel pushed; it takes a free block if there is one."""
        machine = self._machine
        if machine.space[buffer]:
            machine.space[buffer] -= 1
        else:
            machine.extra[buffer] += 1
        machine.full[buffer] += 1
        machine.made_up[buffer] += 1
        machine.pushed[buffer] += 1
        machine.want_data[buffer] = NOBODY
        machine.wake(kernel, machine.processes[kernel].row)

    def send(self, pipe: int, kernel: int) -> None:
        """End a receive without a message, as if it had never started."""
        machine, process = self._machine, self._machine.processes[kernel]
        machine.started[machine.end_of[pipe, process.node]] -= 1
        machine.wake_receivers(pipe, process.row)

    def receive(self, pipe: int, kernel: int) -> tuple[int, ...]:
        """Receive the current message at all destinations that have not received it; return their nodes."""
        machine, row = self._machine, self._machine.processes[kernel].row
        nodes = self.pipe(pipe).remaining
        for node in nodes:
            end = machine.end_of[pipe, node]
            machine.started[end] += 1
            machine.got[end] += 1
            machine.missing[pipe] -= 1
        machine.next_message(pipe)
        if machine.sender[pipe] != NOBODY:
            sender, machine.sender[pipe] = machine.sender[pipe], NOBODY
            machine.wake(sender, row)
        machine.wake_receivers(pipe, row)
        return nodes

    def change(self, semaphore: int, kernel: int, value: int) -> None:
        """Give a semaphore the value that a kernel waits for."""
        machine = self._machine
        here = semaphore * machine.nodes + machine.processes[kernel].node
        machine.values[here] = value
        machine.helped[here] = kernel
        for waiting in machine.waiting.pop(here, ()):
            machine.wake(waiting, machine.processes[waiting].row)

    def go_on(self) -> net.Outcome:
        """Play until no kernel can continue."""
        machine = self._machine
        machine.run()
        if machine.failure is not None:
            return "failed"
        if machine.exhausted:
            return "cut short"
        return "ended" if machine.ended else "stuck"

    @property
    def failure(self) -> tuple[int, str] | None:
        """The kernel that failed with an error of another kind, and the code of the error."""
        failure = self._machine.failure
        return None if failure is None else (failure.process, failure.code)

    # --- history -----------------------------------------------------------------------------------------

    def history(self, kernel: int) -> list[str]:
        """Return the last steps of a kernel, such as ``fill a_dfb x2``.

        Empty if there are too many steps to replay, or a ``ttl.wait_any`` among them.
        """
        machine = self._machine
        code, offset = machine.processes[kernel].code, machine.offsets[kernel]
        wanted = machine.iterations[offset : offset + code.depth]
        iterations, at = [0] * code.depth, 0
        steps: list[str] = []
        for _ in range(_REPLAYED):
            if at == machine.at[kernel] and iterations == wanted:
                shown = _shortened(steps)
                return shown if len(shown) <= _STEPS else ["...", *shown[-_STEPS:]]
            kind, resource, value, nodes, _ = code.instructions[at]
            at += 1
            if kind in (EventKind.ANY, Jump.ON):
                return []
            if kind == Jump.BACK:
                iterations[resource] += 1
                if iterations[resource] < nodes[0]:
                    at = value
                else:
                    iterations[resource] = 0
            elif kind in _VERB:
                name = (
                    "" if kind in (EventKind.SEND, EventKind.RECEIVE) else f" {self.buffers[resource].name}"
                )
                steps.append(f"{_VERB[EventKind(kind)]}{name}")
        return []


def _shortened(steps: list[str]) -> list[str]:
    """``a, a, b, c, b, c`` as ``a x2, (b, c) x2``."""
    shown: list[str] = []
    at = 0
    while at < len(steps):
        for size in range(1, _PATTERN + 1):
            pattern = steps[at : at + size]
            times = 1
            while steps[at + times * size : at + (times + 1) * size] == pattern:
                times += 1
            if times > 1:
                text = ", ".join(pattern)
                shown.append(f"({text}) x{times}" if size > 1 else f"{text} x{times}")
                at += times * size
                break
        else:
            shown.append(steps[at])
            at += 1
    return shown
