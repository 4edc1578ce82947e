"""The intervals in which results of integer operations lie. An interval is (least, greatest), both included.

Numbers of Python do not overflow: the caller compares a result with the range of its type (``wrapped``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import product
from types import MappingProxyType

from tt_model.integers.kinds import IntegerKind

Interval = tuple[int, int]
TRUTH: Interval = (0, 1)
# The interval of unknown numbers: wider than 64 bits.
UNKNOWN: Interval = (-(1 << 64), 1 << 64)


def hull(*several: Interval) -> Interval:
    """The smallest interval that contains all of them."""
    return min(low for low, _ in several), max(high for _, high in several)


def around(low: float, high: float) -> Interval:
    """The smallest interval of integers that contains two floats; ``UNKNOWN`` for NaN and for floats beyond it."""
    if not UNKNOWN[0] < low <= high < UNKNOWN[1]:
        return UNKNOWN
    return math.floor(low), math.ceil(high)


def rounded(exact: Interval) -> Interval:
    """Return the interval widened by the rounding of short floats: bf16 is off by less than a part in 128."""
    low, high = exact[0] - abs(exact[0]) // 128 - 1, exact[1] + abs(exact[1]) // 128 + 1
    return max(low, UNKNOWN[0]), min(high, UNKNOWN[1])


def divided(a: Interval, b: Interval) -> Interval:
    """Quotients of floats: division by at least one does not increase the magnitude of the dividend."""
    return hull(a, negate(a), (0, 0)) if b[0] >= 1 or b[1] <= -1 else UNKNOWN


def wrapped(interval: Interval, kind: IntegerKind) -> Interval:
    """Return the interval after wrapping to a type: the whole range of the type if an end does not fit."""
    return interval if kind.least <= interval[0] and interval[1] <= kind.most else kind.limits


def add(a: Interval, b: Interval) -> Interval:
    """Sums."""
    return a[0] + b[0], a[1] + b[1]


def subtract(a: Interval, b: Interval) -> Interval:
    """Differences."""
    return a[0] - b[1], a[1] - b[0]


def multiply(a: Interval, b: Interval) -> Interval:
    """Products."""
    corners = [x * y for x, y in product(a, b)]
    return min(corners), max(corners)


def negate(a: Interval) -> Interval:
    """Negated numbers."""
    return -a[1], -a[0]


def absolute(a: Interval) -> Interval:
    """Return the interval of absolute values."""
    if a[0] >= 0:
        return a
    return (0 if a[1] >= 0 else -a[1]), max(-a[0], a[1])


def divide(a: Interval, b: Interval) -> Interval:
    """Quotients, rounded to zero or down; for zero divisors -1, or any number up to the dividend's magnitude."""
    size = max(abs(a[0]), abs(a[1]))
    if a[0] >= 0 and b[0] > 0:
        return a[0] // b[1], a[1] // b[0]
    return -size - 1, size


def remainder(a: Interval, b: Interval) -> Interval:
    """Return the interval of remainders with the sign of the dividend."""
    most = max(abs(b[0]), abs(b[1])) - 1
    if b[0] <= 0 <= b[1]:  # XLA returns the dividend
        most = max(most, abs(a[0]), abs(a[1]))
    return max(min(a[0], 0), -most), min(max(a[1], 0), most)


def modulo(a: Interval, b: Interval) -> Interval:
    """Return the interval of remainders with the sign of the divisor."""
    return min(b[0] + 1, 0), max(b[1] - 1, 0)


def maximum(a: Interval, b: Interval) -> Interval:
    """Maxima of two numbers."""
    return max(a[0], b[0]), max(a[1], b[1])


def minimum(a: Interval, b: Interval) -> Interval:
    """Minima of two numbers."""
    return min(a[0], b[0]), min(a[1], b[1])


def sign(a: Interval) -> Interval:
    """Signs: -1, 0 or 1."""
    return (a[0] > 0) - (a[0] < 0), (a[1] > 0) - (a[1] < 0)


def bits(a: Interval, b: Interval) -> Interval:
    """And, or, exclusive or: numbers of as many bits as the operands."""
    width = max(abs(one).bit_length() for one in (*a, *b))
    return (0 if a[0] >= 0 and b[0] >= 0 else -(1 << width)), (1 << width) - 1


def bits_of_both(a: Interval, b: Interval) -> Interval:
    """And: not greater than an operand that cannot be negative."""
    limits = [high for low, high in (a, b) if low >= 0]
    return (0, min(limits)) if limits else bits(a, b)


def complement(a: Interval) -> Interval:
    """Complements: all bits inverted."""
    return -a[1] - 1, -a[0] - 1


def shifted_right(a: Interval, b: Interval) -> Interval:
    """Return the interval of right shifts by counts that are not negative: nearer to zero, or to -1."""
    by = max(b[0], 0) if b[0] >= 0 else 0
    return min(a[0], a[0] >> by, 0 if a[0] >= 0 else -1), max(a[1] >> by, 0 if a[1] >= 0 else -1)


def shifted_right_with_zeros(a: Interval, b: Interval) -> Interval:
    """Return the interval of right shifts that fill with zeros; unknown for negative numbers."""
    return shifted_right(a, b) if a[0] >= 0 else (-(1 << 64), 1 << 64)


def shifted_left(a: Interval, b: Interval) -> Interval:
    """Products with powers of two; shifts beyond 64 bits give zero or are unknown."""
    if b[0] < 0 or b[1] > 64:
        return -(1 << 64), 1 << 64
    return hull(multiply(a, (1 << b[0], 1 << b[1])), (0, 0))


OF_ONE: Mapping[str, Callable[[Interval], Interval]] = MappingProxyType(
    {"abs": absolute, "negate": negate, "not": complement, "sign": sign}
)
"""Intervals of operations of one operand, by the names of StableHLO."""

OF_TWO: Mapping[str, Callable[[Interval, Interval], Interval]] = MappingProxyType(
    {
        "add": add,
        "and": bits_of_both,
        "divide": divide,
        "maximum": maximum,
        "minimum": minimum,
        "multiply": multiply,
        "or": bits,
        "remainder": remainder,
        "shift_left": shifted_left,
        "shift_right_arithmetic": shifted_right,
        "shift_right_logical": shifted_right_with_zeros,
        "subtract": subtract,
        "xor": bits,
    }
)
"""Intervals of operations of two operands, by the names of StableHLO."""
