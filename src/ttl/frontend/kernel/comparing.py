"""Comparisons in kernels as in CPython: of numbers and truth values of the node, and of containers of these."""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from xdsl.dialects import arith

from ttl.frontend.classes import holds, holds_read
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.operators import RELATION as RELATIONS
from ttl.frontend.operators import SIGNS, IdentityEq, are_equal, quantified
from ttl.frontend.reals import NodeFloat, as_real, constant
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, both, compare, either, negated
from ttl.frontend.stop import static_needed
from ttl.lang.apply import apply
from ttl.lang.expr import BlockExpr
from ttl.rows.row import Op
from ttl.rows.table import EQ, NE

# Predicates of ``arith.cmpf``: NaN is neither equal to, nor ordered with, any number.
_OF_FLOATS = {"==": "oeq", "!=": "une", "<": "olt", "<=": "ole", ">": "ogt", ">=": "oge"}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
# Floats represent every integer up to this one exactly.
_EXACT = 1 << 53


def _of_elements(op: Op, name: str) -> Callable[[Any, Any], Any]:
    def compared(left: Any, right: Any) -> Any:
        if not isinstance(left, BlockExpr):
            result = getattr(type(left), name)(left, right)
            if result is not NotImplemented:
                return result
            left, right = right, left
        return apply(op, (left, right), ())

    return compared


OF_ELEMENTS = {operator.eq: _of_elements(EQ, "__eq__"), operator.ne: _of_elements(NE, "__ne__")}
"""The implementations of ``==`` and ``!=`` if one of the operands is a block expression."""


def hold_elements(*values: Any) -> bool:
    """Whether one of the containers has a block expression."""
    return holds(values, lambda value: isinstance(value, BlockExpr))


RELATION: Mapping[str, ast.cmpop] = {SIGNS[kind]: kind() for kind in RELATIONS if SIGNS[kind] in MIRRORED}
_OF_INTEGERS = {sign: RELATIONS[type(relation)].__name__ for sign, relation in RELATION.items()}


def numbers(sign: str, left: Any, right: Any, as_integer: Callable[[Any], Any]) -> Any:
    """A comparison of numbers, at least one of which is of the node.

    ``as_integer`` converts a truth value to 0 or 1.
    """
    conditions = [isinstance(value, NodeCondition) for value in (left, right)]
    if any(conditions) and sign in ("==", "!="):
        equal = _equal_truths(left, right)
        if equal is not None:
            return equal if sign == "==" else negated(equal)
    left, right = (
        as_integer(value) if is_truth else value
        for value, is_truth in zip((left, right), conditions, strict=True)
    )
    if isinstance(left, NodeInteger) and not isinstance(right, NodeFloat | NodeRatio):
        return compare(_OF_INTEGERS[sign], left, right)
    if isinstance(right, NodeInteger) and not isinstance(left, NodeFloat | NodeRatio):
        return compare(_OF_INTEGERS[MIRRORED[sign]], right, left)
    return _floats(sign, left, right)


def _equal_truths(left: Any, right: Any) -> Any:
    """Return whether two truth values, or a truth value and a known number, are equal; None for an unknown number."""
    if not isinstance(left, NodeCondition):
        left, right = right, left
    if isinstance(right, NodeCondition):
        return either(both(left, right), both(negated(left), negated(right)))
    if not isinstance(right, int | float):
        return None
    return left if right == 1 else negated(left) if right == 0 else False


def _floats(sign: str, left: Any, right: Any) -> NodeCondition:
    reals = [as_real(value) for value in (left, right)]
    known = next(real for real in reals if real is not None)
    operands = []
    for value, real in zip((left, right), reals, strict=True):
        if real is None and isinstance(value, int) and abs(value) > _EXACT and float(value) != value:
            raise static_needed("an integer of more than 53 bits beside a float")
        operands.append(constant(known.builder, float(value)) if real is None else real.ssa)
    first, second = operands
    relation = _OF_FLOATS[sign]
    return NodeCondition(
        known.builder,
        ("float", relation, first, second),
        frozenset().union(*(real.loops for real in reals if real is not None)),
        lambda: known.builder.emit(arith.CmpfOp(first, second, relation)).result,
        operands=(first, second),
    )


def nonzero(value: NodeFloat | NodeRatio) -> Any:
    """The truth value of a float."""
    return _floats("!=", value, 0.0)


def sequences(reader: Evaluator, relation: ast.cmpop, left: Any, right: Any) -> Any:
    """A comparison of two tuples or two lists: by the first members that differ, else by length."""
    sign = SIGNS[type(relation)]
    if sign in ("==", "!="):
        equal = all_equal(reader, relation, left, right)
        return equal if sign == "==" else negated(equal)
    return _in_order(reader, sign, left, right, 0)


def _in_order(reader: Evaluator, sign: str, left: Any, right: Any, position: int) -> Any:
    """Compare two sequences from a position on: if the members there are equal, the next ones decide."""
    if position == min(len(left), len(right)):
        return RELATIONS[type(RELATION[sign])](len(left), len(right))
    one, other = left[position], right[position]
    equal = are_equal(reader, one, other)
    is_read = holds_read(one) or holds_read(other)

    def compared() -> Any:
        return reader.domain.related(RELATION[sign if is_read else sign[0]], one, other)

    def rest() -> Any:
        return _in_order(reader, sign, left, right, position + 1)

    if isinstance(equal, bool):
        return rest() if equal else compared()
    if is_read:
        return reader.domain.chosen(equal, rest, compared, reader.place)
    apart = quantified(reader, [lambda: negated(equal), lambda: reader.domain.truth(compared())], is_and=True)
    return quantified(
        reader, [lambda: apart, lambda: quantified(reader, [lambda: equal, rest], is_and=True)], is_and=False
    )


def all_equal(reader: Evaluator, relation: ast.cmpop, left: Any, right: Any) -> Any:
    """Whether two sequences have the same length and equal members, compared as ``==`` of sequences does."""
    is_as_long = len(left) == len(right)
    # ``==`` of tuples compares members before lengths, and the comparison of an expression has no truth value.
    if not is_as_long and not (isinstance(left, tuple) and hold_elements(left, right)):
        return False
    of_members = relation if isinstance(relation, IdentityEq) else ast.Eq()
    steps: list[Callable[[], Any]] = [
        partial(are_equal, reader, one, other, of_members) for one, other in zip(left, right, strict=False)
    ]
    return quantified(reader, [*steps, lambda: is_as_long], is_and=True)


def fields_of_both(sign: str, left: Any, right: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """Return the fields that a comparison generated by ``dataclass`` compares, of two objects of one class.

    None for any other comparison.
    """
    kind = type(left)
    if sign not in RELATION or kind is not type(right) or not dataclasses.is_dataclass(kind):
        return None
    name = f"__{_OF_INTEGERS['==' if sign == '!=' else sign]}__"
    code = getattr(getattr(kind, name), "__code__", None)
    if code is None or code.co_filename != "<string>" or (sign == "!=" and kind.__ne__ is not object.__ne__):
        return None
    names = [field.name for field in dataclasses.fields(kind) if field.compare]
    first, second = (tuple(getattr(value, name) for name in names) for value in (left, right))
    return first, second


def dictionaries(reader: Evaluator, relation: ast.cmpop, left: Any, right: Any) -> Any:
    """Whether two dictionaries have the same keys, which are known, and equal values."""
    if left.keys() != right.keys():
        return False
    return all_equal(reader, relation, [*left.values()], [right[key] for key in left])
