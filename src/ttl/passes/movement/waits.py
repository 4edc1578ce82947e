"""Waits for transfers become barriers: the network reports that all reads have arrived, or all writes, not which of them.

A wait on a copy into memory waits for the arrival of the data if the difference is observable: the operation reads the tensor
itself, or signals through semaphores that it is written. Otherwise the data have to leave the block, and a kernel ends with a
barrier for the data that have left but may not have arrived.
"""

from __future__ import annotations

from typing import Literal

from xdsl.dialects.builtin import IndexType, TensorType, UnrealizedConversionCastOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ttl.analysis.dominance import inside, of_kinds
from ttl.analysis.loops import incoming
from ttl.analysis.network import mixed_transfers
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import kernel_of
from ttl.dialects.ttkernel import KernelCallOp, class_of
from ttl.ir.failure import placed
from ttl.ir.locations import synthetic
from ttl.passes.building import Building, erase
from ttl.passes.marks import IMPLIED, is_made

Kind = Literal["read", "write", "send", "receive"]

LEFT = "noc_async_writes_flushed"
ARRIVED = "noc_async_write_barrier"
READ = "noc_async_read_barrier"

_HANDLES = (dialect.TransferType, dialect.GroupType)


def convert_waits(operation: dialect.OperationOp) -> list[Diagnostic]:
    """Convert the waits of one operation, except those for a pipe; returns errors for those that cannot be."""
    readable = _read_tensors(operation)
    lasting = any(
        isinstance(op, dialect.CreateSemaphoreOp) and not is_made(op) for op in operation.body.block.ops
    )
    findings: list[Diagnostic] = []
    for kernel in operation.kernels:
        for op in inside(kernel):
            if isinstance(op, dialect.WaitOp | dialect.GroupWaitOp | dialect.DmaBarrierOp):
                problem = _convert(op, readable, lasting)
                findings += [] if problem is None else [problem]
    return findings


def kind_of(copy: dialect.CopyOp) -> Kind:
    """Return the kind of transfer that a copy is on the network."""
    if isinstance(copy.src.type, dialect.SliceType):
        return "read"
    if isinstance(copy.dst.type, dialect.SliceType):
        return "write"
    return "receive" if isinstance(copy.src.type, dialect.PipeType) else "send"


def waited_copies(op: Operation) -> list[dialect.CopyOp]:
    """The copies that a wait may be for."""
    match op:
        case dialect.WaitOp():
            return _sources(op.transfer, set())
        case dialect.GroupWaitOp():
            return _members(op.group)
        case dialect.DmaBarrierOp():
            kernel = kernel_of(op)
            return of_kinds(kernel, dialect.CopyOp)
    raise AssertionError(op.name)


def _convert(op: Operation, readable: set[SSAValue], lasting: bool) -> Diagnostic | None:
    copies = waited_copies(op)
    kinds = {kind_of(copy) for copy in copies}
    if IMPLIED in op.attributes:
        erase(op)
        return None
    build = Building(op)
    if "read" in kinds:
        build.barrier(READ, "waits until the data is in the block")
    if "write" in kinds:
        written = [copy for copy in copies if kind_of(copy) == "write"]
        if lasting:
            build.barrier(ARRIVED, "waits until the written data has arrived: other nodes may be signalled")
        elif any(_tensor(copy) in readable for copy in written):
            build.barrier(
                ARRIVED, "waits until the written data has arrived: this operation reads the tensor, too"
            )
        else:
            build.barrier(
                LEFT, "waits until the data have left the block; they have arrived when the kernel ends"
            )
    if "receive" in kinds:
        return placed(mixed_transfers(), op)
    if "send" in kinds:
        build.barrier(LEFT, "waits until the message has left the block")
    erase(op)
    return None


