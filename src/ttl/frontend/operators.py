"""Operators: Python's own on what is known, those of integers on what the node knows, the language's on blocks."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, ClassVar

from ttl.frontend.applying import Applying
from ttl.frontend.bits import on_bits
from ttl.frontend.reals import Real, as_real, real_operands
from ttl.frontend.scalars import Condition, Ratio, Scalar, both, compare, either, negated
from ttl.frontend.selected import Selected
from ttl.frontend.values import RangeValue, Sequential, is_symbolic, sequential

_Functions = dict[type[ast.operator], Callable[[Any, Any], Any]]
_BINARY: _Functions = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_INPLACE: _Functions = {
    ast.Add: operator.iadd,
    ast.Sub: operator.isub,
    ast.Mult: operator.imul,
    ast.Div: operator.itruediv,
    ast.FloorDiv: operator.ifloordiv,
    ast.Mod: operator.imod,
    ast.Pow: operator.ipow,
    ast.MatMult: operator.imatmul,
    ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior,
    ast.BitXor: operator.ixor,
    ast.LShift: operator.ilshift,
    ast.RShift: operator.irshift,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_PLAIN = (str, bytes, int, float, tuple, list, dict, set, Scalar, Condition, None.__class__)


def _are_plain(*values: Any) -> bool:
    """Whether values, selected or not, are Python's own and integers: operators do nothing but compute then."""
    return all(
        _are_plain(*(each for _, each in value.parts))
        if type(value) is Selected
        else isinstance(value, _PLAIN)
        for value in values
    )


_RELATION: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


class Operators(Applying):
    """Evaluation of operators."""

    def _binary(self, node: ast.BinOp) -> Any:
        left, right = self.lazy(node.left), self.lazy(node.right)
        self.place = node
        if type(left) is Selected or type(right) is Selected:
            return self.mapped(
                [left, right],
                lambda each: self.operated(node.op, *each),
                branching=not _are_plain(left, right),
            )
        return self.operated(node.op, left, right)

    def operated(self, how: ast.operator, left: Any, right: Any) -> Any:
        """``left + right`` and so on."""
        return self._operated(how, left, right, _BINARY)

    def _operated(self, how: ast.operator, left: Any, right: Any, functions: _Functions) -> Any:
        if isinstance(left, Scalar | Condition) or isinstance(right, Scalar | Condition):
            found = on_bits(how, left, right)
            if found is not None:
                return found
            left, right = self._as_number(left, right), self._as_number(right, left)
        left, right = self.python(real_operands, how, left, right)
        return self.python(functions[type(how)], left, right)

    def _as_number(self, value: Any, other: Any) -> Any:
        """A truth value of the node that is added to an integer, or the like: 0 or 1."""
        if not isinstance(value, Condition) or not isinstance(other, int | float | Scalar | Real | Condition):
            return value
        return self.chosen(value, lambda: 1, lambda: 0, self.place)

    def inplace(self, node: ast.AugAssign, current: Any, value: Any) -> Any:
        """The result of ``current += value``."""
        self.place = node
        if isinstance(current, list | dict | set):
            self.require_mutable(current)
        return self._operated(node.op, current, value, _INPLACE)

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self.lazy(node.operand)
        self.place = node
        if type(value) is Selected:
            return self.mapped([value], lambda each: self._signed(node, *each), branching=False)
        return self._signed(node, value)

    def _signed(self, node: ast.UnaryOp, value: Any) -> Any:
        if isinstance(node.op, ast.Not):
            return negated(self.truth(value))
        if isinstance(node.op, ast.Invert) and isinstance(value, Scalar):
            return -value - 1
        if isinstance(value, Ratio):
            value = self.python(as_real, value)
        return self.python(_UNARY[type(node.op)], value)

    def truth(self, value: Any) -> Any:
        """A value as a condition: a Python truth value, or one known on the node."""
        if isinstance(value, Condition | bool):
            return value
        if type(value) is Selected:
            return self.mapped([value], lambda each: self.truth(*each), branching=False)
        if isinstance(value, Scalar):
            return compare("ne", value, 0)
        if isinstance(value, Sequential):
            return self.truth(value.length)
        return self.python(bool, value)

    def _bool(self, node: ast.BoolOp) -> Any:
        is_and = isinstance(node.op, ast.And)
        result: Any = None
        for position, each in enumerate(node.values):
            with self.builder.speculating(result is not None):
                value = self.lazy(each)
            if result is not None:
                value = (both if is_and else either)(result, self.truth(value))
            self.place = node
            truth = self.truth(value)
            if isinstance(truth, Condition):
                result = truth
                continue
            if truth is not is_and or position == len(node.values) - 1:
                return value if result is None else truth
        return result

    def _compare(self, node: ast.Compare) -> Any:
        left = self.lazy(node.left)
        result: Any = True
        for relation, operand in zip(node.ops, node.comparators, strict=True):
            right = self.lazy(operand)
            self.place = node
            one = self._related(relation, left, right)
            result = one if result is True else both(self.truth(result), self.truth(one))
            if result is False:
                return False
            left = right
        return result

    def _related(self, relation: ast.cmpop, left: Any, right: Any) -> Any:
        if type(left) is Selected or type(right) is Selected:
            return self.mapped([left, right], lambda each: self._related(relation, *each), branching=False)
        if isinstance(relation, ast.In | ast.NotIn):
            found = self._contains(right, left)
            return negated(found) if isinstance(relation, ast.NotIn) else found
        if isinstance(relation, ast.Eq | ast.NotEq) and (is_symbolic(left) or is_symbolic(right)):
            for kind in (tuple, list):
                if isinstance(left, kind) and isinstance(right, kind):
                    equal = self._all_equal(left, right)
                    return equal if isinstance(relation, ast.Eq) else negated(equal)
        return self.python(_RELATION[type(relation)], left, right)

    def _all_equal(self, left: Any, right: Any) -> Any:
        equal: Any = len(left) == len(right)
        for one, other in zip(left, right, strict=False):
            if equal is False:
                return False
            equal = both(equal, self.truth(self._related(ast.Eq(), one, other)))
        return equal

    def _contains(self, container: Any, value: Any) -> Any:
        ranged = sequential(container)
        if (
            ranged is not None
            and isinstance(ranged, RangeValue)
            and (isinstance(value, Scalar) or not isinstance(container, range))
        ):
            low, high = (
                (ranged.start, ranged.stop) if ranged.step > 0 else (ranged.stop + 1, ranged.start + 1)
            )
            inside = both(self.truth(value >= low), self.truth(value < high))
            if abs(ranged.step) == 1:
                return inside
            return both(inside, self.truth((value - ranged.start) % abs(ranged.step) == 0))
        if isinstance(container, tuple | list | set | frozenset) and (
            is_symbolic(value) or any(is_symbolic(each) for each in container)
        ):
            found: Any = False
            for each in container:
                found = either(found, self.truth(self._related(ast.Eq(), value, each)))
            return found
        return self.python(operator.contains, container, value)

    HANDLERS: ClassVar[dict[type[ast.expr], Callable[[Any, Any], Any]]] = {
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.BoolOp: _bool,
        ast.Compare: _compare,
    }
