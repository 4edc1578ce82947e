"""Operations that are written as one body, while they are read: ``ttl.lang.one_body`` divides them into kernels."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

from ttl.diag import Diagnostic
from ttl.frontend.classes import REQUIRED, Instance, UserClass, Wrapped
from ttl.frontend.function_calls import signature_of
from ttl.frontend.kernel.calling import in_source
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import UNBOUND, Poison, Scope, UserFunction
from ttl.lang import kernels
from ttl.lang.one_body.joining import JoinedKernels, joined
from ttl.lang.one_body.names import (
    MISSING,
    ComposedOperation,
    DefinedFunction,
    attribute_of,
    defined,
    is_class,
    is_library,
)
from ttl.lang.one_body.projected_kernels import COMPUTE, DATAMOVEMENT
from ttl.lang.one_body.separating import SeparatedKernels, separated
from ttl.source.spans import Span


@dataclass(frozen=True, slots=True)
class WithKernels:
    """An operation with kernels, or the findings about one that cannot be divided."""

    function: UserFunction | None
    """The function with kernels; None if findings say why a statement has no thread."""
    findings: tuple[Diagnostic, ...] = ()
    called: tuple[UserFunction, ...] = ()
    """The operations that it calls."""
    calls: tuple[tuple[ComposedOperation, Span], ...] = ()
    """Each call of these operations, with its location."""


def with_kernels(function: UserFunction) -> WithKernels:
    """The function of an operation, divided into kernels if it is one body."""
    result = separation(function)
    if result is None:
        return WithKernels(function)
    called = tuple(_read_function(one.defined) for one, _ in result.operations)
    if result.operation is None:
        return WithKernels(None, result.findings, called, result.operations)
    names: dict[str, Any] = {COMPUTE: kernels.compute, DATAMOVEMENT: kernels.datamovement}
    for part in result.called:
        composed = part.composed
        names |= composed.objects
        names[composed.name] = _around(names, _read_function(composed.called.defined), part.definition)
    return WithKernels(_around(names, function, result.operation), (), called, result.operations)


def _around(names: Mapping[str, Any], function: UserFunction, definition: ast.FunctionDef) -> UserFunction:
    """A function with another definition, and with additional names around it."""
    scope = Scope(function.scope)
    scope.names.update(names)
    return replace(function, node=definition, scope=scope, defaults=(), keyword_defaults={})


def separation(function: UserFunction) -> SeparatedKernels | None:
    """Return the division of an operation's statements among threads; None if it is not one body."""
    return separated(_as_defined(function))


def joining(function: UserFunction) -> JoinedKernels | None:
    """Return an operation with kernels as one body; None if it defines no kernels."""
    return joined(_as_defined(function))


def _as_defined(function: UserFunction) -> DefinedFunction:
    return DefinedFunction(function.node, function.file, ReadNames(function))


def _read_function(defined: DefinedFunction) -> UserFunction:
    assert isinstance(defined.names, ReadNames)
    return defined.names.function_itself


class ReadNames:
    """The names around a function that is read."""

    def __init__(self, function: UserFunction) -> None:
        self.function_itself = function

    @property
    def module(self) -> str:
        """The name of the function's module."""
        return self.function_itself.globals.name

    def find(self, name: str) -> Any:
        """Return the value of a name; ``MISSING`` if it is not known."""
        scope = None if self.function_itself.scope is None else self.function_itself.scope.holder(name)
        if scope is not None:
            return _known(scope.names.get(name, MISSING))
        values = self.function_itself.globals.values
        return _known(values[name]) if name in values else getattr(builtins, name, MISSING)

    def is_of_module(self, name: str) -> bool:
        """Return whether no scope around the function has the name."""
        scope = self.function_itself.scope
        return scope is None or scope.holder(name) is None

    def attribute(self, value: Any, name: str) -> Any:
        """Return an attribute of an object of the program, or of a library."""
        if isinstance(value, Instance):
            if name in value.ttl_values:
                return _known(value.ttl_values[name])
            value = value.ttl_kind
        if isinstance(value, UserClass):
            member = value.ttl_find(name)
            if isinstance(member, Wrapped) and member.how == "static":
                member = member.function
            return MISSING if member is REQUIRED else _known(member)
        return _known(attribute_of(value, name))

    def function(self, value: Any) -> DefinedFunction | None:
        """Return a function of the program; None for other values."""
        if isinstance(value, UserFunction):
            return _as_defined(value)
        return defined(value)

    def operation(self, value: Any) -> ComposedOperation | None:
        """Return an operation of the program; None without source."""
        written = value.written
        function = written if isinstance(written, UserFunction) else in_source(written)
        if function is None:
            return None
        own, signature = _as_defined(function), signature_of(function)
        return ComposedOperation(own, written, signature, value.grid, value.options)

    def is_class(self, value: Any) -> bool:
        """Return whether a value is a class of the program."""
        return isinstance(value, UserClass) or is_class(value)

    def is_library(self, value: Any) -> bool:
        """Return whether a value is, or stands for, a function of a library, no part of which belongs to a thread."""
        module = getattr(
            type(value) if not isinstance(value, type | FunctionType) else value, "__module__", ""
        )
        return str(module).startswith("ttl.frontend.host.") or is_library(value)


def _known(value: Any) -> Any:
    return MISSING if value is UNBOUND or isinstance(value, Poison | Unknown) else value
