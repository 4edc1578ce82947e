"""Every order in which the receives of ``ttl.wait_any`` can complete.

Kernels that wait for one thing at a time reach the same end in every order, so everything is played until no kernel can
continue without a decision. Then each possible decision is tried; if all receives of one kernel are complete, only that
kernel's, since no other kernel can take them away. Repeated states are played once. The place where a kernel begins to
look, and the order in which one node sends, are not taken into account: some orders may never occur on a chip.
"""

from __future__ import annotations

from dataclasses import dataclass

from ttl.check.network.machine import Machine, ReceiveDecision

MOST_STATES = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The outcomes of a game in all orders. ``shown`` is a machine that stopped, with a deadlock if there is one.

    ``stuck`` and ``others``: whether some order ends in a deadlock, and some other order differently. ``complete``: all
    orders were played.
    """

    shown: Machine
    stuck: bool
    others: bool
    complete: bool

    @property
    def decided(self) -> tuple[ReceiveDecision, ...]:
        """The decisions that led to ``shown``."""
        return self.shown.decided


def explored(first: Machine, limit: int) -> Orders:
    """Play all orders from the start of a machine, with at most ``limit`` instructions."""
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
    first.exhausted |= not stopped  # no order was played to its end
    complete = not left and limit > 0 and not any(machine.exhausted for machine in (first, *stopped.values()))
    return Orders(
        shown=stopped.get(True) or stopped.get(False) or first,
        stuck=True in stopped,
        others=False in stopped,
        complete=complete,
    )


def _next_decisions(machine: Machine) -> list[tuple[int, int]]:
    """Return the decisions that may come next: kernels, each with a receive that completes first."""
    result: list[tuple[int, int]] = []
    for process, at in sorted(machine.undecided.items()):
        ways = machine.ways(process, at)
        decisions = [(process, way) for way in ways]
        if len(ways) == len(machine.processes[process].code.instructions[at][3]) // 3:
            return decisions
        result += decisions
    return result
