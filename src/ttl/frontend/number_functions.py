"""Python's functions of numbers and of sequences of them, where some are known on the node only.

Without such numbers they are Python's own. The operators they are made of are the domain's.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ttl.frontend.calls import apply
from ttl.frontend.classes import Instance, is_compared_here
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.operators import are_equal, quantified
from ttl.frontend.reals import NodeFloat, as_real, truncated
from ttl.frontend.scalars import (
    NodeCondition,
    NodeInteger,
    NodeRatio,
    both,
    either,
    largest,
    negated,
    smallest,
)
from ttl.frontend.stop import static_needed
from ttl.frontend.values import is_symbolic
from ttl.lang.expr import BlockExpr

Handler = Callable[[Evaluator, list[Any], dict[str, Any]], Any]
_OF_NODE = (NodeInteger, NodeRatio, NodeFloat, NodeCondition)
# Numbers of the node that are brought into order: so many comparisons are emitted as there are pairs.
_MOST_SORTED = 16


def _operated(reader: Evaluator, how: ast.operator) -> Callable[[Any, Any], Any]:
    return lambda left, right: reader.domain.operated(how, left, right)


def _as_number(reader: Evaluator, value: Any) -> Any:
    """A truth value of the node as 0 or 1."""
    if isinstance(value, NodeCondition):
        return reader.domain.chosen(value, lambda: 1, lambda: 0, reader.place)
    return value


def _chosen(reader: Evaluator, condition: Any, first: Any, second: Any) -> Any:
    """One of two values."""
    if not isinstance(condition, NodeCondition):
        return first if condition else second
    return reader.domain.chosen(condition, lambda: first, lambda: second, reader.place)


def _compared(reader: Evaluator, relation: ast.cmpop, left: Any, right: Any) -> Any:
    return reader.domain.truth(reader.domain.related(relation, left, right))


# --- whole numbers of fractions -------------------------------------------------------------------------------


def _floor(reader: Evaluator, value: NodeRatio | NodeFloat) -> Any:
    if isinstance(value, NodeRatio):
        return value.floor()
    whole = truncated(value)
    return _chosen(reader, _compared(reader, ast.Lt(), value, whole), whole - 1, whole)


def _ceil(reader: Evaluator, value: NodeRatio | NodeFloat) -> Any:
    return value.ceil() if isinstance(value, NodeRatio) else -_floor(reader, -value)


def _truncated(reader: Evaluator, value: NodeRatio | NodeFloat) -> Any:
    """Towards zero."""
    if isinstance(value, NodeFloat):
        return truncated(value)
    known = value.truncated()
    if known is not None:
        return known
    above, below = (_compared(reader, ast.Lt(), part, 0) for part in (value.above, value.below))
    is_negative = either(both(above, negated(below)), both(negated(above), below))
    return _chosen(reader, is_negative, value.ceil(), value.floor())


def _nearest(reader: Evaluator, value: NodeRatio | NodeFloat) -> Any:
    """To the nearest integer, halves to the even one."""
    if isinstance(value, NodeRatio):
        above, below = 2 * value.above + value.below, 2 * value.below
        whole = above // below
        is_half = _compared(reader, ast.Eq(), above % below, 0)
        is_odd = _compared(reader, ast.NotEq(), whole % 2, 0)
        return _chosen(reader, both(is_half, is_odd), whole - 1, whole)
    whole = _floor(reader, value)
    rest = reader.domain.operated(ast.Sub(), value, whole)
    is_half = _compared(reader, ast.Eq(), rest, 0.5)
    is_odd = _compared(reader, ast.NotEq(), whole % 2, 0)
    goes_up = either(_compared(reader, ast.Gt(), rest, 0.5), both(is_half, is_odd))
    return _chosen(reader, goes_up, whole + 1, whole)


def _rounding(how: Callable[[Evaluator, Any], Any], function: Callable[..., Any]) -> Handler:
    def handler(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        match arguments:
            case [NodeInteger() as value] if not keywords:
                return value
            case [NodeCondition() as condition] if not keywords:
                return _as_number(reader, condition)
            case [NodeRatio() | NodeFloat() as fraction] if not keywords:
                return how(reader, fraction)
        return reader.domain.python(function, *arguments, **keywords)

    return handler


# --- conversions and arithmetic -------------------------------------------------------------------------------


def _float(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if len(arguments) == 1 and not keywords:
        float_ = reader.domain.python(as_real, _as_number(reader, arguments[0]))
        if float_ is not None:
            return float_
    return reader.domain.python(float, *arguments, **keywords)


def _bool(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if len(arguments) == 1 and not keywords:
        return reader.domain.truth(arguments[0])
    return reader.domain.python(bool, *arguments, **keywords)


def _abs(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    match arguments:
        case [NodeCondition() as condition] if not keywords:
            return _as_number(reader, condition)
        case [NodeRatio() | NodeFloat() as fraction] if not keywords:
            real = reader.domain.python(as_real, fraction)
            # The sum makes 0.0 of -0.0.
            return _chosen(reader, _compared(reader, ast.Lt(), real, 0), -real, real + 0.0)
    return reader.domain.python(abs, *arguments, **keywords)


def _divmod(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    blocks = any(isinstance(value, BlockExpr) for value in arguments)
    if (
        len(arguments) == 2
        and not keywords
        and not blocks
        and any(isinstance(value, _OF_NODE) for value in arguments)
    ):
        return tuple(_operated(reader, how)(*arguments) for how in (ast.FloorDiv(), ast.Mod()))
    return reader.domain.python(divmod, *arguments, **keywords)


def _pow(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if len(arguments) == 2 and not keywords and any(isinstance(value, _OF_NODE) for value in arguments):
        return reader.domain.operated(ast.Pow(), *arguments)
    if len(arguments) == 3 and not keywords and any(isinstance(value, _OF_NODE) for value in arguments):
        base, exponent, modulus = arguments
        if isinstance(exponent, int) and exponent >= 0:
            return reader.domain.operated(ast.Mod(), _operated(reader, ast.Pow())(base, exponent), modulus)
    return reader.domain.python(pow, *arguments, **keywords)


# --- of several values ----------------------------------------------------------------------------------------


def _extreme(which: Callable[..., Any]) -> Handler:
    two, relation = (smallest, ast.Lt()) if which is min else (largest, ast.Gt())

    def handler(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        key = keywords.get("key")
        given, keys = [], []
        for member in arguments if len(arguments) != 1 else reader.domain.steps(arguments[0], reader.place):
            given.append(member)
            keys.append(member if key is None else apply(reader, key, [member], {}))
        if (
            not given
            or keywords.keys() - {"key", "default"}
            or (len(arguments) != 1 and "default" in keywords)
        ):
            if len(arguments) == 1 and not given and "default" in keywords:
                return keywords["default"]
            return reader.domain.python(which, *(arguments if len(arguments) != 1 else [given]), **keywords)
        if not any(map(is_compared_here, keys)):
            if key is None:
                return reader.domain.python(which, given)
            best = reader.domain.python(which, range(len(given)), key=keys.__getitem__)
            return given[best]
        if key is None and all(isinstance(value, NodeInteger | int) for value in given):
            return functools.reduce(two, given)
        if key is None and all(isinstance(value, NodeCondition | bool) for value in given):
            return functools.reduce(both if which is min else either, given)
        result, least = given[0], keys[0]
        for member, other in zip(given[1:], keys[1:], strict=True):
            is_better = _compared(reader, relation, other, least)
            result = _chosen(reader, is_better, member, result)
            least = result if key is None else _chosen(reader, is_better, other, least)
        return result

    return handler


def _sum(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if len(arguments) not in (1, 2) or keywords.keys() - {"start"}:
        return reader.domain.python(sum, *arguments, **keywords)
    steps = reader.domain.steps(arguments[0], reader.place)
    start = keywords.get("start", arguments[1] if len(arguments) > 1 else 0)
    return functools.reduce(_operated(reader, ast.Add()), steps, start)


def _product(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if len(arguments) != 1 or keywords.keys() - {"start"}:
        return reader.domain.python(math.prod, *arguments, **keywords)
    members = reader.domain.members(arguments[0], reader.place)
    if is_symbolic(members):
        return functools.reduce(_operated(reader, ast.Mult()), members, keywords.get("start", 1))
    return reader.domain.python(math.prod, members, **keywords)


def _quantified(function: Callable[..., bool], *, is_and: bool) -> Handler:
    def handler(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if len(arguments) != 1 or keywords:
            return reader.domain.python(function, *arguments, **keywords)
        steps = reader.domain.steps(arguments[0], reader.place)
        for member in steps:
            if is_compared_here(member):
                members = [member, *reader.domain.quietly(lambda: list(steps))]
                return quantified(
                    reader, [partial(reader.domain.truth, item) for item in members], is_and=is_and
                )
            if reader.domain.truth(member) is not is_and:
                return not is_and
        return is_and

    return handler


def _sorted(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if len(arguments) != 1 or keywords.keys() - {"key", "reverse"}:
        return reader.domain.python(sorted, *arguments, **keywords)
    key = keywords.pop("key", None)
    members = reader.domain.members(arguments[0], reader.place)
    keys = members if key is None else [apply(reader, key, [member], {}) for member in members]
    if any(map(is_symbolic, keys)):
        return reader.domain.born(_in_order(members, key, **keywords))
    if key is None and not any(map(is_compared_here, keys)):
        return reader.domain.born(reader.domain.python(sorted, members, **keywords))
    by = functools.cmp_to_key(
        lambda one, other: (
            -1 if _compared(reader, ast.Lt(), one, other) else int(_compared(reader, ast.Lt(), other, one))
        )
    )
    if any(map(is_compared_here, keys)):
        keys = [by(value) for value in keys]
    order = reader.domain.python(sorted, range(len(members)), key=keys.__getitem__, **keywords)
    return reader.domain.born([members[position] for position in order])


def _in_order(members: list[Any], key: Any, *, reverse: bool = False) -> list[Any]:
    """Integers in order: each is compared with each, and both are put in place."""
    if (
        key is not None
        or len(members) > _MOST_SORTED
        or not all(isinstance(value, NodeInteger | int) for value in members)
    ):
        raise static_needed(f"the order of anything but up to {_MOST_SORTED} integers")
    result = [int(value) if isinstance(value, bool) else value for value in members]
    for last in range(len(result) - 1, 0, -1):
        for position in range(last):
            one, other = result[position : position + 2]
            result[position : position + 2] = [smallest(one, other), largest(one, other)]
    return result[::-1] if reverse else result


def method(reader: Evaluator, function: Any, arguments: tuple[Any, ...]) -> Any:
    """``.count`` and ``.index`` of a list or tuple with numbers of the node; None of its other methods."""
    owner: Any = function.__self__
    name = getattr(function, "__name__", "")
    if name not in ("count", "index") or len(arguments) != 1:
        return None
    if not is_compared_here(arguments[0]) and not is_compared_here(owner):
        return None
    if name == "index" and any(isinstance(value, Instance) for value in (arguments[0], *owner)):
        return _position(reader, owner, arguments[0], 0)
    equal = [are_equal(reader, member, arguments[0]) for member in owner]
    if name == "count":
        numbers = [_as_number(reader, condition) for condition in equal]
        return functools.reduce(_operated(reader, ast.Add()), numbers, 0)
    last = next((position for position, condition in enumerate(equal) if condition is True), None)
    if last is None:
        last = _last_of_all(owner, arguments[0])
    result: Any = last
    for position in range(last - 1, -1, -1):
        result = _chosen(reader, equal[position], position, result)
    return result


def _position(reader: Evaluator, members: Any, value: Any, first: int) -> Any:
    """Where the first member is that is equal to a value, of those from a position on."""
    if first == len(members):
        raise static_needed(f"whether a {type(members).__name__} has such a member")
    equal = are_equal(reader, members[first], value)
    if isinstance(equal, bool):
        return first if equal else _position(reader, members, value, first + 1)
    return reader.domain.chosen(
        equal, lambda: first, lambda: _position(reader, members, value, first + 1), reader.place
    )


def _last_of_all(members: Any, value: Any) -> int:
    """Where the last member is that a number may be. Raises where a number may be none of them: Python's ``index`` does."""
    low, high = value.bounds if isinstance(value, NodeInteger) else (None, None)
    if (
        low is None
        or high is None
        or high - low >= len(members)
        or not set(range(low, high + 1)) <= {member for member in members if isinstance(member, int)}
    ):
        raise static_needed("whether a list has a number")
    return max(int(members.index(number)) for number in range(low, high + 1))


HANDLERS: dict[Any, Handler] = {
    int: _rounding(_truncated, int),
    float: _float,
    bool: _bool,
    abs: _abs,
    round: _rounding(_nearest, round),
    divmod: _divmod,
    pow: _pow,
    min: _extreme(min),
    max: _extreme(max),
    sum: _sum,
    any: _quantified(any, is_and=False),
    all: _quantified(all, is_and=True),
    sorted: _sorted,
    math.prod: _product,
    math.floor: _rounding(_floor, math.floor),
    math.ceil: _rounding(_ceil, math.ceil),
    math.trunc: _rounding(_truncated, math.trunc),
}
