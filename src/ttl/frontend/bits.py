"""Operators on bits, of integers that are known on the node: those that are multiplication, division or remainder."""

from __future__ import annotations

import ast
from typing import Any

from ttl.diag.values import is_int
from ttl.frontend.scalars import Condition, Scalar, both, either, negated

# Shifts by more than this, and masks that are longer, leave what an index can be.
_MOST_BITS = 62


def on_bits(how: ast.operator, left: Any, right: Any) -> Any:
    """``left & right`` and so on; None where it is nothing that a node computes."""
    if _is_truth(left) and _is_truth(right):
        return _of_truths(how, left, right)
    if isinstance(how, ast.BitAnd) and is_int(left):
        left, right = right, left
    if not isinstance(left, Scalar) or not is_int(right) or isinstance(right, bool):
        return None
    match how:
        case ast.LShift() if 0 <= right <= _MOST_BITS:
            return left * 2**right
        case ast.RShift() if 0 <= right <= _MOST_BITS:
            return left // 2**right
        case ast.BitAnd() if 0 <= right < 2**_MOST_BITS and right & (right + 1) == 0:
            return left % (right + 1)
    return None


def _of_truths(how: ast.operator, left: Any, right: Any) -> Any:
    match how:
        case ast.BitAnd():
            return both(left, right)
        case ast.BitOr():
            return either(left, right)
        case ast.BitXor():
            return either(both(left, negated(right)), both(negated(left), right))
    return None


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool | Condition)
