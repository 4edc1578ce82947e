"""Rounding functions (specification, Appendix B, "Rounding functions")."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ttl.rows.build import EXACTLY, LIMITS, clip, unary, with_limits
from ttl.rows.dtypes import Array
from ttl.rows.hardware import APPROXIMATE, COMPUTE, EXACT, UNARY, bits, both, sfpu, sfpu_int, whole
from ttl.rows.params import integer, number
from ttl.rows.row import Op

_ROUNDING = UNARY + "rounding.h"
# The chip multiplies by a power of ten and by its inverse: both must be float32 numbers of full precision.
PLACES = 37
_round: Any = functools.partial(unary, anchor="appendix-b-rounding", tolerance=EXACT)


def _rounding(name: str) -> Any:
    return both(sfpu(name, _ROUNDING, init="rounding_op_tile_init"))


def _frac(x: Array) -> Array:
    value: Array = np.subtract(x, np.trunc(x))
    return value


def _decimals(x: Array, decimals: int) -> Array:
    # float32 has 39 digits before the point and 45 after it. The values are scaled in float64, so that none overflows.
    if decimals == 0:
        whole: Array = np.rint(x)
        return whole
    value: Array = np.round(x.astype(np.float64), max(min(decimals, 45), -39))
    return value.astype(np.float32)


def _threshold(x: Array, threshold: float, value: float) -> Array:
    chosen: Array = np.where(x > threshold, x.dtype.type(value), x)
    return chosen


def _signbit(x: Array) -> Array:
    positive = (x > 0) | ((x == 0) & ~np.signbit(x))
    value: Array = positive.astype(x.dtype)
    return value


ROUNDING: tuple[Op, ...] = (
    _round("frac", "Fractional part, x - trunc(x).", _frac, hardware=_rounding("frac")),
    _round("trunc", "Whole part: rounded towards zero.", np.trunc, traits=EXACTLY, hardware=_rounding("trunc")),
    _round("round", "Rounded to a number of decimal places.", _decimals,
           params=(integer("decimals", "Places after the decimal point, 0 for whole numbers.", default=0),),
           hardware=both(sfpu("round", _ROUNDING, whole("decimals"), init="rounding_op_tile_init", instructions=6,
                              serves=lambda params: abs(params[0]) <= PLACES)), tolerance=APPROXIMATE,
           doc="Halves go to the even neighbour, as in IEEE 754 and Python.",
           example="ttl.math.round(a, decimals=1)"),
    _round("floor", "Rounded down.", np.floor, traits=EXACTLY, hardware=_rounding("floor")),
    _round("ceil", "Rounded up.", np.ceil, traits=EXACTLY, hardware=_rounding("ceil")),
    with_limits(_round("clamp", "x limited to min .. max.", clip, accepts="all", params=LIMITS, traits=EXACTLY,
           hardware=both(sfpu("clamp", UNARY + "clamp.h", bits("min"), bits("max")),
                         sfpu_int("clamp_tile_int32", UNARY + "clamp.h", "clamp_tile_init",
                                  whole("min"), whole("max"))),
           example="ttl.math.clamp(a, min=-1, max=1)")),
    _round("threshold", "value where x is greater than threshold, else x.", _threshold, accepts="all", traits=EXACTLY,
           params=(number("threshold", "Values above it are replaced."),
                   number("value", "What replaces them.")),
           hardware=both(),
           doc="The specification's sense. torch's threshold and the hardware's threshold_tile do the opposite: they "
           "keep what is greater and replace the rest.",
           example="ttl.math.threshold(a, threshold=1, value=0)"),
    _round("sign", "1 for positive, -1 for negative elements, 0 for zero.", np.sign, accepts="all", traits=EXACTLY,
           hardware=both(sfpu("sign", COMPUTE, instructions=2))),
    _round("signbit", "1 for positive elements and +0.0, 0 for the rest.", _signbit, accepts="all", traits=EXACTLY,
           hardware=both(),
           doc="The specification's sense. torch's signbit and the hardware's signbit_tile are 1 for negative values, "
           "the opposite. NaN gives 0."),
)  # fmt: skip
