"""Limits on the calls that host code may make while it is read: in time, in memory, and not on data."""

from __future__ import annotations

import operator
from typing import Any

from ttl.frontend.limits import counted, is_harmless, too_much
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.host.tensor import Tensor

# The most members that are iterated over, and the largest integer that functions other than operators, and those of
# ``ttl`` and ``math``, may get.
MOST_MEMBERS = 10_000
_LARGEST = 1 << 24
OPERATORS = frozenset(
    value for name, value in vars(operator).items() if callable(value) and name.isidentifier()
)


def guarded(function: Any, arguments: tuple[Any, ...], values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of a permitted call, in which iterators without a known end limit the members taken.

    ``values`` are all arguments, including those by keyword. Raises ``NotKnown`` for a call that would take long, need
    much memory, or use data that are not there.
    """
    for value in values:
        if isinstance(value, Tensor) and getattr(function, "__module__", "") in _OF_NUMBERS:
            raise NotKnown(Unknown(why="the values in a tensor"))
    if is_harmless(function, values):
        return arguments
    if function not in _OF_ANY_SIZE:
        _require_small(function, values)
    return counted(function, arguments)


_OF_NUMBERS = ("builtins", "_operator", "math")
_OF_ANY_SIZE = (float, complex, int, abs, divmod, min, max, range)


def _require_small(function: Any, values: tuple[Any, ...]) -> None:
    large = too_much(function, values)
    if large:
        raise NotKnown(Unknown(why=large))
    for value in values:
        if isinstance(value, int) and abs(value) > _LARGEST and function not in OPERATORS:
            owner = getattr(function, "__module__", None) or ""
            if not owner.startswith(("ttl", "math")):
                raise NotKnown(Unknown(why="a large number"))
        if isinstance(value, range) and len(value) > MOST_MEMBERS and function not in (len, range, reversed):
            raise NotKnown(Unknown(why="a long range"))
