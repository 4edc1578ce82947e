"""Whether a result is close enough: by correlation (PCC), by units in the last place (ULP), by difference.

All functions take tensors of TT-NN or torch, NumPy arrays, or array-like values: first the expected ones, then the
computed ones. The assertions raise ``AssertionError`` with figures; the others return ``(passed, text)`` or a number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ttl.host.more import correlation
from ttl.host.tensor import Tensor
from ttl.rows.comparison import equal, finite_alike, same, within

# Bits of the fraction, and the smallest exponent of a normal number.
_FORMATS = {"bfloat16": (7, -126), "float16": (10, -14), "float32": (23, -126), "float64": (52, -1022)}


def pcc(expected: Any, actual: Any) -> float:
    """Pearson's correlation coefficient: 1 where the two are equal, or one is the other times a positive number."""
    first, second = _pair(expected, actual)
    return correlation(first, second)


def ulp(values: Any, dtype: Any = None) -> Any:
    """The unit in the last place of each value: the distance to the next number of its type, away from 0.

    ``dtype`` is a type of TT-NN, torch or NumPy, or its name; the type of ``values`` by default (float32 for lists).
    """
    fraction, least = _FORMATS[_format_of(values if dtype is None else dtype)]
    exponents = np.frexp(np.abs(_array(values)))[1] - 1
    return np.ldexp(1.0, np.maximum(exponents, least) - fraction)


def ulp_error(expected: Any, actual: Any) -> float:
    """The largest difference in units in the last place of the expected values, in the type of the computed ones."""
    first, second = _pair(expected, actual)
    alike = same(first, second)
    if alike.all():
        return 0.0
    if not finite_alike(second, first):
        return float("inf")
    with np.errstate(invalid="ignore"):
        errors = np.abs(first - second) / ulp(np.where(np.isfinite(first), first, 0.0), _format_of(actual))
    return float(np.max(errors[~alike]))


def comp_pcc(expected: Any, actual: Any, threshold: float = 0.99) -> tuple[bool, str]:
    """Whether the correlation is at least ``threshold``, and the correlation as text."""
    number = pcc(expected, actual)
    return number >= threshold, f"PCC {number:.6f}, expected at least {threshold}"


def comp_ulp(expected: Any, actual: Any, threshold: float = 10) -> tuple[bool, str]:
    """Whether no element is off by more than ``threshold`` units in the last place, and the largest error as text."""
    number = ulp_error(expected, actual)
    return (
        number <= threshold,
        f"{number:.1f} ULP off, at most {threshold} are allowed{_worst(expected, actual)}",
    )


def comp_allclose(expected: Any, actual: Any, rtol: float = 1e-5, atol: float = 1e-8) -> tuple[bool, str]:
    """Whether all elements are within ``atol + rtol |expected|``, and the largest error as text."""
    first, second = _pair(expected, actual)
    passed = bool(within(second, first, rtol, atol).all())
    text = f"within rtol {rtol} and atol {atol}{_worst(expected, actual)}"
    return passed, text if passed else f"not {text}"


def assert_with_pcc(expected: Any, actual: Any, pcc: float = 0.9999) -> tuple[bool, str]:
    """Assert that the correlation is at least ``pcc``."""
    return _asserted(comp_pcc(expected, actual, pcc))


def assert_pcc(expected: Any, actual: Any, threshold: float = 0.9999) -> tuple[bool, str]:
    """Assert that the correlation is at least ``threshold``."""
    return _asserted(comp_pcc(expected, actual, threshold))


def assert_with_ulp(
    expected: Any, actual: Any, ulp_threshold: float = 10, **ignored: Any
) -> tuple[bool, str]:
    """Assert that no element is off by more than ``ulp_threshold`` units in the last place."""
    return _asserted(comp_ulp(expected, actual, ulp_threshold))


assert_ulp = assert_with_ulp


def assert_allclose(expected: Any, actual: Any, rtol: float = 1e-5, atol: float = 1e-8) -> tuple[bool, str]:
    """Assert that all elements are within ``atol + rtol |expected|``."""
    return _asserted(comp_allclose(expected, actual, rtol, atol))


def assert_equal(expected: Any, actual: Any) -> tuple[bool, str]:
    """Assert that all elements are equal."""
    first, second = _pair(expected, actual)
    return _asserted((equal(first, second), f"not equal{_worst(expected, actual)}"))


def _asserted(asserted: tuple[bool, str]) -> tuple[bool, str]:
    if not asserted[0]:
        raise AssertionError(asserted[1])
    return asserted


def _worst(expected: Any, actual: Any) -> str:
    first, second = _pair(expected, actual)
    if not first.size:
        return ""
    with np.errstate(invalid="ignore"):
        apart = np.nan_to_num(np.abs(first - second), nan=np.inf)
    difference = np.where(same(first, second), 0.0, apart)
    at = np.unravel_index(int(np.argmax(difference)), first.shape)
    where = ", ".join(str(int(signedinteger)) for signedinteger in at)
    return f"; most at ({where}): expected {first[at]:g}, computed {second[at]:g}"


def _pair(expected: Any, actual: Any) -> tuple[Any, Any]:
    first, second = _array(expected), _array(actual)
    if first.shape != second.shape:
        raise AssertionError(f"shapes {first.shape} and {second.shape} differ")
    return first, second


def _array(values: Any) -> Any:
    if isinstance(values, Tensor):
        values = values.to_numpy()
    elif type(values).__module__.partition(".")[0] == "torch":
        values = values.detach().cpu().double().numpy()
    return np.asarray(values, np.float64)


def _format_of(values: Any) -> str:
    name = values if isinstance(values, str) else str(getattr(values, "dtype", values))
    name = name.rpartition(".")[2].lower()
    return name if name in _FORMATS else "float32"
