"""Functions of torch, by torch's names, for arrays of NumPy: the library uses them where torch is not installed.

Functions with the same name and arguments in NumPy come from there (``__getattr__``). Special functions compute in
float64, exact to float32."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ttl.rows.dtypes import Array

# Functions that NumPy before release 2 has under other names.
asin, acos, atan, atan2 = np.arcsin, np.arccos, np.arctan, np.arctan2
asinh, acosh, atanh = np.arcsinh, np.arccosh, np.arctanh
pow, remainder, floor_divide = np.power, np.mod, np.floor_divide
repeat_interleave, isclose, i0 = np.repeat, np.isclose, np.i0


def __getattr__(name: str) -> Any:
    return getattr(np, name)


# --- elementwise --------------------------------------------------------------------------------------------------------


def clamp(x: Array, min: Any = None, max: Any = None) -> Array:
    """Values below ``min`` become ``min``, above ``max`` become ``max``."""
    return np.clip(x, min, max)


def frac(x: Array) -> Array:
    """The part after the point."""
    return np.asarray(x - np.trunc(x))


def rsqrt(x: Array) -> Array:
    """1 over the square root."""
    return np.asarray(1 / np.sqrt(x))


def reciprocal(x: Array) -> Array:
    """1 over x."""
    return np.asarray(1 / x)


def round(x: Array, decimals: int = 0) -> Array:
    """The nearest number with so many decimals."""
    return np.round(x, decimals)


def xlogy(x: Array, y: Array) -> Array:
    """``x log(y)``, 0 where x is 0."""
    return np.where(x == 0, np.where(np.isnan(y), y, 0), x * np.log(y))


def logit(x: Array, eps: float | None) -> Array:
    """``log(x / (1 - x))``, x kept ``eps`` away from 0 and 1."""
    inside = x if eps is None else np.clip(x, eps, 1 - eps)
    return np.asarray(np.log(inside / (1 - inside)))


def relu(x: Array) -> Array:
    """``max(x, 0)``."""
    return np.maximum(x, 0)


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``."""
    return np.asarray(1 / (1 + np.exp(-np.asarray(x, np.float64))))


def logsigmoid(x: Array) -> Array:
    """Logarithm of the sigmoid."""
    return -np.logaddexp(0, -x)


def silu(x: Array) -> Array:
    """``x sigmoid(x)``."""
    return np.asarray(x * sigmoid(x))


def mish(x: Array) -> Array:
    """``x tanh(softplus(x))``."""
    return np.asarray(x * np.tanh(np.logaddexp(0, x)))


def gelu(x: Array, approximate: str = "none") -> Array:
    """The Gaussian error linear unit, or its approximation with a hyperbolic tangent."""
    if approximate == "tanh":
        return np.asarray(0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))
    return np.asarray(0.5 * x * erfc(-x / math.sqrt(2)))


def softplus(x: Array, beta: float, threshold: float) -> Array:
    """``log(1 + exp(beta x)) / beta``, and ``x`` where ``beta x`` is above the threshold."""
    scaled = x * beta
    return np.where(scaled > threshold, x, np.log1p(np.exp(np.minimum(scaled, threshold))) / beta)


def hardsigmoid(x: Array) -> Array:
    """``x / 6 + 1/2`` within 0 and 1."""
    return np.clip(x / 6 + 0.5, 0, 1)


def hardswish(x: Array) -> Array:
    """``x hardsigmoid(x)``."""
    return np.asarray(x * hardsigmoid(x))


def elu(x: Array, alpha: float = 1.0) -> Array:
    """``x`` above zero, ``alpha (exp(x) - 1)`` below."""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def celu(x: Array, alpha: float) -> Array:
    """``x`` above zero, ``alpha (exp(x / alpha) - 1)`` below."""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))


def selu(x: Array) -> Array:
    """Scaled ``elu``."""
    return np.asarray(1.0507009873554805 * elu(x, 1.6732632423543772))


_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def erf(x: Array) -> Array:
    """The error function."""
    return np.asarray(_erf(x))


def erfc(x: Array) -> Array:
    """One minus the error function, exact where that is small."""
    return np.asarray(_erfc(x))


def erfinv(x: Array) -> Array:
    """The inverse of the error function: a logarithmic start (Winitzki, 2008) and Newton steps."""
    x = np.asarray(x, np.float64)
    inside = np.abs(x) < 1
    safe = np.where(inside, x, 0.0)
    log = np.log1p(-safe * safe)
    middle = 2 / (math.pi * 0.147) + log / 2
    y = np.sign(safe) * np.sqrt(np.sqrt(middle * middle - log / 0.147) - middle)
    for _ in range(4):
        error = np.where(safe > 0, (1 - safe) - erfc(y), erf(y) - safe)
        y = y - error * math.sqrt(math.pi) / 2 * np.exp(y * y)
    outside = np.where(np.abs(x) == 1, np.copysign(np.inf, x), np.nan)
    return np.where(inside, y, outside)


