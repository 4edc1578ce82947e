"""Operators: the operands that are evaluated, and their order; the domain computes the result."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ttl.frontend.classes import holds_read
from ttl.frontend.domain import Connection
from ttl.frontend.evaluator import Evaluator, Handlers
from ttl.frontend.mutable import as_made
from ttl.frontend.scalars import negated


class IdentityEq(ast.Eq):
    """``==`` as Python applies it to members of containers: for blocks, whether they are the same object."""


def alike(one: Any, other: Any) -> Any:
    """Return ``one == other``."""
    return one == other


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
    kind: getattr(operator, f"i{function.__name__.rstrip('_')}") for kind, function in BINARY.items()
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
RELATION: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    IdentityEq: alike,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    IdentityEq: "==", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.USub: "-x", ast.UAdd: "+x", ast.Invert: "~x", ast.Not: "not x",
}  # fmt: skip

ALIKE = IdentityEq()


def _binary(reader: Evaluator, node: ast.BinOp) -> Any:
    left, right = reader.lazy(node.left), reader.lazy(node.right)
    reader.place = node
    result = reader.domain.operated(node.op, left, right)
    return as_made(reader, result, BINARY[type(node.op)], (left, right))


def _unary(reader: Evaluator, node: ast.UnaryOp) -> Any:
    value = reader.lazy(node.operand)
    reader.place = node
    return reader.domain.signed(node.op, value)


def _boolean(reader: Evaluator, node: ast.BoolOp) -> Any:
    return _connected(reader, node, truth_only=False)


def truth_of(reader: Evaluator, node: ast.expr) -> Any:
    """Evaluate an expression as a condition. For ``and``, ``or`` and ``not``, only the truth value is computed."""
    match node:
        case ast.BoolOp():
            return _connected(reader, node, truth_only=True)
        case ast.UnaryOp(op=ast.Not()):
            truth = truth_of(reader, node.operand)
            reader.place = node
            return negated(truth)
    value = reader.lazy(node)
    reader.place = node
    return reader.domain.truth(value)


def _connected(reader: Evaluator, node: ast.BoolOp, *, truth_only: bool) -> Any:
    """The result of ``and`` or ``or``."""
    evaluate = partial(truth_of, reader) if truth_only else reader.lazy
    steps = [partial(evaluate, operand) for operand in node.values]
    return connected(reader, Connection(node, steps, isinstance(node.op, ast.And), truth_only))


def connected(reader: Evaluator, of: Connection) -> Any:
    """The value of the deciding step: the first one that is false (``and``) or true (``or``), or the last one.

    Later steps are not evaluated. If the node decides, the domain continues.
    """
    domain = reader.domain
    for position, step in enumerate(of.steps):
        value = step()
        if position == len(of.steps) - 1:
            return value
        reader.place = of.node
        truth = domain.truth(value)
        value = truth if of.truth_only else value
        if not isinstance(truth, bool):
            return domain.connected(replace(of, steps=of.steps[position + 1 :]), value, truth)
        if truth is not of.is_and:
            return value
    raise AssertionError("no operands")


def quantified(reader: Evaluator, steps: Sequence[Callable[[], Any]], *, is_and: bool) -> Any:
    """Whether all, or any, of the conditions hold; a condition is evaluated only if the earlier ones do not decide."""
    if not steps:
        return is_and
    return connected(reader, Connection(reader.place, steps, is_and, truth_only=True))


def are_equal(reader: Evaluator, one: Any, other: Any, relation: ast.cmpop = ALIKE) -> Any:
    """Return whether two members of containers are equal: an object equals itself, whatever its ``==`` returns."""
    if one is other and not isinstance(one, float):
        return True
    return reader.domain.truth(reader.domain.related(relation, one, other))


def is_any(reader: Evaluator, value: Any, members: Iterable[Any]) -> Any:
    """Whether a value is among members."""
    is_read = holds_read(value)
    pairs = [(member, value) if is_read or holds_read(member) else (value, member) for member in members]
    return quantified(reader, [partial(are_equal, reader, *pair) for pair in pairs], is_and=False)


def _compare(reader: Evaluator, node: ast.Compare) -> Any:
    left = reader.lazy(node.left)

    def step(relation: ast.cmpop, operand: ast.expr) -> Any:
        nonlocal left
        first, right = left, reader.lazy(operand)
        left = right
        reader.place = node
        return reader.domain.related(relation, first, right)

    steps = [
        partial(step, relation, operand) for relation, operand in zip(node.ops, node.comparators, strict=True)
    ]
    return connected(reader, Connection(node, steps, is_and=True))


HANDLERS: Handlers = {
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
}
