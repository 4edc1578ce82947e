"""The values of names outside a body: of a live program, or, behind an interface, of one that is read."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import EnumType
from types import FunctionType, MethodType, ModuleType
from typing import Any, Protocol

from ttl.diag.report import COLLECTOR
from ttl.source.code import is_foreign
from ttl.source.spans import is_library_file, is_our_file
from ttl.source.trees import FunctionNode, SourceFile, definition

MISSING: Any = object()
"""The value of an unknown name."""


@dataclass(frozen=True, slots=True)
class DefinedFunction:
    """A function of the program: its definition, and the values of the names in it."""

    node: FunctionNode
    file: SourceFile
    names: NamesAround


@dataclass(frozen=True, slots=True)
class ComposedOperation:
    """An operation that is called in the body of another one. ``function`` is the object from which it was made."""

    defined: DefinedFunction
    function: Any
    signature: inspect.Signature
    grid: Any = "auto"
    options: Mapping[str, Any] = field(default_factory=dict)
    """The grid and options of its own decorator, which have no effect where it is called."""

    @property
    def name(self) -> str:
        """The operation's name in the source."""
        return getattr(self.defined.node, "name", "lambda")


class NamesAround(Protocol):
    """The names around a function."""

    @property
    def module(self) -> str:
        """The name of the module that has the function."""

    def find(self, name: str) -> Any:
        """Return the value of a name; ``MISSING`` where it is not known."""

    def is_of_module(self, name: str) -> bool:
        """Whether a name does not belong to an enclosing function."""

    def attribute(self, value: Any, name: str) -> Any:
        """Return an attribute of a value, without running code of the user; ``MISSING`` if it is not known."""

    def function(self, value: Any) -> DefinedFunction | None:
        """Return a function of the program for its object; None for any other value."""

    def operation(self, value: Any) -> ComposedOperation | None:
        """Return an operation, to be called in another one; None without source."""

    def is_class(self, value: Any) -> bool:
        """Return whether a value is a class of the program."""

    def is_library(self, value: Any) -> bool:
        """Return whether a value is a function of a library, no part of which belongs to a thread."""


class LiveNames:
    """The names around a live function of the program."""

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        self._free = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))

    @property
    def module(self) -> str:
        """The name of the function's module."""
        return self._function.__module__

    def find(self, name: str) -> Any:
        """Return the current value of a name."""
        if name in self._free:
            try:
                return self._free[name].cell_contents
            except ValueError:  # the variable has no value yet
                return MISSING
        known = self._function.__globals__.get(name, MISSING)
        return getattr(builtins, name, MISSING) if known is MISSING else known

    def is_of_module(self, name: str) -> bool:
        """Return whether a name is not a free variable."""
        return name not in self._free

    def attribute(self, value: Any, name: str) -> Any:
        """Return an attribute that can be read without running code of the user."""
        return attribute_of(value, name)

    def function(self, value: Any) -> DefinedFunction | None:
        """Return the definition of a function with its source."""
        return defined(value)

    def operation(self, value: Any) -> ComposedOperation | None:
        """Return an operation with its source."""
        function = value.written
        known = definition(function)
        if known is None:
            return None
        own = DefinedFunction(*known, LiveNames(function))
        return ComposedOperation(own, function, inspect.signature(function), value.grid, value.options)

    def is_class(self, value: Any) -> bool:
        """Return whether a value is a class of the program."""
        return is_class(value)

    def is_library(self, value: Any) -> bool:
        """Return whether a value is a function of a library."""
        return is_library(value)


# Libraries whose functions do no work of threads.
_LIBRARIES = (
    "math", "cmath", "operator", "_operator", "itertools", "functools", "collections", "fractions", "numbers", "dataclasses",
    "enum", "typing", "types", "numpy", "torch", "ttnn", "ttl.host", "ttl.rows", "ttl.utils", "ttl.lang.library",
)  # fmt: skip


def is_class(value: Any) -> bool:
    """Return whether a value is a live class of the program."""
    return isinstance(value, type) and not is_foreign(value)


def is_library(value: Any) -> bool:
    """Return whether a value is a function, or a class, of a library that does no work of threads."""
    module = getattr(value, "__module__", None) or type(value).__module__
    return any(module == library or module.startswith(f"{library}.") for library in _LIBRARIES)


def defined(value: Any) -> DefinedFunction | None:
    """Return the definition of a live function; None for functions of libraries, and without source."""
    if isinstance(value, MethodType):
        value = value.__func__
    if not isinstance(value, FunctionType):
        return None
    file = value.__code__.co_filename
    if is_our_file(file) or is_library_file(file):
        return None
    known = definition(value)
    return None if known is None else DefinedFunction(*known, LiveNames(value))


def attribute_of(value: Any, name: str) -> Any:
    """Return an attribute of a module, class or object, without running a property or ``__getattr__`` of the user."""
    if isinstance(value, ModuleType):
        if value.__name__.partition(".")[0] in ("ttl", "ttnn"):
            with COLLECTOR.given(
                lambda finding: None
            ):  # older spellings are reported when the program is read or run
                return getattr(value, name, MISSING)
        return vars(value).get(name, MISSING)
    if isinstance(value, EnumType) and name in value.__members__:
        return value.__members__[name]
    if isinstance(value, type):
        member = next((vars(kind)[name] for kind in value.__mro__ if name in vars(kind)), MISSING)
        return member.__func__ if isinstance(member, staticmethod) else member
    own = getattr(type(value), "__dict__", {}) and getattr(value, "__dict__", None)
    if isinstance(own, dict) and name in own:
        return own[name]
    member = next((vars(kind)[name] for kind in type(value).__mro__ if name in vars(kind)), MISSING)
    return MethodType(member, value) if isinstance(member, FunctionType) else member
