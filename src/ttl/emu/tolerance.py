"""How far a value on the emulated chip may be from the simulator's."""

from __future__ import annotations

import numpy as np

from ttl.rows.comparison import same, within
from ttl.rows.dtypes import Array, DType

# How far an element may be off: two steps of the stored type, relative to it, and a step of the TF32 that the matrix
# unit computes with, relative to the largest element around it, for sums that cancel.
_STEPS = 2.0
_TF32 = 2.0**-9


def differing(
    array: Array, expected: Array, dtype: DType, largest: float, approximated: float = 0.0
) -> Array:
    """Which elements, in arithmetic type, differ by more than the hardware's results may differ."""
    if not dtype.is_float:
        return np.asarray(~same(array, expected))
    relative = max(_STEPS * 2.0**-dtype.mantissa_bits, _TF32)
    return np.asarray(~within(array, expected, relative, max(_TF32, approximated) * largest))


def rounding_of(dtype: DType) -> float:
    """The largest relative change by one rounding: to the type, or to TF32 where that is coarser. 0 for integers."""
    return max(2.0 ** -(dtype.mantissa_bits + 1), _TF32 / 4) if dtype.is_float else 0.0


def largest_of(values: Array) -> float:
    """The largest magnitude among the finite values."""
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max(initial=0.0))
