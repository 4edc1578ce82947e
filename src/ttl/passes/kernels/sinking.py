"""What an operation computes for all of its kernels goes into each kernel that uses it."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation, SSAValue

from ttl.analysis.dominance import inside
from ttl.dialects import ttl as dialect
from ttl.passes.building import erase

# What stands for a resource stays where it is; a kernel names it.
_RESOURCES = (
    dialect.CreateDfbOp,
    dialect.CreateSemaphoreOp,
    dialect.CreatePipeNetOp,
    dialect.TensorAccessorOp,
)


def sink(operation: dialect.OperationOp) -> None:
    """Copy what kernels use of the body of their operation to their start; what nothing uses any more is erased."""
    body = operation.body.block
    for kernel in operation.kernels:
        _sink_into(kernel, body)
    for op in reversed(list(body.ops)):
        if not isinstance(op, (dialect.KernelOp, *_RESOURCES)) and not any(
            result.uses for result in op.results
        ):
            erase(op)


def _sink_into(kernel: dialect.KernelOp, body: Block) -> None:
    needed = set(_outside(kernel, body))
    pending = list(needed)
    while pending:
        for op in _outside(pending.pop(), body):
            if op not in needed:
                needed.add(op)
                pending.append(op)
    if not needed:
        return
    mapper: dict[SSAValue, SSAValue] = {}
    block = kernel.body.block
    first = block.first_op
    for op in body.ops:
        if op not in needed:
            continue
        copy = op.clone(value_mapper=mapper)
        for old, new in zip(op.walk(), copy.walk(), strict=True):
            new.location = old.location
        if first is None:
            block.add_op(copy)
        else:
            block.insert_op_before(copy, first)
    for each in inside(kernel):
        for index, operand in enumerate(each.operands):
            if operand in mapper:
                each.operands[index] = mapper[operand]


def _outside(op: Operation, body: Block) -> Iterator[Operation]:
    """What an operation, or one inside it, uses of the body, except resources."""
    for each in (op, *inside(op)):
        for operand in each.operands:
            owner = operand.owner
            if isinstance(owner, Operation) and owner.parent is body and not isinstance(owner, _RESOURCES):
                yield owner