def _lgamma_of(value: float) -> float:
    if math.isinf(value):
        return math.inf
    if math.isnan(value):
        return math.nan
    return math.inf if value <= 0 and value == int(value) else math.lgamma(value)


_lgamma = np.vectorize(_lgamma_of, otypes=[np.float64])


def lgamma(x: Array) -> Array:
    """Logarithm of the absolute value of the gamma function."""
    return np.asarray(_lgamma(x))


def digamma(x: Array) -> Array:
    """Derivative of ``lgamma``: recurrence up to 6, then the asymptotic series; reflection below 0.5."""
    x = np.asarray(x, np.float64)
    low = x < 0.5
    y = np.where(low, 1 - x, x)
    total = np.zeros_like(y)
    for _ in range(6):
        small = y < 6
        total = total - np.where(small, 1 / y, 0.0)
        y = np.where(small, y + 1, y)
    inverse = 1 / (y * y)
    series = inverse * (
        1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132)))
    )
    total = total + np.log(y) - 0.5 / y - series
    return np.where(low, total - math.pi / np.tan(math.pi * x), total)


# --- reductions and shapes ----------------------------------------------------------------------------------------------


def sum(x: Array, dim: Any = None, keepdim: bool = False) -> Array:
    """The sum over dimensions."""
    return np.asarray(np.sum(x, axis=dim, keepdims=keepdim))


def mean(x: Array, dim: Any, keepdim: bool = False) -> Array:
    """The mean over dimensions."""
    return np.asarray(np.mean(x, axis=dim, keepdims=keepdim))


def amax(x: Array, dim: Any, keepdim: bool = False) -> Array:
    """The largest value over dimensions."""
    return np.asarray(np.max(x, axis=dim, keepdims=keepdim))


def amin(x: Array, dim: Any, keepdim: bool = False) -> Array:
    """The smallest value over dimensions."""
    return np.asarray(np.min(x, axis=dim, keepdims=keepdim))


def prod(x: Array, dim: Any, keepdim: bool = False) -> Array:
    """The product over a dimension."""
    return np.asarray(np.prod(x, axis=dim, keepdims=keepdim))


def cumsum(x: Array, dim: int) -> Array:
    """The running sum along a dimension."""
    return np.cumsum(x, axis=dim, dtype=x.dtype)


def cumprod(x: Array, dim: int) -> Array:
    """The running product along a dimension."""
    return np.cumprod(x, axis=dim, dtype=x.dtype)


def softmax(x: Array, dim: int) -> Array:
    """``exp(x - max)`` over its sum along a dimension."""
    powers = np.exp(x - np.max(x, axis=dim, keepdims=True))
    return np.asarray(powers / np.sum(powers, axis=dim, keepdims=True))


def cat(arrays: Any, dim: int) -> Array:
    """Arrays behind each other along a dimension."""
    return np.concatenate(arrays, dim)


def permute(x: Array, dims: Any) -> Array:
    """Dimensions in another order."""
    return np.transpose(x, dims)


def pad(x: Array, amounts: tuple[int, ...], value: float) -> Array:
    """Elements of one value around the last two dimensions: left, right, above, below."""
    left, right, above, below = amounts
    pairs = [(0, 0)] * (x.ndim - 2) + [(above, below), (left, right)]
    return np.pad(x, pairs, constant_values=value)


# --- windows over images, [n, c, h, w] ----------------------------------------------------------------------------------


def _windows(x: Array, window: Any, step: Any, spread: Any = (1, 1)) -> Array:
    """[n, c, rows, columns, window height, window width]."""
    size = tuple(spread[axis] * (window[axis] - 1) + 1 for axis in (0, 1))
    seen = sliding_window_view(x, size, axis=(2, 3))
    return np.asarray(seen[:, :, :: step[0], :: step[1], :: spread[0], :: spread[1]])


def conv2d(x: Array, weight: Array, bias: None, step: Any, padding: int, spread: Any, groups: int) -> Array:
    """A convolution without bias and padding."""
    seen = _windows(x, weight.shape[2:], step, spread)
    inner, outer = x.shape[1] // groups, weight.shape[0] // groups
    parts = [
        np.einsum(
            "ncijhw,ochw->noij",
            seen[:, group * inner : (group + 1) * inner],
            weight[group * outer : (group + 1) * outer],
            optimize=True,
        )
        for group in range(groups)
    ]
    return np.concatenate(parts, 1).astype(np.float32)


def max_pool2d(x: Array, window: Any, step: Any, padding: int, spread: Any) -> Array:
    """The largest element of each window."""
    return np.asarray(_windows(x, window, step, spread).max((-1, -2)))


def avg_pool2d(x: Array, window: Any, step: Any) -> Array:
    """The mean of each window."""
    return np.asarray(
        _windows(x, window, step).sum((-1, -2), dtype=np.float32) / np.float32(window[0] * window[1])
    )
