"""Findings about kinds of kernels (specification, "Kernel"): operations in a kernel of the wrong kind, C++ in a
compute kernel, more kernels of a kind than a node runs; and operations without a lowering.

The front end makes no such program; but IR may be written by hand, or produced by a pass.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType

from xdsl.ir import Operation

from ttl.analysis.dominance import of_kinds, walked
from ttl.analysis.lowerable import not_lowered
from ttl.check.context import CheckContext, placed
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import InKernel
from ttl.ir.locations import span_of
from ttl.protocol.blocks import Step
from ttl.rules.blocks import wrong_kernel_kind
from ttl.rules.copies import copy_outside
from ttl.rules.elements import INDEX, READ, WRITE
from ttl.rules.elements import outside as element_outside
from ttl.rules.external import beside_mathematics
from ttl.rules.kernel_definitions import one_too_many, same_name
from ttl.rules.pipes import condition_outside
from ttl.rules.semaphores import semaphore_outside
from ttl.rules.slices import slice_outside
from ttl.rules.stores import arithmetic_outside
from ttl.rules.words import kernel_what


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Find surplus kernels of a kind, operations in a kernel of the wrong kind, and C++ in a compute kernel."""
    wrong, mixed = list[Diagnostic](), list[Diagnostic]()
    kernels = operation.kernels
    for position, kernel in enumerate(kernels):
        before = kernels[:position]
        same = [other.kernel_name for other in before if other.kind == kernel.kind]
        problem = one_too_many(kernel.kind, kernel.kernel_name, same)
        if problem is None and any(other.kernel_name == kernel.kernel_name for other in before):
            problem = same_name(kernel.kernel_name)
        if problem is not None:
            wrong.append(problem.at(span_of(kernel)))
        for op in walked(kernel):
            finding = _wrong(op, kernel)
            if finding is not None:
                wrong.append(finding.at(span_of(op)).noting(f"in kernel {kernel.kernel_name}"))
        finding = _beside_mathematics(kernel)
        if finding is not None:
            mixed.append(finding)
    refused = [placed(finding, op) for op, finding in not_lowered(operation)]
    return wrong + mixed + refused


def _beside_mathematics(kernel: dialect.UserKernelOp) -> Diagnostic | None:
    if kernel.kind != "compute":
        return None
    external = of_kinds(kernel, dialect.ExternCallOp)
    if not external or not of_kinds(kernel, dialect.BlockStoreOp, dialect.BlockAccumulateOp):
        return None
    return beside_mathematics(external[0].callee, kernel.kernel_name).at(span_of(external[0]))


@cache
def _place_of(kind: type[Operation]) -> InKernel | None:
    """Return the trait that determines the kernels in which operations of a kind may be."""
    return kind.get_trait(InKernel)


def _wrong(op: Operation, kernel: dialect.UserKernelOp) -> Diagnostic | None:
    place = _place_of(type(op))
    if place is None or place.kind in (None, kernel.kind):
        return None
    name, what = kernel.kernel_name, kernel_what(kernel.kind, kernel.kernel_name)
    match op:
        case dialect.CopyOp():
            return copy_outside(what)
        case dialect.IfPipeSrcOp():
            return condition_outside("if_src", "compute", name)
        case dialect.IfPipeDstOp():
            return condition_outside("if_dst", "compute", name)
        case dialect.TensorSliceOp():
            return slice_outside(what)
        case dialect.SemaphoreWaitOp() | dialect.SemaphoreSetOp() | dialect.SemaphoreIncOp():
            return semaphore_outside(op.name.removeprefix("ttl.semaphore_"), what)
        case dialect.ElementReadOp() | dialect.ReadIndexOp() | dialect.ElementWriteOp():
            return element_outside(_ELEMENTS[type(op)], what)
        case dialect.BlockReadOp():
            return wrong_kernel_kind(Step.READ, _buffer(op), name)
        case dialect.BlockStoreOp() | dialect.BlockAccumulateOp():
            return wrong_kernel_kind(Step.STORE, _buffer(op), name)
        case dialect.BlockComputeOp():
            if any(isinstance(operand.owner, dialect.BlockReadOp) for operand in op.operands):
                return None  # the operand is the finding
            return arithmetic_outside(op.row.spellings[0], what)
    return copy_outside(what, op.name) if place.kind == "data movement" else arithmetic_outside(op.name, what)


_ELEMENTS = MappingProxyType(
    {dialect.ElementReadOp: READ, dialect.ReadIndexOp: INDEX, dialect.ElementWriteOp: WRITE}
)


def _buffer(op: dialect.BlockReadOp | dialect.BlockStoreOp | dialect.BlockAccumulateOp) -> str:
    dfb = dialect.dfb_of(op.block)
    new_op = None if dfb is None else dfb.owner
    return new_op.buffer_name.data if isinstance(new_op, dialect.CreateDfbOp) else "a dataflow buffer"
