"""What is the case when no kernel can go on: who waits where, for what, and who could end the wait."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import Operation

from ttl.check.network.events import Event, Kind
from ttl.check.network.game import Game, Round
from ttl.check.network.machine import NOBODY, Machine
from ttl.dialects import ttl as dialect
from ttl.protocol.grid import coordinate

_WAITS_FOR_SPACE = (Kind.RESERVE, Kind.PUT)
_WAITS_FOR_DATA = (Kind.WAIT, Kind.TAKE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stuck:
    """A kernel that cannot go on. ``partners`` are processes that could end its wait, but are stuck themselves.

    ``kind`` is RESERVE, WAIT, SENT, RECEIVED or one of the two about semaphores. ``resource`` counts over all nodes
    for buffers, over the operation for pipes and semaphores. ``missing`` is the node on which there is nobody left,
    or never was anybody, who could end the wait; else None.
    """

    process: int
    kind: Kind
    resource: int
    event: Event
    partners: tuple[int, ...]
    missing: int | None

    @property
    def op(self) -> Operation:
        """Where the kernel is."""
        return self.event.op

    @property
    def wants_space(self) -> bool:
        """Whether it waits to reserve a block."""
        return self.kind is Kind.RESERVE

    @property
    def wants_data(self) -> bool:
        """Whether it waits for a filled block."""
        return self.kind is Kind.WAIT

    @property
    def wants_semaphore(self) -> bool:
        """Whether it waits for a value of a semaphore."""
        return self.kind in (Kind.UNTIL_EQUAL, Kind.UNTIL_AT_LEAST)


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a kernel would do on some path: buffers it acquires blocks of, ends of pipes, changes of semaphores."""

    reserves: frozenset[int]
    waits: frozenset[int]
    sends: bool
    receives: bool
    changes: bool


