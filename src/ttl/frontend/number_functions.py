"""Python's functions of numbers, and of sequences of numbers, if some are known on the node only.

Without such numbers they are Python's own. They are composed of the operators of the domain.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ttl.frontend.classes import Instance, is_compared_here
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.function_calls import apply
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
from ttl.frontend.special_methods import all_members
from ttl.frontend.stop import static_needed
from ttl.frontend.values import is_symbolic
from ttl.lang.expr import BlockExpr

Handler = Callable[[Evaluator, list[Any], dict[str, Any]], Any]
"""The implementation of a call, for the positional and the keyword arguments."""
_OF_NODE = (NodeInteger, NodeRatio, NodeFloat, NodeCondition)
# The most members that are sorted on the node: a minimum and a maximum are emitted for each pair.
_MOST_SORTED = 16


def handler(function: Callable[..., Any], compute: Callable[..., Any]) -> Handler:
    """Return the handler of a function of Python that ``compute`` implements.

    ``compute`` gets the reader as its first argument. If ``compute`` does not accept the arguments, or returns
    ``NotImplemented``, Python's own function is called, which reports errors in them.
    """
    signature = inspect.signature(compute)
    parameters = [*signature.parameters.values()][1:]
    by_place = [
        item for item in parameters if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)
    ]
    least = sum(item.default is item.empty for item in by_place)
    is_open = any(item.kind is item.VAR_POSITIONAL for item in parameters)
    most = math.inf if is_open else len(by_place)

    def fits(arguments: list[Any], keywords: dict[str, Any]) -> bool:
        if not keywords:  # the usual case
            return least <= len(arguments) <= most
        try:
            signature.bind(None, *arguments, **keywords)
        except TypeError:
            return False
        return True

    def handle(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        result = NotImplemented
        if fits(arguments, keywords):
            result = compute(reader, *arguments, **keywords)
        return reader.domain.python(function, *arguments, **keywords) if result is NotImplemented else result

    return handle


def _as_number(reader: Evaluator, value: Any) -> Any:
    """A truth value of the node as 0 or 1."""
    if isinstance(value, NodeCondition):
        return reader.domain.chosen(value, lambda: 1, lambda: 0, reader.place)
    return value


def _chosen(reader: Evaluator, condition: Any, first: Any, second: Any) -> Any:
    """One of two values, by a condition."""
    if not isinstance(condition, NodeCondition):
        return first if condition else second
    return reader.domain.chosen(condition, lambda: first, lambda: second, reader.place)


def _compared(reader: Evaluator, relation: ast.cmpop, left: Any, right: Any) -> Any:
    return reader.domain.truth(reader.domain.related(relation, left, right))


# --- rounding of fractions to integers ------------------------------------------------------------------------


def _floor(reader: Evaluator, value: NodeRatio | NodeFloat) -> Any:
    if isinstance(value, NodeRatio):
        return value.floor()
    whole = truncated(value)
    return _chosen(reader, _compared(reader, ast.Lt(), value, whole), whole - 1, whole)


def _ceil(reader: Evaluator, value: NodeRatio | NodeFloat) -> Any:
    return value.ceil() if isinstance(value, NodeRatio) else -_floor(reader, -value)


def _truncated(reader: Evaluator, value: NodeRatio | NodeFloat) -> Any:
    """Round towards zero."""
    if isinstance(value, NodeFloat):
        return truncated(value)
    known = value.truncated()
    if known is not None:
        return known
    above, below = (_compared(reader, ast.Lt(), part, 0) for part in (value.above, value.below))
    is_negative = either(both(above, negated(below)), both(negated(above), below))
    return _chosen(reader, is_negative, value.ceil(), value.floor())


def _nearest(reader: Evaluator, value: NodeRatio | NodeFloat) -> Any:
    """Round to the nearest integer, halves to the even one."""
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


def _rounding(how: Callable[[Evaluator, Any], Any]) -> Callable[..., Any]:
    def rounded(reader: Evaluator, value: Any, /) -> Any:
        match value:
            case NodeInteger():
                return value
            case NodeCondition():
                return _as_number(reader, value)
            case NodeRatio() | NodeFloat():
                return how(reader, value)
        return NotImplemented

    return rounded


# --- conversions and arithmetic -------------------------------------------------------------------------------


def _float(reader: Evaluator, value: Any, /) -> Any:
    float_ = reader.domain.python(as_real, _as_number(reader, value))
    return NotImplemented if float_ is None else float_


def _bool(reader: Evaluator, value: Any, /) -> Any:
    return reader.domain.truth(value)


def _abs(reader: Evaluator, value: Any, /) -> Any:
    match value:
        case NodeCondition():
            return _as_number(reader, value)
        case NodeRatio() | NodeFloat():
            real = reader.domain.python(as_real, value)
            # The sum turns -0.0 into 0.0.
            return _chosen(reader, _compared(reader, ast.Lt(), real, 0), -real, real + 0.0)
    return NotImplemented


def _divmod(reader: Evaluator, left: Any, right: Any, /) -> Any:
    if any(isinstance(value, BlockExpr) for value in (left, right)) or not _are_of_node(left, right):
        return NotImplemented
    return tuple(reader.domain.operated(how, left, right) for how in (ast.FloorDiv(), ast.Mod()))


def _pow(reader: Evaluator, base: Any, exponent: Any, modulus: Any = None, /) -> Any:
    if not _are_of_node(base, exponent, modulus):
        return NotImplemented
    if modulus is None:
        return reader.domain.operated(ast.Pow(), base, exponent)
    if not isinstance(exponent, int) or exponent < 0:
        return NotImplemented
    return reader.domain.operated(ast.Mod(), reader.domain.operated(ast.Pow(), base, exponent), modulus)


def _are_of_node(*values: Any) -> bool:
    """Whether any of several values is a number of the node."""
    return any(isinstance(value, _OF_NODE) for value in values)


# --- of several values ----------------------------------------------------------------------------------------


def _extreme(which: Callable[..., Any]) -> Callable[..., Any]:
    two, relation = (smallest, ast.Lt()) if which is min else (largest, ast.Gt())

    def extreme(reader: Evaluator, first: Any, /, *others: Any, key: Any = None, **default: Any) -> Any:
        given, keys = [], []
        for member in [first, *others] if others else reader.domain.steps(first, reader.place):
            given.append(member)
            keys.append(member if key is None else apply(reader, key, [member], {}))
        if not given and "default" in default:
            return default["default"]
        if not given or default.keys() - {"default"} or (others and default):
            return reader.domain.python(which, *(given if others else [given]), key=key, **default)
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

    return extreme


def _sum(reader: Evaluator, iterable: Any, /, start: Any = 0) -> Any:
    steps = reader.domain.steps(iterable, reader.place)
    return functools.reduce(partial(reader.domain.operated, ast.Add()), steps, start)


def _product(reader: Evaluator, iterable: Any, /, *, start: Any = 1) -> Any:
    members = reader.domain.members(iterable, reader.place)
    if is_symbolic(members):
        return functools.reduce(partial(reader.domain.operated, ast.Mult()), members, start)
    return reader.domain.python(math.prod, members, start=start)


def _quantified(*, is_and: bool) -> Callable[..., Any]:
    def decided(reader: Evaluator, iterable: Any, /) -> Any:
        steps = reader.domain.steps(iterable, reader.place)
        for member in steps:
            truth = None if is_compared_here(member) else reader.domain.truth(member)
            if not isinstance(truth, bool):
                members = [member, *reader.domain.quietly(lambda: list(steps))]
                return quantified(
                    reader, [partial(reader.domain.truth, item) for item in members], is_and=is_and
                )
            if truth is not is_and:
                return not is_and
        return is_and

    return decided


def _sorted(reader: Evaluator, iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    members = all_members(reader, iterable, reader.place)
    keys = members if key is None else [apply(reader, key, [member], {}) for member in members]
    if any(map(is_symbolic, keys)):
        return reader.domain.born(_in_order(members, key, reverse=reverse))
    is_here = any(map(is_compared_here, keys))
    if key is None and not is_here:
        return reader.domain.born(reader.domain.python(sorted, members, reverse=reverse))
    if is_here:
        by = functools.cmp_to_key(
            lambda one, other: (
                -1
                if _compared(reader, ast.Lt(), one, other)
                else int(_compared(reader, ast.Lt(), other, one))
            )
        )
        keys = [by(value) for value in keys]
    order = reader.domain.python(sorted, range(len(members)), key=keys.__getitem__, reverse=reverse)
    return reader.domain.born([members[position] for position in order])


def _in_order(members: list[Any], key: Any, *, reverse: bool) -> list[Any]:
    """Return integers in order: each is compared with each, and both are put in place."""
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
    """Return the result of ``.count`` or ``.index`` of a sequence with numbers of the node.

    None if Python computes it.
    """
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
        return functools.reduce(partial(reader.domain.operated, ast.Add()), numbers, 0)
    last = next((position for position, condition in enumerate(equal) if condition is True), None)
    if last is None:
        last = _last_of_all(owner, arguments[0])
    result: Any = last
    for position in range(last - 1, -1, -1):
        result = _chosen(reader, equal[position], position, result)
    return result


def _position(reader: Evaluator, members: Any, value: Any, first: int) -> Any:
    """Return the position of the first member that equals a value, from a position on."""
    if first == len(members):
        raise static_needed(f"whether a {type(members).__name__} has such a member")
    equal = are_equal(reader, members[first], value)
    if isinstance(equal, bool):
        return first if equal else _position(reader, members, value, first + 1)
    return reader.domain.chosen(
        equal, lambda: first, lambda: _position(reader, members, value, first + 1), reader.place
    )


def _last_of_all(members: Any, value: Any) -> int:
    """Return the position of the last member that a number may be.

    Raises ``Reject`` (TTL1305) if the number may not be a member, for which Python's ``index`` would raise.
    """
    low, high = value.bounds if isinstance(value, NodeInteger) else (None, None)
    if (
        low is None
        or high is None
        or high - low >= len(members)
        or not set(range(low, high + 1)) <= {member for member in members if isinstance(member, int)}
    ):
        raise static_needed("whether a list has a number")
    return max(int(members.index(number)) for number in range(low, high + 1))


_MEANINGS: dict[Callable[..., Any], Callable[..., Any]] = {
    int: _rounding(_truncated),
    float: _float,
    bool: _bool,
    abs: _abs,
    round: _rounding(_nearest),
    divmod: _divmod,
    pow: _pow,
    min: _extreme(min),
    max: _extreme(max),
    sum: _sum,
    any: _quantified(is_and=False),
    all: _quantified(is_and=True),
    sorted: _sorted,
    math.prod: _product,
    math.floor: _rounding(_floor),
    math.ceil: _rounding(_ceil),
    math.trunc: _rounding(_truncated),
}
HANDLERS: dict[Any, Handler] = {
    function: handler(function, compute) for function, compute in _MEANINGS.items()
}
