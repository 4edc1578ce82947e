"""Arithmetic of the ``arith`` dialect on indices, on Python's integers and on NumPy arrays alike."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np


def _is_array(first: Any, second: Any) -> bool:
    return isinstance(first, np.ndarray) or isinstance(second, np.ndarray)


def _divide(first: Any, second: Any) -> Any:
    """Towards zero, as ``divsi``."""
    if _is_array(first, second):
        quotient = np.abs(first) // np.abs(second)
        return np.where((first < 0) != (second < 0), -quotient, quotient)
    quotient = abs(first) // abs(second)
    return -quotient if (first < 0) != (second < 0) else quotient


def _remainder(first: Any, second: Any) -> Any:
    return first - _divide(first, second) * second


def larger(first: Any, second: Any) -> Any:
    """The larger of two numbers, or of each pair."""
    return np.maximum(first, second) if _is_array(first, second) else max(first, second)


def smaller(first: Any, second: Any) -> Any:
    """The smaller of two numbers, or of each pair."""
    return np.minimum(first, second) if _is_array(first, second) else min(first, second)


def ceil_divide(first: Any, second: Any) -> Any:
    """The quotient, rounded up."""
    return -(-first // second)


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.floordivsi": operator.floordiv,
    "arith.ceildivsi": ceil_divide,
    "arith.ceildivui": ceil_divide,
    "arith.divsi": _divide,
    "arith.divui": operator.floordiv,
    "arith.remsi": _remainder,
    "arith.remui": operator.mod,
    "arith.minsi": smaller,
    "arith.minui": smaller,
    "arith.maxsi": larger,
    "arith.maxui": larger,
    "arith.andi": operator.and_,
    "arith.ori": operator.or_,
    "arith.xori": operator.xor,
    "arith.shli": operator.lshift,
    "arith.shrsi": operator.rshift,
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
}
# Predicates of ``arith.cmpi`` in the order of their numbers; the values here are never negative where it matters.
RELATIONS: tuple[Callable[[Any, Any], Any], ...] = (
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
    operator.lt, operator.le, operator.gt, operator.ge,
)  # fmt: skip
# One operand in, the same number out.
TRANSPARENT = frozenset(
    {"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci", "arith.sitofp"}
)
