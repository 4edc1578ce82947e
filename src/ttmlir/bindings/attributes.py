"""Attributes, under the names of MLIR's Python bindings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

from xdsl.dialects import builtin
from xdsl.ir import Attribute as XdslAttribute
from xdsl.ir import TypeAttribute

from ttl.ir.dense import count_of, is_splat, iter_values, value_at
from ttmlir.bindings import elements
from ttmlir.bindings.affine import AffineMap
from ttmlir.bindings.scope import (
    Attribute,
    Context,
    Location,
    NamedAttribute,
    Type,
    context_or_current,
    wrap_attribute,
    wrap_type,
)
from ttmlir.bindings.signatures import usual_attribute
from ttmlir.bindings.types import F32Type, F64Type


class StringAttr(Attribute):
    """``"text"``."""

    XDSL = (builtin.StringAttr,)

    @staticmethod
    def get(value: str, context: Context | None = None) -> StringAttr:
        return StringAttr._get(builtin.StringAttr(value), context)

    @staticmethod
    def get_typed(type: Type, value: str) -> StringAttr:
        """Make the attribute; the type is discarded, because nothing here reads it."""
        return StringAttr.wrapping(builtin.StringAttr(value), type.context)

    @property
    def value(self) -> str:
        return str(self._xdsl.data)


class IntegerAttr(Attribute):
    """``3 : si32``."""

    XDSL = (builtin.IntegerAttr,)

    @staticmethod
    def get(type: Type, value: int) -> IntegerAttr:
        return IntegerAttr.wrapping(builtin.IntegerAttr(value, type.xdsl), type.context)

    @property
    def value(self) -> int:
        return int(self._xdsl.value.data)

    def __int__(self) -> int:
        return self.value


class BoolAttr(IntegerAttr):
    """``true``."""

    @classmethod
    def isinstance(cls, other: Attribute) -> bool:
        return isinstance(other._xdsl, builtin.IntegerAttr) and other._xdsl.type == builtin.i1

    @staticmethod
    def get(value: bool, context: Context | None = None) -> BoolAttr:  # type: ignore[override]
        return BoolAttr._get(builtin.IntegerAttr(int(value), builtin.i1), context)

    @property
    def value(self) -> bool:
        return bool(self._xdsl.value.data)

    def __bool__(self) -> bool:
        return self.value


class FloatAttr(Attribute):
    """``1.000000e+00 : f32``."""

    XDSL = (builtin.FloatAttr,)

    @staticmethod
    def get(type: Type, value: float, loc: Location | None = None) -> FloatAttr:
        return FloatAttr.wrapping(builtin.FloatAttr(value, type.xdsl), type.context)

    @staticmethod
    def get_f32(value: float, context: Context | None = None) -> FloatAttr:
        return FloatAttr.get(F32Type.get(context), value)

    @staticmethod
    def get_f64(value: float, context: Context | None = None) -> FloatAttr:
        return FloatAttr.get(F64Type.get(context), value)

    @property
    def value(self) -> float:
        return float(self._xdsl.value.data)

    def __float__(self) -> float:
        return self.value


class UnitAttr(Attribute):
    """``unit``."""

    XDSL = (builtin.UnitAttr,)

    @staticmethod
    def get(context: Context | None = None) -> UnitAttr:
        return UnitAttr._get(builtin.UnitAttr(), context)


class TypeAttr(Attribute):
    """A type as an attribute."""

    @classmethod
    def isinstance(cls, other: Attribute) -> bool:
        return isinstance(other._xdsl, TypeAttribute)

    @staticmethod
    def get(value: Type, context: Context | None = None) -> TypeAttr:
        return TypeAttr.wrapping(value.xdsl, context or value.context)

    @property
    def value(self) -> Type:
        return wrap_type(self._xdsl, self.context)


class ArrayAttr(Attribute):
    """``[1 : i32, 2 : i32]``."""

    XDSL = (builtin.ArrayAttr,)

    @staticmethod
    def get(attributes: Sequence[Attribute], context: Context | None = None) -> ArrayAttr:
        known = context or next((one.context for one in attributes), None)
        return ArrayAttr._get(builtin.ArrayAttr([one.xdsl for one in attributes]), known)

    def __len__(self) -> int:
        return len(self._xdsl.data)

    def __getitem__(self, index: int) -> Attribute:
        return wrap_attribute(self._xdsl.data[index], self.context)

    def __iter__(self) -> Iterator[Attribute]:
        return (wrap_attribute(item, self.context) for item in self._xdsl.data)

    def __add__(self, extra: Sequence[Attribute]) -> ArrayAttr:
        return ArrayAttr.get([*self, *extra], self.context)


class DictAttr(Attribute):
    """``{name = value}``."""

    XDSL = (builtin.DictionaryAttr,)

    @staticmethod
    def get(value: dict[str, Attribute] | None = None, context: Context | None = None) -> DictAttr:
        known = context or next((one.context for one in (value or {}).values()), None)
        data = {name: one.xdsl for name, one in sorted((value or {}).items())}
        return DictAttr._get(builtin.DictionaryAttr(data), known)

    def __len__(self) -> int:
        return len(self._xdsl.data)

    def __contains__(self, name: str) -> bool:
        return name in self._xdsl.data

    def __getitem__(self, key: str | int) -> Any:
        """Return the attribute of a name, or the named attribute at a position."""
        if isinstance(key, int):
            name, attribute = list(self._xdsl.data.items())[key]
            return NamedAttribute(name, wrap_attribute(attribute, self.context))
        return wrap_attribute(self._xdsl.data[key], self.context)


class SymbolRefAttr(Attribute):
    """``@module::@function``."""

    XDSL = (builtin.SymbolRefAttr,)

    @staticmethod
    def get(symbols: Sequence[str], context: Context | None = None) -> SymbolRefAttr:
        root, *nested = symbols
        return SymbolRefAttr._get(builtin.SymbolRefAttr(root, nested), context)

    @property
    def value(self) -> Any:
        """The names, outermost first."""
        inner = [name.data for name in self._xdsl.nested_references.data]
        return [self._xdsl.root_reference.data, *inner]


class FlatSymbolRefAttr(SymbolRefAttr):
    """``@function``."""

    @classmethod
    def isinstance(cls, other: Attribute) -> bool:
        attribute = other._xdsl
        return isinstance(attribute, builtin.SymbolRefAttr) and not attribute.nested_references.data

    @staticmethod
    def get(value: str, context: Context | None = None) -> FlatSymbolRefAttr:  # type: ignore[override]
        return FlatSymbolRefAttr._get(builtin.SymbolRefAttr(value), context)

    @property
    def value(self) -> str:
        return str(self._xdsl.root_reference.data)


class AffineMapAttr(Attribute):
    """``affine_map<(d0, d1) -> (d0, d1)>``."""

    XDSL = (builtin.AffineMapAttr,)

    @staticmethod
    def get(affine_map: AffineMap) -> AffineMapAttr:
        return AffineMapAttr.wrapping(builtin.AffineMapAttr(affine_map.xdsl), affine_map.context)

    @property
    def value(self) -> AffineMap:
        return AffineMap(self._xdsl.data, self.context)


class DenseElementsAttr(Attribute):
    """``dense<[1, 2]> : tensor<2xi32>``; from and to NumPy's arrays."""

    XDSL = (builtin.DenseIntOrFPElementsAttr,)

    @staticmethod
    def get(
        array: Any,
        signless: bool = True,
        type: Type | None = None,
        shape: Sequence[int] | None = None,
        context: Context | None = None,
    ) -> DenseElementsAttr:
        """The values of an array, or of a list of attributes with ``type`` as the shaped type."""
        if isinstance(array, list | tuple) and array and all(isinstance(one, Attribute) for one in array):
            values = [one.value for one in array]
            if type is None:
                raise ValueError("expected a shaped type for a list of attributes: give it as type=")
            return DenseElementsAttr.wrapping(elements.from_values(type.xdsl, values), type.context)
        known = context_or_current(context or (type.context if type is not None else None))
        element = None if type is None else type.xdsl
        return DenseElementsAttr.wrapping(elements.from_array(array, signless, element, shape), known)

    @staticmethod
    def get_splat(shaped_type: Type, element_attr: Attribute) -> DenseElementsAttr:
        """Return elements that all have the same value."""
        attribute = elements.from_values(shaped_type.xdsl, [element_attr.xdsl.value.data])
        return DenseElementsAttr.wrapping(attribute, shaped_type.context)

    @property
    def type(self) -> Type:
        return wrap_type(self._xdsl.get_type(), self.context)

    @property
    def is_splat(self) -> bool:
        return is_splat(self._xdsl)

    def get_splat_value(self) -> Attribute:
        """The value of all elements. Raises ``ValueError`` if elements differ."""
        if not self.is_splat:
            raise ValueError("get_splat_value called on a non-splat attribute")
        return wrap_attribute(next(iter(self._xdsl.iter_attrs())), self.context)

    def __len__(self) -> int:
        return count_of(self._xdsl)

    def __getitem__(self, index: int) -> Any:
        return value_at(self._xdsl, index)

    def __iter__(self) -> Iterator[Any]:
        return iter_values(self._xdsl)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = elements.to_array(self._xdsl)
        # One value repeated is a view of that value, which NumPy copies where the caller wants an array of his own.
        array = array if dtype is None else array.astype(dtype)
        return array.copy() if copy else array


