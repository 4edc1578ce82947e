"""The state of a program that was read and not run, in the form of a deadlock report (``ttl.deadlock.network``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ttl.analysis.dominance import walked
from ttl.analysis.events.resources import Resources
from ttl.deadlock import network as net
from ttl.deadlock.network import Place
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import enclosing_kernel
from ttl.ir.locations import chain_of, span_of
from ttl.protocol.grid import Grid, coordinate
from ttl.rules.resets import mover_of
from ttl.rules.waiting import WaitKind
from ttl.source.spans import Span

Nodes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class _Mentions:
    """The actions of a kernel on any path: the buffers of which it acquires blocks, pipe ends, semaphore changes."""

    reserves: frozenset[int]
    waits: frozenset[int]
    uses: frozenset[str]


class ReadNetwork:
    """Half of a ``ttl.deadlock.network.Network``: the part that follows from an operation's IR alone.

    ``nodes`` are the executed nodes, each with the coordinates of the nodes that it represents. All of them have the
    kernels and the buffers of the operation, numbered node by node. A place is an operation, or a span if no operation is known.
    """

    untried = net.OUTSIDE

    def __init__(
        self,
        resources: Resources,
        kernels: Sequence[dialect.UserKernelOp],
        grid: Grid,
        nodes: Sequence[Sequence[int]],
        l1_bytes: int,
    ) -> None:
        self._kernel_ops = kernels
        self._mentions = [_mentions(resources, kernel) for kernel in kernels]
        self._resources = resources
        self.l1_bytes = l1_bytes
        self.first_of_several = any(
            isinstance(op, dialect.WaitAnyOp) for kernel in kernels for op in walked(kernel)
        )
        self.nodes: list[Nodes] = [
            tuple(coordinate(node, grid, len(grid)) for node in members) for members in nodes
        ]
        rows = range(len(nodes))
        self.kernels = [
            net.NetworkKernel(op.kernel_name, row, op.kind == "compute") for row in rows for op in kernels
        ]
        self.buffers = [
            net.NetworkBuffer(
                op.buffer_name.data,
                row,
                op,
                type_.shape,
                type_.nbytes,
                op.memory is not None,
                mover_of(op.buffer_name.data) if dialect.RESETS in op.attributes else None,
            )
            for row in rows
            for op in resources.buffers
            for type_ in (op.result.type.block_type,)
        ]
        self.pipes = [
            net.NetworkPipe(
                of.op.pipe_name(index),
                *of.ends[index],
                of.op,
            )
            for of, index in resources.pipes
        ]
        self.semaphores = [
            net.NetworkSemaphore(f"semaphore {op.semaphore_name.data or number}", op.initial_value, op)
            for number, op in enumerate(resources.semaphores)
        ]

    def span(self, place: Place) -> Span | None:
        """Return the place of an operation in the program."""
        return place if isinstance(place, Span) else span_of(cast("Operation", place))

    def calls(self, place: Place) -> tuple[Span, ...]:
        """The calls an operation was inlined through."""
        return () if isinstance(place, Span) else tuple(chain_of(cast("Operation", place)))

    def events(self, buffer: int) -> tuple[str, ...]:
        """Return nothing: events are in the history of the kernels, if there is one."""
        return ()

    # --- the code of a kernel, on any path ---------------------------------------------------------------

    def may_reserve(self, kernel: int, buffer: int) -> bool:
        """Whether a kernel may reserve blocks of a buffer."""
        return self._may(kernel, buffer, self._of(kernel).reserves)

    def calls_reserve(self, kernel: int, buffer: int) -> bool:
        """Whether a kernel's code calls ``reserve`` of a buffer."""
        return self.may_reserve(kernel, buffer)

    def may_wait(self, kernel: int, buffer: int) -> bool:
        """Whether a kernel may wait for blocks of a buffer."""
        return self._may(kernel, buffer, self._of(kernel).waits)

    def _may(self, kernel: int, buffer: int, mentioned: frozenset[int]) -> bool:
        row, local = divmod(buffer, len(self._resources.buffers))
        return kernel // len(self._kernel_ops) == row and local in mentioned

    def uses(self, kernel: int, what: Literal["if_src", "if_dst", "semaphore"]) -> bool:
        """Whether a kernel may send, receive, or change semaphores."""
        return what in self._of(kernel).uses

    def _of(self, kernel: int) -> _Mentions:
        return self._mentions[kernel % len(self._kernel_ops)]

    def writes_first(self, waiting: net.Waiting) -> bool:
        """Whether a kernel's first action on the block is to write to it."""
        if isinstance(waiting.place, Span):
            return False
        acquire = cast("Operation", waiting.place)
        for op in _uses(acquire):
            match op:
                case dialect.BlockStoreOp() | dialect.CopyOp() | dialect.ComputeRegionOp():
                    return _writes(op, acquire)
                case dialect.ElementWriteOp():
                    return True
                case dialect.BlockReadOp() | dialect.BlockAccumulateOp():
                    return False
        return False

    def is_written(self, acquire: Place, until: Place) -> bool:
        """Whether a block is written between its acquisition and the current place of its kernel."""
        if not isinstance(acquire, Operation) or not isinstance(until, Operation):
            return False
        kernel = enclosing_kernel(acquire)
        order = {op: position for position, op in enumerate(walked(kernel))} if kernel is not None else {}
        end = order.get(until, len(order))
        return any(_writes(op, acquire) and order[op] < end for op in _uses(acquire))

    # --- operations at a span ----------------------------------------------------------------------------

    def acquisition(self, kernel: int, buffer: int, kind: WaitKind, span: Span | None) -> Place:
        """Return the operation by which a kernel acquires a block of a buffer, at ``span`` if there is one, else the first."""
        wanted = dialect.DfbReserveOp if kind == "space" else dialect.DfbWaitOp
        local = buffer % len(self._resources.buffers)
        acquires = [
            op
            for op in walked(self._kernel_ops[kernel % len(self._kernel_ops)])
            if isinstance(op, wanted) and self._resources.buffer(op.dfb) == local
        ]
        return next((op for op in acquires if span_of(op) == span), acquires[0] if acquires else span)

    def transfer_end(self, kernel: int, span: Span | None) -> Place:
        """Return the wait for the transfer that is started, or waited for, at a span; else the span."""
        for op in walked(self._kernel_ops[kernel % len(self._kernel_ops)]):
            if span_of(op) != span:
                continue
            if isinstance(op, dialect.CopyOp):
                return next((use.operation for use in op.result.uses), op)
            if isinstance(op, dialect.WaitOp):
                return op
        return span

    def first_of(self, kernel: int, span: Span | None) -> tuple[dialect.WaitAnyOp, tuple[int, ...]] | None:
        """Return the ``ttl.wait_any`` at a span, and the pipes whose messages complete it on the kernel's node.

        None if there is no such operation, or none of its receives is from a known pipe to the node.
        """
        node = self.kernels[kernel].node
        for op in walked(self._kernel_ops[kernel % len(self._kernel_ops)]):
            if not isinstance(op, dialect.WaitAnyOp) or span_of(op) != span:
                continue
            pipes: list[int] = []
            for copy in (transfer.owner for transfer in op.transfers):
                number = self._resources.net_of_pipe(copy.src) if isinstance(copy, dialect.CopyOp) else None
                if number is not None:
                    net_ = self._resources.nets[number]
                    pipes += [net_.first + at for at, (_, ends) in enumerate(net_.ends) if node in ends]
            if pipes:
                return op, tuple(pipes)
        return None


