"""A sum over a loop begins with what is added to it afterwards, instead of zero: ``total = 0; ...; total + bias``."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.dialects import ttl as dialect
from ttl.dialects.compute import value_of
from ttl.dialects.retype import RetypeOp
from ttl.passes.building import erase
from ttl.passes.moving import compute_before, pop_before
from ttl.passes.positions import is_available, precedes
from ttl.passes.promote import LOOPS
from ttl.passes.temporaries import insert
from ttl.passes.trees import leaves, tree
from ttl.passes.views import type_of


def begin_with_addends(kernel: dialect.KernelOp) -> None:
    """Do so for every loop of a kernel, where what is added is known before it."""
    for loop in [op for op in kernel.walk() if isinstance(op, LOOPS)]:
        for index, result in enumerate(loop.results):
            if isinstance(result.type, TensorType):
                _begin(loop, index)


def _begin(loop: Operation, index: int) -> None:
    result = loop.results[index]
    first = len(loop.operands) - len(loop.results) + index
    if not _is_zero(loop.operands[first]) or not result.has_one_use() or not _adds_up(loop, index):
        return
    total = next(iter(result.uses)).operation
    if (
        not isinstance(total, dialect.BlockComputeOp)
        or total.row.name != "add"
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
    loop.operands[first] = initial
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
    return (
        isinstance(op, dialect.BlockComputeOp)
        and op.row.name == "fill"
        and value_of(op.attributes["value"]) == 0
    )


def _adds_up(loop: Operation, index: int) -> bool:
    """Whether a loop does nothing with a value but add to it."""
    body = loop.regions[0].block
    argument = body.args[len(body.args) - len(loop.results) + index]
    end = body.last_op
    assert end is not None
    yielded = end.operands[index].owner
    if not argument.has_one_use():
        return False
    if isinstance(yielded, dialect.BlockComputeOp):
        return yielded.row.name == "add" and argument in yielded.operands
    if isinstance(yielded, LOOPS) and argument in yielded.operands:
        inner = list(yielded.results).index(end.operands[index])  # type: ignore[arg-type]
        first = len(yielded.operands) - len(yielded.results) + inner
        return yielded.operands[first] is argument and _adds_up(yielded, inner)
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
