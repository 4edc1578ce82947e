"""Proves that the kernels of all nodes end, with one node of each role: the time does not grow with the number of
equal chips.

One node stands for all of a role (``ttl.analysis.events.roles``) in a machine of its own. It continues only where
every node of the role can: a message counts as sent when all roles that may be at the other end of the port have sent
it, and as received when all have received it; a semaphore counts the smallest number of increments that a node of the
role can have. So kernels wait for more than in the operation, and never continue earlier; a kernel waits for one
event at a time, and no kernel undoes it. If this machine ends, the operation ends in every schedule.

If it does not end, roles are split by the roles that their ports lead to, and tried again. If that splits nothing,
every node is stuck (``Verdict.STUCK``); if it continues for too long, nothing is known, and all nodes have to run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from ttl.analysis.events.classes import KernelEvents
from ttl.analysis.events.roles import EVERYWHERE, MOST_ROLES, NodeRole, Port, RoleTracer
from ttl.analysis.events.sequences import (
    EventKind,
    Instruction,
    Jump,
    KernelCode,
    assemble,
    totals,
)
from ttl.analysis.pipe_ends import Ends, Integers
from ttl.check.network.accelerate import Accelerator
from ttl.check.network.machine import Machine, Process
from ttl.protocol.sequences import Sequence
from ttl.session.patience import Unavailable

_SPLITS = 4
"""The most times that roles are split by their connections."""
_LARGEST = 1 << 32
_TO_OTHERS = frozenset(
    {EventKind.SEND, EventKind.SENT, EventKind.RECEIVE, EventKind.RECEIVED, EventKind.INCREMENT}
)
"""Events whose partner depends on the role."""
_End = tuple[int, int]
"""A port of a role: the number of the role, and of the port."""


class Verdict(Enum):
    """The outcome that the roles of an operation prove."""

    ENDS = auto()
    """All kernels end, and nothing is left over."""
    STUCK = auto()
    """Kernels on every node of some role do not end."""
    OPEN = auto()
    """Nothing is proved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """An outcome, and its cost: nodes whose events were traced, and nodes in the last machine."""

    verdict: Verdict
    traced: int = 0
    played: int = 0
    stuck: tuple[int, ...] = ()
    """If kernels are stuck: a node with such a kernel, and all nodes that communicate with it, even indirectly."""


def prove(events: KernelEvents) -> Proof:
    """Play one node of each role."""
    tracer = RoleTracer(events.resources, events.slots, events.table)
    try:
        roles = tracer.roles(events.programs)
    except Unavailable:
        return Proof(verdict=Verdict.OPEN, traced=tracer.traced)
    verdict = Verdict.OPEN
    for _ in range(_SPLITS):
        quotient = _Quotient(events, tracer, roles)
        machine = quotient.machine()
        if machine is None:
            break
        machine.run()
        if machine.exhausted or machine.failure is not None:
            break
        if machine.ended:
            verdict = Verdict.OPEN if any(machine.missing) or any(machine.full) else Verdict.ENDS
            break
        finer = quotient.split()
        if len(finer) == len(roles):
            row = min(
                process.row for process, done in zip(machine.processes, machine.done, strict=True) if not done
            )
            stuck = quotient.component(int(roles[row].nodes[0]))
            return Proof(verdict=Verdict.STUCK, traced=tracer.traced, played=len(roles), stuck=stuck)
        if len(finer) > MOST_ROLES:
            break
        roles = finer
    return Proof(verdict=verdict, traced=tracer.traced, played=len(roles))


