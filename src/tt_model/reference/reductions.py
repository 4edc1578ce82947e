"""Sum, mean and maximum over dimensions, and softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from tt_model.reference.formats import Values
from ttl.rows.row import Op
from ttl.rows.table import REDUCE_MAX, REDUCE_SUM

Kind = Literal["sum", "mean", "max"]


def reduced(x: Values, kind: Kind, dims: Sequence[int] | None, *, keep: bool) -> Values:
    """Combine elements along dimensions, or along all if ``dims`` is None; negative dimensions count from the last.

    Without ``keep`` the dimensions are removed. Raises ``ValueError`` for a dimension that does not exist or is named
    twice.
    """
    axes = tuple(range(x.ndim)) if dims is None else tuple(dims)
    wrong = [axis for axis in axes if not -x.ndim <= axis < x.ndim]
    if wrong:
        raise ValueError(f"dimension {wrong[0]} is not one of a tensor of rank {x.ndim}")
    match kind:
        case "mean":
            return np.asarray(x.mean(axis=axes, keepdims=keep))
        case "sum":
            return np.asarray(np.sum(x, axis=axes, keepdims=keep, initial=_neutral(REDUCE_SUM)))
    return np.asarray(np.max(x, axis=axes, keepdims=keep, initial=_neutral(REDUCE_MAX)))


def _neutral(row: Op) -> float:
    """The number that leaves any other number unchanged when combined with it."""
    assert row.neutral is not None
    return row.neutral


def softmax(x: Values, dim: int) -> Values:
    """``exp(x) / sum(exp(x))`` along a dimension, of differences to the largest element, so that nothing overflows."""
    with np.errstate(invalid="ignore"):
        powers = np.exp(x - x.max(axis=dim, keepdims=True))
        value: Values = powers / powers.sum(axis=dim, keepdims=True)
    return value