def only_operation(module: ModuleOp) -> dialect.OperationOp:
    """Return the operation of a module with a single one."""
    (operation,) = (op for op in module.body.block.ops if isinstance(op, dialect.OperationOp))
    return operation


def _mentions(resources: Resources, kernel: dialect.UserKernelOp) -> _Mentions:
    reserves: set[int] = set()
    waits: set[int] = set()
    uses: set[str] = set()
    for op in walked(kernel):
        match op:
            case dialect.AcquireOp():
                buffer = resources.buffer(op.dfb)
                if buffer is not None:
                    (reserves if isinstance(op, dialect.DfbReserveOp) else waits).add(buffer)
            case dialect.IfPipeSrcOp():
                uses.add("if_src")
            case dialect.IfPipeDstOp():
                uses.add("if_dst")
            case dialect.SemaphoreSetOp() | dialect.SemaphoreIncOp():
                uses.add("semaphore")
    return _Mentions(reserves=frozenset(reserves), waits=frozenset(waits), uses=frozenset(uses))


def _uses(acquire: Operation) -> list[Operation]:
    """Return the operations on an acquired block, in program order."""
    kernel = enclosing_kernel(acquire)
    users = {use.operation for use in acquire.results[0].uses} if acquire.results else set()
    return [op for op in walked(kernel) if op in users] if kernel is not None else []


def _writes(op: Operation, acquire: Operation) -> bool:
    """Whether an operation writes to an acquired block."""
    if isinstance(op, dialect.CopyOp):
        return op.dst is acquire.results[0]
    if isinstance(op, dialect.ComputeRegionOp):
        return acquire.results[0] in op.outputs
    return isinstance(op, dialect.BlockStoreOp | dialect.BlockAccumulateOp)
