"""The elementwise operations of the host library, a row each: name, parameters, how torch and NumPy compute it.

A function gets arrays (float32, or int64 where ``kind`` allows integers) and the parameters in order.
``kind``: ``float`` operations refuse integer tensors, ``int`` operations refuse floating-point ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ttl.host import special


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One elementwise operation. ``torch`` gets the module first; ``numpy`` only the values."""

    name: str
    summary: str
    torch: Callable[..., Any]
    numpy: Callable[..., Any]
    kind: Literal["float", "int", "any"] = "any"
    params: tuple[tuple[str, Any], ...] = ()
    options: tuple[str, ...] = ()


REQUIRED = object()


def _f(
    name: str, summary: str, torch: Any, numpy: Any, *params: tuple[str, Any], options: tuple[str, ...] = ()
) -> Row:
    return Row(
        name=name, summary=summary, torch=torch, numpy=numpy, kind="float", params=params, options=options
    )


def _a(name: str, summary: str, torch: Any, numpy: Any, *params: tuple[str, Any]) -> Row:
    return Row(name=name, summary=summary, torch=torch, numpy=numpy, params=params)


def _i(name: str, summary: str, torch: Any, numpy: Any) -> Row:
    return Row(name=name, summary=summary, torch=torch, numpy=numpy, kind="int")


_FAST = ("fast_and_approximate_mode", "vector_mode")

