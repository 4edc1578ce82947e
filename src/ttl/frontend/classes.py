"""Classes of a program that is only read, and their objects."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from ttl.frontend.unknown import Unknown
from ttl.frontend.values import PrintedText, UserFunction, is_symbolic

REQUIRED: Any = object()


@dataclass(eq=False, slots=True)
class Wrapped:
    """A method in a class that is wrapped, such as a static method or a property."""

    function: Any
    how: Literal["static", "class", "property"]


@dataclass(frozen=True, slots=True)
class DataclassField:
    """``dataclasses.field(...)``."""

    default: Any = REQUIRED
    factory: Any = REQUIRED
    is_given: bool = True


@dataclass(eq=False, slots=True)
class UserClass:
    """A class of the program. Attributes that this package adds start with ``ttl_``; others are the program's.

    ``ttl_fields`` are those of a dataclass or named tuple, with their defaults; None for any other class. Objects of an
    ordered dataclass are compared like tuples. ``ttl_origin`` is the class itself, where the program runs.
    """

    ttl_name: str
    ttl_bases: tuple[Any, ...]
    ttl_names: dict[str, Any]
    ttl_fields: dict[str, Any] | None = None
    ttl_as_tuple: bool = False
    ttl_is_ordered: bool = False
    ttl_origin: type | None = None

    @property
    def ttl_open(self) -> bool:
        """Whether the class has a base that is not read."""
        return any(
            type(base) is Unknown or (isinstance(base, UserClass) and base.ttl_open)
            for base in self.ttl_bases
        )

    @property
    def ttl_is_whole(self) -> bool:
        """Whether the source has every attribute of the class's objects, so that no base of a library adds one."""
        return all(
            base.ttl_is_whole
            if isinstance(base, UserClass)
            else base is object or getattr(base, "__module__", "") in ("abc", "typing")
            for base in self.ttl_bases
        )

    def ttl_find(self, name: str) -> Any:
        """Return the attribute of the class or of a base; ``REQUIRED`` for an unknown name."""
        if name in self.ttl_names:
            return self.ttl_names[name]
        return self.ttl_inherited(name)

    def ttl_inherited(self, name: str) -> Any:
        """Return the attribute of a base; ``REQUIRED`` for an unknown name."""
        for base in self.ttl_bases:
            ttl_inherited = base.ttl_find(name) if isinstance(base, UserClass) else REQUIRED
            if ttl_inherited is not REQUIRED:
                return ttl_inherited
        return REQUIRED

    def __getattr__(self, name: str) -> Any:
        if name == "__name__":
            return self.ttl_name
        wrapped = REQUIRED if name.startswith("__") else self.ttl_find(name)
        if wrapped is REQUIRED:
            return missing(self, name)
        if isinstance(wrapped, Wrapped):
            return partial(wrapped.function, self) if wrapped.how == "class" else wrapped.function
        return wrapped


class Instance:
    """An object of a class that is only read."""

    __slots__ = ("ttl_kind", "ttl_values")

    def __init__(self, kind: UserClass) -> None:
        self.ttl_kind = kind
        self.ttl_values: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name in ("ttl_kind", "ttl_values"):
            raise AttributeError(name)
        if name in self.ttl_values:
            return self.ttl_values[name]
        if self.ttl_kind.ttl_as_tuple and name in OF_NAMED_TUPLES:
            return partial(OF_NAMED_TUPLES[name], self)
        return bound(self, self.ttl_kind.ttl_find(name), name)

    def __iter__(self) -> Iterator[Any]:
        if not self.ttl_kind.ttl_as_tuple:
            raise TypeError(f"{self.ttl_kind.ttl_name} cannot be iterated over")
        return iter(tuple(self.ttl_values.values()))

    def __len__(self) -> int:
        if not self.ttl_kind.ttl_as_tuple:
            raise TypeError(f"{self.ttl_kind.ttl_name} has no len()")
        return len(tuple(self))

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index]

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if (
            not isinstance(other, Instance)
            or self.ttl_kind.ttl_fields is None
            or other.ttl_kind is not self.ttl_kind
        ):
            return self is other
        return self.ttl_values == other.ttl_values

    def __hash__(self) -> int:
        for name in ("__eq__", "__hash__"):
            if isinstance(self.ttl_kind.ttl_find(name), UserFunction):  # a method that is only read
                raise TypeError(f"unhashable type: '{self.ttl_kind.ttl_name}'")
        if self.ttl_kind.ttl_fields is not None:
            with contextlib.suppress(
                TypeError
            ):  # the fields of frozen dataclasses and named tuples; others may be unhashable
                return hash((id(self.ttl_kind), *self.ttl_values.values()))
        return object.__hash__(self)

    def __repr__(self) -> str:
        return f"{self.ttl_kind.ttl_name} object"


def holds(value: Any, is_one: Callable[[Any], bool]) -> bool:
    """Return whether ``is_one`` holds for a value, or for a value contained in it."""
    return is_one(value) or any(holds(member, is_one) for member in held_in(value))


def holds_read(value: Any) -> bool:
    """Whether a value is, or contains, an object of a class that is only read."""
    return holds(value, lambda item: isinstance(item, Instance))


