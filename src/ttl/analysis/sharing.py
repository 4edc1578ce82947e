"""Uses of an operation's dataflow buffers by its kernels: the input of ``ttl.protocol.sharing``."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ttl.analysis.dominance import walked
from ttl.analysis.events.classes import KernelEvents
from ttl.analysis.events.sequences import EventKind
from ttl.dialects import ttl as dialect
from ttl.protocol.sharing import BufferUsers, RingUse, Usage, translated

_USES = {
    EventKind.RESERVE: RingUse.RESERVE,
    EventKind.PUSH: RingUse.PUSH,
    EventKind.WAIT: RingUse.WAIT,
    EventKind.POP: RingUse.POP,
}


def users_of(operation: dialect.OperationOp, buffers: Sequence[dialect.CreateDfbOp]) -> BufferUsers | None:
    """Return the users of an operation's buffers, which are numbered as listed; None if they are not known."""
    events = KernelEvents(operation)
    classes, numbers = events.classes, {op: number for number, op in enumerate(buffers)}
    if not classes or not numbers.keys() >= set(events.resources.buffers):
        return None
    if any(event.kind is EventKind.ANY for event in events.table.events):
        return None  # the order of messages determines that of uses
    number_of = [numbers[op] for op in events.resources.buffers]
    meaning = {
        number: _USES[event.kind].of(number_of[event.resource])
        for number, event in enumerate(events.table.events)
        if event.kind in _USES
    }
    landing = {
        number_of[buffer]
        for op in walked(operation)
        if isinstance(op, dialect.CopyOp)
        and isinstance(op.src.type, dialect.PipeType)
        and (buffer := events.resources.buffer_of_block(op.dst)) is not None
    }
    return BufferUsers(
        usage=Usage(tuple(translated(sequence, meaning) for sequence in one.kernels) for one in classes),
        kernels=tuple(kernel.kernel_name for kernel in operation.kernels),
        fixed=landing | {numbers[op] for op in buffers if op.scope == "remote_uniform"},
        unread={number for number, op in enumerate(buffers) if not _is_read(op)},
        counts=[op.result.type.block_count for op in buffers],
        free_order=not events.resources.semaphores
        and not _depends_on_order(operation)
        and not any(op.memory is not None for op in buffers),
    )


def _is_read(buffer: dialect.CreateDfbOp) -> bool:
    """Whether every block that is waited for is also used, in the block of the wait."""
    return all(
        any(
            other.operation.parent is use.operation.parent
            and not isinstance(other.operation, dialect.ReleaseOp)
            for other in use.operation.results[0].uses
        )
        for use in buffer.result.uses
        if isinstance(use.operation, dialect.DfbWaitOp)
    )


def _depends_on_order(operation: dialect.OperationOp) -> bool:
    """Whether a tensor is both read and written, or written by two kernels; True if that is not known."""
    read: set[SSAValue] = set()
    written: dict[SSAValue, int] = {}
    for number, kernel in enumerate(operation.kernels):
        for op in walked(kernel):
            if isinstance(op, dialect.CopyOp):
                for end, writes in ((op.src, False), (op.dst, True)):
                    if not isinstance(end.type, dialect.SliceType):
                        continue
                    if not isinstance(end.owner, dialect.TensorSliceOp):
                        return True
                    tensor = _tensor(end.owner.accessor)
                    if not writes:
                        read.add(tensor)
                    elif written.setdefault(tensor, number) != number:
                        return True
            elif not isinstance(op, dialect.TensorSliceOp | dialect.DimOp) and any(
                isinstance(operand.type, dialect.AccessorType) for operand in op.operands
            ):
                return True
    return not read.isdisjoint(written)


def _tensor(accessor: SSAValue) -> SSAValue:
    return accessor.owner.tensor if isinstance(accessor.owner, dialect.TensorAccessorOp) else accessor
