"""Python's mutable containers: the code that changes them, and those that a call or an operator has just made."""

from __future__ import annotations

import operator
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, ModuleType, NoneType
from typing import Any

from ttl.frontend.classes import Instance
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio

_MUTATORS: dict[type, frozenset[str]] = {
    kind: frozenset(names.split())
    for kind, names in {
        list: "append extend insert remove pop clear sort reverse __setitem__ __delitem__ __iadd__ __imul__",
        dict: "update pop popitem clear setdefault subtract __setitem__ __delitem__ __ior__ __iadd__ __isub__ __iand__",
        set: "add remove discard pop clear update difference_update intersection_update symmetric_difference_update "
        "__ior__ __iand__ __isub__ __ixor__",
        deque: "append appendleft extend extendleft insert remove pop popleft clear rotate reverse __setitem__ __delitem__ "
        "__iadd__ __imul__",
    }.items()
}
_IN_PLACE = frozenset(
    (operator.setitem, operator.delitem, operator.iadd, operator.iconcat, operator.imul, operator.ior, operator.iand, operator.isub, operator.ixor)
)  # fmt: skip
_CONTAINERS = tuple(_MUTATORS)
_WITHOUT_CONTAINERS = (
    int, float, complex, str, bytes, NoneType, range, slice, type, ModuleType, NodeInteger, NodeCondition, NodeRatio, NodeFloat
)  # fmt: skip
_LOOKED_INTO = (list, tuple, dict, set, frozenset, deque, BuiltinFunctionType)
# Classes whose objects are not dictionaries with defaults. Most calls use only these, and need no further check.
_PLAIN = frozenset({*_WITHOUT_CONTAINERS, *_LOOKED_INTO, bool})
_CHANGING = frozenset().union(*_MUTATORS.values())


def is_container(value: Any) -> bool:
    """Return whether a value is a mutable Python container."""
    return isinstance(value, _CONTAINERS)


def changes(method: str) -> bool:
    """Whether a method of this name changes its container, if it is one of a container."""
    return method in _CHANGING


def mutates(value: Any, method: str) -> bool:
    """Whether a method of a container changes the container."""
    return method in _CHANGING and any(
        isinstance(value, kind) and method in names for kind, names in _MUTATORS.items()
    )


def changed_by_call(function: Any, arguments: tuple[Any, ...]) -> list[Any]:
    """Return the containers that a call of a function of Python changes, or may change through a function that it gets.

    These are the container whose method it is, or the operands of ``operator.setitem`` and the like.
    """
    changed: list[Any] = []
    for called in (function, *arguments):
        if type(called) is not BuiltinFunctionType:
            continue
        owner = called.__self__
        if isinstance(owner, _CONTAINERS):
            changed += [owner] if mutates(owner, called.__name__) else []
        elif called in _IN_PLACE:
            operands = arguments[:1] if called is function else arguments
            changed += [operand for operand in operands if isinstance(operand, _CONTAINERS)]
    return changed


def noting_defaults(
    call: Callable[[], Any], function: Any, arguments: tuple[Any, ...], changed: Callable[[Any], None]
) -> Any:
    """Return the result of a call; ``changed`` is called for each dictionary with defaults that got a new member."""
    held_by = (getattr(function, "__self__", None), *arguments)
    if _PLAIN.issuperset(map(type, held_by)):
        return call()
    before = [(held, len(held)) for held in held_by if isinstance(held, defaultdict)]
    result = call()
    for held, length in before:
        if len(held) != length:
            changed(held)
    return result


def as_made(reader: Evaluator, value: Any, function: Callable[..., Any], given: Iterable[Any]) -> Any:
    """Return the result of a function or an operator, and note a container that it made as made at this place.

    A container that the function got, or may have found in an argument, existed before.
    """
    if not isinstance(value, _CONTAINERS):
        return value
    is_new = isinstance(function, type) and type(value) is function
    owner = getattr(function, "__self__", None)
    return reader.domain.born(value) if is_new or not _may_be_in(value, (owner, *given)) else value


def _may_be_in(value: Any, given: Iterable[Any]) -> bool:
    """Return whether a container is among some values, or may be in a value whose members are not known."""
    return any(item is value or not isinstance(item, _LOOKED_INTO) for item in within(given))


def within(given: Iterable[Any]) -> Iterator[Any]:
    """Yield values, and all members of their containers and of the objects of bound methods, except plain values."""
    waiting, seen = list(given), set[int]()
    while waiting:
        item = waiting.pop()
        if isinstance(item, _WITHOUT_CONTAINERS) or id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, dict):
            waiting += (*item, *item.values())
        elif isinstance(item, list | tuple | set | frozenset | deque):
            waiting += item
        elif isinstance(item, Instance):
            waiting += item.ttl_values.values()
        elif type(item) is BuiltinFunctionType:
            waiting.append(item.__self__)
