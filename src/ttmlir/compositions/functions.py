"""Functions of numbers that TTIR does not have, made of functions that it has; in float32, for values of any float type.

The arc tangent of at most one is the polynomial 4.4.49 of Abramowitz and Stegun, "Handbook of Mathematical Functions": its error
is at most 2e-8. The inverse of the error function is the one of M. Giles, "Approximating the erfinv function", for 24 digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ttmlir.compositions.emitter import TensorEmitter, Value

# The coefficients of the powers 0, 2, 4, ... of the argument.
_POLYNOMIAL = (
    1.0, -0.3333314528, 0.1999355085, -0.1420889944, 0.1065626393, -0.0752896400, 0.0429096138, -0.0161657367, 0.0028662257,
)  # fmt: skip


def _number(value: Value, mnemonic: str, number: float, w: TensorEmitter) -> Value:
    return w.elementwise(mnemonic, value, w.splat(number, value))


def _of_ratio(ratio: Value, w: TensorEmitter) -> Value:
    """The arc tangent of numbers from 0 to 1."""
    square = w.elementwise("multiply", ratio, ratio)
    total = _polynomial(_POLYNOMIAL[::-1], square, w)
    return w.elementwise("multiply", total, ratio)


def _angle(y: Value, x: Value, w: TensorEmitter) -> Value:
    """Return the angle of a point, from the ratio of the lesser to the greater extent and the signs of both."""
    height, width = w.elementwise("abs", y), w.elementwise("abs", x)
    greater = w.elementwise("maximum", height, width)
    # At the point 0, 0 and for two infinities the ratio is not a number.
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


def atan2(y: Value, x: Value, w: TensorEmitter) -> Value:
    """Compute ``atan2``; the angle of 0, -0 is 0."""
    return _angle(y, x, w)


def atan(value: Value, w: TensorEmitter) -> Value:
    """Compute the arc tangent, the angle of the point (1, x)."""
    one = w.broadcast(w.splat(1, value), w.shape(value))
    return _angle(value, one, w)


def _beside(value: Value, w: TensorEmitter) -> Value:
    """Return sqrt(1 - x²), the third side of a right triangle with hypotenuse one."""
    less, more = (_number(one, "add", 1, w) for one in (w.elementwise("neg", value), value))
    return w.elementwise("sqrt", w.elementwise("multiply", less, more))


def asin(value: Value, w: TensorEmitter) -> Value:
    """Compute the arc sine by the arc tangent."""
    return _angle(value, _beside(value, w), w)


def acos(value: Value, w: TensorEmitter) -> Value:
    """Compute the arc cosine by the arc tangent."""
    return _angle(_beside(value, w), value, w)


def atanh(value: Value, w: TensorEmitter) -> Value:
    """Half the logarithm of (1 + x) / (1 - x)."""
    up, down = (w.elementwise("log1p", one) for one in (value, w.elementwise("neg", value)))
    return _number(w.elementwise("subtract", up, down), "multiply", 0.5, w)


def asinh(value: Value, w: TensorEmitter) -> Value:
    """log1p(x + x² / (1 + sqrt(x² + 1))) of the size, with the sign."""
    size = w.elementwise("abs", value)
    square = w.elementwise("multiply", size, size)
    root = _number(w.elementwise("sqrt", _number(square, "add", 1, w)), "add", 1, w)
    grown = w.elementwise("log1p", w.elementwise("add", size, w.elementwise("div", square, root)))
    return w.elementwise("multiply", w.elementwise("sign", value), grown)


def acosh(value: Value, w: TensorEmitter) -> Value:
    """log(x + sqrt((x - 1)(x + 1)))."""
    less, more = _number(value, "subtract", 1, w), _number(value, "add", 1, w)
    root = w.elementwise("sqrt", w.elementwise("multiply", less, more))
    return w.elementwise("log", w.elementwise("add", value, root))


def tan(value: Value, w: TensorEmitter) -> Value:
    """Compute the tangent by sine and cosine."""
    return w.elementwise("div", w.elementwise("sin", value), w.elementwise("cos", value))


def erf(value: Value, w: TensorEmitter) -> Value:
    """Compute the error function by GELU: erf(x) = 2 gelu(u) / u - 1 for u = x * sqrt(2), which is 0 at 0."""
    return _number(_twice_gelu_ratio(value, math.sqrt(2), w), "subtract", 1, w)


def erfc(value: Value, w: TensorEmitter) -> Value:
    """Compute 1 - erf(x) as 2 gelu(u) / u for u = -x * sqrt(2)."""
    return _twice_gelu_ratio(value, -math.sqrt(2), w)


def _twice_gelu_ratio(value: Value, factor: float, w: TensorEmitter) -> Value:
    """2 gelu(u) / u, which is 1 at 0; beyond 12 it is 0 or 2 in every type."""
    scaled = _number(value, "multiply", factor, w)
    scaled = _number(_number(scaled, "maximum", -12.0, w), "minimum", 12.0, w)
    twice = _number(w.elementwise("gelu", scaled), "multiply", 2, w)
    at_zero = w.elementwise("eq", scaled, w.splat(0, value))
    safe = w.elementwise("where", at_zero, w.splat(1, value), scaled)
    return w.elementwise("where", at_zero, w.splat(1, value), w.elementwise("div", twice, safe))


# Near zero a polynomial of -log(1 - x²) - 2.5; elsewhere of its square root - 3.
_CENTRAL = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727,
    1.50140941,
)  # fmt: skip
_TAIL = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406,
    2.83297682,
)  # fmt: skip


def erf_inv(value: Value, w: TensorEmitter) -> Value:
    """Return the inverse of the error function: infinite at -1 and 1."""
    square = w.elementwise("multiply", value, value)
    distance = w.elementwise("neg", w.elementwise("log1p", w.elementwise("neg", square)))
    near = _polynomial(_CENTRAL, _number(distance, "subtract", 2.5, w), w)
    root = w.elementwise("sqrt", distance)
    far = _polynomial(_TAIL, _number(root, "subtract", 3, w), w)
    is_near = w.elementwise("lt", distance, w.splat(5, distance))
    ratio = w.elementwise("where", is_near, near, far)
    at_end = w.elementwise("eq", square, w.splat(1, square))
    ratio = w.elementwise("where", at_end, w.splat(math.inf, ratio), ratio)
    return w.elementwise("multiply", ratio, value)


def _polynomial(coefficients: Sequence[float], value: Value, w: TensorEmitter) -> Value:
    """Evaluate a polynomial; the coefficient of the highest power comes first."""
    total = w.splat(coefficients[0], value)
    for coefficient in coefficients[1:]:
        total = _number(w.elementwise("multiply", total, value), "add", coefficient, w)
    return total
