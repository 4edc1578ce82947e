"""Activation functions (specification, Appendix B, "Activation functions")."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ttl.rows.build import CLOSED, EXACTLY, LIMITS, clip, unary, with_limits
from ttl.rows.dtypes import Array
from ttl.rows.hardware import (
    APPROXIMATE,
    COMPUTE,
    EXACT,
    UNARY,
    bits,
    both,
    sfpu,
    sfpu_int,
    table,
    tile,
    whole,
)
from ttl.rows.params import flag, number
from ttl.rows.row import Op, Param, Params, Slot

# erfc(z) = t exp(P(t) - z^2) for z >= 0 and t = 1 / (1 + z / 2): the Chebyshev coefficients of P over 0 <= t <= 1,
# computed from mpmath's erfc at 40 digits; the omitted coefficients are below 1e-9.
_ERFC = (
    -0.6513268598908547, 0.6419697923564903, 0.019476473204185836, -0.009561514786808632, -0.000946595344482037,
    0.00036683949785276145, 4.252332480690777e-05, -2.0278578112534243e-05, -1.624290004647026e-06,
    1.3036558355805232e-06, 1.5626441722061143e-08, -8.523809591492654e-08, 6.529054439098852e-09,
    5.059343495551469e-09,
)  # fmt: skip


def _erfc(x: Array) -> Array:
    """Complementary error function in float64, relative error below 1e-8."""
    z = np.abs(x)
    t = 1.0 / (1.0 + 0.5 * z)
    exponent = np.polynomial.chebyshev.chebval(2.0 * t - 1.0, _ERFC)
    tail = t * np.exp(exponent - z * z)
    value: Array = np.where(x < 0, 2.0 - tail, tail)
    return value


def _relu(x: Array) -> Array:
    # A zero must be +0: adding +0 makes -0 a +0.
    value: Array = np.maximum(x, 0) + x.dtype.type(0)
    return value


def _relu_max(x: Array, upper_limit: float) -> Array:
    return _relu(np.minimum(x, upper_limit))


def _relu_min(x: Array, lower_limit: float) -> Array:
    return _relu(np.maximum(x, lower_limit))


def _leaky_relu(x: Array, slope: float) -> Array:
    value: Array = np.where(x < 0, x * slope, x)
    return value


def _elu(x: Array, slope: float) -> Array:
    value: Array = np.where(x > 0, x, np.expm1(x) * slope)
    return value


def _gelu(x: Array, approximate: bool) -> Array:
    if approximate:
        value: Array = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))
        return value
    wide = x.astype(np.float64)
    exact: Array = (0.5 * wide * _erfc(wide * -math.sqrt(0.5))).astype(np.float32)
    return exact


def _sigmoid(x: Array) -> Array:
    value: Array = np.reciprocal(1 + np.exp(-x))
    return value


def _silu(x: Array) -> Array:
    value: Array = x / (1 + np.exp(-x))
    return value


def _celu(x: Array, alpha: float, alpha_recip: float) -> Array:
    value: Array = np.where(x > 0, x, np.expm1(x * alpha_recip) * alpha)
    return value


def _selu(x: Array, scale: float, alpha: float) -> Array:
    value: Array = np.where(x > 0, x, np.expm1(x) * alpha) * scale
    return value


def _softplus(x: Array, beta: float, beta_reciprocal: float, threshold: float) -> Array:
    scaled = x * beta
    value: Array = np.where(scaled > threshold, x, np.log1p(np.exp(scaled)) * beta_reciprocal)
    return value


def _softsign(x: Array) -> Array:
    value: Array = x / (1 + np.abs(x))
    return value


def _hardsigmoid(x: Array) -> Array:
    value: Array = np.clip(x * (1 / 6) + 0.5, 0, 1)
    return value


# The chip compares with zero, and its result for -0 is undefined: these are the limits for which it does not matter.
def _positive(params: Params) -> bool:
    return bool(params[0] > 0)


def _not_positive(params: Params) -> bool:
    return bool(params[0] <= 0)


_activation: Any = functools.partial(unary, anchor="appendix-b-activation")
_SLOPE = number("slope", "Factor on negative values, any real number.")
_ALPHA = number("alpha", "Scale of the negative side, any real number.")


def _example(name: str, params: tuple[Param, ...], *values: float) -> str:
    arguments = "".join(f", {param.name}={value}" for param, value in zip(params, values))
    return f"ttl.math.{name}(a{arguments})"


def _with(name: str, params: tuple[Param, ...], values: tuple[float, ...], **rest: Any) -> Any:
    return {"params": params, "example": _example(name, params, *values), **rest}


_SOFTPLUS = (
    number("beta", "Sharpness."),
    number("beta_reciprocal", "1 / beta, which the hardware wants ready."),
    number("threshold", "Above it, as beta * x, the function is x itself."),
)
_CELU = (_ALPHA, number("alpha_recip", "1 / alpha, which the hardware wants ready."))
_SELU = (number("scale", "Factor on the whole."), number("alpha", "Factor on the negative side."))

ACTIVATIONS: tuple[Op, ...] = (
    _activation("relu", "Rectifier: max(x, 0).", _relu, accepts="all", tolerance=EXACT, traits=CLOSED,
                hardware=both(sfpu("relu", UNARY + "relu.h", instructions=2),
                              sfpu_int("relu_tile_int32", UNARY + "relu.h", "relu_tile_init", instructions=2))),
    _activation("relu_max", "Rectifier with an upper limit: relu(min(x, upper_limit)).", _relu_max,
                accepts="all", tolerance=EXACT, traits=EXACTLY,
                hardware=both(sfpu("relu_max", UNARY + "relu.h", bits("upper_limit"), serves=_not_positive),
                              sfpu_int("relu_max_tile_int32", UNARY + "relu.h", "relu_max_tile_init", whole("upper_limit"))),
                **_with("relu_max", (number("upper_limit", "Largest value of the result."),), (6,))),
    _activation("relu_min", "Rectifier with a lower limit: relu(max(x, lower_limit)).", _relu_min,
                accepts="all", tolerance=EXACT, traits=EXACTLY,
                hardware=both(sfpu("relu_min", UNARY + "relu.h", bits("lower_limit"), serves=_positive)),
                **_with("relu_min", (number("lower_limit", "Smallest value of the result, if positive."),), (1,))),
    _activation("leaky_relu", "x, or slope * x for negative x.", _leaky_relu, tolerance=EXACT,
                hardware=both(sfpu("leaky_relu", UNARY + "relu.h", bits("slope"))),
                **_with("leaky_relu", (_SLOPE,), (0.01,))),
    _activation("elu", "x, or slope * (exp(x) - 1) for negative x.", _elu,
                hardware=both(sfpu("elu", UNARY + "elu.h", bits("slope"), instructions=44)),
                **_with("elu", (_SLOPE,), (1.0,))),
    _activation("gelu", "Gaussian error linear unit: x times the normal distribution's integral up to x.", _gelu,
                tolerance=APPROXIMATE,
                approximation=table(0.024, "deduced", "the table of six lines in ckernel_sfpu_gelu.h", cycles=221),
                params=(flag("approximate", "Use the tanh formula instead of the error function.", default=False),),
                hardware=both(tile("gelu_tile", UNARY + "gelu.h", template=(Slot("bool", "approximate"),), form="unary",
                                   note="approximate, the table look-up, is off by up to 0.024")),
                doc="Exact unless an argument says otherwise; the tolerance is that of the hardware's table."),
    _activation("sigmoid", "1 / (1 + exp(-x)).", _sigmoid,
                approximation=table(0.1193, "deduced", "the table of three lines in ckernel_sfpu_sigmoid_appx.h", cycles=221),
                hardware=both(sfpu("sigmoid", COMPUTE))),
    _activation("celu", "x, or alpha * (exp(x * alpha_recip) - 1) for negative x.", _celu,
                hardware=both(sfpu("celu", UNARY + "activations.h", bits("alpha"), bits("alpha_recip"), instructions=44)),
                **_with("celu", _CELU, (2.0, 0.5))),
    _activation("silu", "x * sigmoid(x), also called swish.", _silu,
                hardware=both(sfpu("silu", COMPUTE))),
    _activation("prelu", "x, or alpha * x for negative x.", _leaky_relu, tolerance=EXACT,
                hardware=both(sfpu("prelu", UNARY + "prelu.h", bits("alpha"))),
                **_with("prelu", (_ALPHA,), (0.25,))),
    _activation("softplus", "log(1 + exp(beta * x)) / beta, and x itself where beta * x is above the threshold.",
                _softplus,
                hardware=both(sfpu("softplus", UNARY + "softplus.h",
                                   bits("beta"), bits("beta_reciprocal"), bits("threshold"))),
                **_with("softplus", _SOFTPLUS, (1.0, 1.0, 20.0))),
    _activation("softsign", "x / (1 + abs(x)).", _softsign,
                hardware=both(sfpu("softsign", UNARY + "activations.h"))),
    _activation("hardsigmoid", "x / 6 + 1/2, limited to 0 .. 1.", _hardsigmoid,
                hardware=both(sfpu("hardsigmoid", UNARY + "activations.h"))),
    with_limits(_activation("hardtanh", "x limited to min .. max.", clip, tolerance=EXACT, traits=EXACTLY,
                hardware=both(sfpu("hardtanh", UNARY + "hardtanh.h", bits("min"), bits("max"), instructions=6)),
                **_with("hardtanh", LIMITS, (-1, 1)))),
    _activation("selu", "scale * x, or scale * alpha * (exp(x) - 1) for negative x.", _selu,
                hardware=both(sfpu("selu", UNARY + "selu.h", bits("scale"), bits("alpha"), instructions=44)),
                doc="The usual constants are scale 1.0507 and alpha 1.67326.",
                **_with("selu", _SELU, (1.0507, 1.67326))),
)  # fmt: skip