class _Quotient:
    """The roles of an operation, and how they are connected."""

    def __init__(self, events: KernelEvents, tracer: RoleTracer, roles: list[NodeRole]) -> None:
        self._events = events
        self._tracer = tracer
        self._roles = roles
        self._role = np.zeros(events.slots.nodes, np.int64)
        for number, role in enumerate(roles):
            self._role[role.nodes] = number
        self._connections = [net.connections for net in events.resources.nets]
        self._codes: dict[Sequence, KernelCode] = {}

    # --- the machine ------------------------------------------------------------------------------------

    def machine(self) -> Machine | None:
        """Return a machine with one node of each role; None for operations that roles cannot decide."""
        increments = self._increments()
        pipes = self._pipes()
        if increments is None or pipes is None or any(map(self._shares_an_end, self._roles)):
            return None
        ends, sending, receiving = pipes
        processes = []
        for row, role in enumerate(self._roles):

            def replaced(instruction: Instruction, row: int = row) -> Iterator[Instruction]:
                kind, resource, value, nodes, number = instruction
                match kind:
                    case EventKind.SEND | EventKind.SENT | EventKind.RECEIVE | EventKind.RECEIVED:
                        sends = kind in (EventKind.SEND, EventKind.SENT)
                        for pipe in (sending if sends else receiving)[row, resource]:
                            yield kind, pipe, value, nodes, number
                    case EventKind.INCREMENT:
                        for other, times in increments[row, number]:
                            yield kind, resource, value * times, (other,), number

            for kernel, sequence in enumerate(role.kernels):
                code = _rewritten(self._code(sequence), replaced)
                processes.append(Process(kernel=kernel, node=row, row=row, code=code))
        resources = self._events.resources
        return Machine(
            processes,
            [buffer.result.type.block_count for buffer in resources.buffers],
            len(self._roles),
            ends,
            [semaphore.initial_value for semaphore in resources.semaphores],
            len(self._roles),
            Accelerator,
        )

    def _code(self, sequence: Sequence) -> KernelCode:
        code = self._codes.get(sequence)
        if code is None:
            code = self._codes[sequence] = assemble(sequence, self._events.table)
        return code

    def _shares_an_end(self, role: NodeRole) -> bool:
        """Whether two kernels share an end of a pipe: then the order determines which kernel gets a message."""
        used: list[int] = []
        for sequence in role.kernels if self._events.resources.nets else ():
            events = map(self._events.event, totals(sequence))
            used += {event.resource for event in events if event.kind in (EventKind.SEND, EventKind.RECEIVE)}
        return len(used) != len(set(used))

    # --- pipes ------------------------------------------------------------------------------------------

    def _pipes(self) -> tuple[list[Ends], dict[_End, list[int]], dict[_End, list[int]]] | None:
        """Return the pipes between roles, and those of each port (role, number of the port) that sends or receives.

        A port whose pipes have one destination has a pipe for each port at the other end; a port with a pipe of several
        destinations has a single pipe to all of them. None if two of these are ports of one role.
        """
        ends: list[Ends] = []
        sending: dict[_End, list[int]] = defaultdict(list)
        receiving: dict[_End, list[int]] = defaultdict(list)
        numbers = {port: number for number, port in enumerate(self._tracer.ports)}
        for net, connections in enumerate(self._connections):
            groups: dict[tuple[_End, _End | None], set[_End]] = defaultdict(set)
            source, index = connections.at_source
            multicast = self._multicast(net)
            ports = (
                self._role[source],
                index,
                self._role[connections.receiving.nodes],
                connections.receiving.index,
            )
            sizes = [int(column.max(initial=0)) + 1 for column in ports]
            kinds = np.unravel_index(np.unique(np.ravel_multi_index(ports, sizes)), sizes)
            for role, at, other, other_at in zip(*(column.tolist() for column in kinds), strict=True):
                alone = None if (role, at) in multicast else (other, other_at)
                groups[(role, at), alone].add((other, other_at))
            for ((role, at), _), others in groups.items():
                if len({other for other, _ in others}) != len(others):
                    return None
                sending[role, numbers.get(Port(net, True, at), -1)].append(len(ends))
                for other, other_at in others:
                    receiving[other, numbers.get(Port(net, False, other_at), -1)].append(len(ends))
                ends.append((role, tuple(other for other, _ in others)))
        return ends, sending, receiving

    def _multicast(self, net: int) -> set[_End]:
        """Return the ports (role, index) with a pipe of several destinations."""
        connections = self._connections[net]
        sending = connections.sending
        several = connections.counts[sending.pipes] > 1
        return set(zip(self._role[sending.nodes[several]].tolist(), sending.index[several].tolist()))

    # --- semaphores -------------------------------------------------------------------------------------

    def _increments(self) -> dict[tuple[int, int], list[tuple[int, int]]] | None:
        """Return for each increment (role, event) the roles that it reaches, and how often at least, if it happens
        once on each node.

        None where the outcome of a wait may depend on the order: semaphores are set, decreased, or exact values are
        waited for and may be passed.
        """
        reached: dict[tuple[int, int], list[tuple[int, int]]] = {}
        totals_of = np.array([semaphore.initial_value for semaphore in self._events.resources.semaphores])
        values = np.repeat(totals_of[:, None], self._events.slots.nodes, axis=1)
        exact: dict[int, int] = {}
        for number, role in enumerate(self._roles):
            for event_number, times in self._totals(role).items():
                event = self._events.event(event_number)
                if event.kind is EventKind.SET or (event.kind is EventKind.INCREMENT and event.value < 0):
                    return None
                if event.kind is EventKind.UNTIL_EQUAL:
                    exact[event.resource] = min(event.value, exact.get(event.resource, event.value))
                if event.kind is EventKind.INCREMENT:
                    counts = self._reached(role, event.nodes[0])
                    values[event.resource] += counts * (event.value * times)
                    reached[number, event_number] = [
                        (other, least)
                        for other, other_role in enumerate(self._roles)
                        if (least := int(counts[other_role.nodes].min()))
                    ]
        if values.size and values.max() >= _LARGEST:
            return None
        if any(values[semaphore].max() > value for semaphore, value in exact.items()):
            return None
        return reached

    def _totals(self, role: NodeRole) -> dict[int, int]:
        counts: dict[int, int] = {}
        for sequence in role.kernels if self._events.resources.semaphores else ():
            totals(sequence, into=counts)
        return counts

    def _reached(self, role: NodeRole, target: int) -> Integers:
        """Return for each node how many nodes of a role change its semaphore."""
        size = self._events.slots.nodes
        if target == EVERYWHERE:
            return np.full(size, len(role.nodes))
        return np.bincount(role.targets[target].ravel(), minlength=size)

    def component(self, node: int) -> tuple[int, ...]:
        """Return the nodes that are connected with a node by pipes and semaphores."""
        pairs = [(np.arange(0), np.arange(0))]
        pairs += [(net.at_source[0], net.receiving.nodes) for net in self._connections]
        pairs += [
            (np.repeat(role.nodes, targets.shape[1]), targets.ravel())
            for role in self._roles
            for targets in role.targets.values()
        ]
        first, second = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
        label, before = np.arange(len(self._role)), np.full(len(self._role), -1)
        while (label != before).any():
            before = label.copy()
            lower = np.minimum(label[first], label[second])
            np.minimum.at(label, first, lower)
            np.minimum.at(label, second, lower)
            label = label[label]
        return tuple(np.flatnonzero(label == label[node]).tolist())

    # --- finer roles ------------------------------------------------------------------------------------

    def split(self) -> list[NodeRole]:
        """Split the roles by the roles at the other ends of their ports, and those that change their semaphores."""
        mark = np.zeros(len(self._role), np.uint64)
        for connections in self._connections:
            receiving, (source, index) = connections.receiving, connections.at_source
            np.add.at(mark, source, _mixed(index, self._role[receiving.nodes], receiving.index))
            np.add.at(mark, receiving.nodes, _mixed(~receiving.index, self._role[source], index))
        for number, role in enumerate(self._roles):
            for event_number in self._totals(role):
                event = self._events.event(event_number)
                if event.kind is not EventKind.INCREMENT:
                    continue
                counts = self._reached(role, event.nodes[0])
                mark += _mixed(counts, np.full_like(counts, number), np.full_like(counts, event_number))
                if event.nodes[0] != EVERYWHERE:
                    meant = self._role[role.targets[event.nodes[0]]]
                    own = _mixed(np.full_like(meant, ~event_number), meant, meant)
                    mark[role.nodes] += own.sum(axis=1, dtype=np.uint64)
        finer = []
        for role in self._roles:
            labels = mark[role.nodes]
            finer += [role.part(labels == label) for label in np.unique(labels)[: MOST_ROLES + 1]]
        return finer


