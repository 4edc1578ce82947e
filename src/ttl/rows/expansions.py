"""Expansions of rows for which the hardware has no function into other rows.

A rule takes one step; ``ttl.rows.lowering`` repeats the steps until every row has a tile function. A rule returns None if it
cannot express the row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from ttl.rows.arithmetic import EXCHANGED
from ttl.rows.dtypes import INT32, UINT8, UINT16, UINT32
from ttl.rows.rounding import PLACES
from ttl.rows.trees import Apply, Case, Expansion, RowOperand, limits
from ttl.rows.types import BlockType

Rule = Callable[[Case], Expansion | None]
Part = Apply | RowOperand | float

# The smallest normal float32.
_SMALLEST = 2.0**-126


def _apply(row: str, *operands: Part) -> Apply:
    return Apply(row, operands)


def _number_first(case: Case) -> bool:
    return not isinstance(case.operands[0], BlockType)


def _number(case: Case) -> float | None:
    """The first operand that is a number, or None."""
    for operand in case.operands:
        if not isinstance(operand, BlockType):
            return operand
    return None


def _is_unsigned(case: Case) -> bool:
    return case.block.dtype in (UINT32, UINT16)


def _with_fill(name: str) -> Rule:
    """Return a rule that makes a block of the operand that is a number."""

    def rule(case: Case) -> Expansion | None:
        if _number(case) is None:
            return None
        operands = [arg if isinstance(arg, RowOperand) else case.fill(arg) for arg in case.args]
        return _apply(name, *operands)

    return rule


def _commuted(name: str) -> Rule:
    """Return a rule that moves a number on the left to the right; a number on the right becomes a block."""
    filled = _with_fill(name)

    def rule(case: Case) -> Expansion | None:
        if _number_first(case):
            return _apply(name, case.args[1], case.args[0])
        return filled(case)

    return rule


def _sub(case: Case) -> Expansion | None:
    if _number_first(case):
        return _apply("rsub", case.args[1], case.args[0])
    return _with_fill("sub")(case)


def _truediv(case: Case) -> Expansion | None:
    number = _number(case)
    if number is None:
        return None
    left, right = case.args
    if _number_first(case):
        inverse = _apply("recip", right)
        return inverse if number == 1 else _apply("mul", inverse, number)
    reciprocal = _reciprocal(number)
    if reciprocal is None:
        return _apply("truediv", left, case.fill(number))
    return _apply("mul", left, reciprocal)


def _reciprocal(number: float) -> float | None:
    """1 / number in float32; None if the result is not a normal number.

    It is infinite or zero for 0 and infinities, and NaN for NaN.
    """
    with np.errstate(all="ignore"):
        value = float(np.float32(1) / np.float32(number))
    if value in (0, math.inf, -math.inf):
        return value if number in (0, math.inf, -math.inf) else None
    return value if abs(value) >= _SMALLEST or math.isnan(value) else None


def _floordiv(case: Case) -> Expansion | None:
    if not case.block.dtype.is_float:
        return _whole_division(case, "floordiv")
    number = _number(case)
    if _number_first(case):
        return _with_fill("floordiv")(case)
    if number == 0:
        return _apply("truediv", *case.args)
    if number is not None and math.isinf(number):
        return None
    left, right = case.args
    # A quotient near a whole number may be rounded to the wrong side. Therefore, the dividend minus the remainder is
    # divided, which is a multiple of the divisor. An infinite divisor gives NaN.
    whole = Apply("round", (_apply("truediv", _apply("sub", left, _apply("mod", left, right)), right),), (0,))
    return whole if number is not None else _apply("where", right, whole, _apply("truediv", left, right))


def _mod(case: Case) -> Expansion | None:
    if case.block.dtype.is_float:
        return _with_fill("mod")(case)
    return _whole_division(case, "mod")


def _whole_division(case: Case, name: str) -> Expansion | None:
    """A division of integers: the chip divides int32 only, and leaves a division by zero undefined; its result is 0."""
    dtype = case.block.dtype
    if dtype is UINT16:
        wide = tuple(
            Apply("typecast", (arg,), (INT32,)) if isinstance(arg, RowOperand) else arg for arg in case.args
        )
        return Apply("typecast", (_apply(name, *wide),), (dtype,))
    if dtype is not INT32:
        return None
    number = _number(case)
    left, right = case.args
    if number is None:
        return _apply("where", right, Apply(name, (left, right), as_is=True), 0)
    low, high = limits(dtype)
    if not low <= number <= high:
        return None
    if _number_first(case):
        return _apply(name, case.fill(number), right)
    return case.fill(0) if number == 0 else Apply(name, (left, case.fill(number)), as_is=True)


def _pow(case: Case) -> Expansion | None:
    base, exponent = case.args
    number = _number(case)
    if number is None:
        return None
    if _number_first(case):
        if not case.block.dtype.is_float:
            return case.fill(1) if number == 1 else None
        if number == 1:
            return case.fill(1)
        return _apply("exp2", exponent) if number == 2 else _apply("pow", case.fill(number), exponent)
    assert isinstance(base, RowOperand)
    if number == 0:
        return case.fill(1)
    if number == 1:
        return base
    if number == 2:
        return _apply("square", base)
    if case.block.dtype.is_float:
        if number == -1:
            return _apply("recip", base)
        return _apply("recip", _apply("square", base)) if number == -2 else None
    return _product(base, int(number))


def _product(base: RowOperand, exponent: int) -> Expansion:
    """A power of integers as products of repeated squares: base, base^2, base^4, ..."""
    result: Expansion | None = None
    power: Expansion = base
    while True:
        if exponent & 1:
            result = power if result is None else _apply("mul", result, power)
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result
        power = _apply("mul", power, power)


def _comparison(name: str) -> Rule:
    def rule(case: Case) -> Expansion | None:
        left, right = case.args
        if _number_first(case):
            return _apply(EXCHANGED[name], right, left)
        number = _number(case)
        if case.block.dtype.is_float:
            return None
        if number is not None:
            return _compared_with(case, name, number)
        return _compared(case, name)

    return rule


def _compared_with(case: Case, name: str, number: float) -> Expansion | None:
    """A comparison of a block of integers with a number."""
    low, high = limits(case.block.dtype)
    if number > high:
        return case.fill(int(name in ("ne", "lt", "le")))
    if number < low:
        return case.fill(int(name in ("ne", "gt", "ge")))
    left = case.args[0]
    if name in ("eq", "ne"):
        return None if number == 0 else _apply(name, _apply("sub", left, number), 0)
    return _apply(name, left, case.fill(number))


def _compared(case: Case, name: str) -> Expansion | None:
    """A comparison of two blocks of integers, by their difference or by their maximum."""
    left, right = case.args
    dtype = case.block.dtype
    if name in ("eq", "ne"):
        return _apply(name, _apply("sub", left, right), 0)
    if dtype is UINT16:
        return (
            None
            if name in ("lt", "gt")
            else _apply("eq", _apply("gt" if name == "le" else "lt", left, right), 0)
        )
    if dtype is not UINT32:
        return None
    smaller = left if name in ("lt", "ge") else right
    return _apply("ne" if name in ("lt", "gt") else "eq", _apply("max", left, right), smaller)


def _extremum(name: str) -> Rule:
    def rule(case: Case) -> Expansion | None:
        if _number_first(case):
            return _apply(name, case.args[1], case.args[0])
        left, right = case.args
        number = _number(case)
        dtype = case.block.dtype
        if number is not None and not dtype.is_float:
            low, high = limits(dtype)
            if not low <= number <= high:
                assert isinstance(left, RowOperand)
                return case.fill(number) if (number > high) is (name == "max") else left
        if dtype is not UINT16:
            return None
        chosen = right if isinstance(right, RowOperand) else case.fill(right)
        above = _apply("gt" if name == "max" else "lt", left, chosen)
        return _apply("where", above, left, chosen)

    return rule


def _neg(case: Case) -> Expansion | None:
    return _apply("rsub", RowOperand(0), 0) if _is_unsigned(case) else None


def _identity_of_unsigned(case: Case) -> Expansion | None:
    return RowOperand(0) if _is_unsigned(case) else None


def _square(case: Case) -> Expansion | None:
    return None if case.block.dtype.is_float else _apply("mul", RowOperand(0), RowOperand(0))


def _exp(case: Case) -> Expansion | None:
    approximate, scale = case.params
    return Apply("exp", (_apply("mul", RowOperand(0), scale),), (approximate, 1.0))


def _relu_max(case: Case) -> Expansion | None:
    (limit,) = case.params
    if case.block.dtype.is_float:
        # The result of the chip's own function for -0 is not defined: it compares with zero.
        return Apply("clamp", (RowOperand(0),), (0, limit)) if limit > 0 else None
    return case.fill(0) if limit <= 0 else _apply("relu", _apply("min", RowOperand(0), limit))


def _relu_min(case: Case) -> Expansion | None:
    (limit,) = case.params
    return _apply("relu", RowOperand(0)) if limit <= 0 else _apply("max", RowOperand(0), limit)


def _clamp(case: Case) -> Expansion | None:
    low, high = case.params
    if case.block.dtype.is_float:
        return None
    return _apply("min", _apply("max", RowOperand(0), low), high)


def _round(case: Case) -> Expansion | None:
    (decimals,) = case.params
    # float32 has no digits at these places, so that nothing is rounded.
    return RowOperand(0) if decimals > PLACES else None


def _threshold(case: Case) -> Expansion | None:
    threshold, value = case.params
    return _apply("where", _apply("gt", RowOperand(0), threshold), value, RowOperand(0))


def _sign(case: Case) -> Expansion | None:
    if case.block.dtype.is_float:
        return None
    if _is_unsigned(case):
        return _apply("ne", RowOperand(0), 0)
    return _apply("sub", _apply("gt", RowOperand(0), 0), _apply("lt", RowOperand(0), 0))


def _signbit(case: Case) -> Expansion | None:
    if case.block.dtype.is_float:
        # The reciprocal of -0 is below zero, the reciprocal of +0 above.
        return _apply("max", _apply("gt", RowOperand(0), 0), _apply("gt", _apply("recip", RowOperand(0)), 0))
    return case.fill(1) if _is_unsigned(case) else _apply("ge", RowOperand(0), 0)


def _mask(replacement: float) -> Rule:
    def rule(case: Case) -> Expansion | None:
        return _apply("where", _apply("eq", RowOperand(1), 1), replacement, RowOperand(0))

    return rule


def _where(case: Case) -> Expansion | None:
    if all(isinstance(operand, BlockType) for operand in case.operands):
        return None
    return _apply("where", *(arg if isinstance(arg, RowOperand) else case.fill(arg) for arg in case.args))


def _unless_bytes(rule: Rule) -> Rule:
    """Return a rule that does not apply to uint8, a type without arithmetic."""

    def checked(case: Case) -> Expansion | None:
        return None if case.block.dtype is UINT8 else rule(case)

    return checked


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        name: _unless_bytes(rule)
        for name, rule in {
            **{name: _commuted(name) for name in ("add", "mul", "xor")},
            **{name: _comparison(name) for name in EXCHANGED},
            "abs": _identity_of_unsigned,
            "clamp": _clamp,
            "exp": _exp,
            "floordiv": _floordiv,
            "mask": _mask(0),
            "mask_posinf": _mask(math.inf),
            "max": _extremum("max"),
            "min": _extremum("min"),
            "mod": _mod,
            "neg": _neg,
            "pow": _pow,
            "relu": _identity_of_unsigned,
            "relu_max": _relu_max,
            "relu_min": _relu_min,
            "round": _round,
            "rsub": _with_fill("rsub"),
            "sign": _sign,
            "signbit": _signbit,
            "square": _square,
            "sub": _sub,
            "threshold": _threshold,
            "truediv": _truediv,
            "where": _where,
        }.items()
    }
)
