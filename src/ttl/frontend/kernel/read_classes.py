"""Models of live classes of the program as classes that are only read, so that an operation can make their objects.

``ttl check`` has every class of a program as a ``UserClass``. In a running program, an operation meets the class
itself, and whether it compiles must not depend on that.
"""

from __future__ import annotations

import dataclasses
import sys
from abc import ABCMeta
from collections.abc import Callable
from functools import cached_property
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any, Literal, Protocol, TypeAlias

from ttl.frontend.classes import REQUIRED, DataclassField, Instance, UserClass, Wrapped
from ttl.frontend.values import UserFunction
from ttl.lang.visible import OF_ANNOTATIONS
from ttl.source.spans import is_library_file, is_our_file

Kind: TypeAlias = Literal["static", "class", "property"]


class ReadClasses:
    """The classes of the program that were read so far.

    ``in_source`` converts a live function of the program to one that is read; ``is_users`` says whether a function is
    the program's.
    """

    def __init__(
        self, in_source: Callable[[FunctionType], UserFunction], is_users: Callable[[Any], bool]
    ) -> None:
        self._in_source = in_source
        self._is_users = is_users
        self._known: dict[int, tuple[type, UserClass | None]] = {}
        self._objects: dict[int, tuple[Any, Instance]] = {}

    def of(self, kind: Any) -> UserClass | None:
        """Return the model of a class of the program.

        None for other values, and for classes whose objects have members that only Python can provide.
        """
        if not isinstance(kind, type):
            return None
        known = self._known.get(id(kind))
        if known is None:
            known = self._known[id(kind)] = (kind, self._read(kind))
        return known[1]

    def object(self, value: Any) -> Any:
        """Return an object of such a class as an object that is read; any other value unchanged."""
        kind = None if isinstance(value, Instance) else self.of(type(value))
        if kind is None or not hasattr(value, "__dict__"):
            return value
        known = self._objects.get(id(value))
        if known is None:
            known = self._objects[id(value)] = (value, Instance(kind))
            known[1].ttl_values = dict(vars(value))
        return known[1]

    def _read(self, kind: type) -> UserClass | None:
        if type(kind) not in (type, ABCMeta, type(Protocol)) or kind.__module__ in ("abc", "typing"):
            return None
        params = getattr(kind, "__dataclass_params__", None)
        members = {name: value for name, value in vars(kind).items() if name not in OF_ANNOTATIONS}
        methods = [method[0] for value in members.values() if (method := _function(value)) is not None]
        written = [function for function in methods if self._is_written(function)]
        if not written and not _is_in_a_program(kind):
            return None
        if params is None and any(
            function not in written and function.__module__ != "typing" for function in methods
        ):
            return None
        bases = tuple(
            base if base is object or base.__module__ in ("abc", "typing") else self.of(base)
            for base in kind.__bases__
        )
        if None in bases or "__new__" in vars(kind):
            return None
        names: dict[str, Any] = {}
        for name, value in members.items():
            if isinstance(value, GetSetDescriptorType | MemberDescriptorType):
                continue
            method = _function(value)
            if method is None:
                if hasattr(type(value), "__get__"):
                    return None  # a descriptor defined by the program
                if not (name.startswith("__") and name.endswith("__")):
                    names[name] = value
            elif method[0] in written:
                function, how = self._in_source(method[0]), method[1]
                names[name] = function if how is None else Wrapped(function, how)
        return UserClass(
            kind.__name__,
            bases,
            names,
            None if params is None else {field.name: _default(field) for field in dataclasses.fields(kind)},
            ttl_is_ordered=params is not None and params.order,
            ttl_origin=kind,
        )

    def _is_written(self, function: FunctionType) -> bool:
        return self._is_users(function) and not function.__code__.co_filename.startswith("<")


def _is_in_a_program(kind: type) -> bool:
    """Whether a class without methods is in a file of the program."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file is not None and not is_our_file(file) and not is_library_file(file)


def _function(value: Any) -> tuple[FunctionType, Kind | None] | None:
    """The function in a method, and the kind of the method; None for any other value."""
    function: Any
    how: Kind
    match value:
        case FunctionType():
            return value, None
        case staticmethod():
            function, how = value.__func__, "static"
        case classmethod():
            function, how = value.__func__, "class"
        case property():
            function, how = value.fget, "property"
        case cached_property():
            function, how = value.func, "property"
        case _:
            return None
    return (function, how) if isinstance(function, FunctionType) else None


def _default(field: dataclasses.Field[Any]) -> Any:
    missing = dataclasses.MISSING
    if field.default is missing and field.default_factory is missing and field.init:
        return REQUIRED
    return DataclassField(
        REQUIRED if field.default is missing else field.default,
        REQUIRED if field.default_factory is missing else field.default_factory,
        field.init,
    )