class Scene:
    """A round that is stuck, seen by the names and nodes of the operation."""

    def __init__(self, game: Game, round_: Round) -> None:
        self.game = game
        self.round = round_
        self.machine: Machine = round_.machine

    @cached_property
    def mentions(self) -> tuple[Mentions, ...]:
        """Of each kernel."""
        return tuple(self._mentions(kernel) for kernel in self.game.kernels)

    def _mentions(self, kernel: dialect.KernelOp) -> Mentions:
        reserves: set[int] = set()
        waits: set[int] = set()
        kinds: set[type[Operation]] = set()
        for op in kernel.walk():
            kinds.add(type(op))
            if isinstance(op, dialect.AcquireOp):
                buffer = self.game.resources.buffer(op.dfb)
                if buffer is not None:
                    (reserves if isinstance(op, dialect.DfbReserveOp) else waits).add(buffer)
        return Mentions(
            reserves=frozenset(reserves),
            waits=frozenset(waits),
            sends=dialect.IfPipeSrcOp in kinds,
            receives=dialect.IfPipeDstOp in kinds,
            changes=dialect.SemaphoreSetOp in kinds or dialect.SemaphoreIncOp in kinds,
        )

    # --- names ------------------------------------------------------------------------------------------

    def kernel_name(self, process: int) -> str:
        """Name of a kernel."""
        return self.game.kernels[self.machine.processes[process].kernel].kernel_name

    def coordinate(self, node: int) -> tuple[int, ...]:
        """Coordinate of a node, in the dimensions of the grid."""
        return coordinate(node, self.game.grid, len(self.game.grid))

    def node_of(self, process: int) -> int:
        """Node of a process."""
        return self.machine.processes[process].node

    def buffer_op(self, buffer: int) -> dialect.CreateDfbOp:
        """What makes a buffer."""
        return self.game.resources.buffers[buffer % self.machine.per_row]

    def buffer_name(self, buffer: int) -> str:
        """Name of a buffer."""
        return self.buffer_op(buffer).buffer_name.data

    def block_bytes(self, buffer: int) -> int:
        """Bytes of one block of a buffer."""
        return self.buffer_op(buffer).result.type.block_type.nbytes

    # --- who waits --------------------------------------------------------------------------------------

    def stuck(self, machine: Machine) -> tuple[Stuck, ...]:
        """The kernels of a machine that wait, node by node."""
        return tuple(
            self._stuck(machine, process)
            for process in range(len(machine.processes))
            if not machine.done[process]
        )

    def _stuck(self, machine: Machine, process: int) -> Stuck:
        played = machine.processes[process]
        kind, resource, _, _, number = played.code.instructions[machine.at[process]]
        event = self.game.event(number)
        if kind in _WAITS_FOR_SPACE or kind in _WAITS_FOR_DATA:
            resource += played.row * machine.per_row
            kind = Kind.RESERVE if kind in _WAITS_FOR_SPACE else Kind.WAIT
        partners, missing = self._partners(machine, process, Kind(kind), resource)
        return Stuck(
            process=process,
            kind=Kind(kind),
            resource=resource,
            event=event,
            partners=partners,
            missing=missing,
        )

    def _partners(
        self, machine: Machine, process: int, kind: Kind, resource: int
    ) -> tuple[tuple[int, ...], int | None]:
        node = machine.processes[process].node
        partners: list[int] = []
        match kind:
            case Kind.WAIT | Kind.RESERVE:
                partners = self._users(machine, process, kind, resource)
            case Kind.RECEIVED:
                node = self.pipe_ends(resource)[0]
                partners = self._movers(machine, node, "sends")
            case Kind.SENT:
                for end, destination in zip(machine.ends[resource], self.pipe_ends(resource)[1], strict=True):
                    if machine.got[end] == machine.left[resource]:
                        continue
                    receivers = self._movers(machine, destination, "receives")
                    if not receivers:
                        return (), destination
                    partners.extend(receivers)
            case _:
                for other in range(len(machine.processes)):
                    if other != process and self._is_mover(machine, other, "changes"):
                        partners.append(other)
        return tuple(partners), None if partners else node

    def pipe_ends(self, pipe: int) -> tuple[int, tuple[int, ...]]:
        """Source and destinations of a pipe."""
        net, index = self.game.resources.pipes[pipe]
        return net.ends[index]

    def _movers(self, machine: Machine, node: int, what: str) -> list[int]:
        row = self.round.rows.index(node)
        each_row = len(self.game.kernels)
        return [
            process
            for process in range(row * each_row, (row + 1) * each_row)
            if self._is_mover(machine, process, what)
        ]

    def _is_mover(self, machine: Machine, process: int, what: str) -> bool:
        kernel = machine.processes[process].kernel
        return not machine.done[process] and bool(getattr(self.mentions[kernel], what))

    def _users(self, machine: Machine, process: int, kind: Kind, buffer: int) -> list[int]:
        """The kernel that is known to use the other end of a buffer, or those that may; the waiting one last."""
        known = self.producer(machine, buffer) if kind is Kind.WAIT else self.consumer(machine, buffer)
        if known != NOBODY:
            return [] if machine.done[known] else [known]
        row = machine.processes[process].row
        each_row = len(self.game.kernels)
        able = []
        for other in range(row * each_row, (row + 1) * each_row):
            mentions = self.mentions[machine.processes[other].kernel]
            buffers = mentions.reserves if kind is Kind.WAIT else mentions.waits
            if not machine.done[other] and buffer % machine.per_row in buffers:
                able.append(other)
        return sorted(able, key=lambda other: other == process)

    def producer(self, machine: Machine, buffer: int) -> int:
        """The kernel that has reserved, or waits to reserve, a block; ``NOBODY`` if none has."""
        if machine.want_space[buffer] != NOBODY:
            return machine.want_space[buffer]
        if not machine.pushed[buffer] - machine.made_up[buffer] and not machine.writing(buffer):
            return NOBODY
        return self._owner(machine, 0, buffer)

    def consumer(self, machine: Machine, buffer: int) -> int:
        """The kernel that has waited, or waits, for a block; ``NOBODY`` if none has."""
        if machine.want_data[buffer] != NOBODY:
            return machine.want_data[buffer]
        return self._owner(machine, 1, buffer) if machine.waited[buffer] else NOBODY

    def _owner(self, machine: Machine, way: int, buffer: int) -> int:
        if (way, buffer) in machine.owners:
            return machine.owners[way, buffer]
        row, local = divmod(buffer, machine.per_row)
        for process in range(row * len(self.game.kernels), (row + 1) * len(self.game.kernels)):
            code = machine.processes[process].code
            if local in (code.consumes if way else code.produces):
                return process
        return NOBODY

    @property
    def beyond(self) -> str:
        """What the kernels communicate through besides dataflow buffers and unicast pipes; empty if nothing."""
        used = []
        if self.game.resources.semaphores:
            used.append("semaphores")
        if any(len(net.ends[index][1]) > 1 for net, index in self.game.resources.pipes):
            used.append("multicast pipes")
        return " and ".join(used)


def cycles(stuck: Iterable[Stuck]) -> Iterator[tuple[Stuck, ...]]:
    """Disjoint wait cycles, in the order of the kernels: each waits for the next, the last for the first."""
    by_process = {each.process: each for each in stuck}
    finished: set[int] = set()
    for start in by_process:
        path: list[int] = []
        branches: list[Iterator[int]] = []
        found: tuple[Stuck, ...] = ()
        if start not in finished:
            path.append(start)
            branches.append(iter(by_process[start].partners))
        while path and not found:
            following = next(branches[-1], None)
            if following is None:
                finished.add(path.pop())
                branches.pop()
            elif following in path:
                found = tuple(by_process[process] for process in path[path.index(following) :])
            elif following in by_process and following not in finished:
                path.append(following)
                branches.append(iter(by_process[following].partners))
        finished.update(path)
        if found:
            yield found
