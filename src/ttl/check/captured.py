"""Whether what an operation reads from outside still is what it was.

What was found out about a call (that it has no errors, which program it is) holds as long as all that its code can see is
the same. That is looked up once; whether it still is what it was is then told by comparing it thing by thing, which takes
microseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from ttl.host.tensor import Tensor
from ttl.lang.visible import CannotSeeError, Get, Sight, visible

# Whether something still is what it was.
_Check = Callable[[], bool]


class Captured:
    """What the code of an operation, and the arguments of one of its calls, could see at a time."""

    def __init__(self, checks: list[_Check]) -> None:
        self._checks = checks

    def holds(self) -> bool:
        """Whether all of it still is the same."""
        return all(check() for check in self._checks)


def captured(function: FunctionType, arguments: tuple[Any, ...] = ()) -> Captured | None:
    """What a function reads, and the functions it calls, and what can change in arguments.

    None where that is too much, or is something that cannot be compared later.
    """
    try:
        return Captured([_check_of(sight) for sight in visible((function, *arguments))])
    except CannotSeeError:
        return None


def _check_of(sight: Sight) -> _Check:
    match sight.kind:
        case "constant":
            return partial(_is_same, sight.get, sight.value)
        case "state":
            return partial(_is_equal, sight.get, sight.value)
        case "tensor":
            return partial(_is_alike, sight.get, _facts(sight.value))
    return partial(_is, sight.get, sight.value)


def _is(get: Get, value: Any) -> bool:
    return get() is value


def _is_equal(get: Get, value: Any) -> bool:
    try:
        return bool(get() == value)
    except CannotSeeError:
        return False


def _is_same(get: Get, value: Any) -> bool:
    """Whether a constant is the same: by what it shows, for 0.0 equals -0.0, and NaN equals nothing."""
    found = get()
    if found is value:
        return True
    return type(found) is type(value) and not isinstance(value, CodeType) and repr(found) == repr(value)


def _is_alike(get: Get, facts: Any) -> bool:
    return bool(_facts(get()) == facts)


def _facts(value: Any) -> Any:
    """What of a tensor matters for what is compiled: not what is in it."""
    if not isinstance(value, Tensor):
        return None
    shards = 0 if value.shards is None else len(value.shards)
    config = value.memory_config()
    return (id(value), tuple(value.shape), value.dtype, value.layout, config, id(value.device()), shards)
