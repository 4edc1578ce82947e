"""How far results are from what a reference says."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ttl.ops.comparison import finite_alike
from ttl.utils.correctness import pcc, ulp

Array = npt.NDArray[Any]

# The least correlation; and how far an element may be off, relative to itself and to what is usual in the tensor together: what
# rounding to the type, at every step of a long sum, may come to.
LEAST_PCC = 0.999
TOLERANCE = {"bfloat16": 0.02, "float32": 0.02, "bfloat8_b": 0.05, "bfloat4_b": 0.3}
_ULPS_OF = ("bfloat16", "float32")


@dataclass(frozen=True, kw_only=True, slots=True)
class Accuracy:
    """One result beside its reference."""

    tensor: str
    pcc: float
    ulp: float | None
    """The largest difference, in units in the last place of the reference in the type of the result; None for types that have none."""
    relative: float
    """The largest difference, relative to the element and to the root mean square of the reference together."""
    right: bool

    def to_object(self) -> dict[str, Any]:
        """What ``json.dumps`` takes."""
        values = asdict(self)
        for name in ("pcc", "ulp", "relative"):
            value = values[name]
            values[name] = None if value is None or not np.isfinite(value) else float(f"{value:.6g}")
        return values


def accuracy_of(
    tensor: str, dtype: str, values: Array, expected: Array, tolerance: float | None = None
) -> Accuracy:
    """Compare a result with its reference, both of one shape; what is infinite or no number has to be so in both."""
    values, expected = values.astype(np.float64), expected.astype(np.float64)
    usual = np.isfinite(expected)
    first, second = expected[usual], values[usual]
    if not finite_alike(values, expected) or not first.size:
        return Accuracy(tensor=tensor, pcc=float("nan"), ulp=None, relative=float("inf"), right=False)
    apart = np.abs(second - first)
    scale = np.abs(first) + np.sqrt(np.mean(first**2))
    relative = float((apart / np.where(scale > 0, scale, 1)).max())
    correlation = float(pcc(first, second))
    ulps = float((apart / ulp(first, dtype)).max()) if dtype in _ULPS_OF else None
    if "int" in dtype:
        right = not apart.any()
    else:
        allowed = TOLERANCE.get(dtype, 0.02) if tolerance is None else tolerance
        right = correlation >= (0.99 if dtype == "bfloat4_b" else LEAST_PCC) and relative <= allowed
    return Accuracy(tensor=tensor, pcc=correlation, ulp=ulps, relative=relative, right=right)
