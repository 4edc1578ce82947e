"""Whether what a function reads from outside still is what it was, and how to say what it is.

What was found out about a call (that it has no errors, which program it is, what its kernels compute) holds as long as
all that its code can see is the same. That is looked up once; comparing then shows whether it has changed:
it thing by thing, which takes microseconds. Where it must be known again later, or in another process, it is said in
words instead, and these are hashed: equal keys mean equal modules and equal findings. No address is in them. A change of
the source on disk is caught by the hashes of files that go with a stored result.
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
    """What the code of an operation, and the arguments of one of its calls, could see at a time."""

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
        """Whether all of it still is the same."""
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
        """The variables through which something is seen that is another now."""
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
    """What a function reads, and the functions it calls, and what can change in arguments.

    None where that is too much, or is something that cannot be compared later.
    """
    try:
        return Captured(visible((function, *arguments)))
    except Unavailable:
        return None


def words(sight: VisibleObject) -> Iterator[str]:
    """What there is to say of one thing: equal words, equal things, also in another process.

    Raises ``Unavailable`` where nothing could be said that holds there.
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
    """``exact``: all that a call depends on. ``form``: the same but for the values of floating point numbers."""

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
    """The keys of a call; None as of ``specialisation_key``."""
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
    """Whether a constant is the same: by what it shows, for 0.0 equals -0.0, and NaN equals nothing."""
    return type(now) is type(value) and not isinstance(value, CodeType) and repr(now) == repr(value)


def _facts(value: Any) -> Any:
    """What of a tensor matters for what is compiled: not what is in it."""
    if not isinstance(value, Tensor):
        return None
    shards = 0 if value.shards is None else len(value.shards)
    config = value.memory_config()
    return (id(value), tuple(value.shape), value.dtype, value.layout, config, id(value.device()), shards)
