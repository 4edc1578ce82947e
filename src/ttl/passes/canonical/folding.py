"""Folding of integer arithmetic: all operands are known, one of two is known, or both are the same value.

Integers of the type ``index`` are those of Python, within 64 bits; those of ``iN`` are taken modulo their width, as
signed numbers. Divisions by zero are left alone.
"""

from __future__ import annotations

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from ttl.analysis.arithmetic import (
    CASTS,
    COMMUTATIVE,
    INTEGER,
    REFLEXIVE,
    computed,
    held,
    integer_of,
    related,
)
from ttl.dialects.lookup import LookupOp

# The replacement of a result: another value, or an integer.
Known = SSAValue | int


def fold(op: Operation) -> Known | None:
    """Return the known result of an operation with one result; None if it is not known, or the operation is not arithmetic."""
    if op.name in INTEGER:
        return _binary(op)
    if isinstance(op, CASTS):
        return _cast(op)
    match op:
        case arith.CmpiOp():
            return _comparison(op)
        case arith.SelectOp():
            return _choice(op)
        case affine.ApplyOp():
            return _map(op)
        case LookupOp():
            return _member(op)
    return None


def _member(op: LookupOp) -> Known | None:
    members, index = op.members, integer_of(op.index)
    if len(set(members)) == 1:
        return members[0]
    return members[index] if index is not None and 0 <= index < len(members) else None


def _binary(op: Operation) -> Known | None:
    left, right = op.operands
    a, b = integer_of(left), integer_of(right)
    if a is not None and b is not None:
        number = computed(op.name, a, b)
        return None if number is None else held(number, op.results[0].type)
    if left is right:
        return _of_itself(op.name, left)
    if b is not None:
        return _with_right(op.name, left, b, op.results[0].type)
    if a is not None and op.name in COMMUTATIVE:
        return _with_right(op.name, right, a, op.results[0].type)
    return None


def _of_itself(name: str, value: SSAValue) -> Known | None:
    match name:
        case "arith.subi" | "arith.xori":
            return 0
        case "arith.minsi" | "arith.maxsi" | "arith.minui" | "arith.maxui" | "arith.andi" | "arith.ori":
            return value
    return None


def _with_right(name: str, left: SSAValue, right: int, type_: Attribute) -> Known | None:
    """The result of an operation on a value and a number, where it is the value or a constant."""
    is_truth = type_ == IntegerType(1)
    match name, right:
        case ("arith.addi" | "arith.subi" | "arith.ori" | "arith.xori", 0):
            return left
        case ("arith.shli" | "arith.shrsi" | "arith.shrui", 0):
            return left
        case ("arith.muli" | "arith.divsi" | "arith.divui" | "arith.floordivsi", 1):
            return left
        case ("arith.ceildivsi" | "arith.ceildivui", 1):
            return left
        case ("arith.muli" | "arith.andi", 0):
            return 0
        case ("arith.remsi" | "arith.remui", 1):
            return 0
        case ("arith.andi", 1) if is_truth:
            return left
        case ("arith.ori", 1) if is_truth:
            return 1
    return None


def _comparison(op: arith.CmpiOp) -> Known | None:
    relation = op.predicate.value.data
    if op.lhs is op.rhs:
        return int(relation in REFLEXIVE)
    a, b = integer_of(op.lhs), integer_of(op.rhs)
    if a is None or b is None:
        return None
    holds = related(relation, a, b)
    return None if holds is None else int(holds)


def _choice(op: arith.SelectOp) -> Known | None:
    if op.lhs is op.rhs:
        return op.lhs
    chosen = integer_of(op.cond)
    if chosen is not None:
        return op.lhs if chosen else op.rhs
    if op.result.type == IntegerType(1) and (integer_of(op.lhs), integer_of(op.rhs)) == (1, 0):
        return op.cond
    return None


def _cast(op: Operation) -> Known | None:
    (value,) = op.operands
    number = integer_of(value)
    if number is not None:
        type_ = value.type
        if isinstance(op, arith.ExtUIOp) and isinstance(type_, IntegerType):
            number &= (1 << type_.width.data) - 1
        elif type_ == IntegerType(1):
            number = -number  # the only bit of an i1 is its sign
        return held(number, op.results[0].type)
    inner = value.owner
    if isinstance(op, arith.IndexCastOp) and isinstance(inner, arith.IndexCastOp):
        before = inner.operands[0]
        if before.type == op.results[0].type and isinstance(before.type, IndexType) is False:
            return before
    return None


def _map(op: affine.ApplyOp) -> Known | None:
    map_ = op.map.data
    numbers = [integer_of(operand) for operand in op.mapOperands]
    known = [number for number in numbers if number is not None]
    if len(known) == len(numbers):
        dims, symbols = known[: map_.num_dims], known[map_.num_dims :]
        try:
            (result,) = map_.eval(dims, symbols)
        except ZeroDivisionError:
            return None
        return result
    return None
