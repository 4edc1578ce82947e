"""Operators on bits of integers that the node knows. Like Python's, they have as many sign bits as are needed."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith

from ttl.analysis.intervals import Interval
from ttl.analysis.ranges import RULES
from ttl.frontend.kernel.builder import Builder
from ttl.frontend.scalars import NodeInteger, bounds_of, smallest
from ttl.frontend.stop import static_needed

# Shifts by more than this exceed the range of an index.
MOST_BITS = 62
_WORD = 31
_OPERATIONS = {"&": arith.AndIOp, "|": arith.OrIOp, "^": arith.XOrIOp}


def on_bits(sign: str, left: Any, right: Any) -> Any:
    """The result of ``left & right`` and so on, for integers at least one of which is of the node.

    Raises ``ValueError`` for a negative shift, and ``Reject`` for a shift that may be negative, or to the left by more
    than ``MOST_BITS``.
    """
    match sign:
        case "<<":
            return _shifted_left(left, right)
        case ">>":
            return _shifted_right(left, right)
    if sign == "&":
        for value, mask in ((left, right), (right, left)):
            if isinstance(mask, int) and mask >= 0 and mask & (mask + 1) == 0:
                return value % (mask + 1)
    return _combined(sign, left, right)


def _combined(sign: str, left: Any, right: Any) -> Any:
    for value, number in ((left, right), (right, left)):
        if isinstance(number, int):
            if number == 0:
                return 0 if sign == "&" else value
            if number == -1:
                return value if sign == "&" else -1 if sign == "|" else -value - 1
    if isinstance(left, NodeInteger) and isinstance(right, NodeInteger) and left.key == right.key:
        return 0 if sign == "^" else left
    return _emitted(_OPERATIONS[sign], left, right)


def _shifted_left(left: Any, right: Any) -> Any:
    if isinstance(right, int):
        if right > MOST_BITS:
            raise static_needed(f"an integer that is shifted by more than {MOST_BITS} bits")
        return left * (1 << _natural(right))
    low, high = right.bounds
    if low is None or low < 0 or high is None or high > MOST_BITS:
        raise static_needed(f"a shift that may be negative, or by more than {MOST_BITS} bits,")
    if high == low:
        return left * (1 << low)
    return left * _emitted(arith.ShLIOp, 1, right)


def _shifted_right(left: Any, right: Any) -> Any:
    least, most = bounds_of(left)
    fits = least is not None and most is not None and -(1 << _WORD) <= least <= most < 1 << _WORD
    if isinstance(right, int):
        if _natural(right) < _WORD or not fits:
            return left // (1 << min(right, MOST_BITS))
        # All remaining bits are sign bits.
        assert least is not None and most is not None
        return least >> _WORD if (least < 0) is (most < 0) else _emitted(arith.ShRSIOp, left, _WORD)
    low, _ = right.bounds
    if low is None or low < 0:
        raise static_needed("a shift that may be negative")
    last = _WORD if fits else MOST_BITS
    by = smallest(right, last)
    if isinstance(by, int):
        return left // (1 << by) if isinstance(left, NodeInteger) else left >> by
    return _emitted(arith.ShRSIOp, left, by)


def _natural(number: int) -> int:
    if number < 0:
        raise ValueError("negative shift count")
    return number


def _emitted(operation: Any, left: Any, right: Any) -> NodeInteger:
    numbers = [value for value in (left, right) if isinstance(value, NodeInteger)]
    builder = cast("Builder", numbers[0].builder)
    a, b = builder.index(left), builder.index(right)
    result = builder.remembered((operation.name, a, b), lambda: builder.emit(operation(a, b)).result)
    loops = frozenset().union(*(value.loops for value in numbers))
    interval = RULES[operation](*(Interval(*bounds_of(value)) for value in (left, right)))
    return builder.atom(result, interval.low, interval.high, loops=loops)
