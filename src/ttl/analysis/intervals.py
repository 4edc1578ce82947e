"""The lattice of intervals of integers: the possible values of a number before a kernel runs. A bound of None is no bound.

Arithmetic on intervals, joins and widening; the outcomes of comparisons of intervals, and narrowing by them. Numbers
are Python's, without bounds; the bits that hold the numbers of an interval are computed here, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class Interval:
    """All integers from ``low`` to ``high``, both included."""

    low: int | None = None
    high: int | None = None

    @property
    def is_natural(self) -> bool:
        """Whether it has no negative number."""
        return self.low is not None and self.low >= 0

    @property
    def is_positive(self) -> bool:
        """Whether it has neither a negative number nor zero."""
        return self.low is not None and self.low > 0

    @property
    def only(self) -> int | None:
        """The number, if the interval has only one."""
        return self.low if self.low is not None and self.low == self.high else None

    def fits_signed(self, bits: int) -> bool:
        """Whether an integer of so many bits with a sign holds every number."""
        if self.low is None or self.high is None:
            return False
        return -(1 << (bits - 1)) <= self.low and self.high < 1 << (bits - 1)

    def fits(self, bits: int) -> bool:
        """Whether so many bits hold every number, 32 of them also without a sign."""
        is_word = bits == SHORT and self.is_natural and self.high is not None and self.high < 1 << SHORT
        return is_word or self.fits_signed(bits)

    @property
    def clipped(self) -> Interval:
        """The interval, with bounds beyond those of any kernel dropped: repeated products would grow forever."""
        low, high = self.low, self.high
        if -_MOST <= (low or 0) <= _MOST and -_MOST <= (high or 0) <= _MOST:
            return self
        low, high = (None if bound is None or abs(bound) > _MOST else bound for bound in self)
        return Interval(low, high)

    @property
    def bits(self) -> int:
        """The width of the chip's integer type that holds all numbers, provided that ``LONG`` bits suffice."""
        return SHORT if self.fits(SHORT) else LONG

    def __iter__(self) -> Iterator[int | None]:
        """The bounds: ``low, high = interval``."""
        return iter((self.low, self.high))

    def __getitem__(self, position: int) -> int | None:
        return (self.low, self.high)[position]

    def __and__(self, other: Interval) -> Interval:
        """Return the intersection; if it is empty (in code that never runs), one of both, with bounds if possible."""
        low, high = self.low, self.high
        if low is None or (other.low is not None and other.low > low):
            low = other.low
        if high is None or (other.high is not None and other.high < high):
            high = other.high
        if low is not None and high is not None and low > high:
            return other if None in tuple(self) else self
        return Interval(low, high)

    def __or__(self, other: Interval) -> Interval:
        """Return the smallest interval that contains both."""
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Interval(low, high)

    def widened(self, to: Interval) -> Interval:
        """Return the interval itself if ``to`` adds no number; otherwise drop each bound that is exceeded.

        A lower bound becomes 0 if neither interval has a negative number.
        """
        both = self | to
        return Interval(
            self.low if both.low == self.low else (0 if both.is_natural else None),
            self.high if both.high == self.high else None,
        )

    def __add__(self, other: Interval) -> Interval:
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return Interval(low, high)

    def __neg__(self) -> Interval:
        return Interval(None if self.high is None else -self.high, None if self.low is None else -self.low)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        corners = [_times(a, b) for a, b in product(self._ends(), other._ends())]
        return _hull(corners)

    def __floordiv__(self, other: Interval) -> Interval:
        """The quotient rounded down; nothing is known unless the divisor is positive."""
        if not other.is_positive:
            return ANY
        corners = [_over(a, b) for a, b in product(self._ends(), other._ends())]
        return _hull(corners)

    def decided(self, relation: str) -> bool | None:
        """Return whether ``number <relation> 0`` (``eq``, ``ne``, ``lt``, ...) holds; None if that depends on the number."""
        return decided(_RELATIONS.index(relation), self, _ZERO, same=False)

    def _ends(self) -> tuple[float, float]:
        low = -_INFINITY if self.low is None else self.low
        high = _INFINITY if self.high is None else self.high
        return low, high


SHORT, LONG = 32, 64
"""The widths of integers on the chip: a number that may exceed the second is refused (TTL1316)."""
# Far beyond ``LONG``, so that intermediate results that shrink again (``a * b // c``) keep their bounds.
_MOST = (1 << 1024) - 1
_INFINITY = float("inf")
_RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")


def _times(a: float, b: float) -> float:
    return 0 if a == 0 or b == 0 else a * b


def _over(a: float, b: float) -> float:
    if b == _INFINITY:
        return 0 if a >= 0 else -1
    return a if abs(a) == _INFINITY else a // b


def _hull(corners: list[float]) -> Interval:
    low, high = min(corners), max(corners)
    return Interval(None if low == -_INFINITY else int(low), None if high == _INFINITY else int(high))


ANY = Interval()
NATURAL = Interval(0, None)
BIT = Interval(0, 1)
WORD = Interval(0, (1 << SHORT) - 1)
"""The values of an unsigned word of memory."""
_ZERO = Interval(0, 0)


