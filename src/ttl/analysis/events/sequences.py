"""The events of a kernel that other kernels can notice: acquisitions, releases, messages, changes of semaphores.

The data that a kernel receives do not decide its next events, so on each node these are a fixed sequence, except that
one of several receives completes first. A sequence is a tuple of events, by number, of ``Repeat`` (equal iterations
of a loop) and of ``Choice``. For the machine it becomes instructions with jumps (``assemble``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from xdsl.ir import Operation

from ttl.protocol.sequences import Choice, Repeat, Sequence


class EventKind(IntEnum):
    """An event. The first eight can block."""

    RESERVE = 0
    WAIT = 1
    PUT = 2
    """Reserve and push at once, without an event in between."""
    TAKE = 3
    """Wait and pop at once."""
    SENT = 4
    """Wait until a message has left its block."""
    RECEIVED = 5
    UNTIL_EQUAL = 6
    UNTIL_AT_LEAST = 7
    PUSH = 8
    POP = 9
    SEND = 10
    RECEIVE = 11
    SET = 12
    INCREMENT = 13
    ANY = 16
    """Wait for the first of several messages; for each, kernels continue at another place."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event. ``resource`` is a buffer of the node, a pipe, or a semaphore of the operation.

    ``value`` is the number that a semaphore is compared with, set to or increased by; for SENT and RECEIVED it says
    which of the latest messages on the pipe is waited for (1 is the last). ``nodes`` own the semaphore that is
    changed; for ANY they are each pipe, and which of the latest receives on it is waited for.
    """

    kind: EventKind
    resource: int
    op: Operation = field(compare=False)
    value: int = 0
    nodes: tuple[int, ...] = ()


class EventTable:
    """Numbers the events of an operation."""

    __slots__ = ("_numbers", "events")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._numbers: dict[tuple[int, int, int, int, tuple[int, ...]], int] = {}

    def number(
        self, kind: EventKind, resource: int, op: Operation, value: int = 0, nodes: tuple[int, ...] = ()
    ) -> int:
        """Return the number of an event: equal for equal events at the same place."""
        key = (kind, resource, id(op), value, nodes)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.events)
            self.events.append(Event(kind, resource, op, value, nodes))
        return number


def totals(sequence: Sequence, times: int = 1, into: dict[int, int] | None = None) -> dict[int, int]:
    """Return how often each event, by number, happens in a sequence; of several ways, the largest count."""
    counts: dict[int, int] = {} if into is None else into
    for item in sequence:
        if isinstance(item, int):
            counts[item] = counts.get(item, 0) + times
        elif isinstance(item, Repeat):
            totals(item.body, times * item.count, counts)
        else:
            counts[item.event] = counts.get(item.event, 0) + times
            most: dict[int, int] = {}
            for way in item.ways:
                for number, count in totals(way, times).items():
                    most[number] = max(most.get(number, 0), count)
            for number, count in most.items():
                counts[number] = counts.get(number, 0) + count
    return counts


# --- instructions ----------------------------------------------------------------------------------------------


Instruction = tuple[int, int, int, tuple[int, ...], int]
"""Kind of event, resource, value, nodes, number of the event; a ``Jump`` has depth, target and count there.

ANY has for each message its pipe, how many ago it began, and where the kernel continues.
"""


class Jump(IntEnum):
    """The codes of instructions that are not events."""

    BACK = 14
    """The end of a loop's body: depth, first instruction of the body, number of iterations."""
    END = 15
    ON = 17
    """Jump to the target."""


@dataclass(frozen=True, slots=True)
class KernelCode:
    """Instructions of a kernel, and for each of them how often the loops around it run, outermost first."""

    instructions: tuple[Instruction, ...]
    loops: tuple[tuple[int, ...], ...]
    depth: int
    produces: tuple[int, ...]
    """Buffers that it reserves blocks of."""
    consumes: tuple[int, ...]


_FUSED: dict[tuple[int, int], EventKind] = {
    (EventKind.RESERVE, EventKind.PUSH): EventKind.PUT,
    (EventKind.WAIT, EventKind.POP): EventKind.TAKE,
}


def assemble(sequence: Sequence, table: EventTable) -> KernelCode:
    """Return the instructions of a sequence."""
    instructions: list[Instruction] = []
    loops: list[tuple[int, ...]] = []
    _emit(sequence, table, (), instructions, loops)
    instructions.append((int(Jump.END), 0, 0, (), -1))
    loops.append(())
    events = {(instruction[0], instruction[1]) for instruction in instructions}
    return KernelCode(
        instructions=tuple(instructions),
        loops=tuple(loops),
        depth=max(map(len, loops)),
        produces=_resources(events, EventKind.RESERVE, EventKind.PUT),
        consumes=_resources(events, EventKind.WAIT, EventKind.TAKE),
    )


def _resources(events: set[tuple[int, int]], *kinds: EventKind) -> tuple[int, ...]:
    return tuple(sorted({resource for kind, resource in events if kind in kinds}))


def _emit(
    sequence: Sequence,
    table: EventTable,
    around: tuple[int, ...],
    instructions: list[Instruction],
    loops: list[tuple[int, ...]],
) -> None:
    fresh = len(instructions)  # a jump leads here: do not merge instructions across it
    for item in sequence:
        if isinstance(item, int):
            event = table.events[item]
            if len(instructions) > fresh:
                before = instructions[-1]
                fused = _FUSED.get((before[0], event.kind))
                if fused is not None and before[1] == event.resource:
                    instructions[-1] = (int(fused), before[1], 0, (), before[4])
                    continue
            instructions.append((int(event.kind), event.resource, event.value, event.nodes, item))
            loops.append(around)
            continue
        if isinstance(item, Choice):
            _emit_choice(item, table, around, instructions, loops)
            fresh = len(instructions)
            continue
        target = len(instructions)
        inner = (*around, item.count)
        _emit(item.body, table, inner, instructions, loops)
        instructions.append((int(Jump.BACK), len(around), target, (item.count,), -1))
        loops.append(inner)
        fresh = len(instructions)


def _emit_choice(
    choice: Choice,
    table: EventTable,
    around: tuple[int, ...],
    instructions: list[Instruction],
    loops: list[tuple[int, ...]],
) -> None:
    first, given = len(instructions), table.events[choice.event].nodes
    instructions.append((0, 0, 0, (), -1))
    loops.append(around)
    targets: list[int] = []
    ends: list[int] = []
    for number, way in enumerate(choice.ways):
        targets += (*given[2 * number : 2 * number + 2], len(instructions))
        _emit(way, table, around, instructions, loops)
        ends.append(len(instructions))
        instructions.append((0, 0, 0, (), -1))
        loops.append(around)
    instructions[first] = (int(EventKind.ANY), 0, 0, tuple(targets), choice.event)
    for end in ends:
        instructions[end] = (int(Jump.ON), 0, len(instructions), (), -1)
