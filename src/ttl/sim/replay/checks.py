"""Whether what an operation reads from outside still is the very same, told quickly.

A check keeps no tensor, function or container of the user's alive. What is kept with one value is a pair: the object
itself, where that is harmless (numbers, modules, classes), or a match that knows it without holding it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from operator import is_
from types import FunctionType
from typing import Any

# Whether a value is still the one that was seen.
Match = Callable[[Any], bool]
Kept = tuple[Any, Match | None]

MISSING = object()


def is_kept(value: Any, kept: Kept) -> bool:
    """Whether a value is still the one that was kept."""
    expected, match = kept
    return value is expected if match is None else match(value)


class Same:
    """Matches one object, without keeping it alive."""

    __slots__ = ("_reference",)

    def __init__(self, value: Any) -> None:
        self._reference = weakref.ref(value)

    def __call__(self, value: Any) -> bool:
        return self._reference() is value


class Items:
    """Matches a container with the same items; one that can change only if it is the same container."""

    __slots__ = ("_identity", "_kept", "_plain", "_type")

    def __init__(self, value: Any, items: Iterable[Kept]) -> None:
        self._type = type(value)
        self._identity = None if isinstance(value, tuple | frozenset) else id(value)
        self._kept = tuple(items)
        plain = all(match is None for _, match in self._kept)
        self._plain = tuple(expected for expected, _ in self._kept) if plain else None

    def __call__(self, value: Any) -> bool:
        if type(value) is not self._type or (self._identity is not None and id(value) != self._identity):
            return False
        items = items_of(value)
        if len(items) != len(self._kept):
            return False
        if self._plain is not None:
            return all(map(is_, items, self._plain))
        return all(map(is_kept, items, self._kept))


class Attribute:
    """Matches an object of the same class with the same attribute."""

    __slots__ = ("_kept", "_name", "_type")

    def __init__(self, value: Any, name: str, kept: Kept) -> None:
        self._type = type(value)
        self._name = name
        self._kept = kept

    def __call__(self, value: Any) -> bool:
        return type(value) is self._type and is_kept(getattr(value, self._name, MISSING), self._kept)


class FunctionCheck:
    """Matches a function whose code, defaults and everything it reads are the same."""

    __slots__ = (
        "_attributes",
        "_cells",
        "_code",
        "_defaults",
        "_entries",
        "_known",
        "_reference",
        "_special",
    )

    def __init__(self, function: FunctionType) -> None:
        self._reference = weakref.ref(function)
        self._code = function.__code__
        self._attributes = frozenset(function.__dict__)
        self._defaults: tuple[Kept, Kept] = ((None, None), (None, None))
        self._entries: list[tuple[Callable[[str, Any], Any], str, Any]] = []
        self._special: list[tuple[Callable[[str, Any], Any], str, Match]] = []
        self._cells: list[tuple[int, Kept]] = []
        self._known: set[tuple[int, str]] = set()

    def add_global(self, namespace: dict[str, Any], name: str, kept: Kept) -> None:
        """Check also a name of a namespace."""
        self._add(namespace, namespace.get, name, kept)

    def add_attribute(self, owner: Any, name: str, kept: Kept) -> None:
        """Check also an attribute of a module or class."""
        self._add(owner, partial(getattr, owner), name, kept)

    def add_cell(self, index: int, kept: Kept) -> None:
        """Check also a variable of the closure."""
        if kept[1] is not None:
            self._cells.append((index, kept))
        elif (index, "") not in self._known:
            self._known.add((index, ""))
            self._cells.append((index, kept))

    def set_defaults(self, positional: Kept, keywords: Kept) -> None:
        """What the default values must be."""
        self._defaults = (positional, keywords)

    def _add(self, owner: Any, get: Callable[[str, Any], Any], name: str, kept: Kept) -> None:
        expected, match = kept
        if match is not None:
            self._special.append((get, name, match))
        elif (id(owner), name) not in self._known:
            self._known.add((id(owner), name))
            self._entries.append((get, name, expected))

    def __call__(self, value: Any) -> bool:
        function: Any = self._reference()
        if value is not function or function.__code__ is not self._code:
            return False
        if function.__dict__.keys() != self._attributes:
            return False
        for get, name, expected in self._entries:
            if get(name, MISSING) is not expected:
                return False
        for get, name, match in self._special:
            if not match(get(name, MISSING)):
                return False
        closure = function.__closure__
        for index, kept in self._cells:
            if not is_kept(in_cell(closure[index]), kept):
                return False
        positional, keywords = self._defaults
        return is_kept(function.__defaults__, positional) and is_kept(function.__kwdefaults__, keywords)


def items_of(value: Any) -> Any:
    """The items of a container, a dict's keys and values included."""
    if isinstance(value, dict):
        return tuple(chain.from_iterable(value.items()))
    return value if isinstance(value, list | tuple) else tuple(value)


class All:
    """Matches what several match."""

    __slots__ = ("_matches",)

    def __init__(self, *matches: Match) -> None:
        self._matches = matches

    def __call__(self, value: Any) -> bool:
        return all(match(value) for match in self._matches)


def has_id(identity: int, value: Any) -> bool:
    """Matches a container whose items are checked elsewhere."""
    return id(value) == identity


def in_cell(cell: Any) -> Any:
    """What a variable of a closure holds, ``MISSING`` for nothing."""
    try:
        return cell.cell_contents
    except ValueError:  # a variable without a value
        return MISSING
