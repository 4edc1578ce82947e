"""The game: all kernels of an operation against each other, and how it ends.

Nodes whose kernels do the same make up a class. Without pipes and semaphores nodes do not meet, so one node of each
class is played; else all of them are, together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.ir import Operation

from ttl.analysis.scalars import Slots, grid_of
from ttl.check.network.accelerate import Accelerator
from ttl.check.network.events import Event, EventKind, EventTable, KernelCode, Sequence, assemble, totals
from ttl.check.network.machine import LIMIT, Machine, Process
from ttl.check.network.program import EventProgram
from ttl.check.network.resources import Resources
from ttl.check.network.trace import EventTracer
from ttl.dialects import ttl as dialect
from ttl.session.patience import Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeClass:
    """Nodes, by linear index and ascending, on which every kernel does the same."""

    nodes: tuple[int, ...]
    kernels: tuple[Sequence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What was played together: a machine that has stopped, and the class of nodes of each of its rows."""

    machine: Machine
    rows: tuple[int, ...]
    """Node of each row."""
    classes: tuple[NodeClass, ...]

    @property
    def stuck(self) -> bool:
        """Whether kernels are left that cannot go on, and nothing else is wrong."""
        machine = self.machine
        return machine.failure is None and not machine.exhausted and not machine.ended


@dataclass
class Game:
    """An operation: what its kernels do on each node, and how that ends. Nothing is done before it is asked for."""

    operation: dialect.OperationOp
    unproven: str = field(default="", init=False)
    """Why nothing, or not all, could be said; empty if everything was played to its end."""
    unproven_at: Operation | None = field(default=None, init=False)
    """Where it could not be followed any further, if it is one place."""

    def __post_init__(self) -> None:
        self.grid = grid_of(self.operation)
        self.slots = Slots(self.grid)
        self.table = EventTable()
        self.resources = Resources(self.operation, self.grid)
        self.kernels = self.operation.kernels

    @property
    def meets(self) -> bool:
        """Whether nodes have anything to do with each other."""
        return bool(self.resources.pipes or self.resources.semaphores)

    @cached_property
    def programs(self) -> tuple[EventProgram, ...]:
        """The program of each kernel."""
        return tuple(EventProgram(kernel, self.resources, self.slots, self.table) for kernel in self.kernels)

    @cached_property
    def classes(self) -> tuple[NodeClass, ...]:
        """Classes of nodes, in the order of their first nodes; none where the kernels cannot be followed."""
        if self.resources.outside:
            self.unproven = "a pipe leaves the grid"
            return ()
        programs = self.programs
        tracer = EventTracer(self.resources, self.slots, self.table)
        nodes: dict[tuple[Sequence, ...], list[int]] = {}
        try:
            same = {
                index: tracer.trace(program, 0)
                for index, program in enumerate(programs)
                if not program.depends_on_node
            }
            for node in range(self.slots.nodes):
                key = tuple(
                    same[index] if index in same else tracer.trace(program, node)
                    for index, program in enumerate(programs)
                )
                nodes.setdefault(key, []).append(node)
                if len(same) == len(programs):
                    nodes[key].extend(range(1, self.slots.nodes))
                    break
        except Unavailable as reason:
            self.unproven, self.unproven_at = str(reason), reason.at
            return ()
        classes = tuple(NodeClass(nodes=tuple(members), kernels=key) for key, members in nodes.items())
        if any(map(self._shares_an_end, classes)):
            self.unproven = "two kernels of a node use the same end of a pipe"
            return ()
        return classes

    def _shares_an_end(self, node_class: NodeClass) -> bool:
        """Whether two kernels send, or receive, on the same pipe: who gets which message depends on the order."""
        seen: set[tuple[EventKind, int]] = set()
        for sequence in node_class.kernels if self.resources.pipes else ():
            events = (self.event(number) for number in totals(sequence))
            ends = {
                (event.kind, event.resource)
                for event in events
                if event.kind in (EventKind.SEND, EventKind.RECEIVE)
            }
            if ends & seen:
                return True
            seen |= ends
        return False

    def event(self, number: int) -> Event:
        """An event by its number."""
        return self.table.events[number]

    def rounds(self) -> Iterator[Round]:
        """Everything, played. Where it takes too long, ``unproven`` says so."""
        codes: dict[Sequence, KernelCode] = {}
        left = LIMIT
        for classes in [self.classes] if self.meets else [(node_class,) for node_class in self.classes]:
            if not classes:
                return
            round_ = self._round(classes, codes)
            round_.machine.limit = left
            round_.machine.run()
            left -= round_.machine.steps
            if round_.machine.exhausted:
                self.unproven = "the kernels exchange too much to follow it to the end"
            yield round_

    def together(self, classes: Iterable[NodeClass]) -> Round:
        """Classes of nodes that do not meet, played in one machine after all: for a report about all of them."""
        round_ = self._round(tuple(classes), {})
        round_.machine.run()
        return round_

    def _round(self, classes: tuple[NodeClass, ...], codes: dict[Sequence, KernelCode]) -> Round:
        of: dict[int, NodeClass] = {}
        for node_class in classes:
            for node in node_class.nodes if self.meets else node_class.nodes[:1]:
                of[node] = node_class
        rows = tuple(sorted(of))
        processes: list[Process] = []
        for row, node in enumerate(rows):
            for kernel, sequence in enumerate(of[node].kernels):
                code = codes.get(sequence)
                if code is None:
                    code = codes[sequence] = assemble(sequence, self.table)
                processes.append(Process(kernel=kernel, node=node, row=row, code=code))
        resources = self.resources
        machine = Machine(
            processes,
            [buffer.result.type.block_count for buffer in resources.buffers],
            len(rows),
            [net.ends[index] for net, index in resources.pipes],
            [semaphore.initial_value for semaphore in resources.semaphores],
            self.slots.nodes,
            Accelerator,
        )
        return Round(machine=machine, rows=rows, classes=tuple(of[node] for node in rows))