UNARY: tuple[Row, ...] = (
    _a("abs", "absolute value", lambda t, x: t.abs(x), np.abs),
    _a("neg", "negative", lambda t, x: -x, np.negative),
    _a("square", "square", lambda t, x: x * x, np.square),
    _a("sign", "-1, 0 or 1", lambda t, x: t.sign(x), np.sign),
    _a("signbit", "1 where the sign is negative, else 0", lambda t, x: t.signbit(x), np.signbit),
    _a("relu", "max(x, 0)", lambda t, x: t.relu(x), lambda x: np.maximum(x, 0)),
    _a("eqz", "x == 0", lambda t, x: x == 0, lambda x: x == 0),
    _a("nez", "x != 0", lambda t, x: x != 0, lambda x: x != 0),
    _a("gtz", "x > 0", lambda t, x: x > 0, lambda x: x > 0),
    _a("gez", "x >= 0", lambda t, x: x >= 0, lambda x: x >= 0),
    _a("ltz", "x < 0", lambda t, x: x < 0, lambda x: x < 0),
    _a("lez", "x <= 0", lambda t, x: x <= 0, lambda x: x <= 0),
    _a("logical_not", "1 where x is 0, else 0", lambda t, x: x == 0, lambda x: x == 0),
    _i("bitwise_not", "all bits inverted", lambda t, x: ~x, np.invert),
    _f("exp", "e to the x", lambda t, x: t.exp(x), np.exp, options=_FAST),
    _f("exp2", "2 to the x", lambda t, x: t.exp2(x), np.exp2),
    _f("expm1", "e to the x, minus 1", lambda t, x: t.expm1(x), np.expm1),
    _f("log", "natural logarithm", lambda t, x: t.log(x), np.log, options=_FAST),
    _f("log2", "logarithm to base 2", lambda t, x: t.log2(x), np.log2, options=_FAST),
    _f("log10", "logarithm to base 10", lambda t, x: t.log10(x), np.log10, options=_FAST),
    _f("log1p", "logarithm of 1 + x", lambda t, x: t.log1p(x), np.log1p, options=_FAST),
    _f("sqrt", "square root", lambda t, x: t.sqrt(x), np.sqrt, options=_FAST),
    _f("rsqrt", "1 over the square root", lambda t, x: t.rsqrt(x), lambda x: 1 / np.sqrt(x), options=_FAST),
    _f("cbrt", "cube root", lambda t, x: t.sign(x) * t.pow(t.abs(x).double(), 1 / 3), np.cbrt),
    _f("reciprocal", "1 over x", lambda t, x: t.reciprocal(x), lambda x: 1 / x),
    _f("sin", "sine", lambda t, x: t.sin(x), np.sin),
    _f("cos", "cosine", lambda t, x: t.cos(x), np.cos),
    _f("tan", "tangent", lambda t, x: t.tan(x), np.tan),
    _f("asin", "inverse sine", lambda t, x: t.asin(x), np.arcsin),
    _f("acos", "inverse cosine", lambda t, x: t.acos(x), np.arccos),
    _f("atan", "inverse tangent", lambda t, x: t.atan(x), np.arctan),
    _f("sinh", "hyperbolic sine", lambda t, x: t.sinh(x), np.sinh),
    _f("cosh", "hyperbolic cosine", lambda t, x: t.cosh(x), np.cosh),
    _f("tanh", "hyperbolic tangent", lambda t, x: t.tanh(x), np.tanh, options=_FAST),
    _f("asinh", "inverse hyperbolic sine", lambda t, x: t.asinh(x), np.arcsinh),
    _f("acosh", "inverse hyperbolic cosine", lambda t, x: t.acosh(x), np.arccosh),
    _f("atanh", "inverse hyperbolic tangent", lambda t, x: t.atanh(x), np.arctanh),
    _f("erf", "error function", lambda t, x: t.erf(x), special.erf, options=_FAST),
    _f("erfc", "1 minus the error function", lambda t, x: t.erfc(x), special.erfc, options=_FAST),
    _f("erfinv", "inverse error function", lambda t, x: t.erfinv(x), special.erfinv),
    _f("lgamma", "logarithm of the gamma function", lambda t, x: t.lgamma(x), special.lgamma),
    _f("digamma", "derivative of lgamma", lambda t, x: t.digamma(x), special.digamma),
    _f("i0", "modified Bessel function of order 0", lambda t, x: t.special.i0(x), np.i0),
    _f("deg2rad", "degrees to radians", lambda t, x: t.deg2rad(x), np.deg2rad),
    _f("rad2deg", "radians to degrees", lambda t, x: t.rad2deg(x), np.rad2deg),
    _f("floor", "largest whole number not above x", lambda t, x: t.floor(x), np.floor),
    _f("ceil", "smallest whole number not below x", lambda t, x: t.ceil(x), np.ceil),
    _f("trunc", "the whole part", lambda t, x: t.trunc(x), np.trunc),
    _f("frac", "the part after the point", lambda t, x: t.frac(x), lambda x: x - np.trunc(x)),
    _f("round", "nearest number with `decimals` decimals, ties to even",
       lambda t, x, n: t.round(x, decimals=n), lambda x, n: np.round(x, n), ("decimals", 0)),
    _f("isfinite", "1 where finite", lambda t, x: t.isfinite(x), np.isfinite),
    _f("isinf", "1 where infinite", lambda t, x: t.isinf(x), np.isinf),
    _f("isnan", "1 where not a number", lambda t, x: t.isnan(x), np.isnan),
    _f("isposinf", "1 where plus infinity", lambda t, x: t.isposinf(x), np.isposinf),
    _f("isneginf", "1 where minus infinity", lambda t, x: t.isneginf(x), np.isneginf),
    _f("sigmoid", "1 / (1 + exp(-x))", lambda t, x: t.sigmoid(x), special.sigmoid, options=(*_FAST, "mode")),
    _f("sigmoid_accurate", "1 / (1 + exp(-x))", lambda t, x: t.sigmoid(x), special.sigmoid, options=_FAST),
    _f("log_sigmoid", "logarithm of the sigmoid", lambda t, x: t.nn.functional.logsigmoid(x),
       lambda x: -np.logaddexp(0, -x)),
    _f("silu", "x sigmoid(x)", lambda t, x: t.nn.functional.silu(x), lambda x: x * special.sigmoid(x)),
    _f("swish", "x sigmoid(x)", lambda t, x: t.nn.functional.silu(x), lambda x: x * special.sigmoid(x)),
    _f("mish", "x tanh(softplus(x))", lambda t, x: t.nn.functional.mish(x),
       lambda x: x * np.tanh(np.logaddexp(0, x)), options=_FAST),
    _f("gelu", "x times the normal distribution function; exact unless `fast_and_approximate_mode`",
       lambda t, x, fast: t.nn.functional.gelu(x, approximate="tanh" if fast else "none"), special.gelu,
       ("fast_and_approximate_mode", False)),
    _f("softplus", "log(1 + exp(beta x)) / beta", lambda t, x, b, h: t.nn.functional.softplus(x, b, h),
       special.softplus, ("beta", 1.0), ("threshold", 20.0)),
    _f("softsign", "x / (1 + |x|)", lambda t, x: x / (1 + t.abs(x)), lambda x: x / (1 + np.abs(x))),
    _f("hardsigmoid", "x / 6 + 1/2 within 0 and 1", lambda t, x: t.nn.functional.hardsigmoid(x),
       lambda x: np.clip(x / 6 + 0.5, 0, 1)),
    _f("hardswish", "x hardsigmoid(x)", lambda t, x: t.nn.functional.hardswish(x),
       lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
    _f("hardtanh", "x within `min_val` and `max_val`", lambda t, x, lo, hi: t.clamp(x, lo, hi), np.clip,
       ("min_val", -1.0), ("max_val", 1.0)),
    _f("relu6", "x within 0 and 6", lambda t, x: t.clamp(x, 0, 6), lambda x: np.clip(x, 0, 6)),
    _f("elu", "x, below zero alpha (exp(x) - 1)", lambda t, x, a: t.nn.functional.elu(x, a), special.elu,
       ("alpha", 1.0)),
    _f("celu", "x, below zero alpha (exp(x / alpha) - 1)", lambda t, x, a: t.nn.functional.celu(x, a),
       lambda x, a: np.where(x > 0, x, a * np.expm1(np.minimum(x, 0) / a)), ("alpha", 1.0)),
    _f("selu", "scaled elu", lambda t, x: t.nn.functional.selu(x),
       lambda x: 1.0507009873554805 * special.elu(x, 1.6732632423543772)),
    _f("leaky_relu", "x, below zero x times `negative_slope`",
       lambda t, x, s: t.where(x > 0, x, x * s), lambda x, s: np.where(x > 0, x, x * s), ("negative_slope", 0.01)),
    _f("relu_max", "x within 0 and `upper_limit`", lambda t, x, hi: t.clamp(x, 0, hi), lambda x, hi: np.clip(x, 0, hi),
       ("upper_limit", REQUIRED)),
    _f("relu_min", "max(x, lower_limit)", lambda t, x, lo: t.clamp(x, min=lo), np.maximum, ("lower_limit", REQUIRED)),
    _f("threshold", "x above `threshold`, else `value`", lambda t, x, h, v: t.where(x > h, x, v),
       lambda x, h, v: np.where(x > h, x, v), ("threshold", REQUIRED), ("value", REQUIRED)),
    _f("tanhshrink", "x - tanh(x)", lambda t, x: x - t.tanh(x), lambda x: x - np.tanh(x), options=_FAST),
    _f("hardshrink", "x, 0 where |x| <= lambd", lambda t, x, h: t.where(t.abs(x) <= h, 0.0, x),
       lambda x, h: np.where(np.abs(x) <= h, 0, x), ("lambd", 0.5)),
    _f("softshrink", "x towards 0 by lambd", lambda t, x, h: t.sign(x) * t.relu(t.abs(x) - h),
       lambda x, h: np.sign(x) * np.maximum(np.abs(x) - h, 0), ("lambd", 0.5)),
    _f("logit", "log(x / (1 - x)), x kept `eps` away from 0 and 1",
       lambda t, x, e: t.logit(x, e), lambda x, e: _logit(x, e), ("eps", None)),
    _f("heaviside", "0 below zero, 1 above, `value` at zero",
       lambda t, x, v: t.where(x == 0, v, (x > 0).to(x.dtype)), lambda x, v: np.heaviside(x, v), ("value", REQUIRED)),
    _f("rpow", "base to the x", lambda t, x, b: t.pow(b, x), lambda x, b: np.power(np.float32(b), x),
       ("exponent", REQUIRED)),
)  # fmt: skip


def _logit(x: Any, eps: float | None) -> Any:
    kept = x if eps is None else np.clip(x, eps, 1 - eps)
    return np.log(kept / (1 - kept))


BINARY: tuple[Row, ...] = (
    _a("add", "a + b", lambda t, a, b: a + b, np.add),
    _a("subtract", "a - b", lambda t, a, b: a - b, np.subtract),
    _a("multiply", "a * b", lambda t, a, b: a * b, np.multiply),
    _f("divide", "a / b", lambda t, a, b: a / b, np.divide, options=("accurate_mode",)),
    _a("rsub", "b - a", lambda t, a, b: b - a, lambda a, b: b - a),
    _f("rdiv", "b / a", lambda t, a, b: b / a, lambda a, b: b / a),
    _f("pow", "a to the b", lambda t, a, b: a**b, lambda a, b: np.power(a, b)),
    _a("maximum", "the larger one", lambda t, a, b: t.maximum(a, b), np.maximum),
    _a("minimum", "the smaller one", lambda t, a, b: t.minimum(a, b), np.minimum),
    _a("eq", "a == b, as 0 or 1", lambda t, a, b: a == b, np.equal),
    _a("ne", "a != b, as 0 or 1", lambda t, a, b: a != b, np.not_equal),
    _a("lt", "a < b, as 0 or 1", lambda t, a, b: a < b, np.less),
    _a("le", "a <= b, as 0 or 1", lambda t, a, b: a <= b, np.less_equal),
    _a("gt", "a > b, as 0 or 1", lambda t, a, b: a > b, np.greater),
    _a("ge", "a >= b, as 0 or 1", lambda t, a, b: a >= b, np.greater_equal),
    _a("logical_and", "1 where both are not 0", lambda t, a, b: (a != 0) & (b != 0), np.logical_and),
    _a("logical_or", "1 where one is not 0", lambda t, a, b: (a != 0) | (b != 0), np.logical_or),
    _a("logical_xor", "1 where exactly one is not 0", lambda t, a, b: (a != 0) ^ (b != 0), np.logical_xor),
    _a("remainder", "a modulo b, with the sign of b", lambda t, a, b: t.remainder(a, b), np.mod),
    _a("fmod", "a modulo b, with the sign of a", lambda t, a, b: t.fmod(a, b), np.fmod),
    _a("floor_div", "largest whole number not above a / b", lambda t, a, b: t.floor_divide(a, b), np.floor_divide),
    _a("squared_difference", "(a - b) squared", lambda t, a, b: (a - b) ** 2, lambda a, b: (a - b) ** 2),
    _f("div_no_nan", "a / b, 0 where b is 0", lambda t, a, b: t.where(b == 0, 0.0, a / b),
       lambda a, b: np.where(b == 0, 0, a / b)),
    _f("hypot", "square root of a² + b²", lambda t, a, b: t.hypot(a, b), np.hypot),
    _f("atan2", "angle of the point (b, a)", lambda t, a, b: t.atan2(a, b), np.arctan2),
    _f("xlogy", "a log(b), 0 where a is 0", lambda t, a, b: t.xlogy(a, b),
       lambda a, b: np.where(a == 0, np.where(np.isnan(b), b, 0), a * np.log(b))),
    _f("logaddexp", "log(exp(a) + exp(b))", lambda t, a, b: t.logaddexp(a, b), np.logaddexp),
    _f("logaddexp2", "log2(2**a + 2**b)", lambda t, a, b: t.logaddexp2(a, b), np.logaddexp2),
    _f("ldexp", "a * 2**b", lambda t, a, b: a * t.exp2(b), lambda a, b: a * np.exp2(b)),
    _f("nextafter", "the float next to a in direction b", lambda t, a, b: t.nextafter(a, b), np.nextafter),
    _f("prelu", "a, below zero a * b", lambda t, a, b: t.where(a > 0, a, a * b), lambda a, b: np.where(a > 0, a, a * b)),
    _f("bias_gelu", "gelu(a + b)", lambda t, a, b: t.nn.functional.gelu(a + b), lambda a, b: special.gelu(a + b, False)),
    _a("isclose", "1 where |a - b| <= atol + rtol |b|",
       lambda t, a, b, r, u, n: t.isclose(a, b, r, u, n), lambda a, b, r, u, n: np.isclose(a, b, r, u, n),
       ("rtol", 1e-5), ("atol", 1e-8), ("equal_nan", False)),
    _a("addalpha", "a + alpha * b", lambda t, a, b, k: a + k * b, lambda a, b, k: a + k * b, ("alpha", REQUIRED)),
    _a("subalpha", "a - alpha * b", lambda t, a, b, k: a - k * b, lambda a, b, k: a - k * b, ("alpha", REQUIRED)),
    _i("bitwise_and", "bits set in both", lambda t, a, b: a & b, np.bitwise_and),
    _i("bitwise_or", "bits set in one", lambda t, a, b: a | b, np.bitwise_or),
    _i("bitwise_xor", "bits set in exactly one", lambda t, a, b: a ^ b, np.bitwise_xor),
    _i("bitwise_left_shift", "a * 2**b", lambda t, a, b: a << b, np.left_shift),
    _i("bitwise_right_shift", "a // 2**b", lambda t, a, b: a >> b, np.right_shift),
    _i("gcd", "greatest common divisor", lambda t, a, b: t.gcd(a, b), np.gcd),
    _i("lcm", "least common multiple", lambda t, a, b: t.lcm(a, b), np.lcm),
)  # fmt: skip

TERNARY: tuple[Row, ...] = (
    _a("where", "b where a is not 0, else c", lambda t, a, b, c: t.where(a != 0, b, c),
       lambda a, b, c: np.where(a != 0, b, c)),
    _a("addcmul", "a + value * b * c", lambda t, a, b, c, v: a + v * b * c, lambda a, b, c, v: a + v * b * c,
       ("value", 1.0)),
    _f("addcdiv", "a + value * b / c", lambda t, a, b, c, v: a + v * b / c, lambda a, b, c, v: a + v * b / c,
       ("value", 1.0)),
    _a("mac", "a * b + c", lambda t, a, b, c: a * b + c, lambda a, b, c: a * b + c),
    _f("lerp", "a + c * (b - a)", lambda t, a, b, c: a + c * (b - a), lambda a, b, c: a + c * (b - a)),
)  # fmt: skip

# Second names of the same functions, and the in-place forms (``add_``), which write into their first operand.
ALIASES = {
    "sub": "subtract", "mul": "multiply", "div": "divide",
}  # fmt: skip
IN_PLACE = (
    "add", "subtract", "multiply", "divide", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge",
    "logical_and", "logical_or", "logical_xor", "rsub", "squared_difference",
)  # fmt: skip
