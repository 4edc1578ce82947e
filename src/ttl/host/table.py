"""The elementwise operations of the host library, a row each: name, parameters, how it is computed.

A formula gets the functions that compute (``engine.functions()``), arrays (float32, or int64 where ``kind`` allows
integers) and the parameters in order. A row without one is the function of its own name.
``kind``: ``float`` operations refuse integer tensors, ``int`` operations refuse floating-point ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True, slots=True)
class HostFunction:
    """One elementwise operation."""

    name: str
    summary: str
    formula: Callable[..., Any] | None = None
    kind: Literal["float", "int", "any"] = "any"
    whole: tuple[str, ...] | None = None
    """The integer types that it takes if not all, as in ttnn 0.81 (on a mock device)."""
    is_truth: bool = False
    """Whether the result is a truth value, 1 or 0."""
    params: tuple[tuple[str, Any], ...] = ()
    options: tuple[str, ...] = ()
    values_from: int = 0
    """The index of the first operand that provides values of the result; earlier ones are conditions."""

    def compute(self, functions: Any, *values: Any) -> Any:
        """Return the result for arrays and parameters."""
        if self.formula is None:
            return getattr(functions, self.name)(*values)
        return self.formula(functions, *values)


REQUIRED = object()


def _f(
    name: str, summary: str, formula: Any = None, *params: tuple[str, Any], options: tuple[str, ...] = ()
) -> HostFunction:
    return HostFunction(
        name=name, summary=summary, formula=formula, kind="float", params=params, options=options
    )


def _a(name: str, summary: str, formula: Any = None, *params: tuple[str, Any]) -> HostFunction:
    return HostFunction(name=name, summary=summary, formula=formula, params=params)


def _i(name: str, summary: str, formula: Any = None) -> HostFunction:
    return HostFunction(name=name, summary=summary, formula=formula, kind="int")


def _t(
    name: str,
    summary: str,
    formula: Any = None,
    *params: tuple[str, Any],
    kind: Literal["float", "any"] = "any",
) -> HostFunction:
    return HostFunction(name=name, summary=summary, formula=formula, kind=kind, is_truth=True, params=params)


_FAST = ("fast_and_approximate_mode", "vector_mode")

UNARY: tuple[HostFunction, ...] = (
    _a("abs", "absolute value"),
    HostFunction(name="neg", summary="negative", formula=lambda _, x: -x, whole=("int32",)),
    _a("square", "square"),
    HostFunction(name="sign", summary="-1, 0 or 1", whole=()),
    _t("signbit", "1 where the sign is negative, else 0"),
    _a("relu", "max(x, 0)"),
    _t("eqz", "x == 0", lambda _, x: x == 0),
    _t("nez", "x != 0", lambda _, x: x != 0),
    _t("gtz", "x > 0", lambda _, x: x > 0),
    _t("gez", "x >= 0", lambda _, x: x >= 0),
    _t("ltz", "x < 0", lambda _, x: x < 0),
    _t("lez", "x <= 0", lambda _, x: x <= 0),
    _t("logical_not", "1 where x is 0, else 0", lambda _, x: x == 0),
    _i("bitwise_not", "all bits inverted"),
    _f("exp", "e to the x", options=_FAST),
    _f("exp2", "2 to the x"),
    _f("expm1", "e to the x, minus 1"),
    _f("log", "natural logarithm", options=_FAST),
    _f("log2", "logarithm to base 2", options=_FAST),
    _f("log10", "logarithm to base 10", options=_FAST),
    _f("log1p", "logarithm of 1 + x", options=_FAST),
    _f("sqrt", "square root", options=_FAST),
    _f("rsqrt", "1 over the square root", options=_FAST),
    _f("cbrt", "cube root"),
    _f("reciprocal", "1 over x"),
    _f("sin", "sine"),
    _f("cos", "cosine"),
    _f("tan", "tangent"),
    _f("asin", "inverse sine"),
    _f("acos", "inverse cosine"),
    _f("atan", "inverse tangent"),
    _f("sinh", "hyperbolic sine"),
    _f("cosh", "hyperbolic cosine"),
    _f("tanh", "hyperbolic tangent", options=_FAST),
    _f("asinh", "inverse hyperbolic sine"),
    _f("acosh", "inverse hyperbolic cosine"),
    _f("atanh", "inverse hyperbolic tangent"),
    _f("erf", "error function", options=_FAST),
    _f("erfc", "1 minus the error function", options=_FAST),
    _f("erfinv", "inverse error function"),
    _f("lgamma", "logarithm of the gamma function"),
    _f("digamma", "derivative of lgamma"),
    _f("i0", "modified Bessel function of order 0"),
    _f("deg2rad", "degrees to radians"),
    _f("rad2deg", "radians to degrees"),
    _f("floor", "largest whole number not above x"),
    _f("ceil", "smallest whole number not below x"),
    _f("trunc", "the whole part"),
    _f("frac", "the part after the point"),
    _f("round", "nearest number with `decimals` decimals, ties to even", lambda f, x, n: f.round(x, decimals=n),
       ("decimals", 0)),
    _t("isfinite", "1 where finite", kind="float"),
    _t("isinf", "1 where infinite", kind="float"),
    _t("isnan", "1 where not a number", kind="float"),
    _t("isposinf", "1 where plus infinity", kind="float"),
    _t("isneginf", "1 where minus infinity", kind="float"),
    _f("sigmoid", "1 / (1 + exp(-x))", options=(*_FAST, "mode")),
    _f("sigmoid_accurate", "1 / (1 + exp(-x))", lambda f, x: f.sigmoid(x), options=_FAST),
    _f("log_sigmoid", "logarithm of the sigmoid", lambda f, x: f.logsigmoid(x)),
    _f("silu", "x sigmoid(x)"),
    _f("swish", "x sigmoid(x)", lambda f, x: f.silu(x)),
    _f("mish", "x tanh(softplus(x))", options=_FAST),
    _f("gelu", "x times the normal distribution function; exact unless `fast_and_approximate_mode`",
       lambda f, x, fast: f.gelu(x, approximate="tanh" if fast else "none"), ("fast_and_approximate_mode", False)),
    _f("softplus", "log(1 + exp(beta x)) / beta", None, ("beta", 1.0), ("threshold", 20.0)),
    _f("softsign", "x / (1 + |x|)", lambda f, x: x / (1 + f.abs(x))),
    _f("hardsigmoid", "x / 6 + 1/2 within 0 and 1"),
    _f("hardswish", "x hardsigmoid(x)"),
    _f("hardtanh", "x within `min_val` and `max_val`", lambda f, x, low, high: f.clamp(x, low, high),
       ("min_val", -1.0), ("max_val", 1.0)),
    _f("relu6", "x within 0 and 6", lambda f, x: f.clamp(x, 0, 6)),
    _f("elu", "x, below zero alpha (exp(x) - 1)", None, ("alpha", 1.0)),
    _f("celu", "x, below zero alpha (exp(x / alpha) - 1)", None, ("alpha", 1.0)),
    _f("selu", "scaled elu"),
    _f("leaky_relu", "x, below zero x times `negative_slope`", lambda f, x, slope: f.where(x > 0, x, x * slope),
       ("negative_slope", 0.01)),
    _f("relu_max", "x within 0 and `upper_limit`", lambda f, x, high: f.clamp(x, 0, high), ("upper_limit", REQUIRED)),
    _f("relu_min", "max(x, lower_limit)", lambda f, x, low: f.clamp(x, min=low), ("lower_limit", REQUIRED)),
    _f("threshold", "x above `threshold`, else `value`", lambda f, x, limit, value: f.where(x > limit, x, value),
       ("threshold", REQUIRED), ("value", REQUIRED)),
    _f("tanhshrink", "x - tanh(x)", lambda f, x: x - f.tanh(x), options=_FAST),
    _f("hardshrink", "x, 0 where |x| <= lambd", lambda f, x, limit: f.where(f.abs(x) <= limit, 0.0, x), ("lambd", 0.5)),
    _f("softshrink", "x towards 0 by lambd", lambda f, x, by: f.sign(x) * f.relu(f.abs(x) - by), ("lambd", 0.5)),
    _f("logit", "log(x / (1 - x)), x kept `eps` away from 0 and 1", None, ("eps", None)),
    _f("heaviside", "0 below zero, 1 above, `value` at zero",
       lambda f, x, value: f.where(x == 0, value, f.where(x > 0, 1.0, 0.0)), ("value", REQUIRED)),
    _f("rpow", "base to the x", lambda f, x, base: f.pow(base, x), ("exponent", REQUIRED)),
)  # fmt: skip

BINARY: tuple[HostFunction, ...] = (
    _a("add", "a + b", lambda _, a, b: a + b),
    _a("subtract", "a - b", lambda _, a, b: a - b),
    _a("multiply", "a * b", lambda _, a, b: a * b),
    _f("divide", "a / b", lambda _, a, b: a / b, options=("accurate_mode",)),
    _a("rsub", "b - a", lambda _, a, b: b - a),
    _f("rdiv", "b / a", lambda _, a, b: b / a),
    _f("pow", "a to the b"),
    _a("maximum", "the larger one"),
    _a("minimum", "the smaller one"),
    _t("eq", "a == b, as 0 or 1", lambda _, a, b: a == b),
    _t("ne", "a != b, as 0 or 1", lambda _, a, b: a != b),
    _t("lt", "a < b, as 0 or 1", lambda _, a, b: a < b),
    _t("le", "a <= b, as 0 or 1", lambda _, a, b: a <= b),
    _t("gt", "a > b, as 0 or 1", lambda _, a, b: a > b),
    _t("ge", "a >= b, as 0 or 1", lambda _, a, b: a >= b),
    _t("logical_and", "1 where both are not 0", lambda _, a, b: (a != 0) & (b != 0)),
    _t("logical_or", "1 where one is not 0", lambda _, a, b: (a != 0) | (b != 0)),
    _t("logical_xor", "1 where exactly one is not 0", lambda _, a, b: (a != 0) ^ (b != 0)),
    _a("remainder", "a modulo b, with the sign of b"),
    _a("fmod", "a modulo b, with the sign of a"),
    _a("floor_div", "largest whole number not above a / b", lambda f, a, b: f.floor_divide(a, b)),
    _a("squared_difference", "(a - b) squared", lambda _, a, b: (a - b) ** 2),
    _f("div_no_nan", "a / b, 0 where b is 0", lambda f, a, b: f.where(b == 0, 0.0, a / b)),
    _f("hypot", "square root of a² + b²"),
    _f("atan2", "angle of the point (b, a)"),
    _f("xlogy", "a log(b), 0 where a is 0"),
    _f("logaddexp", "log(exp(a) + exp(b))"),
    _f("logaddexp2", "log2(2**a + 2**b)"),
    _f("ldexp", "a * 2**b", lambda f, a, b: a * f.exp2(b)),
    _f("nextafter", "the float next to a in direction b"),
    _f("prelu", "a, below zero a * b", lambda f, a, b: f.where(a > 0, a, a * b)),
    _f("bias_gelu", "gelu(a + b)", lambda f, a, b: f.gelu(a + b)),
    _t("isclose", "1 where |a - b| <= atol + rtol |b|", None, ("rtol", 1e-5), ("atol", 1e-8), ("equal_nan", False)),
    _a("addalpha", "a + alpha * b", lambda _, a, b, alpha: a + alpha * b, ("alpha", REQUIRED)),
    _a("subalpha", "a - alpha * b", lambda _, a, b, alpha: a - alpha * b, ("alpha", REQUIRED)),
    _i("bitwise_and", "bits set in both"),
    _i("bitwise_or", "bits set in one"),
    _i("bitwise_xor", "bits set in exactly one"),
    _i("bitwise_left_shift", "a * 2**b", lambda _, a, b: a << b),
    _i("bitwise_right_shift", "a // 2**b", lambda _, a, b: a >> b),
    _i("gcd", "greatest common divisor"),
    _i("lcm", "least common multiple"),
)  # fmt: skip

TERNARY: tuple[HostFunction, ...] = (
    HostFunction(name="where", summary="b where a is not 0, else c", formula=lambda f, a, b, c: f.where(a != 0, b, c), values_from=1),
    _a("addcmul", "a + value * b * c", lambda _, a, b, c, value: a + value * b * c, ("value", 1.0)),
    _f("addcdiv", "a + value * b / c", lambda _, a, b, c, value: a + value * b / c, ("value", 1.0)),
    _a("mac", "a * b + c", lambda _, a, b, c: a * b + c),
    _f("lerp", "a + c * (b - a)", lambda _, a, b, c: a + c * (b - a)),
)  # fmt: skip
BY_NAME = {row.name: row for row in (*UNARY, *BINARY, *TERNARY)}

# Aliases of functions, and the in-place forms (``add_``), which write into their first operand.
ALIASES = {
    "sub": "subtract", "mul": "multiply", "div": "divide",
}  # fmt: skip
IN_PLACE = (
    "add", "subtract", "multiply", "divide", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge",
    "logical_and", "logical_or", "logical_xor", "rsub", "squared_difference",
)  # fmt: skip