class DenseIntElementsAttr(DenseElementsAttr):
    """Dense elements that are integers."""

    @classmethod
    def isinstance(cls, other: Attribute) -> bool:
        return DenseElementsAttr.isinstance(other) and isinstance(
            other._xdsl.get_element_type(), builtin.IntegerType | builtin.IndexType
        )


class DenseFPElementsAttr(DenseElementsAttr):
    """Dense elements that are floating-point numbers."""

    @classmethod
    def isinstance(cls, other: Attribute) -> bool:
        return DenseElementsAttr.isinstance(other) and not DenseIntElementsAttr.isinstance(other)


class DenseResourceElementsAttr(Attribute):
    """``dense_resource<name> : tensor<2xf32>``."""

    XDSL = (builtin.DenseResourceAttr,)


class _DenseArray(Attribute):
    """``array<i64: 1, 2>``."""

    ELEMENT: ClassVar[Any]

    @classmethod
    def isinstance(cls, other: Attribute) -> bool:
        attribute = other._xdsl
        return isinstance(attribute, builtin.DenseArrayBase) and attribute.elt_type == cls.ELEMENT

    @classmethod
    def get(cls, values: Sequence[Any], context: Context | None = None) -> Self:
        return cls._get(builtin.DenseArrayBase.from_list(cls.ELEMENT, list(values)), context)

    def __len__(self) -> int:
        return len(self._xdsl)

    def __getitem__(self, index: int) -> Any:
        return self._xdsl.get_values()[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._xdsl.get_values())

    def __add__(self, extra: Sequence[Any]) -> Self:
        return self.get([*self, *extra], self.context)