def _mixed(first: Integers, second: Integers, third: Integers) -> NDArray[np.uint64]:
    """Hash three numbers. A collision only keeps nodes together that could be distinguished."""
    mixed: NDArray[np.uint64] = np.zeros(first.shape, np.uint64)
    for part in (first, second, third):
        mixed = (mixed ^ part.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _rewritten(code: KernelCode, replaced: Callable[[Instruction], Iterator[Instruction]]) -> KernelCode:
    """Return code in which the instructions that involve other nodes are replaced; jumps keep their targets."""
    if _TO_OTHERS.isdisjoint(map(itemgetter(0), code.instructions)):
        return code
    instructions: list[Instruction] = []
    loops: list[tuple[int, ...]] = []
    at: list[int] = []
    for instruction, around in zip(code.instructions, code.loops, strict=True):
        at.append(len(instructions))
        if instruction[0] not in _TO_OTHERS:
            instructions.append(instruction)
            loops.append(around)
            continue
        instructions += replaced(instruction)
        loops += [around] * (len(instructions) - at[-1])
    for position, (kind, resource, target, nodes, number) in enumerate(instructions):
        if kind == Jump.BACK:
            instructions[position] = kind, resource, at[target], nodes, number
    return KernelCode(
        instructions=tuple(instructions),
        loops=tuple(loops),
        depth=code.depth,
        produces=code.produces,
        consumes=code.consumes,
    )
