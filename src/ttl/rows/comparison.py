"""Equality and tolerances of values, for all comparisons of results.

``tests/rows/test_comparison.py`` checks every pair of special values.
"""

from __future__ import annotations

import numpy as np

from ttl.rows.dtypes import Array


def same(values: Array, expected: Array) -> Array:
    """A mask of the elements that are the same. All NaN are the same; zeros of either sign are the same."""
    result: Array = np.equal(values, expected) | (
        np.not_equal(values, values) & np.not_equal(expected, expected)
    )
    return result


def equal(values: Array, expected: Array) -> bool:
    """Whether two arrays have the same shape and the same elements."""
    return values.shape == expected.shape and bool(same(values, expected).all())


def within(values: Array, expected: Array, relative: float, absolute: Array | float = 0.0) -> Array:
    """A mask of the elements that are the same, or finite and at most ``relative * |expected| + absolute`` apart.

    Only an infinity of the same sign is near an infinity, and only a NaN is near a NaN: a relative tolerance of either
    would allow any value.
    """
    with np.errstate(all="ignore"):
        wanted = np.asarray(expected, np.float64)
        given = np.asarray(values, np.float64)
        near = np.abs(given - wanted) <= relative * np.abs(wanted) + absolute
    result: Array = same(values, expected) | (near & np.isfinite(given) & np.isfinite(wanted))
    return result


def finite_alike(values: Array, expected: Array) -> bool:
    """Whether infinities and NaN are at the same places in both arrays, with the same signs of infinities."""
    return bool((same(values, expected) | (np.isfinite(values) & np.isfinite(expected))).all())
