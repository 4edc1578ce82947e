"""The variables that a piece of source may change in any function: a data-flow analysis over the functions it can call.

A function can be called only through a name that is read in running code. So the functions that a piece of source can
call are found from the names in it, from the names in these functions, and so on. A name that they declare ``nonlocal``
is a variable of any scope: of a function that is being evaluated, or of one that has returned.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import MethodType, ModuleType, NoneType
from typing import Any

from ttl.frontend.classes import Instance, UserClass, Wrapped
from ttl.frontend.values import Globals, Scope, UserFunction
from ttl.source.scopes import locals_of, nonlocals, reads

Place = tuple[Scope, str]
"""A variable: its scope and its name."""
AsFunction = Callable[[Any], UserFunction | None]
"""A function that converts a live function of the program to one that is read; None for any other value."""


def changed_elsewhere(
    body: Iterable[ast.AST], scope: Scope, globals: Globals, as_function: AsFunction
) -> list[Place]:
    """Return the variables, sorted by name, that are changed by functions which source in a scope can call."""
    reached = _Reached(as_function)
    for node in body:
        reached.code(node, scope, globals, frozenset())
    return reached.changed()


def changed_by_value(value: Any, as_function: AsFunction) -> list[Place]:
    """Return the variables that change when a function, or any function in a container or object, is called."""
    reached = _Reached(as_function)
    reached.value(value)
    return reached.changed()


def scopes_held(values: Iterable[Any]) -> set[int]:
    """Return the identities of the scopes that the functions in some values can reach."""
    scopes: dict[int, Scope] = {}
    seen: dict[int, Any] = {}
    worklist = list(values)
    while worklist:
        value = worklist.pop()
        if isinstance(value, _NO_FUNCTION) or id(value) in seen:
            continue
        seen[id(value)] = value
        worklist += _parts(value)
        scope = value.scope if isinstance(value, UserFunction) else None
        while scope is not None and id(scope) not in scopes:
            scopes[id(scope)] = scope
            worklist += scope.names.values()
            scope = scope.parent
    return set(scopes)


class _Reached:
    """The functions that can be called."""

    def __init__(self, as_function: AsFunction) -> None:
        self._as_function = as_function
        self._seen: dict[int, Any] = {}
        self._left: list[Any] = []
        self._places: dict[tuple[int, str], Place] = {}

    def changed(self) -> list[Place]:
        """The variables that these functions change."""
        while self._left:
            self._follow(self._left.pop())
        return sorted(self._places.values(), key=lambda place: place[1])

    def value(self, value: Any) -> None:
        """Add a value that code can access."""
        if isinstance(value, _NO_FUNCTION) or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        self._left.append(value)

    def code(self, node: ast.AST, scope: Scope | None, globals: Globals, own: frozenset[str]) -> None:
        """Add source that runs. Its names, except for its ``own``, are those of a scope or module."""
        for name in reads(node):
            if name not in own:
                holder = None if scope is None else scope.holder(name)
                names = globals.values if holder is None else holder.names
                self.value(names.get(name))

    def _follow(self, value: Any) -> None:
        if isinstance(value, UserFunction):
            self._function(value)
            return
        for part in _parts(value):
            self.value(part)
        function = self._as_function(value)
        if function is not None:
            self.value(function)

    def _function(self, function: UserFunction) -> None:
        node = function.node
        assert not isinstance(node, ast.AsyncFunctionDef)
        own = locals_of(node)
        for name in nonlocals(node) - own:
            holder = None if function.scope is None else function.scope.holder(name)
            if holder is not None:
                self._places[id(holder), name] = (holder, name)
        self.code(node, function.scope, function.globals, own)
        for default in (*function.defaults, *function.keyword_defaults.values()):
            self.value(default)


# Frequent values that contain no function.
_NO_FUNCTION = (int, float, str, bytes, NoneType, ModuleType)


def _parts(value: Any) -> Iterator[Any]:
    """Yield the parts of a value that can be called, or passed to a function that calls them."""
    match value:
        case list() | tuple() | set() | frozenset():
            yield from value
        case dict():
            yield from value.values()
        case partial():
            yield from (value.func, *value.args, *value.keywords.values())
        case MethodType():
            yield from (value.__func__, value.__self__)
        case Instance():
            yield value.ttl_kind
            yield from value.ttl_values.values()
        case UserClass():
            yield from (*value.ttl_names.values(), *value.ttl_bases)
        case Wrapped():
            yield value.function
    held = getattr(type(value), "ttl_held", None)
    if held is not None:
        yield from held(value)
