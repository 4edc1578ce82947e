"""Inverse functions of angles and of hyperbolas, which TTIR has none of.

The arc tangent of at most one is the polynomial 4.4.49 of Abramowitz and Stegun, "Handbook of Mathematical Functions": its error
is at most 2e-8. Others are made of it, or of logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from xdsl.ir import Operation, SSAValue

from ttmlir.transforms.from_stablehlo.writer import Writer

Rule = Callable[[Operation, Writer], Sequence[SSAValue]]

# Of the powers 0, 2, 4, ... of the argument.
_POLYNOMIAL = (
    1.0, -0.3333314528, 0.1999355085, -0.1420889944, 0.1065626393, -0.0752896400, 0.0429096138, -0.0161657367, 0.0028662257,
)  # fmt: skip


def _number(value: SSAValue, mnemonic: str, number: float, w: Writer) -> SSAValue:
    return w.elementwise(mnemonic, value, w.splat(number, value))


def _of_ratio(ratio: SSAValue, w: Writer) -> SSAValue:
    """The arc tangent of numbers from 0 to 1."""
    square = w.elementwise("multiply", ratio, ratio)
    total = w.splat(_POLYNOMIAL[-1], ratio)
    for coefficient in _POLYNOMIAL[-2::-1]:
        total = _number(w.elementwise("multiply", total, square), "add", coefficient, w)
    return w.elementwise("multiply", total, ratio)


def _angle(y: SSAValue, x: SSAValue, w: Writer) -> SSAValue:
    """The angle of a point: that of the lesser extent to the greater, put into its place by the signs of both."""
    height, width = w.elementwise("abs", y), w.elementwise("abs", x)
    greater = w.elementwise("maximum", height, width)
    # Of the point 0, 0, and of two infinities, the ratio is no number.
    is_zero = w.elementwise("eq", greater, w.splat(0, y))
    ratio = w.elementwise("div", w.elementwise("minimum", height, width), greater)
    same = w.elementwise("eq", height, width)
    ratio = w.elementwise("where", same, w.splat(1, y), ratio)
    angle = _of_ratio(w.elementwise("where", is_zero, w.splat(0, y), ratio), w)
    steep = w.elementwise("subtract", w.splat(math.pi / 2, y), angle)
    angle = w.elementwise("where", w.elementwise("gt", height, width), steep, angle)
    behind = w.elementwise("subtract", w.splat(math.pi, y), angle)
    angle = w.elementwise("where", w.elementwise("lt", x, w.splat(0, x)), behind, angle)
    below = w.elementwise("lt", y, w.splat(0, y))
    return w.elementwise("where", below, w.elementwise("neg", angle), angle)


def atan2(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """The angle of a point; that of 0, -0 is 0."""
    y, x = w.operands(op)
    return [_angle(y, x, w)]


def atan(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """The angle of a point above one."""
    (value,) = w.operands(op)
    one = w.broadcast(w.splat(1, value), w.shape(value))
    return [_angle(value, one, w)]


def _beside(value: SSAValue, w: Writer) -> SSAValue:
    """The other side of a triangle whose longest is one."""
    less, more = (_number(one, "add", 1, w) for one in (w.elementwise("neg", value), value))
    return w.elementwise("sqrt", w.elementwise("multiply", less, more))


def asin(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """By the arc tangent."""
    (value,) = w.operands(op)
    return [_angle(value, _beside(value, w), w)]


def acos(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """By the arc tangent."""
    (value,) = w.operands(op)
    return [_angle(_beside(value, w), value, w)]


def atanh(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Half the logarithm of (1 + x) / (1 - x)."""
    (value,) = w.operands(op)
    up, down = (w.elementwise("log1p", one) for one in (value, w.elementwise("neg", value)))
    return [_number(w.elementwise("subtract", up, down), "multiply", 0.5, w)]


def asinh(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """log1p(x + x² / (1 + sqrt(x² + 1))) of the size, with the sign."""
    (value,) = w.operands(op)
    size = w.elementwise("abs", value)
    square = w.elementwise("multiply", size, size)
    root = _number(w.elementwise("sqrt", _number(square, "add", 1, w)), "add", 1, w)
    grown = w.elementwise("log1p", w.elementwise("add", size, w.elementwise("div", square, root)))
    return [w.elementwise("multiply", w.elementwise("sign", value), grown)]


def acosh(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """log(x + sqrt((x - 1)(x + 1)))."""
    (value,) = w.operands(op)
    less, more = _number(value, "subtract", 1, w), _number(value, "add", 1, w)
    root = w.elementwise("sqrt", w.elementwise("multiply", less, more))
    return [w.elementwise("log", w.elementwise("add", value, root))]


TRIGONOMETRY: Mapping[str, Rule] = MappingProxyType(
    {
        "stablehlo.atan2": atan2,
        **{f"chlo.{rule.__name__}": rule for rule in (acos, acosh, asin, asinh, atan, atanh)},
    }
)
