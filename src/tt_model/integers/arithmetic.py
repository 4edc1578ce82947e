"""Arithmetic of integers for a device whose formats have no sign: conversions, comparisons, quotients, bits, shifts.

The operations are right for both readings of a value: in TTIR it is a number with a sign, on the device it is the bits
of that number. Sums, differences and products of bits are those of the numbers, modulo the width. Tensors are filled
with a float32, so that a number that float32 does not have is the sum of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Attribute

from tt_model.integers.kinds import IntegerKind, kind_of

# A value of TTIR, in the form of the writer.
Value = Any
# The result for a float outside of its integer type: the nearest integer (XLA), or the lowest bits (PyTorch).
Beyond = Literal["nearest", "lowest bits"]
# Float32 holds all integers up to this size.
EXACT = 1 << 24


class ArithmeticWriter(Protocol):
    """Writes operations of TTIR: ``Writer`` for StableHLO, and a writer on the builder for PyTorch."""

    def element(self, value: Value) -> Attribute:
        """The element type of a value."""

    def elementwise(self, mnemonic: str, *operands: Value, element: Attribute | None = None) -> Value:
        """An operation on each element; ``element`` is the result's element type, by default the last operand's."""

    def truth(self, mnemonic: str, *operands: Value) -> Value:
        """An operation whose result is 0 or 1, in a type that ``choose`` and other operations on truth values take."""

    def choose(self, condition: Value, chosen: Value, other: Value) -> Value:
        """``chosen`` where the condition is not zero, else ``other``."""

    def splat(self, number: float, like: Value) -> Value:
        """A tensor of one number, with the element type of ``like`` and extents of one."""

    def typecast(self, value: Value, element: Attribute) -> Value:
        """Convert a value as the device does: integers are extended with zeros, as they have no sign there."""


def kind(value: Value, w: ArithmeticWriter) -> IntegerKind:
    """The integer type of a value."""
    known = kind_of(w.element(value))
    assert known is not None
    return known


def number(value: int, like: Value, w: ArithmeticWriter) -> Value:
    """A tensor of one integer, which float32 may not have."""
    width = kind(like, w).held_width
    own = (value + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))
    if is_filled(own):
        return w.splat(own, like)
    low = own % (1 << 16)
    return w.elementwise("add", w.splat(own - low, like), w.splat(low, like))


def is_filled(value: int) -> bool:
    """Whether a tensor can be filled with the number, which is so if a float32 has it."""
    return int(np.float32(value)) == value


# Signs.


def is_negative(value: Value, w: ArithmeticWriter) -> Value:
    """Whether a value is less than zero, which is so if its highest bit is set."""
    greatest = number((1 << (kind(value, w).held_width - 1)) - 1, value, w)
    return w.truth("logical_or", w.truth("lt", value, w.splat(0, value)), w.truth("gt", value, greatest))


def negated_where(condition: Value, value: Value, w: ArithmeticWriter) -> Value:
    """Negate a value where the condition holds."""
    return w.choose(condition, w.elementwise("neg", value), value)


def absolute(value: Value, w: ArithmeticWriter) -> Value:
    """Compute the absolute value."""
    return negated_where(is_negative(value, w), value, w)


def sign(value: Value, w: ArithmeticWriter) -> Value:
    """The sign: -1, 0 or 1."""
    zero, one = w.splat(0, value), w.splat(1, value)
    positive = w.choose(w.truth("ne", value, zero), one, zero)
    return w.choose(is_negative(value, w), w.splat(-1, value), positive)


def less(left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """Whether ``left`` is less than ``right``.

    Values of one sign are compared as they are; otherwise the negative one is less.
    """
    first, second = is_negative(left, w), is_negative(right, w)
    return w.choose(w.truth("ne", first, second), first, w.truth("lt", left, right))


def compare(direction: str, left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """Compare by ``direction``: ``lt``, ``le``, ``gt`` or ``ge``."""
    if direction in ("gt", "le"):
        left, right = right, left
    is_less = less(left, right, w)
    return is_less if direction in ("lt", "gt") else w.truth("logical_not", is_less)


def extreme(mnemonic: str, left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """The ``maximum`` or ``minimum`` of two values."""
    chosen = (right, left) if mnemonic == "maximum" else (left, right)
    return w.choose(less(left, right, w), *chosen)


def limited(value: Value, largest: int, w: ArithmeticWriter) -> Value:
    """Clamp a value to the range from 0 to ``largest``."""
    zero, most = w.splat(0, value), number(largest, value, w)
    return w.choose(is_negative(value, w), zero, w.elementwise("minimum", value, most))


def from_the_end(value: Value, extent: int, w: ArithmeticWriter) -> Value:
    """Replace negative indices, which count from the end of ``extent`` elements, by those from the front."""
    return w.choose(is_negative(value, w), w.elementwise("add", value, w.splat(extent, value)), value)


# Division.


def quotient(left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """The quotient, rounded to zero."""
    first, second = is_negative(left, w), is_negative(right, w)
    size = w.elementwise("div", negated_where(first, left, w), negated_where(second, right, w))
    return negated_where(w.truth("ne", first, second), size, w)


def remainder(left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """Compute the remainder with the sign of the dividend."""
    negative = is_negative(left, w)
    size = w.elementwise("remainder", negated_where(negative, left, w), absolute(right, w))
    return negated_where(negative, size, w)


def where_divided(value: Value, by_zero: Value, divisor: Value, w: ArithmeticWriter) -> Value:
    """A quotient or remainder; ``by_zero`` where the divisor is zero."""
    return w.choose(w.truth("ne", divisor, w.splat(0, divisor)), value, by_zero)


def rounded_down(left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """The quotient, rounded down."""
    rest = remainder(left, right, w)
    whole = quotient(left, right, w)
    less_one = w.elementwise("subtract", whole, w.splat(1, left))
    return w.choose(_is_of_other_sign(rest, right, w), less_one, whole)


def modulo(left: Value, right: Value, w: ArithmeticWriter) -> Value:
    """Compute the remainder of a division that rounds down: it has the sign of the divisor."""
    rest = remainder(left, right, w)
    return w.choose(_is_of_other_sign(rest, right, w), w.elementwise("add", rest, right), rest)


def _is_of_other_sign(rest: Value, divisor: Value, w: ArithmeticWriter) -> Value:
    """Whether the remainder is not zero and does not have the sign of the divisor."""
    differ = w.truth("ne", is_negative(rest, w), is_negative(divisor, w))
    return w.truth("logical_and", w.truth("ne", rest, w.splat(0, rest)), differ)


# Conversions.


def to_float(value: Value, element: Attribute, may_be_negative: bool, w: ArithmeticWriter) -> Value:
    """Convert an integer to a float."""
    if not may_be_negative:
        return w.typecast(value, element)
    negative = is_negative(value, w)
    return negated_where(negative, w.typecast(negated_where(negative, value, w), element), w)


def from_float(value: Value, target: IntegerKind, beyond: Beyond, w: ArithmeticWriter) -> Value:
    """Convert a float to an integer without its fraction. NaN becomes 0."""
    # Shorter float types cannot hold the limits.
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
    """Convert an integer to another type: to fewer bits by its lowest bits, to more bits by extending its sign."""
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
    """Keep the lowest bits. The highest of these is added to the others, which are a number without a sign."""
    width, element = target.held_width, target.element
    if not target.is_signed:
        return w.typecast(_modulo_power(value, width, w), element)
    low = w.typecast(_modulo_power(value, width - 1, w), element)
    is_high = w.truth("ge", _modulo_power(value, width, w), w.splat(1 << (width - 1), value))
    return w.choose(is_high, w.elementwise("add", low, w.splat(-(1 << (width - 1)), low)), low)


# Bits.


def _modulo_power(value: Value, exponent: int, w: ArithmeticWriter) -> Value:
    """The remainder of a division by a power of two; it is not negative."""
    by = w.splat(1 << exponent, value)
    rest = w.elementwise("remainder", value, by)
    return w.elementwise("remainder", w.elementwise("add", rest, by), by)


def _bits(value: Value, count: int, w: ArithmeticWriter) -> list[Value]:
    """The ``count`` lowest bits, from the lowest on."""
    two = w.splat(2, value)
    lowest: list[Value] = []
    for position in range(count):
        bit = w.elementwise("abs", w.elementwise("remainder", value, two))
        lowest.append(bit)
        if position < count - 1:
            value = w.elementwise("div", w.elementwise("subtract", value, bit), two)
    return lowest


def _power(exponent: int, width: int) -> int:
    """A power of two as a number with a sign in ``width`` bits."""
    return 1 << exponent if exponent < width - 1 else -(1 << (width - 1))


def _joined(parts: Sequence[tuple[int, Value]], width: int, w: ArithmeticWriter) -> Value:
    total = None
    for position, bit in parts:
        part = w.elementwise("multiply", bit, w.splat(_power(position, width), bit)) if position else bit
        total = part if total is None else w.elementwise("add", total, part)
    assert total is not None
    return total


def complement(value: Value, w: ArithmeticWriter) -> Value:
    """Invert each bit."""
    return w.elementwise("subtract", w.elementwise("neg", value), w.splat(1, value))


def logic(name: str, left: Value, right: Value, bits_of_both: int, w: ArithmeticWriter) -> Value:
    """``and``, ``or`` and ``xor`` of two values of the same type.

    ``bits_of_both`` is the number of lowest bits that can be set in both; if it is the whole width, both may be
    negative.
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
    """``and``, ``or`` and ``xor`` of a value and a known number, whose bits are ``mask``."""
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
    """Zeros in the shape of a value."""
    return w.elementwise("multiply", value, w.splat(0, value))


