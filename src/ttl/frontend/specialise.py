"""What tells one specialisation of an operation from another: what it is called with, and what it captures."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import Any

from ttl.frontend.classes import Instance, UserClass
from ttl.frontend.names import reads
from ttl.frontend.torch_shapes import Array
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import UNBOUND, Scope, UserFunction
from ttl.host.tensor import Tensor

_DEEPEST = 4
_CONSTANTS = (int, float, complex, str, bytes, bool, type(None), range)


def fingerprint(value: Any, depth: int = _DEEPEST) -> Any:
    """What is equal for values that an operation cannot tell apart."""
    if isinstance(value, Tensor):
        shards = len(value.shards or ())
        return (
            "tensor",
            tuple(value.shape),
            value.dtype.name,
            value.layout,
            repr(value.memory_config()),
            shards,
        )
    if isinstance(value, _CONSTANTS):
        return (type(value), repr(value))
    if type(value) is Unknown:
        return "unknown"
    if isinstance(value, Array):
        return ("array", value.shape, value.dtype, repr(value.members))
    if depth == 0:
        return id(value)
    if isinstance(value, list | tuple | set | frozenset):
        return (type(value), tuple(fingerprint(each, depth - 1) for each in value))
    if isinstance(value, dict):
        return tuple((fingerprint(key), fingerprint(each, depth - 1)) for key, each in value.items())
    if isinstance(value, Instance):
        return (id(value.ttl_kind), fingerprint(value.ttl_values, depth - 1))
    if isinstance(value, UserFunction):
        return (id(value.node), tuple(fingerprint(each, depth - 1) for each in captured(value).values()))
    if isinstance(value, UserClass):
        return fingerprint(value.ttl_names, depth - 1)
    return id(value)


def captured(function: UserFunction) -> dict[str, Any]:
    """What a function reads from around it, by name."""
    found: dict[str, Any] = {}
    for name in reads(function.node):
        scope = None if function.scope is None else function.scope.holder(name)
        values = function.globals.values if scope is None else scope.names
        value = values.get(name, UNBOUND)
        if value is not UNBOUND and value is not function:
            found[name] = value
    return found


def unknown_in(function: UserFunction) -> dict[str, Unknown]:
    """What a function captures and is not known, by the expression that reads it."""
    found: dict[str, Unknown] = {}
    known = captured(function)
    for name, value in known.items():
        members = value if isinstance(value, list | tuple) else (value,)
        if (unknown := next((each for each in members if type(each) is Unknown), None)) is not None:
            found[name] = unknown
    for node in ast.walk(function.node):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            holder = known.get(node.value.id)
            inner: dict[str, Any] = {}
            if isinstance(holder, Instance):
                inner = holder.ttl_values
            elif isinstance(holder, UserClass):
                inner = holder.ttl_names
            elif isinstance(holder, ModuleType):
                inner = vars(holder)
            value = inner.get(node.attr)
            if type(value) is Unknown:
                found[f"{node.value.id}.{node.attr}"] = value
    return found


def frozen(function: UserFunction) -> UserFunction:
    """The function with copies of the scopes around it: reading an operation changes nothing of the host's."""
    return UserFunction(
        function.node,
        function.file,
        _copied(function.scope),
        function.globals,
        function.defaults,
        function.keyword_defaults,
    )


def _copied(scope: Scope | None) -> Scope | None:
    if scope is None:
        return None
    made = Scope(_copied(scope.parent), scope.local)
    made.names = dict(scope.names)
    return made
