"""Functions of libraries that are really called while an operation is read: their results are constants.

They are called if all of their arguments are known before the program runs on a node, and if a second call has the same
result: then they have the same result on every node.
"""

from __future__ import annotations

import copy
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from types import ModuleType
from typing import Any, Literal

from ttl.frontend import refusals
from ttl.frontend.kernel.iterators import MemberIterator
from ttl.frontend.limits import Counted, counted, too_much, within_lines
from ttl.frontend.stop import Reject, static_needed
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.frontend.values import END, Poison, UserFunction, is_symbolic

HostCalls = Literal["pure", "any"]
"""The functions of libraries that are called.

"pure": functions of modules that are known to have no effects. "any": also those of all other libraries, except
Python's own, ``ttl``, ``ttnn`` and ``torch``.
"""

NOT_CALLED: Any = object()
# The most members that are taken of an iterator of a library.
_MOST_VALUES = 10_000

# Modules of Python's library whose functions have no effects and depend on their arguments only.
_PURE = frozenset(
    (
        "itertools", "functools", "_functools", "fractions", "statistics", "bisect", "heapq", "collections", "re", "string", "textwrap",
        "operator", "_operator", "math", "cmath", "decimal", "copy", "difflib", "numbers", "calendar", "colorsys",
    )
)  # fmt: skip
# Functions of pure modules that change their arguments.
_CHANGING = frozenset(
    (
        "insort", "insort_left", "insort_right", "heappush", "heappop", "heapify", "heapreplace", "heappushpop",
        "setitem", "delitem", "update", "subtract", "clear", "pop", "popitem", "setdefault",
    )
)  # fmt: skip
# Classes of these modules whose objects no method changes.
_UNCHANGING = (Fraction, Decimal, Counter, re.Pattern, re.Match, str)
_OF_THE_PROGRAM = ("ttl", "ttnn", "torch")


def value_of(
    callable_of: Callable[[UserFunction], Callable[..., Any]],
    function: Any,
    arguments: list[Any],
    keywords: dict[str, Any],
    which: HostCalls,
    run: Callable[..., Any],
) -> Any:
    """Return the result of a function of a library; ``NOT_CALLED`` if it must not be called.

    ``callable_of`` converts a function of the program to one that Python can call; ``run(call, function, arguments,
    keywords)`` returns the result of a call, and turns an exception into a finding about the function.

    Raises ``Reject`` if two calls give different results.
    """
    module = _module_of(function)
    first = module.partition(".")[0]
    if first in _OF_THE_PROGRAM or not first or getattr(function, "__name__", "") in _CHANGING:
        return NOT_CALLED
    if first not in _PURE and (which == "pure" or first in sys.stdlib_module_names or first == "builtins"):
        return NOT_CALLED
    owner = getattr(function, "__self__", None)
    if isinstance(owner, ModuleType | type):
        owner = None
    if first in _PURE and owner is not None and not isinstance(owner, _UNCHANGING):
        return NOT_CALLED
    given = [*arguments, *keywords.values()]
    if not all(map(_is_plain, given)):
        return NOT_CALLED

    def fit(value: Any) -> Any:
        if isinstance(value, MemberIterator):
            return map(_plain, value) if first in _PURE else list(value)
        return callable_of(value) if isinstance(value, UserFunction) else value

    values = [fit(value) for value in arguments]
    named = {name: fit(value) for name, value in keywords.items()}
    large = too_much(function, tuple(values))
    if large:
        raise Reject(refusals.too_large_a_value(large))
    values = [*counted(function, tuple(values))]

    def made(call: Callable[[], Any]) -> Any:
        return run(call, function, values, named)

    if first in _PURE:
        result = made(lambda: within_lines(lambda: function(*values, **named)))
        if _is_iterator(result):
            return _one_by_one(result, made)
        return made(lambda: within_lines(lambda: _settled(result)))
    if owner is not None:
        before, tried = _state(owner), getattr(copy.deepcopy(owner), function.__name__)
    else:
        before, tried = None, function
    given_again = copy.deepcopy((values, named))
    trial = made(lambda: _settled(tried(*given_again[0], **given_again[1])))
    result = made(lambda: function(*values, **named))
    settled = made(lambda: _settled(result))
    if isinstance(function, type) and getattr(type(result), "__eq__", None) is object.__eq__:
        return NOT_CALLED  # it is not known whether two objects of it are equal
    if _differ(trial, settled) or (owner is not None and before != _state(owner)):
        name = getattr(function, "__qualname__", None) or type(function).__name__
        raise Reject(refusals.another_each_time(f"{module}.{name}"))
    return iter(settled) if _is_iterator(result) else settled


def is_pure(function: Any) -> bool:
    """Whether a function is of a Python module that is known to have no effects."""
    return _module_of(function).partition(".")[0] in _PURE


def _state(owner: Any) -> list[tuple[str, int]]:
    """Return the identities of an object's attributes."""
    return [(name, id(value)) for name, value in getattr(owner, "__dict__", {}).items()]


def _module_of(function: Any) -> str:
    """The module that defines a function, or the class of the object that is called."""
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, ModuleType):
        kind = owner if isinstance(owner, type) else type(owner)
        return str(kind.__module__)
    result = getattr(function, "__module__", None)
    return str(result if isinstance(result, str) else type(function).__module__)


def _is_plain(value: Any) -> bool:
    """Whether a value is known, and contains no object of the language. Raises ``NotKnown`` for a lost value."""
    if isinstance(value, UserFunction | Counted | MemberIterator):
        return True
    if isinstance(value, Poison):
        raise NotKnown(value if isinstance(value, Unknown) else Unknown(why="a value"))
    if is_symbolic(value) or type(value).__module__.partition(".")[0] in _OF_THE_PROGRAM:
        return False
    if isinstance(value, dict):
        return all(map(_is_plain, (*value, *value.values())))
    return not isinstance(value, list | tuple | set | frozenset) or all(map(_is_plain, value))


def _plain(value: Any) -> Any:
    """A member that an iterator passes to a function of a library."""
    if not _is_plain(value):
        raise static_needed("a member of an iterator")
    return value


def _one_by_one(result: Iterator[Any], made: Callable[[Callable[[], Any]], Any]) -> Iterator[Any]:
    """The members of an iterator that a function returned, each settled when it is taken."""
    while True:
        member = made(lambda: within_lines(lambda: _settled(next(result, END))))
        if member is END:
            return
        yield member


def _is_iterator(value: Any) -> bool:
    return inspect.isgenerator(value) or (hasattr(value, "__next__") and hasattr(value, "__iter__"))


def _settled(value: Any) -> Any:
    """Return a result that can be read more than once: an iterator as a list, a number as Python's own."""
    if _is_iterator(value):
        # One by one: a group of ``groupby`` is gone when the iterator advances.
        settled = [_settled(item) for item in islice(value, _MOST_VALUES + 1)]
        if len(settled) > _MOST_VALUES:
            text = f"more than {_MOST_VALUES} values of {type(value).__name__}"
            raise Reject(
                refusals.too_large(text, help="take as many of them as are needed: itertools.islice")
            )
        return settled
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(_settled(item) for item in value)
    if type(value).__module__ == "numpy":
        return value.item() if getattr(value, "ndim", 1) == 0 and hasattr(value, "item") else value
    if not isinstance(value, int | float | str | bytes) and hasattr(type(value), "__index__"):
        return int(value)
    return value


def _differ(first: Any, second: Any) -> bool:
    try:
        return first is not second and not bool(first == second) and repr(first) != repr(second)
    except Exception:
        return True
