"""What an operation reads from outside, and whether that is still so.

What was found out about a call (that it has no errors, which program it is) holds as long as the constants, functions and
objects that its code can see are the same. They are looked up once; whether they still are what they were is then told by
comparing them one by one, which takes microseconds.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.ops.dtypes import DType
from ttl.source.code import names_in
from ttl.source.foreign import is_foreign, is_foreign_file

_CONSTANTS = (int, float, complex, str, bytes, bool, type(None), range, slice, DType, enum.Enum)
_CONTAINERS = (list, tuple, dict, set, frozenset)
# What is looked up at most: for more than this, every call is looked at anew.
_MOST = 4096
_MISSING = object()

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
    names: frozenset[str] = frozenset()
    while True:
        walk = _Walk(names)
        try:
            walk.value(partial(_itself, function), function)
            for each in arguments:
                walk.value(partial(_itself, each), each)
        except (_Unknown, RecursionError):
            return None
        if walk.names == names:
            return Captured(walk.checks)
        # A function that was found names attributes that others have, too.
        names = walk.names


class _Unknown(Exception):
    """Something that cannot be compared later, or too much of it."""


class _Walk:
    """One walk from a function. ``names`` are those that its code, as far as it is known, mentions."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names
        self.checks: list[_Check] = []
        self._seen: dict[int, Any] = {}

    def _function(self, function: FunctionType) -> None:
        """A function of the user's: its code, its defaults and what its names stand for."""
        code = function.__code__
        self.names |= names_in(code)
        self._add(lambda: function.__code__ is code)
        self.value(lambda: function.__defaults__, function.__defaults__)
        self.value(lambda: function.__kwdefaults__, function.__kwdefaults__)
        for cell in function.__closure__ or ():
            get = partial(_content, cell)
            self.value(get, get())
        self._members(function.__globals__, names_in(code))

    def value(self, get: Callable[[], Any], value: Any) -> None:
        """What ``get`` gives, and gave as ``value``."""
        match value:
            case Tensor():
                facts = _facts(value)
                self._add(lambda: _facts(get()) == facts)
            case _ if isinstance(value, _CONSTANTS):
                self._add(lambda: _same(get(), value))
            case _:
                self._add(lambda: get() is value)
                if not self._was_here(value):
                    self._inside(value)

    def _inside(self, value: Any) -> None:
        """What can change in an object though it stays the same one."""
        match value:
            case FunctionType():
                if not is_foreign_file(value.__code__.co_filename):
                    self._function(value)
            case Operation():
                self._attribute(value, "function")
            case ModuleType():
                if not is_foreign(value):
                    self._members(vars(value), self.names)
            case type():
                self._class(value)
            case np.ndarray():
                if value.size > _MOST:
                    raise _Unknown
                contents = value.tobytes()
                self._add(lambda: value.tobytes() == contents)
            case _ if isinstance(value, _CONTAINERS):
                self._container(value)
            case partial():
                for part in ("func", "args", "keywords"):
                    self._attribute(value, part)
            case BuiltinFunctionType() | np.generic():
                pass
            case _:
                self._object(value)

    def _object(self, value: Any) -> None:
        """An instance: its attributes, and those of its class."""
        self.value(lambda: type(value), type(value))
        fields = getattr(value, "__dict__", None)
        if type(fields) is dict and not is_foreign(type(value)):
            self._container(fields)
        slots = (each.__dict__.get("__slots__", ()) for each in type(value).__mro__)
        for each in slots:
            for name in (each,) if isinstance(each, str) else each:
                self._attribute(value, name)

    def _class(self, found: type) -> None:
        for each in found.__mro__:
            if not is_foreign(each):
                self._members(vars(each), self.names)

    def _members(self, namespace: Any, names: frozenset[str]) -> None:
        """What names stand for in a module, a class or the globals of a function."""
        for name in sorted(names):
            get = partial(namespace.get, name, _MISSING)
            value = get()
            if isinstance(value, staticmethod | classmethod):
                value = value.__func__
                get = partial(_unwrapped, get)
            elif isinstance(value, property):
                value = value.fget
                get = partial(_getter, get)
            self.value(get, value)

    def _attribute(self, owner: Any, name: str) -> None:
        get = partial(getattr, owner, name, _MISSING)
        self.value(get, get())

    def _container(self, found: Any) -> None:
        if len(found) > _MOST:
            raise _Unknown
        if isinstance(found, set | frozenset):
            known = found.copy()
            self._add(lambda: found == known)
            return
        size = len(found)
        self._add(lambda: len(found) == size)
        if isinstance(found, dict):
            keys = list(found)
            self._add(lambda: list(found) == keys)
            for key in keys:
                get = partial(found.get, key, _MISSING)
                self.value(get, get())
        else:
            for index, each in enumerate(found):
                self.value(partial(found.__getitem__, index), each)

    def _was_here(self, value: Any) -> bool:
        known = id(value) in self._seen
        self._seen[id(value)] = value
        return known

    def _add(self, check: _Check) -> None:
        self.checks.append(check)
        if len(self.checks) > _MOST:
            raise _Unknown


def _same(found: Any, value: Any) -> bool:
    return found is value or (type(found) is type(value) and repr(found) == repr(value))


def _facts(value: Any) -> Any:
    """What of a tensor matters for what is compiled: not what is in it."""
    if not isinstance(value, Tensor):
        return None
    config = value.memory_config()
    return (id(value), tuple(value.shape), value.dtype, value.layout, config, id(value.device()))


def _itself(value: Any) -> Any:
    return value


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _MISSING


def _unwrapped(get: Callable[[], Any]) -> Any:
    return getattr(get(), "__func__", _MISSING)


def _getter(get: Callable[[], Any]) -> Any:
    return getattr(get(), "fget", _MISSING)
