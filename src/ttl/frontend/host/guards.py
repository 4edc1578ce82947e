"""What host code may ask for while it is read: nothing that takes long, needs much memory, or looks at data."""

from __future__ import annotations

import operator
from typing import Any

from ttl.frontend.limits import too_much
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.host.tensor import Tensor

# Members of something that is iterated over, and lengths of what is made.
MOST_MEMBERS = 10_000
_LARGEST = 1 << 24
OPERATORS = frozenset(
    value for name, value in vars(operator).items() if callable(value) and name.isidentifier()
)


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
    large = too_much(function, values)
    if large:
        raise NotKnown(Unknown(why=large))
    numbers = [value for value in values if isinstance(value, int)]
    if function not in OPERATORS and any(abs(number) > _LARGEST for number in numbers):
        owner = getattr(function, "__module__", None) or ""
        if not owner.startswith(("ttl", "math")):
            raise NotKnown(Unknown(why="a large number"))
    for value in values:
        if isinstance(value, range) and len(value) > MOST_MEMBERS and function not in (len, range, reversed):
            raise NotKnown(Unknown(why="a long range"))
