"""Classes of a program that is only read, and their objects."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from ttl.frontend.merging import same
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import UserFunction

REQUIRED: Any = object()


@dataclass(eq=False, slots=True)
class Wrapped:
    """A function in a class that is not a plain method."""

    function: Any
    how: Literal["static", "class", "property"]


@dataclass(frozen=True, slots=True)
class Field:
    """``dataclasses.field(...)``."""

    default: Any = REQUIRED
    factory: Any = REQUIRED


@dataclass(eq=False, slots=True)
class UserClass:
    """A class. ``fields`` are those of a dataclass or named tuple, with their defaults; None for any other class."""

    name: str
    bases: tuple[Any, ...]
    names: dict[str, Any]
    fields: dict[str, Any] | None = None
    as_tuple: bool = False
    keyword_only: bool = False

    @property
    def open(self) -> bool:
        """Whether it has a base that is not read."""
        return any(
            type(base) is Unknown or (isinstance(base, UserClass) and base.open) for base in self.bases
        )

    def find(self, name: str) -> Any:
        """What the class, or a base, has under a name; ``REQUIRED`` where there is nothing."""
        if name in self.names:
            return self.names[name]
        return self.inherited(name)

    def inherited(self, name: str) -> Any:
        """The same without the class itself."""
        for base in self.bases:
            found = base.find(name) if isinstance(base, UserClass) else REQUIRED
            if found is not REQUIRED:
                return found
        return REQUIRED

    def __getattr__(self, name: str) -> Any:
        if name == "__name__":
            return self.name
        found = REQUIRED if name.startswith("__") else self.find(name)
        if found is REQUIRED:
            return missing(self, name)
        if isinstance(found, Wrapped):
            return partial(found.function, self) if found.how == "class" else found.function
        return found


class Instance:
    """An object of such a class."""

    __slots__ = ("kind", "values")

    def __init__(self, kind: UserClass) -> None:
        self.kind = kind
        self.values: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name in ("kind", "values"):
            raise AttributeError(name)
        if name in self.values:
            return self.values[name]
        return bound(self, self.kind.find(name), name)

    def __iter__(self) -> Iterator[Any]:
        if not self.kind.as_tuple:
            raise TypeError(f"{self.kind.name} cannot be iterated over")
        return iter(tuple(self.values.values()))

    def __len__(self) -> int:
        return len(tuple(self))

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index]

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Instance) or self.kind.fields is None or other.kind is not self.kind:
            return self is other
        return all(same(value, other.values.get(name)) for name, value in self.values.items())

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{self.kind.name} object"


@dataclass(eq=False, slots=True)
class Super:
    """``super()`` in a method."""

    instance: Any
    kind: UserClass

    def __getattr__(self, name: str) -> Any:
        found = self.kind.inherited(name)
        if found is REQUIRED and name == "__init__":
            return nothing
        return bound(self.instance, found, name)


def bound(instance: Any, found: Any, name: str) -> Any:
    """What an attribute of a class is on an object."""
    if found is REQUIRED:
        return missing(getattr(instance, "kind", None), name)
    if isinstance(found, UserFunction):
        return partial(found, instance)
    if isinstance(found, Wrapped):
        if found.how == "property":
            return Unknown(why=f"property {name}")
        return partial(found.function, instance.kind) if found.how == "class" else found.function
    return found


def missing(kind: UserClass | None, name: str) -> Any:
    """An attribute that is not there, unless the class has bases that are not read."""
    if kind is None or (kind.open and not name.startswith("__")):
        return Unknown(why=f"attribute {name}")
    raise AttributeError(f"{kind.name} has no attribute {name}")


def nothing(*arguments: Any, **keywords: Any) -> None:
    """``object.__init__``."""


def annotated_fields(kind: UserClass, names: list[str]) -> dict[str, Any]:
    """The fields of a dataclass: those of its bases first."""
    fields: dict[str, Any] = {}
    for base in reversed(kind.bases):
        if isinstance(base, UserClass) and base.fields is not None:
            fields.update(base.fields)
    for name in names:
        fields[name] = kind.names.get(name, REQUIRED)
    return fields


def enumeration(kind: UserClass, base: type[enum.Enum]) -> Any:
    """An enumeration, as Python's own."""
    members = {
        name: value
        for name, value in kind.names.items()
        if not name.startswith("_") and isinstance(value, int | float | str | tuple)
    }
    functional: Any = base
    return functional(kind.name, members)


@dataclass(slots=True)
class Arguments:
    """``argparse.ArgumentParser``: what a program gets that is called without arguments."""

    values: dict[str, Any] = field(default_factory=dict)

    def add_argument(self, *names: str, **options: Any) -> None:
        """Remember the default of an argument."""
        long = [name for name in names if name.startswith("--")]
        name = options.get("dest") or (long or list(names))[0].lstrip("-").replace("-", "_")
        action = options.get("action")
        default = options.get("default", {"store_true": False, "store_false": True}.get(str(action)))
        if "default" not in options and (not names[0].startswith("-") or options.get("required")):
            default = (
                options.get("default") if options.get("nargs") == "?" else Unknown(why=f"argument {name}")
            )
        self.values[name] = default

    def add_argument_group(self, *arguments: Any, **options: Any) -> Arguments:
        """The same parser."""
        return self

    add_mutually_exclusive_group = add_argument_group

    def set_defaults(self, **defaults: Any) -> None:
        """Other defaults."""
        self.values.update(defaults)

    def parse_args(self, *arguments: Any) -> Instance:
        """The defaults."""
        made = Instance(UserClass("Namespace", (), {}))
        made.values.update(self.values)
        return made

    def parse_known_args(self, *arguments: Any) -> tuple[Instance, list[str]]:
        """The same, and nothing else."""
        return self.parse_args(), []


def parser(*arguments: Any, **options: Any) -> Arguments:
    """``argparse.ArgumentParser(...)``."""
    return Arguments()