def is_compared_here(value: Any) -> bool:
    """Whether Python itself cannot compare a value.

    That is so if it contains a value known on the node only, or an object of a class that is only read.
    """
    return holds(value, lambda item: isinstance(item, Instance | PrintedText) or is_symbolic(item))


def held_in(value: Any) -> Iterable[Any]:
    """Return the members of a Python container, or the field values of a real dataclass object; else nothing."""
    match value:
        case tuple() | list() | set() | frozenset():
            return value
        case dict():
            return (*value, *value.values())
    is_kept = dataclasses.is_dataclass(value) and not isinstance(value, type | Instance)
    return [getattr(value, field.name, None) for field in dataclasses.fields(value)] if is_kept else ()


@dataclass(eq=False, slots=True)
class Super:
    """``super()`` in a method."""

    instance: Any
    kind: UserClass

    def look(self, name: str) -> Any:
        """Return an attribute of ``super()``."""
        result = self.kind.ttl_inherited(name)
        if result is REQUIRED and name == "__init__":
            return nothing
        return bound(self.instance, result, name)


def bound(instance: Any, data: Any, name: str) -> Any:
    """Return an attribute of a class as its object sees it: functions are bound to the object."""
    if data is REQUIRED:
        return missing(getattr(instance, "ttl_kind", None), name)
    if isinstance(data, UserFunction):
        return partial(data, instance)
    if isinstance(data, Wrapped):
        if data.how == "property":
            return Unknown(why=f"property {name}")
        return partial(data.function, instance.ttl_kind) if data.how == "class" else data.function
    return data


def property_of(value: Any, name: str) -> UserFunction | None:
    """The function of a property of an object; None if the name is not a property."""
    if not isinstance(value, Instance) or name in value.ttl_values:
        return None
    wrapped = value.ttl_kind.ttl_find(name)
    is_property = isinstance(wrapped, Wrapped) and wrapped.how == "property"
    return wrapped.function if is_property and isinstance(wrapped.function, UserFunction) else None


def missing(kind: UserClass | None, name: str) -> Any:
    """Raise the error for a missing attribute; return an unknown value if the class has bases that are not read."""
    if kind is None or (kind.ttl_open and not name.startswith("__")):
        return Unknown(why=f"attribute {name}")
    raise AttributeError(f"{kind.ttl_name} has no attribute {name}")


def nothing(*arguments: Any, **keywords: Any) -> None:
    """``object.__init__``."""


def annotated_fields(kind: UserClass, names: list[str]) -> dict[str, Any]:
    """The fields of a dataclass: those of its bases first."""
    fields: dict[str, Any] = {}
    for base in reversed(kind.ttl_bases):
        if isinstance(base, UserClass) and base.ttl_fields is not None:
            fields.update(base.ttl_fields)
    for name in names:
        fields[name] = kind.ttl_names.get(name, REQUIRED)
    return fields


def enumeration(kind: UserClass, base: type[enum.Enum]) -> Any:
    """An enumeration, as Python's own class."""
    members = {
        name: value
        for name, value in kind.ttl_names.items()
        if not name.startswith("_") and isinstance(value, int | float | str | tuple | enum.auto)
    }
    functional: Any = base
    mixed = [other for other in kind.ttl_bases if other in (int, float, str)]
    result = functional(kind.ttl_name, members, **({"type": mixed[0]} if mixed else {}))
    result.ttl_methods = {
        name: value for name, value in kind.ttl_names.items() if isinstance(value, UserFunction | Wrapped)
    }
    return result


def replaced(instance: Instance, **values: Any) -> Instance:
    """``_replace`` of a named tuple. Raises ``TypeError`` for a name that is not a field."""
    for name in values:
        if name not in instance.ttl_values:
            raise TypeError(f"{instance.ttl_kind.ttl_name} has no field {name}")
    result = Instance(instance.ttl_kind)
    result.ttl_values = {**instance.ttl_values, **values}
    return result


def given_fields(kind: UserClass) -> list[str]:
    """The names of the fields from which an object of a dataclass is made."""
    return [
        name
        for name, default in (kind.ttl_fields or {}).items()
        if not isinstance(default, DataclassField) or default.is_given
    ]


def as_dict(value: Any) -> Any:
    """``dataclasses.asdict``, which also converts objects inside the object and its containers."""
    return _unfolded(
        value, lambda instance: {name: as_dict(item) for name, item in instance.ttl_values.items()}
    )


def as_tuple(value: Any) -> Any:
    """``dataclasses.astuple``."""
    return _unfolded(value, lambda instance: tuple(as_tuple(item) for item in instance.ttl_values.values()))


def _unfolded(value: Any, of_instance: Callable[[Instance], Any]) -> Any:
    match value:
        case Instance() if value.ttl_kind.ttl_fields is not None:
            return of_instance(value)
        case list() | tuple() if type(value) in (list, tuple):
            return type(value)(_unfolded(item, of_instance) for item in value)
        case dict():
            return {name: _unfolded(item, of_instance) for name, item in value.items()}
    return value


OF_NAMED_TUPLES: dict[str, Callable[..., Any]] = {
    "_replace": replaced,
    "_asdict": lambda instance: dict(instance.ttl_values),
}
