"""What host code may ask for while it is read: nothing that takes long, needs much memory, or looks at data."""

from __future__ import annotations

import math
import operator
from typing import Any

from ttl.frontend.unknown import NotKnown, Unknown
from ttl.host.tensor import Tensor

# Members of something that is iterated over, and lengths of what is made.
MOST_MEMBERS = 10_000
_LARGEST = 1 << 24
_MOST_BITS = 4096
_LONGEST = 1 << 20
_GROWING = frozenset(
    {
        operator.add,
        operator.iadd,
        operator.mul,
        operator.imul,
        operator.pow,
        operator.ipow,
        operator.lshift,
        operator.ilshift,
    }
)
OPERATORS = frozenset(
    value for name, value in vars(operator).items() if callable(value) and name.isidentifier()
)
_EXPLOSIVE = frozenset({math.factorial, math.comb, math.perm})


def guard(function: Any, values: tuple[Any, ...]) -> None:
    """Refuse what would take long or need much memory, or look at data that are not there."""
    for value in values:
        if isinstance(value, Tensor) and getattr(function, "__module__", "") in (
            "builtins",
            "_operator",
            "math",
        ):
            raise NotKnown(Unknown(why="the values in a tensor"))
    if (isinstance(function, type) and function in (float, complex)) or function in (
        int,
        abs,
        divmod,
        min,
        max,
        range,
    ):
        return
    numbers = [value for value in values if isinstance(value, int)]
    if function in _GROWING:
        _guard_growth(function, *values)
    elif function in _EXPLOSIVE:
        if any(number > _MOST_BITS for number in numbers):
            raise NotKnown(Unknown(why="a large number"))
    elif function not in OPERATORS and any(abs(number) > _LARGEST for number in numbers):
        owner = getattr(function, "__module__", None) or ""
        if not owner.startswith(("ttl", "math")):
            raise NotKnown(Unknown(why="a large number"))
    for value in values:
        if isinstance(value, range) and len(value) > MOST_MEMBERS and function not in (len, range, reversed):
            raise NotKnown(Unknown(why="a long range"))


def _guard_growth(function: Any, first: Any, second: Any) -> None:
    """Refuse numbers and sequences that are too large to be of interest."""
    if function in (operator.add, operator.iadd):
        sized = isinstance(first, list | tuple | str | bytes) and isinstance(
            second, list | tuple | str | bytes
        )
        if sized and len(first) + len(second) > _LONGEST:
            raise NotKnown(Unknown(why="a long sequence"))
        return
    if function in (operator.mul, operator.imul):
        for sequence, times in ((first, second), (second, first)):
            sized = isinstance(sequence, list | tuple | str | bytes) and isinstance(times, int)
            if sized and len(sequence) * max(times, 0) > _LONGEST:
                raise NotKnown(Unknown(why="a long sequence"))
        plain = isinstance(first, int) and isinstance(second, int)
        if plain and first.bit_length() + second.bit_length() > _MOST_BITS:
            raise NotKnown(Unknown(why="a large number"))
        return
    if isinstance(first, int) and isinstance(second, int):
        bits = abs(second) * (first.bit_length() if function in (operator.pow, operator.ipow) else 1)
        if bits + first.bit_length() > _MOST_BITS:
            raise NotKnown(Unknown(why="a large number"))
