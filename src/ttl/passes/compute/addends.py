"""A sum over a loop begins with the value added to it afterwards, not with 0: ``total = 0; ...; total + bias``."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import is_available, precedes, walked
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import RetypeOp
from ttl.passes.building import erase
from ttl.passes.compute.carried import LOOPS, Carried, carried
from ttl.passes.compute.moving import compute_before, pop_before
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import leaves, tree
from ttl.passes.compute.views import type_of
from ttl.rows.table import ADD


def begin_with_addends(kernel: dialect.UserKernelOp) -> None:
    """Begin the sums of all loops of a kernel with the value added afterwards, where it is known before the loop."""
    for loop in [op for op in walked(kernel) if isinstance(op, LOOPS)]:
        for index, result in enumerate(loop.results):
            if isinstance(result.type, TensorType):
                _begin(carried(loop, index))


def _begin(sum_: Carried) -> None:
    loop, result = sum_.loop, sum_.result
    if not _is_zero(sum_.initial) or not result.has_one_use() or not _adds_up(sum_):
        return
    total = next(iter(result.uses)).operation
    if (
        not isinstance(total, dialect.BlockComputeOp)
        or total.row is not ADD
        or total.parent is not loop.parent
    ):
        return
    addend = total.operands[1 if total.operands[0] is result else 0]
    if not isinstance(addend.type, TensorType) or not _known_before(addend, loop):
        return
    compute_before(addend, loop)
    initial = addend
    if initial.type != result.type:
        typed = RetypeOp(addend, type_of(result))
        insert([typed], InsertPoint.before(loop), total.location)
        initial = typed.result
    loop.operands[sum_.operand] = initial
    last: SSAValue = result
    if total.result.type != result.type:
        typed = RetypeOp(result, type_of(total.result))
        insert([typed], InsertPoint.before(total), total.location)
        last = typed.result
    total.result.replace_all_uses_with(last)
    erase(total)


def _is_zero(value: SSAValue) -> bool:
    op = value.owner
    if isinstance(op, RetypeOp):
        return _is_zero(op.value)
    return isinstance(op, dialect.BlockComputeOp) and op.row.family == "fill" and op.params[0] == 0


def _adds_up(sum_: Carried) -> bool:
    """Whether a loop does nothing with a value but add to it."""
    argument, yielded = sum_.argument, sum_.yielded
    if not argument.has_one_use():
        return False
    if isinstance(yielded.owner, dialect.BlockComputeOp):
        return yielded.owner.row is ADD and argument in yielded.owner.operands
    if isinstance(yielded, OpResult) and isinstance(yielded.op, LOOPS):
        inner = carried(yielded.op, yielded.index)
        return inner.initial is argument and _adds_up(inner)
    return False


def _known_before(addend: SSAValue, loop: Operation) -> bool:
    """Whether the blocks of an expression are held before a loop, and still after it."""
    reads = leaves(addend)
    if not reads:
        return False
    for read in reads:
        acquire = dialect.acquired_from(read.block)
        if acquire is None or not precedes(acquire, loop) or pop_before(read, loop):
            return False
    return all(
        is_available(operand, loop) or operand.owner in reads or operand in tree(addend)
        for value in tree(addend)
        if isinstance(value.owner, Operation)
        for operand in value.owner.operands
    )