def _read_tensors(operation: dialect.OperationOp) -> set[SSAValue]:
    """Tensors that an operation reads, in C++ of the user too, or in whose memory a buffer lies."""
    tensors = {_tensor(op) for op in of_kinds(operation, dialect.CopyOp) if kind_of(op) == "read"}
    backing = (op.memory for op in of_kinds(operation, dialect.CreateDfbOp))
    passed = (value for op in of_kinds(operation, dialect.ExternCallOp) for value in op.values)
    tensors |= {
        _tensor_of(value) for value in passed if isinstance(value.type, dialect.AccessorType | TensorType)
    }
    return tensors | {tensor for tensor in backing if tensor is not None}


def _tensor(copy: dialect.CopyOp) -> SSAValue:
    slice_ = (copy.src if kind_of(copy) == "read" else copy.dst).owner
    assert isinstance(slice_, dialect.TensorSliceOp)
    return _tensor_of(slice_.accessor)


def _tensor_of(value: SSAValue) -> SSAValue:
    return value.owner.tensor if isinstance(value.owner, dialect.TensorAccessorOp) else value


# --- the copies of a handle -------------------------------------------------------------------------------------


def _sources(handle: SSAValue, seen: set[SSAValue]) -> list[dialect.CopyOp]:
    if handle in seen:
        return []
    seen.add(handle)
    if isinstance(handle.owner, dialect.CopyOp):
        return [handle.owner]
    return [copy for value in incoming(handle) for copy in _sources(value, seen)]


def _members(group: SSAValue) -> list[dialect.CopyOp]:
    return [
        copy
        for use in group.uses
        if isinstance(use.operation, dialect.GroupAddOp)
        for copy in _sources(use.operation.transfer, set())
    ]


# --- handles without a use --------------------------------------------------------------------------------------


def drop_handles(operation: dialect.OperationOp) -> None:
    """Erase copies, groups and slices; where a loop or a branch carries a handle, it carries 0."""
    erased = (dialect.CopyOp, dialect.CreateGroupOp, dialect.GroupAddOp, dialect.ExternAccessOp)
    for kernel in operation.kernels:
        ops = of_kinds(kernel, *erased)
        for op in reversed(ops):
            for result in op.results:
                if result.uses and not all(isinstance(use.operation, erased) for use in result.uses):
                    zero = Building(op).value(0)
                    result.replace_all_uses_with(zero)
        for op in reversed(ops):
            for result in op.results:
                for use in list(result.uses):
                    erase(use.operation)
        for op in ops:
            if op.parent is not None:
                erase(op)
        _retype(kernel)
    _erase_unused(operation)


def _retype(kernel: dialect.UserKernelOp) -> None:
    for op in inside(kernel):
        values: list[SSAValue] = [*op.results]
        for region in op.regions:
            for block in region.blocks:
                values += block.args
        for value in values:
            if isinstance(value.type, _HANDLES):
                Rewriter.replace_value_with_new_type(value, IndexType())


def _erase_unused(operation: dialect.OperationOp) -> None:
    """Erase slices, accessors and placeholders of pipes that have no uses any more."""
    gone = (dialect.TensorSliceOp, dialect.TensorAccessorOp, UnrealizedConversionCastOp)
    for op in reversed(inside(operation)):
        if isinstance(op, gone) and not any(result.uses for result in op.results):
            erase(op)


# Writes that no barrier of their own follows.
_OPEN_WRITES = frozenset(
    {
        LEFT,
        "noc_inline_dw_write",
        "noc_semaphore_set_remote",
        "noc_semaphore_set_multicast",
        "noc_semaphore_set_multicast_loopback_src",
    }
)


def finish_kernel(kernel: dialect.UserKernelOp) -> None:
    """End a data movement kernel with barriers for writes that have left but not arrived, and for increments."""
    called = [op.call.name for op in of_kinds(kernel, KernelCallOp)]
    last = kernel.body.block.last_op
    build = Building(block=kernel.body.block, place=kernel, location=synthetic("end of the kernel"))
    if _OPEN_WRITES & {*called} and not isinstance(last, class_of(ARRIVED)):
        build.call(ARRIVED)
    if "noc_semaphore_inc" in called:
        build.call("noc_async_atomic_barrier")
