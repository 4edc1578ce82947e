"""The differences between specialisations of an operation: the arguments of its call, and the values that it captures.

This does for a program that is only read what ``ttl.lang.visible`` does for a live one, with the same policy: an
attribute counts for all owners that have one of this name, and code that may access names that it does not spell sees
all of them. It does not use that walk, for three reasons. Functions, classes and objects are models here
(``UserFunction``, ``UserClass``, ``Instance``) with a syntax tree, where a live function has bytecode, names and cells.
An unknown value is a value here, and equal to itself; there it would be an error, and a call without a fingerprint is a
call that is not analysed. And values need not be retrieved again here: each of the 7,820 objects in the 528 calls of
the corpus of one truth would be a ``VisibleObject`` with a way to retrieve it.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any

from ttl.frontend.classes import Instance, UserClass, Wrapped
from ttl.frontend.host.modules import ReadModule
from ttl.frontend.host.torch_shapes import Array
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import UNBOUND, Scope, UserFunction
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.lang.visible import OF_EVERY_MODULE, REFLECTIVE
from ttl.rows.dtypes import DType
from ttl.source.facts import fact_of_syntax
from ttl.source.scopes import all_nodes, reads
from ttl.source.spans import is_our_file

_CONSTANTS = (int, float, complex, str, bytes, bool, type(None), range, DType, ast.AST)


class Identity:
    """The identity of objects in a fingerprint: an object is equal only to itself. For readings of one text."""

    def of(self, value: Any) -> Any:
        """Return a key that is equal only for the same object or syntax tree."""
        return _IdentityKey(value)

    def code(self, function: UserFunction) -> Any:
        """Return a key that is equal only for the same code of a function."""
        return _IdentityKey(function.node)

    def of_class(self, value: UserClass) -> Any:
        """Return a key that is equal only for the same class; its members and bases do not count."""
        return _IdentityKey(value)

    def unknown(self, value: Any) -> Any:
        """Return a key for an unknown value: an operation cannot distinguish unknown values."""
        return "unknown"

    def names(self, function: UserFunction) -> frozenset[str]:
        """The attributes in the code of a function, and the names and texts in it that may be names of attributes."""
        return names_in(function.node)

    def reads(self, function: UserFunction) -> Iterable[str]:
        """Return the names that the code of a function takes from the scopes around it."""
        return reads(function.node)


def fingerprint(values: Iterable[Any], unknown: Container[int], identity: Identity | None = None) -> Any:
    """Return a key that is equal for values that an operation cannot distinguish.

    For a function it contains everything that the function can see, as ``ttl.lang.visible`` does for a live program.
    ``unknown`` has the identities of unknown objects. ``identity`` decides which objects are the same; a fingerprint
    with the identity of one text cannot be used for another text.
    """
    walk = _Walk(unknown, Identity() if identity is None else identity)
    parts = [walk.of(value) for value in values]
    return (*parts, *walk.members())


class _Walk:
    """A fingerprint under construction.

    A value that was seen before is represented by its number, because values may contain themselves.
    """

    def __init__(self, unknown: Container[int], identity: Identity) -> None:
        self._unknown = unknown
        self._identity = identity
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []
        # Attributes that functions mention, and the modules and classes in which they may be looked up.
        self._names: set[str] = set()
        self._owners: list[tuple[Mapping[str, Any], set[str]]] = []
        # The owners that are live modules of libraries, without objects of the program.
        self._of_libraries: set[int] = set()

    def members(self) -> list[Any]:
        """Return the members of modules and classes whose names functions mention, until no new function is found."""
        members: list[Any] = []
        count = -1
        while count != len(members):
            count = len(members)
            for space, seen in list(self._owners):
                is_all = not REFLECTIVE.isdisjoint(self._names) and id(space) not in self._of_libraries
                names = space.keys() - OF_EVERY_MODULE if is_all else self._names & space.keys()
                for name in sorted(names - seen):
                    seen.add(name)
                    members.append((name, self.of(space[name])))
        return members

    def of(self, value: Any) -> Any:
        """The part of the fingerprint for a value."""
        if isinstance(value, _CONSTANTS):
            return (type(value), self._identity.of(value) if isinstance(value, ast.AST) else repr(value))
        if type(value) is Unknown or id(value) in self._unknown:
            return self._identity.unknown(value)
        if isinstance(value, Array):
            return ("array", value.shape, value.dtype, repr(value.members))
        known = self._numbers.get(id(value))
        if isinstance(value, Tensor):
            self._number(value)
            shards = len(value.shards or ())
            config = repr(value.memory_config())
            return (
                "tensor", known, tuple(value.shape), value.dtype.name, value.layout, config, shards,
            )  # fmt: skip
        if known is not None:
            return ("again", known)
        self._number(value)
        return self._inside(value)

    def _number(self, value: Any) -> None:
        if id(value) not in self._numbers:
            self._alive.append(value)
            self._numbers[id(value)] = len(self._alive)

    def _inside(self, value: Any) -> Any:
        match value:
            case list() | tuple() | deque():
                return (type(value), tuple(map(self.of, value)))
            case set() | frozenset():
                return (type(value), tuple(sorted(map(repr, value))))
            case dict():
                return (type(value), tuple((self.of(key), self.of(item)) for key, item in value.items()))
            case Instance():
                return ("object", self.of(value.ttl_kind), self.of(value.ttl_values))
            case UserFunction():
                return self._function(value)
            case UserClass():
                self._owners.append((value.ttl_names, set()))
                for name, member in value.ttl_names.items():
                    if name.startswith("__"):
                        self.of(member)  # Python calls special methods implicitly
                return ("class", self._identity.of_class(value), tuple(map(self.of, value.ttl_bases)))
            case Wrapped(function=function) | Operation(function=function):
                return (type(value), self.of(function))
            case partial():
                return ("partial", *map(self.of, (value.func, value.args, value.keywords)))
            case ModuleType():
                # Modules of this package are the same for every program, but get members when names are first used.
                if isinstance(value, ReadModule) or not is_our_file(getattr(value, "__file__", None) or ""):
                    self._owners.append((vars(value), set()))
                if not isinstance(value, ReadModule):
                    self._of_libraries.add(id(vars(value)))
        return self._identity.of(value)

    def _function(self, function: UserFunction) -> Any:
        self._names |= self._identity.names(function)
        given = (function.defaults, function.keyword_defaults)
        values = captured(function, self._identity.reads(function))
        return ("function", self._identity.code(function), *map(self.of, (*given, values)))


class _IdentityKey:
    """A key that is equal only for the same object. It keeps the object alive, so that no other gets its address."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _IdentityKey) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