def _with_mask(value: Value, mask: int, w: ArithmeticWriter) -> Value:
    width = kind(value, w).held_width
    if not mask:
        return nothing(value, w)
    count = mask.bit_length()
    lowest = (mask & -mask).bit_length() - 1
    if mask == (1 << count) - (1 << lowest):
        # A run of ones: remove the bits above it, then those below it.
        above = value if count == width else _lowest(value, count, w)
        return w.elementwise("subtract", above, _lowest(value, lowest, w)) if lowest else above
    bits = _bits(value, count, w)
    return _joined([(at, bit) for at, bit in enumerate(bits) if mask >> at & 1], width, w)


def _lowest(value: Value, count: int, w: ArithmeticWriter) -> Value:
    """The ``count`` lowest bits; all others are zero."""
    width = kind(value, w).held_width
    if count < width - 1:
        return _modulo_power(value, count, w)
    # The power is not a number with a sign, so the highest bit is removed where it is set.
    highest = is_negative(value, w)
    return w.choose(highest, w.elementwise("add", value, w.splat(_power(width - 1, width), value)), value)


# Shifts.


def shifted_left(value: Value, by: int, w: ArithmeticWriter) -> Value:
    """Shift to the left: the product with a power of two."""
    width = kind(value, w).held_width
    if by >= width:
        return nothing(value, w)
    return value if not by else w.elementwise("multiply", value, w.splat(_power(by, width), value))


def shifted_right(value: Value, by: int, may_be_negative: bool, w: ArithmeticWriter) -> Value:
    """Shift to the right, filled with the sign: the quotient by a power of two, rounded down."""
    by = min(by, kind(value, w).held_width - may_be_negative)
    if not by:
        return value
    if not may_be_negative:
        return _divided_by_power(value, by, w)
    # The complement of a negative number is not negative: it is shifted, and its complement taken again.
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
    # The highest bit is shifted separately, so that the rest is not negative in either reading.
    negative = is_negative(value, w)
    rest = w.choose(negative, w.elementwise("add", value, w.splat(_power(width - 1, width), value)), value)
    down = _divided_by_power(rest, by, w)
    return w.choose(negative, w.elementwise("add", down, w.splat(1 << (width - 1 - by), down)), down)


def _divided_by_power(value: Value, by: int, w: ArithmeticWriter) -> Value:
    """Divide a number that is not negative by a power of two, in steps with positive divisors of the type."""
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
    """Shift by numbers that are not known: by 1, 2, 4, ... where those bits are set.

    A shift by the whole width or more, or by a negative number, is one by the width: it shifts all bits out.
    """
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