class DenseBoolArrayAttr(_DenseArray):
    """``array<i1: true>``."""

    ELEMENT = builtin.i1


class DenseI8ArrayAttr(_DenseArray):
    """``array<i8: 1>``."""

    ELEMENT = builtin.i8


class DenseI16ArrayAttr(_DenseArray):
    """``array<i16: 1>``."""

    ELEMENT = builtin.i16


class DenseI32ArrayAttr(_DenseArray):
    """``array<i32: 1>``."""

    ELEMENT = builtin.i32


class DenseI64ArrayAttr(_DenseArray):
    """``array<i64: 1>``."""

    ELEMENT = builtin.i64


class DenseF32ArrayAttr(_DenseArray):
    """``array<f32: 1.0>``."""

    ELEMENT = builtin.f32


class DenseF64ArrayAttr(_DenseArray):
    """``array<f64: 1.0>``."""

    ELEMENT = builtin.f64


Attribute.PLAIN = (
    StringAttr,
    FloatAttr,
    UnitAttr,
    ArrayAttr,
    DictAttr,
    AffineMapAttr,
    DenseResourceElementsAttr,
)
Attribute.BY_CONDITION = (
    BoolAttr,
    IntegerAttr,
    FlatSymbolRefAttr,
    SymbolRefAttr,
    DenseIntElementsAttr,
    DenseFPElementsAttr,
    DenseBoolArrayAttr,
    DenseI8ArrayAttr,
    DenseI16ArrayAttr,
    DenseI32ArrayAttr,
    DenseI64ArrayAttr,
    DenseF32ArrayAttr,
    DenseF64ArrayAttr,
    TypeAttr,
)


def as_attribute(value: Any, context: Context) -> XdslAttribute:
    """Return the xDSL attribute of a handle, or the usual attribute for a Python value."""
    match value:
        case Attribute() | Type():
            return value.xdsl  # type: ignore[no-any-return]
        case list() | tuple():
            return builtin.ArrayAttr([as_attribute(item, context) for item in value])
    return usual_attribute(value)
