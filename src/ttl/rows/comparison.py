"""When two values are the same, and when they are near enough: the one place that all comparisons of results ask.

``tests/rows/test_comparison.py`` asks it about every pair of special values.
"""

from __future__ import annotations

import numpy as np

from ttl.rows.dtypes import Array


def same(values: Array, expected: Array) -> Array:
    """Elements that are equal. What is not a number is the same as what is not a number; zeros are equal whatever their sign."""
    result: Array = np.equal(values, expected) | (
        np.not_equal(values, values) & np.not_equal(expected, expected)
    )
    return result


def equal(values: Array, expected: Array) -> bool:
    """Whether two arrays have one shape and the same elements."""
    return values.shape == expected.shape and bool(same(values, expected).all())


def within(values: Array, expected: Array, relative: float, absolute: Array | float = 0.0) -> Array:
    """Elements that are the same, or two finite numbers no further apart than ``relative * |expected| + absolute``.

    An infinity is near nothing but itself, and nothing is near a NaN but a NaN: a relative tolerance of them would
    allow any value.
    """
    with np.errstate(all="ignore"):
        wanted = np.asarray(expected, np.float64)
        given = np.asarray(values, np.float64)
        near = np.abs(given - wanted) <= relative * np.abs(wanted) + absolute
    result: Array = same(values, expected) | (near & np.isfinite(given) & np.isfinite(wanted))
    return result


def finite_alike(values: Array, expected: Array) -> bool:
    """Whether what is infinite or no number in one of two arrays is the same in the other."""
    return bool((same(values, expected) | (np.isfinite(values) & np.isfinite(expected))).all())
