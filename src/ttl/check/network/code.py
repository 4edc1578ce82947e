"""A sequence of events as instructions with jumps, for the machine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ttl.check.network.events import Kind, Sequence, Table

Instruction = tuple[int, int, int, tuple[int, ...], int]
"""Kind of event, resource, value, nodes, number of the event; a ``Jump`` has depth, target and count there."""


class Jump(IntEnum):
    """What an instruction can be besides an event."""

    BACK = 14
    """End of a loop's body: depth, first instruction of the body, how often it runs."""
    END = 15


@dataclass(frozen=True, slots=True)
class Code:
    """Instructions of a kernel, and for each of them how often the loops around it run, outermost first."""

    instructions: tuple[Instruction, ...]
    loops: tuple[tuple[int, ...], ...]
    depth: int
    produces: tuple[int, ...]
    """Buffers that it reserves blocks of."""
    consumes: tuple[int, ...]


_FUSED: dict[tuple[int, int], Kind] = {(Kind.RESERVE, Kind.PUSH): Kind.PUT, (Kind.WAIT, Kind.POP): Kind.TAKE}


def assemble(sequence: Sequence, table: Table) -> Code:
    """The instructions of a sequence."""
    instructions: list[Instruction] = []
    loops: list[tuple[int, ...]] = []
    _emit(sequence, table, (), instructions, loops)
    instructions.append((int(Jump.END), 0, 0, (), -1))
    loops.append(())
    events = {(each[0], each[1]) for each in instructions}
    return Code(
        instructions=tuple(instructions),
        loops=tuple(loops),
        depth=max(map(len, loops)),
        produces=_resources(events, Kind.RESERVE, Kind.PUT),
        consumes=_resources(events, Kind.WAIT, Kind.TAKE),
    )


def _resources(events: set[tuple[int, int]], *kinds: Kind) -> tuple[int, ...]:
    return tuple(sorted({resource for kind, resource in events if kind in kinds}))


def _emit(
    sequence: Sequence,
    table: Table,
    around: tuple[int, ...],
    instructions: list[Instruction],
    loops: list[tuple[int, ...]],
) -> None:
    fresh = len(instructions)  # a jump leads here: what is before it cannot be put together with what follows
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
        target = len(instructions)
        inner = (*around, item.count)
        _emit(item.body, table, inner, instructions, loops)
        instructions.append((int(Jump.BACK), len(around), target, (item.count,), -1))
        loops.append(inner)
        fresh = len(instructions)
