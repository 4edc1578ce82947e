"""Runs the kernels of some nodes against each other, with counters only.

With semaphores the order is that of the simulator: kernels that were woken first, those of the waking kernel's node
before others, then kernels that have not started, node by node. Without them the order changes nothing, and kernels
continue in rounds, in a fixed order: the same states come again soon. The counters are the blocks of each buffer, the
messages in each pipe, and the values of semaphores. A machine that has stopped can be changed and continue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Protocol

from ttl.analysis.events.sequences import EventKind, Jump, KernelCode
from ttl.analysis.pipe_ends import Ends
from ttl.rules.blocks import HOLDS_ALL, LEFT_OVER, SECOND_USER
from ttl.session import go_on

NOBODY = -1
LIMIT = 60_000
"""The most instructions that are executed; with more, an operation is not judged."""
# The number of iterations after which the machine checks whether its result is still wanted.
_TURNS_BETWEEN = 32
# Kinds of instructions as plain integers: comparing these takes half the time. The first four are about blocks of a buffer.
_RESERVE, _PUT, _TAKE = map(int, (EventKind.RESERVE, EventKind.PUT, EventKind.TAKE))
_PUSH, _POP, _ANY = map(int, (EventKind.PUSH, EventKind.POP, EventKind.ANY))
_BACK, _ON, _END = map(int, (Jump.BACK, Jump.ON, Jump.END))
# The two uses of a buffer that are restricted to one kernel.
_FILLS, _EMPTIES = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A kernel on a node. ``row`` is the index of the node among the played ones."""

    kernel: int
    node: int
    row: int
    code: KernelCode


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error of another kind in a kernel: it ended with blocks, or needs more blocks than exist.

    ``code`` is the code of the error; ``buffer`` counts over all played nodes.
    """

    process: int
    code: str
    buffer: int


class Skipper(Protocol):
    """Skips repeating iterations of a machine; called when the pacemaker, one of its kernels, begins an iteration."""

    pacemaker: int

    def choose(self) -> None:
        """Choose another pacemaker, because this one has ended."""

    def back_edge(self, depth: int) -> int:
        """Note that the pacemaker begins another iteration, within ``depth`` loops; return how many steps that cost."""


class NoAcceleration:
    """Skips nothing: the machine plays every iteration."""

    pacemaker = NOBODY

    def __init__(self, machine: Machine) -> None:
        del machine

    def choose(self) -> None:
        """Do nothing: there is no pacemaker."""

    def back_edge(self, depth: int) -> int:
        """Return 0: no machine calls this."""
        return 0


@dataclass(frozen=True, slots=True)
class ReceiveDecision:
    """The decision that receive number ``way``, of those that ``event`` waits for, completes first."""

    process: int
    event: int
    way: int


class Machine:
    """The state of the game. Buffers are numbered node by node: ``row * buffers of a node + buffer``."""

    def __init__(
        self,
        processes: Sequence[Process],
        block_counts: Sequence[int],
        rows: int,
        pipes: Sequence[Ends],
        semaphores: Sequence[int],
        nodes: int,
        skipper: Callable[[Machine], Skipper],
    ) -> None:
        self.processes = processes
        self.per_row = len(block_counts)
        self.nodes = nodes
        self.counts = list(block_counts) * rows
        self.space = list(self.counts)
        self.full = [0] * len(self.counts)
        self.reading = [0] * len(self.counts)
        self.pushed = [0] * len(self.counts)
        self.waited = [0] * len(self.counts)
        self.made_up = [0] * len(self.counts)
        """Blocks pushed by an experiment; ``extra`` has those for which there was no room."""
        self.extra = [0] * len(self.counts)
        self.want_space = [NOBODY] * len(self.counts)
        self.want_data = [NOBODY] * len(self.counts)

        self.sent = [0] * len(pipes)
        self.left = [0] * len(pipes)
        self.missing = [0] * len(pipes)
        self.sender = [NOBODY] * len(pipes)
        self.receivers: list[list[int]] = [[] for _ in pipes]
        self.ends: list[tuple[int, ...]] = []
        self.end_of: dict[tuple[int, int], int] = {}
        for pipe, (_, destinations) in enumerate(pipes):
            self.ends.append(tuple(range(len(self.end_of), len(self.end_of) + len(destinations))))
            for node in destinations:
                self.end_of[pipe, node] = len(self.end_of)
        self.started = [0] * len(self.end_of)
        self.got = [0] * len(self.end_of)

        self.values = [initial for initial in semaphores for _ in range(nodes)]
        self.changes = [0] * len(self.values)
        self.waiting: dict[int, list[int]] = {}
        self.helped: dict[int, int] = {}
        """Semaphores set by an experiment, and the process that it was for: that process's changes do not count."""

        self.asks = False
        """Whether ``decide`` determines which of several receives completes first; else it is the first one there."""
        self.undecided: dict[int, int] = {}
        """Kernels that wait for a decision, and the instructions at which they wait."""
        self.decided: tuple[ReceiveDecision, ...] = ()

        self.at = [0] * len(processes)
        self.offsets: list[int] = []
        self.iterations: list[int] = []
        for process in processes:
            self.offsets.append(len(self.iterations))
            self.iterations.extend([0] * process.code.depth)
        self.done = [False] * len(processes)
        self.ready: deque[int] = deque()
        self.following: list[int] = []
        self.unstarted = 0
        self.steps = 0
        self.limit = LIMIT
        self.failure: Failure | None = None
        self.exhausted = False
        self.owners: dict[tuple[int, int], int] = {}
        """For buffers that several kernels fill (0) or empty (1): the first kernel, by this number and the buffer."""
        self.contested = self._contested()
        self._skipper = skipper
        self.accelerator = skipper(self)

    def _contested(self) -> frozenset[tuple[int, int]]:
        seen: set[tuple[int, int]] = set()
        twice: set[tuple[int, int]] = set()
        for process in self.processes:
            for way, buffers in enumerate((process.code.produces, process.code.consumes)):
                for buffer in buffers:
                    key = (way, process.row * self.per_row + buffer)
                    twice.update((key,) if key in seen else ())
                    seen.add(key)
        return frozenset(twice)

    def clone(self) -> Machine:
        """Return a machine in the same state, for an experiment."""
        other = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list | dict | deque):
                setattr(other, name, value.copy())
        other.receivers = [list(receiver) for receiver in self.receivers]
        other.waiting = {semaphore: list(numbers) for semaphore, numbers in self.waiting.items()}
        other.accelerator = self._skipper(other)
        return other

    @property
    def ended(self) -> bool:
        """Whether all kernels have ended."""
        return all(self.done)

    def writing(self, buffer: int) -> int:
        """Return the number of blocks that are reserved and not pushed."""
        there = self.space[buffer] + self.full[buffer] + self.reading[buffer]
        return self.counts[buffer] + self.extra[buffer] - there

    def run(self) -> None:
        """Play until no kernel can continue, a kernel fails, or the limit is reached."""
        ready, count = self.ready, len(self.processes)
        iterations = 0
        while self.failure is None and not self.exhausted:
            iterations += 1
            if not iterations % _TURNS_BETWEEN:
                go_on()
            if ready:
                self._advance(ready.popleft())
            elif self.following:
                ready.extend(sorted(self.following))
                self.following.clear()
            elif self.unstarted < count:
                self.unstarted += 1
                self._advance(self.unstarted - 1)
            else:
                return

    def wake(self, process: int, row: int) -> None:
        """Schedule a kernel that can continue; ``row`` is that of the kernel that woke it."""
        if not self.values:
            self.following.append(process)
        elif self.processes[process].row == row:
            self.ready.appendleft(process)
        else:
            self.ready.append(process)

    def _fail(self, process: int, code: str, buffer: int) -> None:
        self.failure = Failure(process=process, code=code, buffer=buffer)

    def _advance(self, me: int) -> None:
        """Let a kernel continue until it is blocked or ends."""
        process = self.processes[me]
        instructions = process.code.instructions
        row, base, offset = process.row, process.row * self.per_row, self.offsets[me]
        space, full, reading = self.space, self.full, self.reading
        at, first = self.at[me], self.at[me]
        steps = self.steps
        pace = self.accelerator.pacemaker == me
        while True:
            kind, resource, value, nodes, _ = instructions[at]
            steps += 1
            if kind <= _TAKE:
                buffer = base + resource
                way = _FILLS if kind in (_RESERVE, _PUT) else _EMPTIES
                if self.contested and not self._may(me, way, buffer):
                    break
                if way == _FILLS:
                    if not space[buffer]:
                        if self.writing(buffer) >= self.counts[buffer]:
                            self._fail(me, HOLDS_ALL[_FILLS], buffer)
                        self.want_space[buffer] = me
                        break
                    space[buffer] -= 1
                    if kind == _PUT:
                        full[buffer] += 1
                        self.pushed[buffer] += 1
                        waiting = self.want_data[buffer]
                        if waiting >= 0:
                            self.want_data[buffer] = NOBODY
                            self.wake(waiting, row)
                else:
                    if not full[buffer]:
                        if reading[buffer] >= self.counts[buffer]:
                            self._fail(me, HOLDS_ALL[_EMPTIES], buffer)
                        self.want_data[buffer] = me
                        break
                    full[buffer] -= 1
                    self.waited[buffer] += 1
                    if kind == _TAKE:
                        space[buffer] += 1
                        waiting = self.want_space[buffer]
                        if waiting >= 0:
                            self.want_space[buffer] = NOBODY
                            self.wake(waiting, row)
                    else:
                        reading[buffer] += 1
                at += 1
                continue
            if kind == _PUSH:
                buffer = base + resource
                full[buffer] += 1
                self.pushed[buffer] += 1
                waiting = self.want_data[buffer]
                if waiting >= 0:
                    self.want_data[buffer] = NOBODY
                    self.wake(waiting, row)
            elif kind == _POP:
                buffer = base + resource
                reading[buffer] -= 1
                space[buffer] += 1
                waiting = self.want_space[buffer]
                if waiting >= 0:
                    self.want_space[buffer] = NOBODY
                    self.wake(waiting, row)
            elif kind == _BACK:
                iteration = self.iterations[offset + resource] + 1
                if iteration < nodes[0]:
                    self.iterations[offset + resource] = iteration
                    at = value
                    if steps > self.limit:
                        self.exhausted = True
                        break
                    if pace and iteration > 3 and iteration.bit_length() & 1 and nodes[0] - iteration > 3:
                        self.at[me] = at
                        steps += self.accelerator.back_edge(len(process.code.loops[at]))
                    continue
                self.iterations[offset + resource] = 0
            elif kind == _END:
                self._end(me)
                break
            elif kind == _ANY:
                ways = [] if self.asks else self.ways(me, at)
                if not ways:
                    self.undecided[me] = at
                    for pipe in nodes[::3] if not self.asks else ():
                        self.receivers[pipe].append(me)
                    break
                at = nodes[3 * ways[0] + 2]
                continue
            elif kind == _ON:
                at = value
                continue
            elif not self._other(me, process, kind, resource, value, nodes):
                break
            at += 1
        self.at[me] = at
        self.steps = steps
        if steps > self.limit and at != first:
            self.exhausted = True

    def _may(self, me: int, way: int, buffer: int) -> bool:
        """Whether a kernel may fill, or empty, a buffer: no other kernel has done so. If not, the machine fails.

        ``way`` is ``_FILLS`` or ``_EMPTIES``.
        """
        if (way, buffer) not in self.contested or self.owners.setdefault((way, buffer), me) == me:
            return True
        self._fail(me, SECOND_USER[way], buffer)
        return False

    def _end(self, me: int) -> None:
        process = self.processes[me]
        base = process.row * self.per_row
        for buffer in process.code.produces:
            if self.writing(base + buffer):
                self._fail(me, LEFT_OVER[_FILLS], base + buffer)
        for buffer in process.code.consumes:
            if self.reading[base + buffer]:
                self._fail(me, LEFT_OVER[_EMPTIES], base + buffer)
        self.done[me] = True
        if self.accelerator.pacemaker == me:
            self.accelerator.choose()

    # --- pipes and semaphores ---------------------------------------------------------------------------

    def _other(
        self, me: int, process: Process, kind: int, resource: int, value: int, nodes: tuple[int, ...]
    ) -> bool:
        """Execute an event on a pipe or a semaphore. Returns False if the kernel has to wait."""
        row = process.row
        match kind:
            case EventKind.SEND:
                self.sent[resource] += 1
                if not self.missing[resource]:
                    self.next_message(resource)
                    self._hand_out(resource, row)
            case EventKind.SENT:
                if self.left[resource] < self.sent[resource] - value + 1:
                    self.sender[resource] = me
                    return False
            case EventKind.RECEIVE:
                end = self.end_of[resource, process.node]
                self.started[end] += 1
                if self.started[end] == self.got[end] + 1 and self._is_available(resource, end):
                    self.deliver(resource, end, row)
            case EventKind.RECEIVED:
                end = self.end_of[resource, process.node]
                if self.got[end] < self.started[end] - value + 1:
                    self.receivers[resource].append(me)
                    return False
            case EventKind.SET | EventKind.INCREMENT:
                for node in nodes:
                    self._change(me, resource * self.nodes + node, kind, value, row)
            case _:
                here = resource * self.nodes + process.node
                now = self.values[here]
                if now != value if kind == EventKind.UNTIL_EQUAL else now < value:
                    self.waiting.setdefault(here, []).append(me)
                    return False
        return True

    def ways(self, process: int, at: int) -> list[int]:
        """Return the numbers of the complete receives among those that a kernel waits for at an instruction."""
        it = self.processes[process]
        nodes = it.code.instructions[at][3]
        ways = []
        for way, (pipe, ago) in enumerate(zip(nodes[::3], nodes[1::3], strict=True)):
            end = self.end_of[pipe, it.node]
            if self.got[end] >= self.started[end] - ago + 1:
                ways.append(way)
        return ways

    def decide(self, process: int, way: int) -> None:
        """Let a kernel continue as if a receive were complete first."""
        it = self.processes[process]
        instruction = it.code.instructions[self.undecided.pop(process)]
        self.decided += (ReceiveDecision(process, instruction[4], way),)
        self.at[process] = instruction[3][3 * way + 2]
        self.wake(process, it.row)

    def stop_asking(self) -> None:
        """Let kernels continue with the first receive that is complete."""
        self.asks = False
        for process, at in self.undecided.items():
            for pipe in self.processes[process].code.instructions[at][3][::3]:
                self.receivers[pipe].append(process)

    def state(self) -> object:
        """Return a key that is equal for machines that continue alike, when no kernel can continue undecided."""
        return (
            tuple(self.at), tuple(self.iterations), tuple(self.space), tuple(self.full), tuple(self.reading),
            tuple(self.sent), tuple(self.left), tuple(self.missing), tuple(self.started), tuple(self.got), tuple(self.values),
        )  # fmt: skip

    def _change(self, me: int, semaphore: int, kind: int, value: int, row: int) -> None:
        now = value if kind == EventKind.SET else (self.values[semaphore] + value) % (1 << 32)
        self.values[semaphore] = now
        if self.helped.get(semaphore) != me:
            self.changes[semaphore] += 1
        for process in self.waiting.pop(semaphore, ()):
            self.wake(process, row)

    def _is_available(self, pipe: int, end: int) -> bool:
        return self.missing[pipe] > 0 and self.got[end] < self.left[pipe]

    def next_message(self, pipe: int) -> None:
        """Start the next message of a pipe, if there is one."""
        if self.left[pipe] < self.sent[pipe]:
            self.left[pipe] += 1
            self.missing[pipe] = len(self.ends[pipe])

    def deliver(self, pipe: int, end: int, row: int) -> None:
        """Deliver a message to one destination; after the last one, the next message starts."""
        self.got[end] += 1
        self.missing[pipe] -= 1
        if not self.missing[pipe]:
            self.next_message(pipe)
            if self.missing[pipe]:
                self._hand_out(pipe, row)

    def _hand_out(self, pipe: int, row: int) -> None:
        """Hand a sent message to the receives that were started for it, and wake kernels that wait for it."""
        while self.missing[pipe]:
            message = self.left[pipe]
            if self.sender[pipe] >= 0:
                sender, self.sender[pipe] = self.sender[pipe], NOBODY
                self.wake(sender, row)
            self.wake_receivers(pipe, row)
            for end in self.ends[pipe]:
                if self.started[end] > self.got[end] and self.got[end] < message:
                    self.got[end] += 1
                    self.missing[pipe] -= 1
            if self.missing[pipe]:
                return
            self.next_message(pipe)

    def wake_receivers(self, pipe: int, row: int) -> None:
        """Wake the kernels that wait for a message of a pipe."""
        waiting, self.receivers[pipe] = self.receivers[pipe], []
        for process in waiting:
            if self.undecided.pop(process, None) is not None:
                self.receivers = [[other for other in of if other != process] for of in self.receivers]
            self.wake(process, row)
