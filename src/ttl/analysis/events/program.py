"""The steps of an operation's kernels that other kernels can notice: the leaves of their control trees.

Leaves are named tuples: every process that checks an operation makes these classes, and as dataclasses they take 5 ms more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from xdsl.ir import Operation, OpResult, SSAValue

from ttl.analysis.control_tree import ControlLoop, ControlTree, needed_slots
from ttl.analysis.dominance import inside, kinds
from ttl.analysis.events.resources import Resources
from ttl.analysis.events.sequences import EventKind, EventTable
from ttl.analysis.scalars import NODE, ScalarFunction, Slots, compile_scalar
from ttl.dialects import ttl as dialect

Slot = int


class OnBuffers(NamedTuple):
    """Acquire and release blocks: numbers of the events, one after the other."""

    numbers: tuple[int, ...]
    reads: frozenset[Slot] = frozenset()


class OnPipe(NamedTuple):
    """Begin a transfer on the pipe that a condition function was called with."""

    kind: EventKind
    slot: Slot
    net: int
    op: dialect.CopyOp
    reads: frozenset[Slot]


class Await(NamedTuple):
    """Wait for transfers through pipes: the last one that ``copy`` began, or all of a group."""

    op: Operation
    copy: dialect.CopyOp | None = None
    group: Operation | None = None
    reads: frozenset[Slot] = frozenset()


class AwaitFirst(NamedTuple):
    """Wait for the first of several receives: for each copy, the last one that it began."""

    op: Operation
    copies: tuple[dialect.CopyOp, ...]
    reads: frozenset[Slot] = frozenset()


class Join(NamedTuple):
    """Add a transfer through a pipe to a group."""

    group: Operation
    copy: dialect.CopyOp
    reads: frozenset[Slot] = frozenset()


class OnSemaphore(NamedTuple):
    """Wait for, set or increment a semaphore. ``nodes`` are the coordinates of each bound; None is this node."""

    kind: EventKind
    semaphore: int
    op: Operation
    value: ScalarFunction
    starts: tuple[ScalarFunction, ...] | None
    stops: tuple[ScalarFunction, ...] | None
    everywhere: bool
    reads: frozenset[Slot]


class Unclear(NamedTuple):
    """An operation that other kernels notice and that cannot be followed, with the reason."""

    op: Operation
    reason: str
    reads: frozenset[Slot] = frozenset()


Step = OnBuffers | OnPipe | Await | AwaitFirst | Join | OnSemaphore | Unclear


class EventProgram:
    """The control tree of a kernel, and the parts of the environment that decide its steps."""

    def __init__(
        self, kernel: dialect.UserKernelOp, resources: Resources, slots: Slots, table: EventTable
    ) -> None:
        steps = _Steps(resources, slots, table)
        self.tree = ControlTree(kernel, steps.of, slots, _together)
        self.needed = needed_slots(self.tree, (leaf.act.reads for leaf in self.tree.leaves()))
        self.gathering = frozenset(
            control
            for control in self.tree.controls()
            if isinstance(control, ControlLoop)
            and any(isinstance(leaf.act, Join) for leaf in self.tree.leaves(control.body))
        )
        """Loops in which a transfer may join a group made outside of the loop: their iterations differ."""

    @property
    def depends_on_node(self) -> bool:
        """Whether nodes may take different steps."""
        return NODE in self.needed


def _together(first: Step, second: Step) -> Step | None:
    if isinstance(first, OnBuffers) and isinstance(second, OnBuffers):
        return OnBuffers(numbers=first.numbers + second.numbers)
    return None


_NOTICED = kinds(
    dialect.DfbReserveOp, dialect.DfbWaitOp, dialect.DfbPushOp, dialect.DfbPopOp, dialect.CopyOp, dialect.WaitOp, dialect.WaitAnyOp,
    dialect.GroupAddOp, dialect.GroupWaitOp, dialect.SemaphoreWaitOp, dialect.SemaphoreSetOp, dialect.SemaphoreIncOp,
    dialect.IfPipeSrcOp, dialect.IfPipeDstOp,
)  # fmt: skip


class _Steps:
    """The steps of single operations."""

    def __init__(self, resources: Resources, slots: Slots, table: EventTable) -> None:
        self.resources = resources
        self.slots = slots
        self.table = table

    def of(self, op: Operation) -> Iterable[Step]:
        """Return the steps of an operation that other kernels can notice, in order; none for most operations."""
        return self._of(op) if _NOTICED[type(op)] else ()

    def _of(self, op: Operation) -> Iterator[Step]:
        match op:
            case dialect.DfbReserveOp() | dialect.DfbWaitOp():
                kind = EventKind.RESERVE if isinstance(op, dialect.DfbReserveOp) else EventKind.WAIT
                yield self._on_buffer(kind, self.resources.buffer(op.operands[0]), op)
            case dialect.DfbPushOp() | dialect.DfbPopOp():
                kind = EventKind.PUSH if isinstance(op, dialect.DfbPushOp) else EventKind.POP
                yield self._on_buffer(kind, self.resources.buffer_of_block(op.operands[0]), op)
            case dialect.CopyOp():
                yield from self._copy(op)
            case dialect.WaitOp():
                yield from self._await(op)
            case dialect.WaitAnyOp():
                copies = [_copy_of(transfer) for transfer in op.transfers]
                known = tuple(copy for copy in copies if copy is not None)
                if len(known) == len(copies):
                    yield AwaitFirst(op=op, copies=known)
                else:
                    yield Unclear(op=op, reason="which transfers are meant depends on the way taken before")
            case dialect.GroupAddOp():
                copy, group = _copy_of(op.operands[1]), _maker(op.operands[0])
                if copy is not None and group is not None and self._through_pipe(copy):
                    yield Join(group=group, copy=copy)
            case dialect.GroupWaitOp():
                group = _maker(op.operands[0])
                if group is not None:
                    yield Await(op=op, group=group)
            case dialect.SemaphoreWaitOp() | dialect.SemaphoreSetOp() | dialect.SemaphoreIncOp():
                yield self._on_semaphore(op)
            case dialect.IfPipeSrcOp() | dialect.IfPipeDstOp():
                if self.resources.net(op.net) is None and any(
                    True for inner in inside(op) for _ in self.of(inner)
                ):
                    yield Unclear(op=op, reason="which pipe net is meant is not known")

    def _on_buffer(self, kind: EventKind, buffer: int | None, op: Operation) -> Step:
        if buffer is None:
            return Unclear(op=op, reason="which dataflow buffer is meant depends on the way taken before")
        return OnBuffers(numbers=(self.table.number(kind, buffer, op),))

    def _through_pipe(self, copy: dialect.CopyOp) -> bool:
        return any(isinstance(end.type, dialect.PipeType) for end in (copy.src, copy.dst))

    def _copy(self, op: dialect.CopyOp) -> Iterator[Step]:
        for kind, end in ((EventKind.SEND, op.dst), (EventKind.RECEIVE, op.src)):
            if not isinstance(end.type, dialect.PipeType):
                continue
            slot = self.slots.known(end)
            net = self.resources.net_of_pipe(end)
            if slot is None or net is None:
                yield Unclear(op=op, reason="which pipe is meant is not known")
                continue
            yield OnPipe(kind=kind, slot=slot, net=net, op=op, reads=frozenset((slot,)))

    def _await(self, op: dialect.WaitOp) -> Iterator[Step]:
        copy = _copy_of(op.operands[0])
        if copy is None:
            yield Unclear(op=op, reason="which transfer is meant depends on the way taken before")
        elif self._through_pipe(copy):
            yield Await(op=op, copy=copy)

    def _on_semaphore(
        self, op: dialect.SemaphoreWaitOp | dialect.SemaphoreSetOp | dialect.SemaphoreIncOp
    ) -> Step:
        match op:
            case dialect.SemaphoreWaitOp():
                kind = EventKind.UNTIL_AT_LEAST if op.comparison == "ge" else EventKind.UNTIL_EQUAL
            case dialect.SemaphoreSetOp():
                kind = EventKind.SET
            case _:
                kind = EventKind.INCREMENT
        target = self.resources.semaphore(op.operands[0])
        value = compile_scalar(op.operands[1], self.slots)
        if target is None or value is None:
            return Unclear(op=op, reason="the semaphore or its value is not known")
        semaphore, remote = target
        starts: tuple[ScalarFunction, ...] | None = None
        stops: tuple[ScalarFunction, ...] | None = None
        everywhere = False
        match remote:
            case dialect.GetRemoteSemaphoreOp():
                starts = self._scalars(remote.node)
            case dialect.GetRemoteMulticastSemaphoreOp():
                everywhere = not len(remote.starts)
                starts, stops = self._scalars(remote.starts), self._scalars(remote.stops)
        multicast = isinstance(remote, dialect.GetRemoteMulticastSemaphoreOp)
        if remote is not None and (starts is None or (multicast and stops is None)):
            return Unclear(op=op, reason="the nodes of a remote semaphore are not known")
        parts = (value, *(starts or ()), *(stops or ()))
        # The node determines whose semaphore a local set changes.
        here = frozenset((NODE,)) if remote is None else frozenset()
        return OnSemaphore(
            kind=kind,
            semaphore=semaphore,
            op=op,
            value=value,
            starts=starts,
            stops=stops if not everywhere else None,
            everywhere=everywhere,
            reads=here.union(*(part.slots for part in parts)),
        )

    def _scalars(self, values: Iterable[SSAValue]) -> tuple[ScalarFunction, ...] | None:
        scalar_functions = [compile_scalar(value, self.slots) for value in values]
        known = tuple(scalar_function for scalar_function in scalar_functions if scalar_function is not None)
        return known if len(known) == len(scalar_functions) else None


def _maker(value: SSAValue) -> Operation | None:
    return value.op if isinstance(value, OpResult) else None


def _copy_of(value: SSAValue) -> dialect.CopyOp | None:
    op = _maker(value)
    return op if isinstance(op, dialect.CopyOp) else None
