"""Intervals of integers: what is known about a number before a kernel runs. None is no bound."""

from __future__ import annotations

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
        """The number, where there is just one."""
        return self.low if self.low is not None and self.low == self.high else None

    def __or__(self, other: Interval) -> Interval:
        """The least interval with the numbers of both."""
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Interval(low, high)

    def widened(self, to: Interval) -> Interval:
        """Itself where ``to`` adds nothing; a bound that has to give way is given up."""
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

    def _ends(self) -> tuple[float, float]:
        low = -_INFINITY if self.low is None else self.low
        high = _INFINITY if self.high is None else self.high
        return low, high


_INFINITY = float("inf")


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


def exactly(number: int) -> Interval:
    """The interval of one number."""
    return Interval(number, number)


def least(a: Interval, b: Interval) -> Interval:
    """What the lesser of two numbers may be."""
    low = None if a.low is None or b.low is None else min(a.low, b.low)
    highs = [each for each in (a.high, b.high) if each is not None]
    return Interval(low, min(highs, default=None))


def greatest(a: Interval, b: Interval) -> Interval:
    """What the greater of two numbers may be."""
    return -least(-a, -b)


def remainder(a: Interval, b: Interval) -> Interval:
    """Of a division that rounds to zero: it has the sign of the dividend."""
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
