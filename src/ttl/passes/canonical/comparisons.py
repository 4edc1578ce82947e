"""What comparisons say about intervals, and intervals about comparisons."""

from __future__ import annotations

from ttl.passes.canonical.intervals import Interval

# Predicates of comparisons: equal, not equal, then less, less or equal, greater, greater or equal, and these without
# a sign. Each holds for some orders of its operands.
_ORDERS = ("=", "<>", "<", "<=", ">", ">=")
_FIRST_ORDER = 2
_UNSIGNED_PREDICATE = 6
_TRUE_OF_EQUALS = frozenset({0, 3, 5})


def _orders(a: Interval, b: Interval) -> tuple[bool, bool, bool]:
    """Whether the one may be less than the other, equal to it, greater than it."""
    least_is_below = a.low is None or b.high is None or a.low < b.high
    most_is_above = a.high is None or b.low is None or a.high > b.low
    apart = (a.high is not None and b.low is not None and a.high < b.low) or (
        b.high is not None and a.low is not None and b.high < a.low
    )
    return least_is_below, not apart, most_is_above


def _within(known: Interval, orders: str, number: int) -> Interval | None:
    """What is left of an interval for numbers in one of the given orders to a number; None where nothing is."""
    low, high = known.low, known.high
    if "<" not in orders:
        least_one = number if "=" in orders else number + 1
        low = least_one if low is None else max(low, least_one)
    if ">" not in orders:
        most = number if "=" in orders else number - 1
        high = most if high is None else min(high, most)
    if orders == "<>" and number == low:
        low = number + 1
    if orders == "<>" and number == high:
        high = number - 1
    return None if low is not None and high is not None and low > high else Interval(low, high)


def decided(predicate: int, a: Interval, b: Interval, *, same: bool) -> bool | None:
    """What a comparison of numbers of two intervals, or of one number with itself, always says, where it is so."""
    if predicate >= _UNSIGNED_PREDICATE:
        if not (a.is_natural and b.is_natural):
            return None
        predicate -= _UNSIGNED_PREDICATE - _FIRST_ORDER
    if same:
        return predicate in _TRUE_OF_EQUALS
    possible = [order for order, is_possible in zip("<=>", _orders(a, b), strict=True) if is_possible]
    holds = {order in _ORDERS[predicate] for order in possible}
    return holds.pop() if len(holds) == 1 else None


def assuming(predicate: int, known: Interval, number: int, *, holds: bool) -> Interval | None:
    """What is left of an interval where its comparison with a number holds, or does not; None where that is not said."""
    if predicate >= _UNSIGNED_PREDICATE:
        return None
    orders = _ORDERS[predicate]
    if not holds:
        orders = "".join(each for each in "<=>" if each not in orders)
    return _within(known, orders, number)
