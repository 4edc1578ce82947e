"""Special functions for NumPy, where torch is not installed. Float64 inside, exact to float32."""

from __future__ import annotations

import math

import numpy as np

from ttl.ops.dtypes import Array

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


def softplus(x: Array, beta: float, threshold: float) -> Array:
    """``log(1 + exp(beta x)) / beta``, and ``x`` where ``beta x`` is above the threshold."""
    scaled = x * beta
    return np.where(scaled > threshold, x, np.log1p(np.exp(np.minimum(scaled, threshold))) / beta)


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``."""
    return np.asarray(1 / (1 + np.exp(-np.asarray(x, np.float64))))


def gelu(x: Array, approximate: bool) -> Array:
    """The Gaussian error linear unit, or its approximation with a hyperbolic tangent."""
    if approximate:
        return np.asarray(0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))
    return np.asarray(0.5 * x * erfc(-x / math.sqrt(2)))


def elu(x: Array, alpha: float) -> Array:
    """``x`` above zero, ``alpha (exp(x) - 1)`` below."""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))