def signed(bits: int) -> Interval:
    """Return the interval of signed integers of so many bits."""
    return Interval(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def exactly(number: int) -> Interval:
    """Return the interval of one number."""
    return Interval(number, number)


def least(a: Interval, b: Interval) -> Interval:
    """Return the interval of the lesser of two numbers."""
    low = None if a.low is None or b.low is None else min(a.low, b.low)
    highs = [number for number in (a.high, b.high) if number is not None]
    return Interval(low, min(highs, default=None))


def greatest(a: Interval, b: Interval) -> Interval:
    """Return the interval of the greater of two numbers."""
    return -least(-a, -b)


def remainder(a: Interval, b: Interval) -> Interval:
    """Return the interval of the remainder of a division that rounds to zero: it has the sign of the dividend."""
    if a.only is not None and b.only:
        return exactly(abs(a.only) % abs(b.only) * (1 if a.only >= 0 else -1))
    if b.low is None or b.high is None:
        most: int | None = None
    else:
        most = max(abs(b.low), abs(b.high)) - 1
    if a.is_natural:
        return least(a, Interval(0, most))
    return Interval(None if most is None else -most, most)


def modulo(a: Interval, b: Interval) -> Interval:
    """Python's remainder for a positive divisor."""
    if a.only is not None and b.only is not None:
        return exactly(a.only % b.only)
    most = None if b.high is None else b.high - 1
    if a.is_natural:
        return least(a, Interval(0, most))
    return Interval(0, most)


def bitwise(sign: str, a: Interval, b: Interval) -> Interval:
    """Return the interval of ``a & b``, ``a | b`` or ``a ^ b``."""
    if a.only is not None and b.only is not None:
        return exactly({"&": a.only & b.only, "|": a.only | b.only, "^": a.only ^ b.only}[sign])
    naturals = [one for one in (a, b) if one.is_natural]
    if sign == "&" and naturals:
        return Interval(0, min((one.high for one in naturals if one.high is not None), default=None))
    least_one = 0 if len(naturals) == 2 else None
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return Interval(least_one, None)
    most = (
        1 << max((~bound if bound < 0 else bound).bit_length() for bound in (*a, *b) if bound is not None)
    ) - 1
    return Interval(-most - 1 if least_one is None else 0, most)


# --- comparisons ----------------------------------------------------------------------------------------------

# The orders of the operands for which each predicate holds: equal, not equal, less, less or equal, greater, greater or
# equal. The unsigned predicates that follow, from ``FIRST_UNSIGNED`` on, correspond to those from ``_FIRST_ORDER`` on.
_ORDERS = ("=", "<>", "<", "<=", ">", ">=")
_FIRST_ORDER = 2
FIRST_UNSIGNED = 6
"""The first unsigned predicate of ``arith.cmpi``."""
MIRRORED = (0, 1, 4, 5, 2, 3, 8, 9, 6, 7)
"""The equivalent predicates for exchanged operands."""
_TRUE_OF_EQUALS = frozenset({0, 3, 5})


def _orders(a: Interval, b: Interval) -> tuple[bool, bool, bool]:
    """Whether the first number may be less than the second, whether equal to it, and whether greater."""
    least_is_below = a.low is None or b.high is None or a.low < b.high
    most_is_above = a.high is None or b.low is None or a.high > b.low
    apart = (a.high is not None and b.low is not None and a.high < b.low) or (
        b.high is not None and a.low is not None and b.high < a.low
    )
    return least_is_below, not apart, most_is_above


def _within(known: Interval, orders: str, other: Interval) -> Interval | None:
    """Return bounds of the numbers of an interval that have one of these orders to a number of another interval.

    None if there is no such number.
    """
    low, high = known.low, known.high
    if "<" not in orders and other.low is not None:
        least_one = other.low if "=" in orders else other.low + 1
        low = least_one if low is None else max(low, least_one)
    if ">" not in orders and other.high is not None:
        most = other.high if "=" in orders else other.high - 1
        high = most if high is None else min(high, most)
    if orders == "<>" and other.only is not None:
        low = other.only + 1 if other.only == low else low
        high = other.only - 1 if other.only == high else high
    return None if low is not None and high is not None and low > high else Interval(low, high)


def decided(predicate: int, a: Interval, b: Interval, *, same: bool) -> bool | None:
    """Return the result that a comparison of any two numbers of two intervals has; None if it depends on the numbers.

    With ``same``, a number is compared with itself.
    """
    if predicate >= FIRST_UNSIGNED:
        if not (a.is_natural and b.is_natural):
            return None
        predicate -= FIRST_UNSIGNED - _FIRST_ORDER
    if same:
        return predicate in _TRUE_OF_EQUALS
    possible = [order for order, is_possible in zip("<=>", _orders(a, b), strict=True) if is_possible]
    holds = {order in _ORDERS[predicate] for order in possible}
    return holds.pop() if len(holds) == 1 else None


def assuming(predicate: int, known: Interval, other: Interval, *, holds: bool) -> Interval | None:
    """Return the numbers of an interval for which a comparison with some number of another one holds, or does not hold.

    None for no numbers, or if the comparison is of unsigned numbers and one of them may be negative.
    """
    if predicate >= FIRST_UNSIGNED:
        if not (known.is_natural and other.is_natural):
            return None
        predicate -= FIRST_UNSIGNED - _FIRST_ORDER
    orders = _ORDERS[predicate]
    if not holds:
        orders = "".join(item for item in "<=>" if item not in orders)
    return _within(known, orders, other)
