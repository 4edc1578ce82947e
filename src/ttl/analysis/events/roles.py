"""Roles: nodes on which every kernel does the same, seen from the position of the node.

The events of a kernel are traced for many nodes at once: the slot of the node, and every value that depends on it,
holds an array with an entry for each of them. Where a branch, the count of a loop or the number of pipes differs among
the nodes, they are split, and each part is traced again. A pipe is then a *port*, the n-th of a net that leads
from (or to) the node, and a remote semaphore a *target*, an array of the nodes that own it. So a thousand chips that do
the same are followed once.
"""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttl.analysis.control_tree import ControlLoop, FirstOf
from ttl.analysis.events.program import Await, EventProgram, OnPipe, OnSemaphore, Step
from ttl.analysis.events.resources import Resources
from ttl.analysis.events.sequences import EventKind, EventTable
from ttl.analysis.events.trace import EventTracer
from ttl.analysis.pipe_ends import Integers
from ttl.analysis.scalars import ScalarFunction, Slots
from ttl.dialects import ttl as dialect
from ttl.protocol.grid import grid_size
from ttl.protocol.sequences import Choice, Repeat, Sequence
from ttl.session.patience import LimitReached, Unavailable

EVERYWHERE = -1
"""The target that stands for every node."""
MOST_ROLES = 64
"""The most roles that are distinguished; if there are more, nodes are followed one by one."""


class Port(NamedTuple):
    """The ``place``-th pipe of a net that leads away from a node (``sends``), or to it."""

    net: int
    sends: bool
    place: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodeRole:
    """Nodes, ascending, and the events of each of their kernels, in terms of ports and targets.

    ``targets``: for each target number in a semaphore's event, the semaphores' owners, as an array (nodes, count).
    """

    nodes: Integers
    kernels: tuple[Sequence, ...]
    targets: dict[int, Integers]

    def part(self, chosen: NDArray[np.bool_]) -> NodeRole:
        """Return the role for some of the nodes."""
        targets = {number: nodes[chosen] for number, nodes in self.targets.items()}
        return NodeRole(nodes=self.nodes[chosen], kernels=self.kernels, targets=targets)


class _Differs(Exception):
    """The nodes that are followed together diverge: a label for each of them."""

    def __init__(self, labels: Integers) -> None:
        super().__init__()
        self.labels = labels


