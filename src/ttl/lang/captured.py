"""Whether the values that a function reads from outside are still the same, and a description of these values.

A result about a call (that it has no errors, which program it is, what its kernels compute) is valid while all values
visible to its code are the same. The values are looked up once; afterwards each is compared, which takes microseconds.
If the values must be recognised later, or in another process, they are described as text, which is hashed: equal keys
mean equal modules and equal findings. The descriptions contain no addresses. A change of the source on disk is detected
by the hashes of files that are stored with a result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from ttl.host.device import Device
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.lang.visible import Get, VisibleObject, describe, visible
from ttl.session.patience import Unavailable


class Captured:
    """The values that were visible to the code of an operation, and to the arguments of one call, at one time."""

    __slots__ = ("_constants", "_objects", "_states", "_tensors")

    def __init__(self, sights: Iterable[VisibleObject]) -> None:
        self._objects: list[tuple[Get, Any, str]] = []
        self._constants: list[tuple[Get, Any, str]] = []
        self._states: list[tuple[Get, Any, str]] = []
        self._tensors: list[tuple[Get, Any, str]] = []
        of_kind = {"constant": self._constants, "state": self._states}
        for sight in sights:
            if sight.kind == "tensor":
                self._tensors.append((sight.get, _facts(sight.value), sight.variable))
            else:
                of_kind.get(sight.kind, self._objects).append((sight.get, sight.value, sight.variable))

    def holds(self) -> bool:
        """Return whether all values are still the same."""
        for get, value, _ in self._objects:
            if get() is not value:
                return False
        for get, value, _ in self._constants:
            if (now := get()) is not value and not _is_same(now, value):
                return False
        return all(_facts(get()) == value for get, value, _ in self._tensors) and all(
            _is_equal(get, value) for get, value, _ in self._states
        )

    def changes(self) -> Iterator[str]:
        """Return the variables through which changed values are visible."""
        for get, value, variable in self._objects:
            if get() is not value:
                yield variable
        for get, value, variable in self._constants:
            if (now := get()) is not value and not _is_same(now, value):
                yield variable
        for get, value, variable in self._tensors:
            if _facts(get()) != value:
                yield variable
        for get, value, variable in self._states:
            if not _is_equal(get, value):
                yield variable


def captured(function: FunctionType, arguments: tuple[Any, ...] = ()) -> Captured | None:
    """Return the values that a function and the functions it calls read, and the changeable values in the arguments.

    None if there are too many, or if one of them cannot be compared later.
    """
    try:
        return Captured(visible((function, *arguments)))
    except Unavailable:
        return None


def words(sight: VisibleObject) -> Iterator[str]:
    """Yield a description of one value: equal words mean equal values, also in another process.

    Raises ``Unavailable`` for a value without such a description.
    """
    value = sight.value
    yield f"{sight.kind} {sight.name} {sight.number}"
    match sight.kind:
        case "constant" | "state":
            yield describe(value)
        case "tensor":
            shards = 0 if value.shards is None else len(value.shards)
            yield f"{tuple(value.shape)} {value.dtype!r} {value.layout} {value.memory_config()!r} {shards}"
        case "object":
            yield f"{type(value).__module__}.{type(value).__qualname__}"
        case "foreign":
            name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
            yield f"{getattr(value, '__module__', '')}.{name}" if isinstance(name, str) else repr(value)
        case "ours" if isinstance(value, Device):
            yield f"{value!r} {value.get_device_ids()} {tuple(value.shape)}"
        case "ours":
            raise Unavailable(
                f"an object of class {type(value).__qualname__} cannot be used in another process"
            )


@dataclass(frozen=True, slots=True)
class CallKeys:
    """The keys of a call. ``exact`` covers all values on which it depends, ``form`` all but floating point numbers."""

    exact: str
    form: str


def specialisation_key(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chip: str
) -> str | None:
    """The key of a call on a chip; None if it depends on a value that cannot be compared later."""
    keys = call_keys(operation, args, kwargs, chip)
    return None if keys is None else keys.exact


def call_keys(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chip: str
) -> CallKeys | None:
    """Return the keys of a call; None if ``specialisation_key`` returns None."""
    names = sorted(kwargs)
    given = (*args, names, *(kwargs[name] for name in names))
    start = f"{chip} {len(args)}".encode()
    exact, form = hashlib.sha256(start), hashlib.sha256(start)
    try:
        for sight in visible((operation, *given)):
            is_float = type(sight.value) is float
            for number, text in enumerate(words(sight)):
                line = text.encode(errors="surrogatepass") + b"\0"
                exact.update(line)
                form.update(b"float\0" if is_float and number else line)
    except Unavailable:
        return None
    return CallKeys(exact.hexdigest(), form.hexdigest())


def _is_equal(get: Get, value: Any) -> bool:
    try:
        return bool(get() == value)
    except Unavailable:
        return False


def _is_same(now: Any, value: Any) -> bool:
    """Return whether a constant is the same, by its text, because 0.0 equals -0.0, and NaN equals no value."""
    return type(now) is type(value) and not isinstance(value, CodeType) and repr(now) == repr(value)


def _facts(value: Any) -> Any:
    """Return the properties of a tensor that matter for compilation, without its contents. None for any other value."""
    if not isinstance(value, Tensor):
        return None
    shards = 0 if value.shards is None else len(value.shards)
    config = value.memory_config()
    return (id(value), tuple(value.shape), value.dtype, value.layout, config, id(value.device()), shards)
