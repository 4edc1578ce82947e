"""Operations of a loop that compute the same value in every iteration."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ttl.analysis.arithmetic import DIVISIONS, integer_of
from ttl.analysis.effects import is_free
from ttl.dialects.lookup import LookupOp


def leaving(body: Block) -> list[Operation]:
    """The operations of the body of a loop that are to run before it instead, in order."""
    result: dict[Operation, None] = {}
    for op in body.ops:
        if _may_leave_loops(op) and all(_is_outside(operand, body, result) for operand in op.operands):
            result[op] = None
    for op in reversed(list(result)):
        if _is_part_of_a_sum(op, result):
            del result[op]
    return list(result)


def _may_leave_loops(op: Operation) -> bool:
    """Whether an operation may run before a loop that perhaps never runs: it computes numbers, without effects."""
    if op.regions or not op.results:
        return False
    if any(isinstance(result.type, TensorType) or _is_resource(result.type) for result in op.results):
        return False
    if isinstance(op, LookupOp):
        return False  # perhaps the index is in the list only if the loop runs
    if op.name in DIVISIONS and integer_of(op.operands[1]) in (None, 0):
        return False
    return is_free(op)


def _is_part_of_a_sum(op: Operation, leaving: Collection[Operation]) -> bool:
    """Whether arithmetic is only a part of arithmetic that stays in the loop, or a condition there.

    A C++ compiler moves such arithmetic by itself, and ``row * 8 + column`` is easier to read as a whole.
    """
    if op.dialect_name() != "arith" or isinstance(op, arith.ConstantOp):
        return False
    users = [use.operation for result in op.results for use in result.uses]
    if all(value.type == i1 for value in op.results):
        return not any(user in leaving for user in users)
    return not any(user in leaving or user.dialect_name() != "arith" for user in users)


def _is_resource(type_: Attribute) -> bool:
    """Whether a type is of ``ttl``: slices, and operands of transfers and semaphores, stay beside their users."""
    return type_.name.startswith("ttl.")


def _is_outside(value: SSAValue, body: Block, leaving: Collection[Operation]) -> bool:
    owner = value.owner
    if isinstance(owner, Block):
        return owner is not body
    return owner.parent is not body or owner in leaving
