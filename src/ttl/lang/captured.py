"""Whether the values that a function reads from outside are still the same, and a description of these values.

A result about a call (that it has no errors, which program it is, what its kernels compute) holds as long as all that its code
can see is the same. The values are looked up once; afterwards each is compared, which takes microseconds. Where the values must
be recognised later, or in another process, they are described in words, and these are hashed: equal keys mean equal modules and
equal findings. They contain no address. A change of the source on disk is caught by the hashes of files that go with a stored
result."""

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
    """The values that the code of an operation, and the arguments of one of its calls, could see at one time."""

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
        """Return the variables through which a changed value is seen."""
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
    """Return the values that a function and the functions it calls read, and those that can change in arguments.

    None where they are too many, or one of them cannot be compared later.
    """
    try:
        return Captured(visible((function, *arguments)))
    except Unavailable:
        return None


def words(sight: VisibleObject) -> Iterator[str]:
    """Yield a description of one value: equal words mean equal values, also in another process.

    Raises ``Unavailable`` for a value whose description would not hold there.
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
    """The keys of a call. ``exact``: from all that it depends on. ``form``: without the values of floating point numbers."""

    exact: str
    form: str


def specialisation_key(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chip: str
) -> str | None:
    """The key of a call on a chip; None where something it depends on has no value that could be compared later."""
    keys = call_keys(operation, args, kwargs, chip)
    return None if keys is None else keys.exact


def call_keys(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chip: str
) -> CallKeys | None:
    """Return the keys of a call; None where ``specialisation_key`` returns None."""
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
    """Return whether a constant is the same by its text, because 0.0 equals -0.0, and NaN equals nothing."""
    return type(now) is type(value) and not isinstance(value, CodeType) and repr(now) == repr(value)


def _facts(value: Any) -> Any:
    """Return the facts about a tensor that matter for compilation: not its contents. None for any other value."""
    if not isinstance(value, Tensor):
        return None
    shards = 0 if value.shards is None else len(value.shards)
    config = value.memory_config()
    return (id(value), tuple(value.shape), value.dtype, value.layout, config, id(value.device()), shards)
