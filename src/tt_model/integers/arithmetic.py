"""Arithmetic of integers for a device whose formats have no sign: conversions, comparisons, quotients, bits, shifts.

What is written is right for both readings of a value: as TTIR has it, a number with a sign, and as the device has it, the bits
of that number. Sums, differences and products of bits are those of numbers, modulo the width. Tensors are filled with one
number in float32, so that numbers which that has not are made of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Attribute

from tt_model.integers.kinds import IntegerKind, kind_of

# A value of TTIR, as who writes has it.
Value = Any
# The result for a float that its integer type does not hold: the nearest integer (XLA), or its lowest bits (PyTorch).
Beyond = Literal["nearest", "lowest bits"]
# Float32 has all integers up to this size.
EXACT = 1 << 24


class ArithmeticWriter(Protocol):
    """Writes operations of TTIR: ``Writer`` for StableHLO, and a writer on the builder for PyTorch."""

    def element(self, value: Value) -> Attribute:
        """The element type of a value."""

    def elementwise(self, mnemonic: str, *operands: Value, element: Attribute | None = None) -> Value:
        """An operation of each element; its result has the element type of the last operand unless one is given."""

    def truth(self, mnemonic: str, *operands: Value) -> Value:
        """An operation whose result is 0 or 1, in a type that ``choose`` and other such operations take."""

    def choose(self, condition: Value, chosen: Value, other: Value) -> Value:
        """``chosen`` where the condition is not zero, else ``other``."""

    def splat(self, number: float, like: Value) -> Value:
        """One number in the element type of a value, with extents of one."""

    def typecast(self, value: Value, element: Attribute) -> Value:
        """A value as the device converts it: integers of no sign get zeros in front."""


def kind(value: Value, w: ArithmeticWriter) -> IntegerKind:
    """The integers of a value."""
    known = kind_of(w.element(value))
    assert known is not None
    return known


def number(value: int, like: Value, w: ArithmeticWriter) -> Value:
    """One integer, also one that float32 has not."""
    width = kind(like, w).held_width
    own = (value + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))
    if is_filled(own):
        return w.splat(own, like)
    low = own % (1 << 16)
    return w.elementwise("add", w.splat(own - low, like), w.splat(low, like))


def is_filled(value: int) -> bool:
    """Whether a tensor can be filled with it, for which there is a float32."""
    return int(np.float32(value)) == value


# Signs.


def is_negative(value: Value, w: ArithmeticWriter) -> Value:
    """Whether it is less than zero, or has the highest bit."""
    greatest = number((1 << (kind(value, w).held_width - 1)) - 1, value, w)
    return w.truth("logical_or", w.truth("lt", value, w.splat(0, value)), w.truth("gt", value, greatest))


def negated_where(condition: Value, value: Value, w: ArithmeticWriter) -> Value:
    """Negate a value where the condition holds."""
    return w.choose(condition, w.elementwise("neg", value), value)


def absolute(value: Value, w: ArithmeticWriter) -> Value:
    """Compute the absolute value."""
    return negated_where(is_negative(value, w), value, w)


def sign(value: Value, w: ArithmeticWriter) -> Value:
    """-1, 0 or 1."""
    zero, one = w.splat(0, value), w.splat(1, value)
    positive = w.choose(w.truth("ne", value, zero), one, zero)
    return w.choose(is_negative(value, w), w.splat(-1, value), positive)


def less(left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """Whether the first is less: of one sign as they are, else the negative one."""
    first, second = is_negative(left, w), is_negative(right, w)
    return w.choose(w.truth("ne", first, second), first, w.truth("lt", left, right))


def compare(direction: str, left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """``lt``, ``le``, ``gt`` or ``ge``."""
    if direction in ("gt", "le"):
        left, right = right, left
    is_less = less(left, right, w)
    return is_less if direction in ("lt", "gt") else w.truth("logical_not", is_less)


def extreme(mnemonic: str, left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """``maximum`` or ``minimum``."""
    chosen = (right, left) if mnemonic == "maximum" else (left, right)
    return w.choose(less(left, right, w), *chosen)


def limited(value: Value, largest: int, w: ArithmeticWriter) -> Value:
    """Between 0 and a number."""
    zero, most = w.splat(0, value), number(largest, value, w)
    return w.choose(is_negative(value, w), zero, w.elementwise("minimum", value, most))


def from_the_end(value: Value, extent: int, w: ArithmeticWriter) -> Value:
    """Places, of which those less than zero count from the end of so many."""
    return w.choose(is_negative(value, w), w.elementwise("add", value, w.splat(extent, value)), value)


# Division.


def quotient(left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """Rounded to zero."""
    first, second = is_negative(left, w), is_negative(right, w)
    size = w.elementwise("div", negated_where(first, left, w), negated_where(second, right, w))
    return negated_where(w.truth("ne", first, second), size, w)


def remainder(left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """Compute the remainder with the sign of the dividend."""
    negative = is_negative(left, w)
    size = w.elementwise("remainder", negated_where(negative, left, w), absolute(right, w))
    return negated_where(negative, size, w)


def where_divided(value: Value, by_zero: Value, divisor: Value, w: ArithmeticWriter) -> Value:
    """A quotient or remainder, and something else where the divisor is zero."""
    return w.choose(w.truth("ne", divisor, w.splat(0, divisor)), value, by_zero)


def rounded_down(left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """The greatest integer that is not greater than the quotient."""
    rest = remainder(left, right, w)
    whole = quotient(left, right, w)
    less_one = w.elementwise("subtract", whole, w.splat(1, left))
    return w.choose(_is_of_other_sign(rest, right, w), less_one, whole)


def modulo(left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """Compute the remainder of a division that rounds down: it has the sign of the divisor."""
    rest = remainder(left, right, w)
    return w.choose(_is_of_other_sign(rest, right, w), w.elementwise("add", rest, right), rest)


def _is_of_other_sign(rest: Value, divisor: Value, w: ArithmeticWriter) -> Value:
    """Whether something is left, and it has not the sign of the divisor."""
    differ = w.truth("ne", is_negative(rest, w), is_negative(divisor, w))
    return w.truth("logical_and", w.truth("ne", rest, w.splat(0, rest)), differ)


# Conversions.


def to_float(value: Value, element: Attribute, may_be_negative: bool, w: ArithmeticWriter) -> Value:
    """An integer as a float."""
    if not may_be_negative:
        return w.typecast(value, element)
    negative = is_negative(value, w)
    return negated_where(negative, w.typecast(negated_where(negative, value, w), element), w)


def from_float(value: Value, target: IntegerKind, beyond: Beyond, w: ArithmeticWriter) -> Value:
    """A float without its fraction. What is not a number becomes 0."""
    # Types of fewer digits do not have the limits.
    value = w.typecast(value, Float32Type())
    if beyond == "lowest bits":
        return to_integer(_signed_of_float(value, IntegerKind(32, True), w), target, True, w)
    if not target.is_signed:
        return w.typecast(value, target.element)
    if target.held_width < 32:
        above = w.elementwise("maximum", value, w.splat(float(target.least), value))
        return _signed_of_float(
            w.elementwise("minimum", above, w.splat(float(target.most), value)), target, w
        )
    whole = _signed_of_float(value, target, w)
    limit = float(1 << 31)
    whole = w.choose(w.truth("ge", value, w.splat(limit, value)), number(target.most, whole, w), whole)
    return w.choose(w.truth("lt", value, w.splat(-limit, value)), number(target.least, whole, w), whole)


def _signed_of_float(value: Value, target: IntegerKind, w: ArithmeticWriter) -> Value:
    size = w.typecast(w.elementwise("abs", value), target.element)
    return negated_where(w.truth("lt", value, w.splat(0.0, value)), size, w)


def to_integer(value: Value, target: IntegerKind, may_be_negative: bool, w: ArithmeticWriter) -> Value:
    """An integer as one of another type: its lowest bits, or with its sign in front."""
    source = kind(value, w)
    if source.held_width > target.held_width:
        return _lowest_bits(value, target, w)
    wide = w.typecast(value, target.element)
    if source.held_width == target.held_width or not may_be_negative:
        return wide
    limit = w.splat(1 << (source.held_width - 1), wide)
    less_all = w.elementwise("subtract", wide, w.splat(1 << source.held_width, wide))
    return w.choose(w.truth("ge", wide, limit), less_all, wide)


def _lowest_bits(value: Value, target: IntegerKind, w: ArithmeticWriter) -> Value:
    """The highest bit of those comes to the others, which are a number without a sign."""
    width, element = target.held_width, target.element
    if not target.is_signed:
        return w.typecast(_modulo_power(value, width, w), element)
    low = w.typecast(_modulo_power(value, width - 1, w), element)
    is_high = w.truth("ge", _modulo_power(value, width, w), w.splat(1 << (width - 1), value))
    return w.choose(is_high, w.elementwise("add", low, w.splat(-(1 << (width - 1)), low)), low)


# Bits.


def _modulo_power(value: Value, exponent: int, w: ArithmeticWriter) -> Value:
    """The remainder by a power of two, not negative."""
    by = w.splat(1 << exponent, value)
    rest = w.elementwise("remainder", value, by)
    return w.elementwise("remainder", w.elementwise("add", rest, by), by)


def _bits(value: Value, count: int, w: ArithmeticWriter) -> list[Value]:
    """The lowest bits, from the first."""
    two = w.splat(2, value)
    lowest: list[Value] = []
    for position in range(count):
        bit = w.elementwise("abs", w.elementwise("remainder", value, two))
        lowest.append(bit)
        if position < count - 1:
            value = w.elementwise("div", w.elementwise("subtract", value, bit), two)
    return lowest


def _power(exponent: int, width: int) -> int:
    """A power of two as a number of so many bits with a sign."""
    return 1 << exponent if exponent < width - 1 else -(1 << (width - 1))


def _joined(parts: Sequence[tuple[int, Value]], width: int, w: ArithmeticWriter) -> Value:
    total = None
    for position, bit in parts:
        part = w.elementwise("multiply", bit, w.splat(_power(position, width), bit)) if position else bit
        total = part if total is None else w.elementwise("add", total, part)
    assert total is not None
    return total


def complement(value: Value, w: ArithmeticWriter) -> Value:
    """Each bit the other way."""
    return w.elementwise("subtract", w.elementwise("neg", value), w.splat(1, value))


def logic(name: str, left: Value, right: Value, bits_of_both: int, w: ArithmeticWriter) -> Value:
    """``and``, ``or`` and ``xor`` of two values of the same type.

    ``bits_of_both``: how many of the lowest bits the two may have; where it is all of them, they may be negative.
    """
    both = _both(left, right, bits_of_both, w)
    if name == "and":
        return both
    total = w.elementwise("add", left, right)
    less_both = w.elementwise("subtract", total, both)
    return less_both if name == "or" else w.elementwise("subtract", less_both, both)


def _both(left: Value, right: Value, count: int, w: ArithmeticWriter) -> Value:
    pairs = zip(_bits(left, count, w), _bits(right, count, w), strict=True)
    parts = [(at, w.elementwise("multiply", *pair)) for at, pair in enumerate(pairs)]
    return _joined(parts, kind(left, w).held_width, w)


def logic_with(name: str, value: Value, mask: int, w: ArithmeticWriter) -> Value:
    """``and``, ``or`` and ``xor`` with a known number, given by its bits."""
    width = kind(value, w).held_width
    if mask == (1 << width) - 1:
        match name:
            case "and":
                return value
            case "or":
                return w.elementwise("subtract", nothing(value, w), w.splat(1, value))
        return complement(value, w)
    both = _with_mask(value, mask, w)
    if name == "and":
        return both
    total = w.elementwise("add", value, number(mask, value, w))
    less_both = w.elementwise("subtract", total, both)
    return less_both if name == "or" else w.elementwise("subtract", less_both, both)


def nothing(value: Value, w: ArithmeticWriter) -> Value:
    """Zeros, as many as a value has elements."""
    return w.elementwise("multiply", value, w.splat(0, value))


def _with_mask(value: Value, mask: int, w: ArithmeticWriter) -> Value:
    width = kind(value, w).held_width
    if not mask:
        return nothing(value, w)
    count = mask.bit_length()
    lowest = (mask & -mask).bit_length() - 1
    if mask == (1 << count) - (1 << lowest):
        # A run of ones: what is above goes, then what is below.
        above = value if count == width else _lowest(value, count, w)
        return w.elementwise("subtract", above, _lowest(value, lowest, w)) if lowest else above
    bits = _bits(value, count, w)
    return _joined([(at, bit) for at, bit in enumerate(bits) if mask >> at & 1], width, w)


def _lowest(value: Value, count: int, w: ArithmeticWriter) -> Value:
    """The lowest bits, without the others."""
    width = kind(value, w).held_width
    if count < width - 1:
        return _modulo_power(value, count, w)
    # The power is not a number with a sign, and half of it is: the highest bit is taken away where it is there.
    highest = is_negative(value, w)
    return w.choose(highest, w.elementwise("add", value, w.splat(_power(width - 1, width), value)), value)


# Shifts.


def shifted_left(value: Value, by: int, w: ArithmeticWriter) -> Value:
    """A product with a power of two."""
    width = kind(value, w).held_width
    if by >= width:
        return nothing(value, w)
    return value if not by else w.elementwise("multiply", value, w.splat(_power(by, width), value))


def shifted_right(value: Value, by: int, may_be_negative: bool, w: ArithmeticWriter) -> Value:
    """A quotient by a power of two, rounded down: the sign comes in from the left."""
    by = min(by, kind(value, w).held_width - may_be_negative)
    if not by:
        return value
    if not may_be_negative:
        return _divided_by_power(value, by, w)
    # Of a negative number, that of what is missing to -1, from -1.
    negative = is_negative(value, w)
    down = _divided_by_power(w.choose(negative, complement(value, w), value), by, w)
    return w.choose(negative, complement(down, w), down)


def shifted_right_with_zeros(value: Value, by: int, w: ArithmeticWriter) -> Value:
    """Shift to the right as if the value had no sign."""
    width = kind(value, w).held_width
    if by >= width:
        return nothing(value, w)
    if not by:
        return value
    # The highest bit goes by itself, so that both readings are a number of no sign.
    negative = is_negative(value, w)
    rest = w.choose(negative, w.elementwise("add", value, w.splat(_power(width - 1, width), value)), value)
    down = _divided_by_power(rest, by, w)
    return w.choose(negative, w.elementwise("add", down, w.splat(1 << (width - 1 - by), down)), down)


def _divided_by_power(value: Value, by: int, w: ArithmeticWriter) -> Value:
    """Divide a number that is not negative by a power of two, in steps whose divisors are positive numbers of the type."""
    most = kind(value, w).held_width - 2
    while by:
        step = min(by, most)
        value = w.elementwise("div", value, w.splat(1 << step, value))
        by -= step
    return value


def shifted_by_values(
    name: Literal["left", "right", "right with zeros"],
    value: Value,
    by: Value,
    may_be_negative: bool,
    w: ArithmeticWriter,
) -> Value:
    """Shifts by numbers that are not known: by 1, 2, 4, ... where those bits are set; beyond the width, all bits go."""
    width = kind(value, w).held_width
    stages = width.bit_length() - 1

    def once(given: Value, count: int) -> Value:
        if name == "left":
            return shifted_left(given, count, w)
        if name == "right":
            return shifted_right(given, count, may_be_negative, w)
        return shifted_right_with_zeros(given, count, w)

    result = value
    for position, bit in enumerate(_bits(by, stages, w)):
        result = w.choose(bit, once(result, 1 << position), result)
    within = w.truth(
        "logical_and",
        w.truth("ge", by, w.splat(0, by)),
        w.truth("lt", by, w.splat(width, by)),
    )
    return w.choose(within, result, once(value, width))
