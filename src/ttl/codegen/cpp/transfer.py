"""What operations of two integers make of intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import arith
from xdsl.ir import Operation

from ttl.passes.canonical.intervals import ANY, NATURAL, Interval, exactly, greatest, least, remainder

_WORD = Interval(0, 2**32 - 1)

Rule = Callable[[Interval, Interval], Interval]


def _and(a: Interval, b: Interval) -> Interval:
    if a.only is not None and b.only is not None:
        return exactly(a.only & b.only)
    if a.is_natural and b.is_natural:
        return least(a, b)
    if a.is_natural or b.is_natural:
        return Interval(0, (a if a.is_natural else b).high)
    return ANY


def _or(a: Interval, b: Interval) -> Interval:
    if a.only is not None and b.only is not None:
        return exactly(a.only | b.only)
    return _bits(a, b)


def _xor(a: Interval, b: Interval) -> Interval:
    if a.only is not None and b.only is not None:
        return exactly(a.only ^ b.only)
    return _bits(a, b)


def _bits(a: Interval, b: Interval) -> Interval:
    return NATURAL if a.is_natural and b.is_natural else ANY


def _shifted_left(a: Interval, b: Interval) -> Interval:
    return a * exactly(2**b.only) if b.only is not None and 0 <= b.only < 64 else _bits(a, b)


def _shifted_right(a: Interval, b: Interval) -> Interval:
    if b.only is not None and 0 <= b.only < 64:
        return a // exactly(2**b.only)
    return Interval(0, a.high) if a.is_natural else ANY


def _quotient(a: Interval, b: Interval) -> Interval:
    if a.is_natural:
        return a // b
    return -(-a // b) if a.high is not None and a.high <= 0 else ANY


def _rounded_up(a: Interval, b: Interval) -> Interval:
    return -(-a // b)


def _unsigned(rule: Rule) -> Rule:
    return lambda a, b: rule(a if a.is_natural else _WORD, b if b.is_natural else _WORD)


RULES: Mapping[type[Operation], Rule] = {
    arith.AddiOp: Interval.__add__,
    arith.SubiOp: Interval.__sub__,
    arith.MuliOp: Interval.__mul__,
    arith.FloorDivSIOp: Interval.__floordiv__,
    arith.CeilDivSIOp: _rounded_up,
    arith.DivSIOp: _quotient,
    arith.RemSIOp: remainder,
    arith.DivUIOp: _unsigned(Interval.__floordiv__),
    arith.CeilDivUIOp: _unsigned(_rounded_up),
    arith.RemUIOp: _unsigned(remainder),
    arith.MinSIOp: least,
    arith.MaxSIOp: greatest,
    arith.MinUIOp: _unsigned(least),
    arith.MaxUIOp: _unsigned(greatest),
    arith.AndIOp: _and,
    arith.OrIOp: _or,
    arith.XOrIOp: _xor,
    arith.ShLIOp: _shifted_left,
    arith.ShRSIOp: _shifted_right,
    arith.ShRUIOp: _unsigned(_shifted_right),
}
