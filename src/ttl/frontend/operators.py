"""Operators: which operands are evaluated, in which order; what comes of them is the domain's."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from ttl.frontend.evaluator import Evaluator, Handlers
from ttl.frontend.scalars import both

_Functions = dict[type[ast.operator], Callable[[Any, Any], Any]]
BINARY: _Functions = {
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
INPLACE: _Functions = {
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
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
RELATION: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def _binary(reader: Evaluator, node: ast.BinOp) -> Any:
    left, right = reader.lazy(node.left), reader.lazy(node.right)
    reader.place = node
    return reader.domain.operated(node.op, left, right)


def _unary(reader: Evaluator, node: ast.UnaryOp) -> Any:
    value = reader.lazy(node.operand)
    reader.place = node
    return reader.domain.signed(node.op, value)


def _boolean(reader: Evaluator, node: ast.BoolOp) -> Any:
    """``and`` and ``or``: an operand whose truth is open leaves open whether those behind it are evaluated."""
    domain, is_and = reader.domain, isinstance(node.op, ast.And)
    so_far: Any = None
    for position, operand in enumerate(node.values):
        value = reader.lazy(operand) if so_far is None else domain.perhaps(so_far, operand, is_and)
        reader.place = node
        truth = domain.truth(value)
        if not isinstance(truth, bool):
            so_far = truth
            continue
        if truth is not is_and or position == len(node.values) - 1:
            return value if so_far is None else truth
    return so_far


def _compare(reader: Evaluator, node: ast.Compare) -> Any:
    domain, left = reader.domain, reader.lazy(node.left)
    result: Any = True
    for relation, operand in zip(node.ops, node.comparators, strict=True):
        right = reader.lazy(operand)
        reader.place = node
        one = domain.related(relation, left, right)
        result = one if result is True else both(domain.truth(result), domain.truth(one))
        if result is False:
            return False
        left = right
    return result


HANDLERS: Handlers = {
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
}
