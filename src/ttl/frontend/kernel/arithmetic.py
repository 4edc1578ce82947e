"""Operators of the kernel domain: Python's own on what is known, those of integers on what the node knows, the language's on blocks."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from ttl.diag.values import is_int
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.selecting import Selecting
from ttl.frontend.operators import BINARY, INPLACE, RELATION, UNARY
from ttl.frontend.reals import NodeFloat, as_real, real_operands
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, both, compare, either, negated
from ttl.frontend.values import RangeValue, Sequential, is_symbolic, sequential

_PLAIN = (str, bytes, int, float, tuple, list, dict, set, NodeInteger, NodeCondition, None.__class__)
# Shifts by more than this, and masks that are longer, leave what an index can be.
_MOST_BITS = 62
_Functions = dict[type[ast.operator], Callable[[Any, Any], Any]]


class KernelOperators:
    """Transfer functions of operators."""

    def __init__(self, reader: Evaluator, selecting: Selecting, python: Callable[..., Any]) -> None:
        self._reader = reader
        self._selecting = selecting
        self._python = python

    def operated(self, how: ast.operator, left: Any, right: Any) -> Any:
        """``left + right`` and so on."""
        if type(left) is Selected or type(right) is Selected:
            return self._selecting.mapped(
                [left, right],
                lambda operands: self.operated(how, *operands),
                branching=not _are_plain(left, right),
            )
        return self._operated(how, left, right, BINARY)

    def inplace(self, statement: ast.AugAssign, current: Any, value: Any) -> Any:
        """The result of ``current += value``."""
        self._reader.place = statement
        if isinstance(current, list | dict | set):
            self._reader.domain.require_mutable(current)
        return self._operated(statement.op, current, value, INPLACE)

    def _operated(self, how: ast.operator, left: Any, right: Any, functions: _Functions) -> Any:
        if isinstance(left, NodeInteger | NodeCondition) or isinstance(right, NodeInteger | NodeCondition):
            result = _on_bits(how, left, right)
            if result is not None:
                return result
            left, right = self._as_number(left, right), self._as_number(right, left)
        left, right = self._python(real_operands, how, left, right)
        return self._python(functions[type(how)], left, right)

    def _as_number(self, value: Any, other: Any) -> Any:
        """A truth value of the node that is added to an integer, or the like: 0 or 1."""
        if not isinstance(value, NodeCondition) or not isinstance(
            other, int | float | NodeInteger | NodeFloat | NodeCondition
        ):
            return value
        return self._selecting.chosen(value, lambda: 1, lambda: 0, self._reader.place)

    def signed(self, how: ast.unaryop, value: Any) -> Any:
        """``-value`` and so on."""
        if type(value) is Selected:
            return self._selecting.mapped([value], lambda item: self.signed(how, *item), branching=False)
        if isinstance(how, ast.Not):
            return negated(self.truth(value))
        if isinstance(how, ast.Invert) and isinstance(value, NodeInteger):
            return -value - 1
        if isinstance(value, NodeRatio):
            value = self._python(as_real, value)
        return self._python(UNARY[type(how)], value)

    def truth(self, value: Any) -> Any:
        """A value as a condition: a Python truth value, or one known on the node."""
        if isinstance(value, NodeCondition | bool):
            return value
        if type(value) is Selected:
            return self._selecting.mapped([value], lambda item: self.truth(*item), branching=False)
        if isinstance(value, NodeInteger):
            return compare("ne", value, 0)
        if isinstance(value, Sequential):
            return self.truth(value.length)
        return self._python(bool, value)

    def related(self, relation: ast.cmpop, left: Any, right: Any) -> Any:
        """``left < right`` and so on."""
        if type(left) is Selected or type(right) is Selected:
            return self._selecting.mapped(
                [left, right], lambda item: self.related(relation, *item), branching=False
            )
        if isinstance(relation, ast.In | ast.NotIn):
            inside = self._contains(right, left)
            return negated(inside) if isinstance(relation, ast.NotIn) else inside
        if isinstance(relation, ast.Eq | ast.NotEq) and (is_symbolic(left) or is_symbolic(right)):
            for kind in (tuple, list):
                if isinstance(left, kind) and isinstance(right, kind):
                    equal = self._all_equal(left, right)
                    return equal if isinstance(relation, ast.Eq) else negated(equal)
        return self._python(RELATION[type(relation)], left, right)

    def _all_equal(self, left: Any, right: Any) -> Any:
        equal: Any = len(left) == len(right)
        for one, other in zip(left, right, strict=False):
            if equal is False:
                return False
            equal = both(equal, self.truth(self.related(ast.Eq(), one, other)))
        return equal

    def _contains(self, container: Any, value: Any) -> Any:
        ranged = sequential(container)
        if (
            ranged is not None
            and isinstance(ranged, RangeValue)
            and (isinstance(value, NodeInteger) or not isinstance(container, range))
        ):
            low, high = (
                (ranged.start, ranged.stop) if ranged.step > 0 else (ranged.stop + 1, ranged.start + 1)
            )
            inside = both(self.truth(value >= low), self.truth(value < high))
            if abs(ranged.step) == 1:
                return inside
            return both(inside, self.truth((value - ranged.start) % abs(ranged.step) == 0))
        if isinstance(container, tuple | list | set | frozenset) and (
            is_symbolic(value) or any(is_symbolic(member) for member in container)
        ):
            is_one: Any = False
            for member in container:
                is_one = either(is_one, self.truth(self.related(ast.Eq(), value, member)))
            return is_one
        return self._python(operator.contains, container, value)


def _are_plain(*values: Any) -> bool:
    """Whether values, selected or not, are Python's own and integers: operators do nothing but compute then."""
    return all(
        _are_plain(*(part for _, part in value.parts))
        if type(value) is Selected
        else isinstance(value, _PLAIN)
        for value in values
    )


def _on_bits(how: ast.operator, left: Any, right: Any) -> Any:
    """``left & right`` and so on; None where it is nothing that a node computes."""
    if _is_truth(left) and _is_truth(right):
        return _of_truths(how, left, right)
    if isinstance(how, ast.BitAnd) and is_int(left):
        left, right = right, left
    if not isinstance(left, NodeInteger) or not is_int(right) or isinstance(right, bool):
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
    return isinstance(value, bool | NodeCondition)