class RoleTracer(EventTracer):
    """Traces kernels on many nodes at once."""

    def __init__(self, resources: Resources, slots: Slots, table: EventTable) -> None:
        super().__init__(resources, slots, table)
        self.ports: list[Port] = []
        """Ports by their number in events."""
        self.traced = 0
        """The number of times that the kernels of an operation were traced."""
        self._numbers: dict[Port, int] = {}
        self._at: dict[int, int] = {}
        self._targets: dict[bytes, tuple[int, Integers]] = {}

    def roles(self, programs: Items[EventProgram]) -> list[NodeRole]:
        """Return the roles of an operation.

        Raises ``Unavailable`` if kernels cannot be followed, or if there are more than ``MOST_ROLES`` roles.
        """
        left = [np.arange(self.slots.nodes)]
        roles: list[NodeRole] = []
        while left:
            nodes = left.pop()
            self._targets = {}
            self.traced += 1
            try:
                with np.errstate(divide="raise", invalid="raise"):
                    kernels = tuple(self._on(program, nodes) for program in programs)
            except FloatingPointError:
                raise Unavailable("a division by zero") from None
            except _Differs as differs:
                labels = differs.labels
                left += [nodes[labels == label] for label in reversed(np.unique(labels))]
                if len(left) + len(roles) > MOST_ROLES:
                    raise LimitReached("the nodes do too many different things") from None
                continue
            roles.append(NodeRole(nodes=nodes, kernels=kernels, targets=dict(self._targets.values())))
        return roles

    def _on(self, program: EventProgram, nodes: Integers) -> Sequence:
        self._nodes = nodes
        node: Any = nodes if len(nodes) > 1 else int(nodes[0])
        return self.trace(program, node)

    # --- numbers that differ ------------------------------------------------------------------------------

    def _value(self, scalar: ScalarFunction | None) -> Any:
        value = super()._value(scalar)
        if isinstance(value, np.ndarray) and (value == value[0]).all():
            return value[0].item()
        return value

    def _decided(self, scalar: ScalarFunction | None) -> Any:
        value = self._value(scalar)
        if isinstance(value, np.ndarray):
            raise _Differs(value)
        return value

    def _first_of(self, first: FirstOf[Step]) -> Sequence:
        raise Unavailable("which of several receives is complete first may differ", first.op)

    # --- pipes ------------------------------------------------------------------------------------------

    def _for_pipes(self, loop: ControlLoop[Step]) -> Sequence:
        assert loop.variable is not None and isinstance(loop.op, dialect.IfPipeOp)
        net = self.resources.net(loop.op.net)
        if net is None:
            raise Unavailable("which pipe net is meant is not known", loop.op)
        sends = isinstance(loop.op, dialect.IfPipeSrcOp)
        connections = self.resources.nets[net].connections
        ends = connections.sending if sends else connections.receiving
        counts = ends.counts[self._nodes]
        if (counts != counts[0]).any():
            raise _Differs(counts)
        items: list[int | Repeat | Choice] = []
        for index in range(int(counts[0])):
            pipes = ends.pipes[ends.first[self._nodes] + index]
            self._environment[loop.variable] = pipes if len(pipes) > 1 else int(pipes[0])
            port = Port(net, sends, index)
            self._at[loop.variable] = self._numbers.setdefault(port, len(self.ports))
            if len(self._numbers) > len(self.ports):
                self.ports.append(port)
            items.extend(self._body(loop.body))
        return tuple(items)

    def _pipe(self, step: OnPipe) -> int:
        return self._at[step.slot]

    def _await(self, step: Await) -> Sequence:
        self._spend()
        return super()._await(step)

    # --- semaphores -------------------------------------------------------------------------------------

    def _on_semaphore(self, step: OnSemaphore) -> int:
        value = self._decided(step.value)
        if value is None:
            raise Unavailable("the semaphore or its value is not known", step.op)
        if step.kind in (EventKind.UNTIL_EQUAL, EventKind.UNTIL_AT_LEAST):
            return self.table.number(step.kind, step.semaphore, step.op, value)
        if step.everywhere:
            return self.table.number(step.kind, step.semaphore, step.op, value, (EVERYWHERE,))
        nodes = self._meant(step)
        number, _ = self._targets.setdefault(nodes.tobytes(), (len(self._targets), nodes))
        return self.table.number(step.kind, step.semaphore, step.op, value, (number,))

    def _meant(self, step: OnSemaphore) -> Integers:
        """Return the nodes whose semaphores a step changes, for each node that is followed."""
        count = len(self._nodes)
        if step.starts is None:
            return self._nodes[:, None]
        starts = self._columns(step.starts, step)
        stops = [start + 1 for start in starts] if step.stops is None else self._columns(step.stops, step)
        sizes = grid_size(self.slots.grid, len(starts))
        meant = np.zeros((count, 1), np.int64)
        for start, stop, extent in zip(starts, stops, sizes, strict=True):
            width = stop - start
            if (width != width[0]).any():
                raise _Differs(width)
            if width[0] < 1 or (start < 0).any() or (stop > extent).any():
                raise Unavailable("a remote semaphore is outside the grid")
            along = start[:, None] + np.arange(width[0])
            meant = (meant[:, :, None] * extent + along[:, None, :]).reshape(count, -1)
        return meant

    def _columns(self, scalars: tuple[ScalarFunction, ...], step: OnSemaphore) -> list[Integers]:
        values = self._coordinates(scalars, step)
        return [np.broadcast_to(np.asarray(value, np.int64), (len(self._nodes),)) for value in values]