_NAMING = frozenset({ast.Attribute, ast.Name, ast.alias, ast.Constant})


@fact_of_syntax
def names_in(node: ast.AST) -> frozenset[str]:
    """The attributes in code, and the names and texts in it that may be names of attributes."""
    names: set[str] = set()
    for inner in [inner for inner in all_nodes(node) if type(inner) in _NAMING]:
        match inner:
            case (
                ast.Attribute(attr=name)
                | ast.Name(id=name)
                | ast.alias(name=name)
                | ast.Constant(value=str(name))
            ):
                names.add(name)
    return frozenset(names)


def captured(function: UserFunction, names: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the values, by name, that a function reads from the scopes around it; ``names``: those that it reads."""
    values_read: dict[str, Any] = {}
    for name in reads(function.node) if names is None else names:
        scope = None if function.scope is None else function.scope.holder(name)
        values = function.globals.values if scope is None else scope.names
        value = values.get(name, UNBOUND)
        if value is not UNBOUND and value is not function:
            values_read[name] = value
    return values_read


def unknown_in(function: UserFunction) -> dict[str, Unknown]:
    """Return the unknown values that a function captures, by the expression that reads them."""
    unknowns: dict[str, Unknown] = {}
    known = captured(function)
    for name, value in known.items():
        members = value if isinstance(value, list | tuple) else (value,)
        if (unknown := next((member for member in members if type(member) is Unknown), None)) is not None:
            unknowns[name] = unknown
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
                unknowns[f"{node.value.id}.{node.attr}"] = value
    return unknowns


def frozen(function: UserFunction) -> UserFunction:
    """Return the function with copies of the scopes around it, so that reading an operation changes no host values."""
    return replace(function, scope=_copied(function.scope))


def _copied(scope: Scope | None) -> Scope | None:
    if scope is None:
        return None
    copy = Scope(_copied(scope.parent), scope.local)
    copy.names = dict(scope.names)
    return copy
