"""Calls of an operation with a known result, which need not be computed again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Generic, TypeVar

from ttl.host.tensor import Tensor
from ttl.lang.captured import Captured, captured
from ttl.settings import Settings

# The result that is stored for a call.
T = TypeVar("T")

# The most calls of one operation that are remembered; and of calls with equal keys, which differ in what the operation
# reads from outside.
_REMEMBERED = 1024
_OF_A_KIND = 8
# Containers are examined to this depth, and up to this length.
_DEEPEST = 3
_LONGEST = 64
_CONSTANTS = (int, float, complex, str, bytes, bool, type(None))


@dataclass(slots=True)
class CallCache(Generic[T]):
    """The results of earlier calls of one operation, by keys that are quick to make.

    A key has the parts of the arguments that are cheap to look at: properties of tensors, constants, and the address of
    anything else. A result is stored with the variables that the operation could read, and is valid as long as these
    are equal.
    """

    function: FunctionType
    _known: dict[tuple[Any, ...], list[tuple[Captured, T]]] = field(default_factory=dict)
    _count: int = 0

    def key(self, args: tuple[Any, ...], kwargs: dict[str, Any], settings: Settings) -> tuple[Any, ...]:
        """Return a key that differs from those of calls with other arguments."""
        return (
            settings.arch,
            settings.grid,
            settings.costs,
            settings.strict,
            settings.compile_option,
            settings.schedule,
            *(_facts(value) for value in args),
            *((name, _facts(value)) for name, value in kwargs.items()),
            _same_tensors((*args, *kwargs.values())),
        )

    def known(self, key: tuple[Any, ...]) -> Iterator[T]:
        """Yield the results of calls with this key that are still valid."""
        return (value for seen, value in self._known.get(key, ()) if seen.holds())

    def keep(self, key: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any], value: T) -> None:
        """Store a result of a call, unless it depends on values that cannot be compared later."""
        seen = captured(self.function, tuple(filter(_can_change, (*args, *kwargs.values()))))
        if seen is None:
            return
        if self._count >= _REMEMBERED:
            self._known.clear()
            self._count = 0
        of_a_kind = self._known.setdefault(key, [])
        of_a_kind.append((seen, value))
        self._count += 1
        if len(of_a_kind) > _OF_A_KIND:
            del of_a_kind[0]
            self._count -= 1


def _can_change(value: Any) -> bool:
    return not isinstance(value, (*_CONSTANTS, Tensor))


def _same_tensors(values: tuple[Any, ...]) -> tuple[int, ...]:
    """Return for each tensor the position of its first occurrence.

    A call with the same tensor twice makes another program than one with two equal tensors.
    """
    known = [id(value) for value in values if isinstance(value, Tensor)]
    return tuple(map(known.index, known))


def _facts(value: Any, depth: int = _DEEPEST) -> Any:
    """Return a cheap key of a value."""
    if isinstance(value, Tensor):
        config = value.memory_config()
        shards = 0 if value.shards is None else len(value.shards)
        # The device itself: its address alone might be reused after its end.
        return (tuple(value.shape), value.dtype, value.layout, config, value.device(), shards)
    if isinstance(value, float | complex):
        return (type(value), repr(value))  # 0.0 equals -0.0, and NaN equals nothing
    if isinstance(value, _CONSTANTS):
        return (type(value), value)
    if not isinstance(value, (list, tuple, dict)) or depth == 0 or len(value) > _LONGEST:
        return id(value)
    if isinstance(value, dict):
        return (dict, *((name, _facts(item, depth - 1)) for name, item in value.items()))
    return (type(value), *(_facts(item, depth - 1) for item in value))
