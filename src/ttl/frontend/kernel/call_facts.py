"""Facts about a call before it is evaluated: the arguments that have to be known, and the result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any

from ttl.frontend.classes import UserClass
from ttl.frontend.kernel.kinds import ValueKind
from ttl.frontend.kernel.value_facts import (
    NOTHING,
    Fact,
    Loops,
    Rank,
    fact_of,
    is_static,
    made,
    number,
)
from ttl.frontend.library import find
from ttl.frontend.values import UNBOUND
from ttl.lang.copy import wait_any
from ttl.lang.elements import raw_element_read, read_index
from ttl.rows.row import Op
from ttl.rows.table import OPS
from ttl.session import cached

# Functions that reduce the members of an iterable.
REDUCING = frozenset({"sum", "min", "max", "any", "all", "len", "sorted"})
_RANKS: Mapping[Any, Rank] = MappingProxyType(
    {
        bool: Rank.TRUTH, any: Rank.TRUTH, all: Rank.TRUTH, isinstance: Rank.TRUTH, hasattr: Rank.TRUTH,
        int: Rank.INDEX, len: Rank.INDEX, round: Rank.INDEX, math.floor: Rank.INDEX, math.ceil: Rank.INDEX, math.trunc: Rank.INDEX,
        float: Rank.REAL, raw_element_read: Rank.REAL, read_index: Rank.INDEX,
    }
)  # fmt: skip
_KINDS: Mapping[Any, ValueKind] = MappingProxyType(
    {
        list: ValueKind.LIST, sorted: ValueKind.LIST, tuple: ValueKind.TUPLE, set: ValueKind.SET, dict: ValueKind.DICT,
        zip: ValueKind.ITERATOR, map: ValueKind.ITERATOR, filter: ValueKind.ITERATOR, enumerate: ValueKind.ITERATOR,
        reversed: ValueKind.ITERATOR, iter: ValueKind.ITERATOR, divmod: ValueKind.TUPLE,
    }
)  # fmt: skip
# Functions of one value that are in the table of the algebra under their names.
_IN_TABLE = frozenset({complex, hash})
_WHOLE = frozenset({int, round, math.floor, math.ceil, math.trunc})
_TEXTS = frozenset({str, repr})
_OF_ITS_ARGUMENTS = (max, min, abs, sum)
_WITH_KEYS = ("get", "pop", "setdefault")


def needed_by(function: Any, given: list[Fact], named: Mapping[str | None, Fact]) -> Iterable[Fact]:
    """The arguments of a function that have to be known while the program is compiled."""
    arguments = [*given, *named.values()]
    if not any(fact.loops for fact in arguments) or function is UNBOUND or isinstance(function, UserClass):
        return ()
    module = str(getattr(function, "__module__", None) or "")
    if module in ("ttl.math", "ttl.block"):
        return _parameters(operation(module.removeprefix("ttl."), function.__name__), given, named)
    varying = [fact for fact in arguments if fact.is_varying]
    if function in _WHOLE and len(given) == 1 and given[0].rank is Rank.REAL:
        return () if given[0].range.fits_signed(32) else varying
    if function is id:
        return varying
    if function in _IN_TABLE:
        return [fact for fact in given if is_static(function.__name__, fact, fact_of(None))]
    if function in _TEXTS:
        return [fact for fact in varying if not fact.is_number]
    if function in (set, filter):
        return [fact for fact in varying if function is filter or not fact.is_number]
    if function is sorted:
        return varying if "key" in named else ()
    if find(function) is not None or function is print or module.partition(".")[0] == "ttl":
        return ()
    return varying if callable(function) and not _keeps(function) else ()


def needed_by_method(owner: Fact, name: str, given: list[Fact]) -> Iterable[Fact]:
    """Return the arguments of a method of a value that have to be known while the program is compiled."""
    if not given or isinstance(owner.value, ModuleType):
        return ()
    if owner.is_of(ValueKind.TEXT):
        return [fact for fact in given if fact.is_varying]
    if owner.is_of(ValueKind.DICT) and name in _WITH_KEYS:
        return [fact for fact in given[:1] if fact.is_varying]
    if owner.is_of(ValueKind.LIST) and name in ("pop", "insert"):
        return [fact for fact in given[:1] if fact.is_varying]
    return ()


def result(function: Any, given: list[Fact], both: Fact, born_in: Loops) -> Fact:
    """Return the fact about a call of a function that is not followed; ``both`` joins the facts about all its arguments."""
    if function is UNBOUND or not _is_hashable(function):
        return both
    if function in _RANKS:
        return number(
            _RANKS[function], given[0].range if function in _WHOLE and given else NOTHING.range, both
        )
    if function in _OF_ITS_ARGUMENTS:
        fact = NOTHING.joined(*given)
        bounds = fact.range if function in (max, min) else NOTHING.range
        return (
            number(fact.rank, bounds, both)
            if fact.is_number
            else Fact(both.rank, both.of_node, both.loops, fact.kinds)
        )
    if function in _KINDS:
        return made(_KINDS[function], both, born_in)
    if function in _TEXTS:
        return made(ValueKind.PRINTED if both.loops or both.of_node else ValueKind.TEXT, both)
    if function is range:
        return made(ValueKind.SEQUENCE if both.loops or both.of_node else ValueKind.OBJECT, both)
    if function is wait_any:
        return Fact(of_node=True)  # lists may be indexed by it, and it does not depend on iterations
    module = str(getattr(function, "__module__", None) or "")
    if module in ("ttl.math", "ttl.block"):
        return made(ValueKind.EXPRESSION, both)
    # Functions of the language return values of the node.
    return Fact(of_node=True, loops=both.loops) if module.partition(".")[0] == "ttl" else both


def _is_hashable(function: Any) -> bool:
    return callable(function) and type(function).__hash__ is not None


def _keeps(function: Any) -> bool:
    """Return whether a class only stores its arguments: a dataclass, a named tuple, an exception."""
    return isinstance(function, type) and (
        hasattr(function, "__dataclass_fields__")
        or hasattr(function, "_fields")
        or issubclass(function, BaseException)
    )


@cached(maxsize=256)
def operation(namespace: str, name: str) -> Op | None:
    """An operation on blocks by its public name."""
    return next((op for op in OPS if op.namespace == namespace and op.name == name), None)


def _parameters(op: Op | None, given: list[Fact], named: Mapping[str | None, Fact]) -> list[Fact]:
    """Return the arguments of an operation on blocks that are its parameters.

    The number of a fill may be of the node.
    """
    if op is None or op.family == "fill":
        return []
    names = {param.name for param in op.params}
    facts = [*given[len(op.operands) :], *(fact for name, fact in named.items() if name in names)]
    return [fact for fact in facts if fact.is_number]
