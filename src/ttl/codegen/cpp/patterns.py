"""What several operations of a program say together, and C++ says with one operator."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue


def constant(value: SSAValue) -> int | None:
    """The integer a value is, where it is a constant; true is 1."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, IntegerAttr):
        return None
    number = int(owner.value.value.data)
    return number & 1 if is_bool(value) else number


def is_bool(value: SSAValue) -> bool:
    """Whether a value is true or false."""
    return isinstance(value.type, IntegerType) and value.type.width.data == 1


def bits_of(value: SSAValue) -> int:
    """How many bits an integer has in C++: those of an ``index`` are 32."""
    if isinstance(value.type, IntegerType):
        return 64 if value.type.width.data > 32 else 32
    return 32


def modulo_of(op: Operation) -> tuple[SSAValue, SSAValue] | None:
    """``x`` and ``n`` where an operation computes ``x - x // n * n``, which is ``x % n``."""
    if not isinstance(op, arith.SubiOp):
        return None
    product = op.rhs.owner
    if not isinstance(product, arith.MuliOp):
        return None
    for quotient, factor in ((product.lhs, product.rhs), (product.rhs, product.lhs)):
        division = quotient.owner
        if (
            isinstance(division, arith.FloorDivSIOp)
            and division.lhs is op.lhs
            and _same(division.rhs, factor)
        ):
            return op.lhs, factor
    return None


def _same(a: SSAValue, b: SSAValue) -> bool:
    return a is b or (constant(a) is not None and constant(a) == constant(b))


def negated_of(op: Operation) -> SSAValue | None:
    """The condition that an operation is the opposite of."""
    if isinstance(op, arith.XOrIOp) and is_bool(op.result):
        for condition, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if constant(other) == 1:
                return condition
    return None


def inputs_of(op: Operation) -> tuple[SSAValue, ...]:
    """The operands that the C++ of an operation mentions."""
    if (found := modulo_of(op)) is not None:
        return found
    if (condition := negated_of(op)) is not None:
        return (condition,)
    return tuple(op.operands)
