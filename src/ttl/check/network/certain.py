"""Whether every schedule ends like the one that was played.

A kernel that takes from dataflow buffers and pipes waits for one thing at a time, and nobody else can take it away:
the order in which kernels run changes nothing. Semaphores are different when a later change can hide an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable

from ttl.analysis.events.sequences import Event, EventKind, totals
from ttl.check.network.game import Game, PlayedRound
from ttl.deadlock.network import Waiting

_LARGEST = 1 << 14


def is_certain(game: Game, round_: PlayedRound, waiting: Iterable[Waiting]) -> bool:
    """Whether a deadlock occurs in every schedule."""
    machine, uses = round_.machine, _uses(game)
    # Semaphores that were never changed have known values; the order cannot matter before the first change.
    changed = [
        any(machine.changes[semaphore * machine.nodes : (semaphore + 1) * machine.nodes])
        for semaphore in range(len(uses))
    ]
    if all(_is_steady(game, number, events) or not changed[number] for number, events in enumerate(uses)):
        return True
    # A single kernel that waits for an impossible value suffices: it never ends.
    return any(
        waiting_process.kind == "semaphore"
        and not _is_attainable(game, waiting_process, round_.machine.processes[waiting_process.kernel].node)
        for waiting_process in waiting
    )


def _uses(game: Game) -> list[dict[Event, int]]:
    """Return for each semaphore its events, of all kernels on all nodes, with their counts."""
    uses: list[dict[Event, int]] = [{} for _ in game.resources.semaphores]
    if not uses:
        return uses
    for node_class in game.classes:
        for sequence in node_class.kernels:
            for number, times in totals(sequence, len(node_class.nodes)).items():
                event = game.event(number)
                if event.kind in (
                    EventKind.SET,
                    EventKind.INCREMENT,
                    EventKind.UNTIL_EQUAL,
                    EventKind.UNTIL_AT_LEAST,
                ):
                    counts = uses[event.resource]
                    counts[event] = counts.get(event, 0) + times
    return uses


def _is_steady(game: Game, semaphore: int, events: dict[Event, int]) -> bool:
    """Whether the outcome of waits for a semaphore does not depend on the order of its changes."""
    initial = game.resources.semaphores[semaphore].initial_value
    sets = {event.value for event in events if event.kind is EventKind.SET}
    exact = {event.value for event in events if event.kind is EventKind.UNTIL_EQUAL}
    if not sets:
        return not exact or _never_beyond(min(exact), initial, events)
    if any(event.kind is EventKind.INCREMENT for event in events):
        return False
    return len(sets) == 1 and min(sets) > initial and exact <= sets


def _never_beyond(limit: int, initial: int, events: dict[Event, int]) -> bool:
    """Whether all increments together do not exceed a value, so that waiting for it is waiting for at least it."""
    values: dict[int, int] = {}
    for event, times in events.items():
        if event.kind is EventKind.INCREMENT:
            if event.value < 0:
                return False
            for node in event.nodes:
                values[node] = values.get(node, initial) + event.value * times
    return all(value <= limit for value in values.values())


def _is_attainable(game: Game, waiting: Waiting, node: int) -> bool:
    """Whether a node's semaphore can reach the value that a kernel waits for, in some order; True if not known."""
    initial = game.resources.semaphores[waiting.resource].initial_value
    wanted, exact = waiting.value, waiting.exact
    values, steps = {initial}, []
    for event, times in _uses(game)[waiting.resource].items():
        if node not in event.nodes:
            continue
        if event.kind is EventKind.SET:
            values.add(event.value)
        elif event.kind is EventKind.INCREMENT:
            steps.append((event.value, times))
    if sum(times for _, times in steps) > _LARGEST or any(value < 0 for value, _ in steps):
        return True
    for value, times in steps:
        for _ in range(times):
            more = {number + value for number in values} - values
            if not more:
                break
            values |= more
            if len(values) > _LARGEST:
                return True
    return any(value == wanted if exact else value >= wanted for value in values)
