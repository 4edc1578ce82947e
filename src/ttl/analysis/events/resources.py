"""The dataflow buffers, pipes and semaphores that the kernels of an operation share, numbered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from ttl.analysis.elements import decided_by, values_read
from ttl.analysis.loops import incoming
from ttl.analysis.pipe_ends import Ends, NetEnds, net_ends, net_of
from ttl.dialects import ttl as dialect
from ttl.protocol.grid import Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedNet:
    """A pipe net. ``first`` is the number of its first pipe among all pipes of the operation."""

    op: dialect.CreatePipeNetOp
    first: int
    connections: NetEnds

    @property
    def pipes(self) -> tuple[dialect.PipeAttr, ...]:
        """All pipes."""
        return self.op.pipes

    @property
    def ends(self) -> tuple[Ends, ...]:
        """The ends of each pipe."""
        return self.connections.listed


class Resources:
    """The resources of one operation."""

    def __init__(self, operation: dialect.OperationOp, grid: Grid) -> None:
        self.buffers: list[dialect.CreateDfbOp] = []
        self.semaphores: list[dialect.CreateSemaphoreOp] = []
        self.nets: list[NumberedNet] = []
        self.outside = False
        """Whether a pipe leaves the grid: another analysis reports that, and this one gives up."""
        self._operation = operation
        self._numbers: dict[SSAValue, int] = {}
        for op in operation.body.blocks[0].ops:
            match op:
                case dialect.CreateDfbOp():
                    self._numbers[op.result] = len(self.buffers)
                    self.buffers.append(op)
                case dialect.CreateSemaphoreOp():
                    self._numbers[op.result] = len(self.semaphores)
                    self.semaphores.append(op)
                case dialect.CreatePipeNetOp():
                    self._add_net(op, grid)

    def _add_net(self, op: dialect.CreatePipeNetOp, grid: Grid) -> None:
        ends = net_ends(op.result, grid)
        if ends is None:
            self.outside = True
            return
        first = self.nets[-1].first + len(self.nets[-1].connections.sources) if self.nets else 0
        self._numbers[op.result] = len(self.nets)
        self.nets.append(NumberedNet(op=op, first=first, connections=ends))

    @cached_property
    def pipes(self) -> list[tuple[NumberedNet, int]]:
        """All pipes, each as its net and its number there."""
        return [(net, index) for net in self.nets for index in range(len(net.connections.sources))]

    @cached_property
    def meet(self) -> bool:
        """Whether nodes communicate: there are pipes or semaphores."""
        return bool(self.semaphores) or any(len(net.connections.sources) for net in self.nets)

    @cached_property
    def _values_read(self) -> dict[str, set[SSAValue]]:
        return {
            "an element of a block that the kernel reads": values_read(
                self._operation, (*dialect.ELEMENT_READS, dialect.ExternCallOp)
            ),
            "which of several receives was complete first": values_read(
                self._operation, (dialect.WaitAnyOp,)
            ),
        }

    def decided_by(self, op: Operation) -> str:
        """Return the kind of a value, known on the node only, that decides about a loop or branch; empty if no such value does."""
        return next((what for what, values in self._values_read.items() if decided_by(op, values)), "")

    def buffer(self, value: SSAValue) -> int | None:
        """Number of a dataflow buffer."""
        return self._numbers.get(value)

    def buffer_of_block(self, block: SSAValue, seen: frozenset[SSAValue] = frozenset()) -> int | None:
        """Return the number of the buffer of a block, which a loop may carry; None if it is not a single known one."""
        if block in seen:
            return None
        if isinstance(block.owner, dialect.AcquireOp):
            return self.buffer(block.owner.dfb)
        seen |= {block}
        numbers = {self.buffer_of_block(source, seen) for source in incoming(block) if source not in seen}
        return numbers.pop() if len(numbers) == 1 else None

    def net(self, value: SSAValue) -> int | None:
        """Number of a pipe net."""
        return self._numbers.get(value)

    def net_of_pipe(self, pipe: SSAValue) -> int | None:
        """Number of the net of the pipe that a condition function is called with."""
        parent = pipe.block.parent_op() if isinstance(pipe, BlockArgument) else None
        if not isinstance(parent, dialect.IfPipeSrcOp | dialect.IfPipeDstOp):
            return None
        return self.net(parent.net) if net_of(parent.net) is not None else None

    def semaphore(
        self, value: SSAValue
    ) -> tuple[int, dialect.GetRemoteSemaphoreOp | dialect.GetRemoteMulticastSemaphoreOp | None] | None:
        """Return the number of a semaphore, and the operation that reaches it if it is another node's.

        None if the semaphore is not known.
        """
        op = value.op if isinstance(value, OpResult) else None
        remote: dialect.GetRemoteSemaphoreOp | dialect.GetRemoteMulticastSemaphoreOp | None = None
        if isinstance(op, dialect.GetRemoteSemaphoreOp | dialect.GetRemoteMulticastSemaphoreOp):
            remote, value = op, op.semaphore
        number = self._numbers.get(value)
        return None if number is None else (number, remote)
