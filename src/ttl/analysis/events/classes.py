"""The events of all kernels of an operation on each node; nodes whose kernels do the same form a class."""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.ir import Operation

from ttl.analysis.events.program import EventProgram
from ttl.analysis.events.resources import Resources
from ttl.analysis.events.roles import RoleTracer
from ttl.analysis.events.sequences import Event, EventKind, EventTable, totals
from ttl.analysis.events.trace import EventTracer
from ttl.analysis.scalars import Slots, grid_of
from ttl.dialects import ttl as dialect
from ttl.protocol.sequences import Sequence
from ttl.session.patience import Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeClass:
    """Nodes, by linear index and ascending, on which every kernel does the same."""

    nodes: tuple[int, ...]
    kernels: tuple[Sequence, ...]


@dataclass
class KernelEvents:
    """The events of an operation's kernels on each node, computed on first use."""

    operation: dialect.OperationOp
    unproven: str = field(default="", init=False)
    """The reason why some kernels were not followed to their end; empty if all were."""
    unproven_at: Operation | None = field(default=None, init=False)
    """The operation at which a kernel could not be followed any further; None if there is no single such operation."""

    def __post_init__(self) -> None:
        self.grid = grid_of(self.operation)
        self.slots = Slots(self.grid)
        self.table = EventTable()
        self.resources = Resources(self.operation, self.grid)
        self.kernels = self.operation.kernels
        self.followed: Items[int] = range(self.slots.nodes)
        """The nodes whose kernels are followed, with all that communicate with them; others count as idle."""

    @property
    def meets(self) -> bool:
        """Whether nodes communicate."""
        return self.resources.meet

    @cached_property
    def programs(self) -> tuple[EventProgram, ...]:
        """The program of each kernel."""
        return tuple(EventProgram(kernel, self.resources, self.slots, self.table) for kernel in self.kernels)

    @cached_property
    def classes(self) -> tuple[NodeClass, ...]:
        """Classes of nodes, in the order of their first nodes; empty if the kernels cannot be followed."""
        if self.resources.outside:
            self.unproven = "a pipe leaves the grid"
            return ()
        programs = self.programs
        if not self.meets and self.slots.nodes > 1 and (alike := self._alike(programs)):
            return alike
        tracer = EventTracer(self.resources, self.slots, self.table)
        nodes: dict[tuple[Sequence, ...], list[int]] = {}
        try:
            same = {
                index: tracer.trace(program, 0)
                for index, program in enumerate(programs)
                if not program.depends_on_node
            }
            for node in self.followed:
                key = tuple(
                    same[index] if index in same else tracer.trace(program, node)
                    for index, program in enumerate(programs)
                )
                nodes.setdefault(key, []).append(node)
                if len(same) == len(programs):
                    nodes[key] = [*self.followed]
                    break
        except Unavailable as reason:
            self.unproven, self.unproven_at = str(reason), reason.at
            return ()
        others = sorted({*range(self.slots.nodes)}.difference(self.followed))
        if others:
            nodes[((),) * len(programs)] = others
        classes = tuple(NodeClass(nodes=tuple(members), kernels=key) for key, members in nodes.items())
        if any(map(self._shares_an_end, classes)):
            self.unproven = "two kernels of a node use the same end of a pipe"
            return ()
        return classes

    def _alike(self, programs: tuple[EventProgram, ...]) -> tuple[NodeClass, ...]:
        """Return the classes of nodes that do not communicate; empty if many nodes cannot be followed at once."""
        try:
            roles = RoleTracer(self.resources, self.slots, self.table).roles(programs)
        except Unavailable:
            return ()
        nodes: dict[tuple[Sequence, ...], list[int]] = {}
        for role in roles:
            nodes.setdefault(role.kernels, []).extend(role.nodes.tolist())
        classes = [NodeClass(nodes=tuple(sorted(members)), kernels=key) for key, members in nodes.items()]
        return tuple(sorted(classes, key=lambda node_class: node_class.nodes[0]))

    def _shares_an_end(self, node_class: NodeClass) -> bool:
        """Whether two kernels send, or receive, on the same pipe: the order determines which one gets a message."""
        seen: set[tuple[EventKind, int]] = set()
        for sequence in node_class.kernels if self.resources.nets else ():
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
        """Return an event by its number."""
        return self.table.events[number]
