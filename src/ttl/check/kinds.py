"""What only one kind of kernel can do (specification, "Kernel"): computing and moving data; and what only one without C++ can.

The front end makes no such program; one may be written by hand, or come out of a pass.
"""

from __future__ import annotations

from xdsl.ir import Operation

from ttl.analysis.dominance import walked
from ttl.check.context import CheckContext
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.protocol.blocks import Step
from ttl.rules.blocks import wrong_kernel_kind
from ttl.rules.copies import copy_outside
from ttl.rules.external import beside_mathematics
from ttl.rules.pipes import condition_outside
from ttl.rules.stores import arithmetic_outside
from ttl.rules.words import kernel_what


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Operations in a kernel of the wrong kind, and C++ in one that computes."""
    wrong, mixed = list[Diagnostic](), list[Diagnostic]()
    for kernel in operation.kernels:
        ops = walked(kernel)
        for op in ops:
            finding = _wrong(op, kernel)
            if finding is not None:
                wrong.append(finding.at(span_of(op)).noting(f"in kernel {kernel.kernel_name}"))
        finding = _beside_mathematics(kernel, ops)
        if finding is not None:
            mixed.append(finding)
    return wrong + mixed


def _beside_mathematics(kernel: dialect.UserKernelOp, ops: list[Operation]) -> Diagnostic | None:
    if kernel.kind != "compute":
        return None
    external = next((op for op in ops if isinstance(op, dialect.ExternCallOp)), None)
    if external is None or not any(
        isinstance(op, dialect.BlockStoreOp | dialect.BlockAccumulateOp) for op in ops
    ):
        return None
    return beside_mathematics(external.callee, kernel.kernel_name).at(span_of(external))


def _wrong(op: Operation, kernel: dialect.UserKernelOp) -> Diagnostic | None:
    name = kernel.kernel_name
    if kernel.kind == "compute":
        match op:
            case dialect.CopyOp():
                return copy_outside(kernel_what("compute", name))
            case dialect.IfPipeSrcOp():
                return condition_outside("if_src", "compute", name)
            case dialect.IfPipeDstOp():
                return condition_outside("if_dst", "compute", name)
        return None
    match op:
        case dialect.BlockReadOp():
            return wrong_kernel_kind(Step.READ, _buffer(op), name)
        case dialect.BlockStoreOp() | dialect.BlockAccumulateOp():
            return wrong_kernel_kind(Step.STORE, _buffer(op), name)
        case dialect.BlockComputeOp() if not any(
            isinstance(operand.owner, dialect.BlockReadOp) for operand in op.operands
        ):
            return arithmetic_outside(op.row.spellings[0], kernel_what("data movement", name))
    return None


def _buffer(op: dialect.BlockReadOp | dialect.BlockStoreOp | dialect.BlockAccumulateOp) -> str:
    dfb = dialect.dfb_of(op.block)
    new_op = None if dfb is None else dfb.owner
    return new_op.buffer_name.data if isinstance(new_op, dialect.CreateDfbOp) else "a dataflow buffer"
