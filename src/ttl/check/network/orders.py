"""Every order in which receives can be complete that kernels wait for with ``ttl.wait_any``.

Kernels that wait for one thing at a time come to the same end in every order, so everything is played until nobody can continue without a decision. Then each decision that may come next is tried: of one kernel alone, where all of its receives are
complete, since nobody can take one of them away. States that come again are played once. What follows from the place where a
kernel begins to look, or from the order in which one node sends, is not known here: there may be orders that no chip shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from ttl.check.network.machine import Machine, ReceiveDecision

MOST_STATES = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The outcomes of a game in all orders. ``shown`` is a machine that stopped: a deadlocked one, if there is one.

    ``stuck`` and ``others``: whether some order ends in a deadlock, and some in another way. ``complete``: all were run.
    """

    shown: Machine
    stuck: bool
    others: bool
    complete: bool

    @property
    def decided(self) -> tuple[ReceiveDecision, ...]:
        """The receives that were complete first in ``shown``."""
        return self.shown.decided


def explored(first: Machine, limit: int) -> Orders:
    """All orders from the start of a machine. ``limit``: the instructions that may be played."""
    first.asks, first.limit = True, limit
    stopped: dict[bool, Machine] = {}
    seen: set[object] = set()
    left = [first]
    while left and len(seen) <= MOST_STATES and limit > 0:
        machine = left.pop()
        before = machine.steps
        machine.limit = before + limit
        machine.run()
        limit -= machine.steps - before
        state = machine.state()
        if machine.exhausted or state in seen:
            continue
        seen.add(state)
        decisions = [] if machine.failure is not None else _next_decisions(machine)
        if not decisions:
            is_stuck = machine.failure is None and not machine.ended
            stopped.setdefault(is_stuck, machine)
        for process, way in reversed(decisions):
            other = machine.clone()
            other.decide(process, way)
            left.append(other)
    first.exhausted |= not stopped  # it stopped before a receive that is not decided
    complete = not left and limit > 0 and not any(machine.exhausted for machine in (first, *stopped.values()))
    return Orders(
        shown=stopped.get(True) or stopped.get(False) or first,
        stuck=True in stopped,
        others=False in stopped,
        complete=complete,
    )


def _next_decisions(machine: Machine) -> list[tuple[int, int]]:
    """The decisions that may come next: kernels, and which of their receives is complete first."""
    result: list[tuple[int, int]] = []
    for process, at in sorted(machine.undecided.items()):
        ways = machine.ways(process, at)
        decisions = [(process, way) for way in ways]
        if len(ways) == len(machine.processes[process].code.instructions[at][3]) // 3:
            return decisions
        result += decisions
    return result
