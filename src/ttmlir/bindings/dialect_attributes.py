"""The base of the attribute and type classes of ``tt.ir``, ``ttnn.ir`` and ``ttkernel.ir``.

As in the bindings of the real project they are not subclasses of ``ir.Attribute`` and ``ir.Type``: ``get`` gives a plain
attribute or type, and ``maybe_downcast`` the object that has the properties.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

from xdsl.ir import Attribute as XdslAttribute
from xdsl.ir import TypeAttribute

from tt_model.layouts.values import LayoutError
from ttmlir.bindings.scope import Attribute, Context, Type, wrap_attribute, wrap_type

EnumT = TypeVar("EnumT", bound=IntEnum)
ValueT = TypeVar("ValueT")


class RecordField(Generic[ValueT]):
    """A field of the record in an attribute, converted to a Python type.

    ``path`` is the record's name for the field; by default it is the name of the property.
    """

    def __init__(self, kind: type[ValueT], path: str = "") -> None:
        self._make: Callable[[Any], Any] = kind
        self._path = path

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._path = self._path or name

    @overload
    def __get__(self, handle: None, owner: type[Any]) -> Self: ...
    @overload
    def __get__(self, handle: DialectAttribute, owner: type[Any]) -> ValueT: ...
    def __get__(self, handle: DialectAttribute | None, owner: type[Any]) -> Any:
        return self if handle is None else self._make(getattr(handle.data, self._path))


HandleT = TypeVar("HandleT", bound="DialectAttribute")


class PartField(Generic[HandleT]):
    """A part of the record that is an attribute itself, as an object of its class.

    ``path`` is the record's name for the part, by default the name of the property; ``"."`` is the whole record.
    """

    def __init__(self, kind: type[HandleT], path: str = "") -> None:
        self._kind, self._path = kind, path

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._path = self._path or name

    @overload
    def __get__(self, handle: None, owner: type[Any]) -> Self: ...
    @overload
    def __get__(self, handle: DialectAttribute, owner: type[Any]) -> HandleT: ...
    def __get__(self, handle: DialectAttribute | None, owner: type[Any]) -> Any:
        if handle is None:
            return self
        record = handle.data if self._path == "." else getattr(handle.data, self._path)
        return self._kind(self._kind.OF(record), handle.context)


class PartsField(Generic[HandleT]):
    """A sequence of parts that are attributes themselves, as a list of objects of their class."""

    def __init__(self, kind: type[HandleT]) -> None:
        self._kind, self._name = kind, ""

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, handle: None, owner: type[Any]) -> Self: ...
    @overload
    def __get__(self, handle: DialectAttribute, owner: type[Any]) -> list[HandleT]: ...
    def __get__(self, handle: DialectAttribute | None, owner: type[Any]) -> Any:
        if handle is None:
            return self
        return [self._kind(self._kind.OF(one), handle.context) for one in getattr(handle.data, self._name)]


class DialectAttribute:
    """An attribute or type of our dialects, with its parts by name."""

    # The class of the attributes of xDSL.
    OF: ClassVar[type[Any]]

    def __init__(self, attribute: XdslAttribute, context: Context) -> None:
        self._xdsl: Any = attribute
        self.context = context

    @classmethod
    def maybe_downcast(cls, attr: Any) -> Self | None:
        """The object of this class for an attribute or a type; None for one of another kind."""
        xdsl = getattr(attr, "xdsl", None)
        return cls(xdsl, attr.context) if isinstance(xdsl, cls.OF) else None

    @property
    def xdsl(self) -> Any:
        """The attribute as xDSL has it."""
        return self._xdsl

    @property
    def data(self) -> Any:
        """The record in the attribute."""
        return self._xdsl.data

    def __eq__(self, other: object) -> bool:
        return bool(getattr(other, "xdsl", None) == self._xdsl)

    def __hash__(self) -> int:
        return hash(self._xdsl)

    def __str__(self) -> str:
        return str(plain(self._xdsl, self.context))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


def plain(attribute: XdslAttribute, context: Context) -> Any:
    """A plain attribute or type."""
    if isinstance(attribute, TypeAttribute):
        return wrap_type(attribute, context)
    return wrap_attribute(attribute, context)


def data_of(value: Any, kind: type[Any], what: str) -> Any:
    """Return the record of an attribute argument. Raises ``TypeError`` for an attribute of another kind."""
    xdsl = getattr(value, "xdsl", value)
    if not isinstance(xdsl, kind):
        raise TypeError(f"expected {what}, got {value}")
    return xdsl.data


def map_of(value: Any) -> Any:
    """Return the xDSL affine map of an argument."""
    return getattr(value, "xdsl", value)


def refusing(make: Any, *arguments: Any, **named: Any) -> Any:
    """Return the result of ``make``; its ``LayoutError`` becomes a ``ValueError`` with the same text."""
    try:
        return make(*arguments, **named)
    except LayoutError as problem:
        raise ValueError(str(problem)) from None


def member(kind: type[EnumT], value: int) -> EnumT:
    """The member of an enumeration with a number."""
    numbered: Any = kind
    return numbered(int(value))  # type: ignore[no-any-return]


def integers_of(values: Sequence[int]) -> tuple[int, ...]:
    """Whole numbers as a tuple."""
    return tuple(int(value) for value in values)


def enumeration(name: str, of: type[Any], kind: type[IntEnum], read: str, doc: str) -> type[DialectAttribute]:
    """Return the class for an enumeration: it has ``get(ctx, number)``, and the number as the property ``read``."""

    def get(ctx: Context, value: int) -> Attribute:
        return wrap_attribute(of(member(kind, value)), ctx)

    return type(
        name,
        (DialectAttribute,),
        {
            "OF": of,
            "get": staticmethod(get),
            read: property(lambda self: int(self.data)),
            "__doc__": doc,
        },
    )


def type_of(value: Any) -> XdslAttribute:
    """Return the xDSL type of an argument."""
    if isinstance(value, Type):
        return value.xdsl  # type: ignore[no-any-return]
    return getattr(value, "xdsl", value)  # type: ignore[no-any-return]
