"""Arithmetic of the ``arith`` dialect, on Python's integers and, entry by entry, on NumPy arrays.

Integers of the type ``index`` are those of Python, within 64 bits; those of ``iN`` are taken modulo their width, as
signed numbers; a truth value is 0 or 1.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from ttl.analysis.intervals import FIRST_UNSIGNED, LONG, Interval


def _is_array(first: Any, second: Any) -> bool:
    return isinstance(first, np.ndarray) or isinstance(second, np.ndarray)


def _divide(first: Any, second: Any) -> Any:
    """Divide, rounding towards zero as ``divsi`` does."""
    if _is_array(first, second):
        quotient = np.abs(first) // np.abs(second)
        return np.where((first < 0) != (second < 0), -quotient, quotient)
    quotient = abs(first) // abs(second)
    return -quotient if (first < 0) != (second < 0) else quotient


def _remainder(first: Any, second: Any) -> Any:
    """Return the remainder with the sign of the dividend, as ``remsi`` does."""
    return first - _divide(first, second) * second


def larger(first: Any, second: Any) -> Any:
    """The larger of two numbers, or of each pair."""
    return np.maximum(first, second) if _is_array(first, second) else max(first, second)


def smaller(first: Any, second: Any) -> Any:
    """The smaller of two numbers, or of each pair."""
    return np.minimum(first, second) if _is_array(first, second) else min(first, second)


def ceil_divide(first: Any, second: Any) -> Any:
    """The quotient, rounded up."""
    return -(-first // second)


# Unsigned operations are computed like those of non-negative numbers.
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.floordivsi": operator.floordiv,
    "arith.ceildivsi": ceil_divide,
    "arith.ceildivui": ceil_divide,
    "arith.divsi": _divide,
    "arith.divui": operator.floordiv,
    "arith.remsi": _remainder,
    "arith.remui": operator.mod,
    "arith.minsi": smaller,
    "arith.minui": smaller,
    "arith.maxsi": larger,
    "arith.maxui": larger,
    "arith.andi": operator.and_,
    "arith.ori": operator.or_,
    "arith.xori": operator.xor,
    "arith.shli": operator.lshift,
    "arith.shrsi": operator.rshift,
    "arith.shrui": operator.rshift,
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
}
INTEGER = frozenset(name for name in BINARY if not name.endswith("f"))
COMMUTATIVE = frozenset(
    f"arith.{name}" for name in ("addi", "muli", "minsi", "maxsi", "minui", "maxui", "andi", "ori", "xori")
)
# Operations that are undefined for a right operand of zero.
DIVISIONS = frozenset(
    f"arith.{name}" for name in ("divsi", "divui", "floordivsi", "ceildivsi", "ceildivui", "remsi", "remui")
)
_SHIFTS = frozenset({"arith.shli", "arith.shrsi", "arith.shrui"})
_UNSIGNED = frozenset(name for name in INTEGER if name.endswith("ui"))
# Predicates of ``arith.cmpi`` in the order of their numbers; from the seventh on they are unsigned.
RELATIONS: tuple[Callable[[Any, Any], Any], ...] = (
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
    operator.lt, operator.le, operator.gt, operator.ge,
)  # fmt: skip
# The relations that hold of a number and itself.
REFLEXIVE = frozenset({0, 3, 5, 7, 9})
# Conversions, whose result is the same number in the result's type.
CASTS = (arith.IndexCastOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp)


def computed(name: str, a: int, b: int) -> int | None:
    """Compute an operation on two integers; None where the result is undefined or depends on their width."""
    if (
        (b == 0 and name in DIVISIONS)
        or (name in _UNSIGNED and (a < 0 or b < 0))
        or (name in _SHIFTS and not 0 <= b < LONG)
    ):
        return None
    result: int = BINARY[name](a, b)
    return result


def related(predicate: int, a: int, b: int) -> bool | None:
    """Compare two integers as ``arith.cmpi`` does; None where the result depends on their width."""
    return None if predicate >= FIRST_UNSIGNED and (a < 0 or b < 0) else bool(RELATIONS[predicate](a, b))


# --- constants ------------------------------------------------------------------------------------------------


def is_bool(value: SSAValue) -> bool:
    """Whether a value is true or false."""
    return isinstance(value.type, IntegerType) and value.type.width.data == 1


def is_integer(value: SSAValue) -> bool:
    """Whether a value is an index, a whole number or a condition."""
    return isinstance(value.type, IndexType | IntegerType)


def integer_of(value: SSAValue) -> int | None:
    """The value of an integer constant, or None; true is 1."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return _signed(op.value.value.data, value.type)
    return None


def held(number: int, type_: Attribute) -> int | None:
    """Wrap an integer to its type; None if ``index`` cannot hold it."""
    if isinstance(type_, IndexType):
        return number if Interval(number, number).fits(LONG) else None
    return _signed(number, type_)


def _signed(number: int, type_: Attribute) -> int:
    if not isinstance(type_, IntegerType):
        return number
    width: int = type_.width.data
    if width == 1:
        return number & 1
    return ((number + (1 << (width - 1))) & ((1 << width) - 1)) - (1 << (width - 1))


# --- patterns of several operations ---------------------------------------------------------------------------


def modulo_of(op: Operation) -> tuple[SSAValue, SSAValue] | None:
    """Return ``x`` and ``n`` if an operation computes ``x - x // n * n``, which is ``x % n``."""
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
    return a is b or (integer_of(a) is not None and integer_of(a) == integer_of(b))


def negated_of(op: Operation) -> SSAValue | None:
    """Return the condition that an operation negates."""
    if isinstance(op, arith.XOrIOp) and is_bool(op.result):
        for condition, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if integer_of(other) == 1:
                return condition
    return None
