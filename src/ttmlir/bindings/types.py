"""Types, under the names of MLIR's Python bindings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from xdsl.dialects import builtin
from xdsl.dialects.builtin import DYNAMIC_INDEX, Signedness
from xdsl.ir import Attribute as XdslAttribute

from ttmlir.bindings.identity import TypeID
from ttmlir.bindings.scope import Context, Location, context_or_current

if TYPE_CHECKING:
    from ttmlir.bindings.attributes import Attribute

# Classes of xDSL.
Kinds = tuple[type[XdslAttribute], ...]


class XdslHandle:
    """A handle of a type or an attribute of xDSL, of the class that it has in the bindings."""

    # The classes of xDSL whose attributes a class of ours is for.
    XDSL: ClassVar[Kinds] = ()

    context: Context
    _xdsl: Any

    def _cast(self, given: Self, what: str) -> None:
        """Become a handle of what another one has. Raises ``ValueError`` where it is not of this class."""
        if not self.isinstance(given):
            raise ValueError(f"Cannot cast {what} to {type(self).__name__} (from {given!r})")
        self._xdsl, self.context = given._xdsl, given.context

    @classmethod
    def wrapping(cls, xdsl: XdslAttribute, context: Context) -> Self:
        """A handle of what xDSL has."""
        handle = cls.__new__(cls)
        handle._xdsl, handle.context = xdsl, context
        return handle

    @classmethod
    def isinstance(cls, other: Any) -> bool:
        """Whether another one is of this class."""
        return not cls.XDSL or isinstance(other._xdsl, cls.XDSL)

    @classmethod
    def _get(cls, xdsl: XdslAttribute, context: Context | None) -> Self:
        return cls.wrapping(xdsl, context_or_current(context))

    @property
    def typeid(self) -> TypeID:
        """The kind that it is of. Raises ``ValueError`` where no dialect defines it."""
        return TypeID.of(self._xdsl, self)

    @property
    def xdsl(self) -> Any:
        """The same as xDSL has it."""
        return self._xdsl

    def __eq__(self, other: object) -> bool:
        return isinstance(other, XdslHandle) and other._xdsl == self._xdsl

    def __hash__(self) -> int:
        return hash(self._xdsl)

    def __str__(self) -> str:
        from ttmlir.bindings.printing import attribute_text

        return attribute_text(self._xdsl)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def dump(self) -> None:
        """Print it."""
        print(self)


class Type(XdslHandle):
    """A type. ``Type.parse(text)`` reads one; what is made or read has its own class."""

    def __init__(self, cast_from_type: Type) -> None:
        self._cast(cast_from_type, "type")

    @staticmethod
    def parse(asm: str, context: Context | None = None) -> Type:
        """The type that a text says. Raises ``MLIRError``."""
        from ttmlir.bindings.parsing import parse_type

        return parse_type(asm, context_or_current(context))

    def maybe_downcast(self) -> Type:
        """The same type with its own class."""
        return wrap_type(self._xdsl, self.context)


class IntegerType(Type):
    """``i32``, ``si32``, ``ui32``."""

    XDSL = (builtin.IntegerType,)

    @staticmethod
    def get(width: int, signedness: int = 0, context: Context | None = None) -> IntegerType:
        """An integer; ``signedness`` is 0 for signless, 1 for signed, 2 for unsigned."""
        kinds = (Signedness.SIGNLESS, Signedness.SIGNED, Signedness.UNSIGNED)
        return IntegerType._get(builtin.IntegerType(width, kinds[signedness]), context)

    @staticmethod
    def get_signless(width: int, context: Context | None = None) -> IntegerType:
        """``i`` and the width in bits."""
        return IntegerType.get(width, 0, context)

    @staticmethod
    def get_signed(width: int, context: Context | None = None) -> IntegerType:
        """``si`` and the width in bits."""
        return IntegerType.get(width, 1, context)

    @staticmethod
    def get_unsigned(width: int, context: Context | None = None) -> IntegerType:
        """``ui`` and the width in bits."""
        return IntegerType.get(width, 2, context)

    @property
    def width(self) -> int:
        """Bits."""
        return int(self._xdsl.width.data)

    @property
    def is_signless(self) -> bool:
        return bool(self._xdsl.signedness.data is Signedness.SIGNLESS)

    @property
    def is_signed(self) -> bool:
        return bool(self._xdsl.signedness.data is Signedness.SIGNED)

    @property
    def is_unsigned(self) -> bool:
        return bool(self._xdsl.signedness.data is Signedness.UNSIGNED)


class _PlainType(Type):
    """A type without parameters."""

    @classmethod
    def get(cls, context: Context | None = None) -> Self:
        """The type."""
        return cls._get(cls.XDSL[0](), context)


class IndexType(_PlainType):
    """``index``."""

    XDSL = (builtin.IndexType,)


class NoneType(_PlainType):
    """``none``."""

    XDSL = (builtin.NoneType,)


class FloatType(_PlainType):
    """Any type of floating-point numbers."""

    XDSL: ClassVar[Kinds] = (
        builtin.Float32Type,
        builtin.Float16Type,
        builtin.BFloat16Type,
        builtin.Float64Type,
    )

    @property
    def width(self) -> int:
        """Bits."""
        return int(self._xdsl.bitwidth)


class F32Type(FloatType):
    """``f32``."""

    XDSL = (builtin.Float32Type,)


class F16Type(FloatType):
    """``f16``."""

    XDSL = (builtin.Float16Type,)


class BF16Type(FloatType):
    """``bf16``."""

    XDSL = (builtin.BFloat16Type,)


class F64Type(FloatType):
    """``f64``."""

    XDSL = (builtin.Float64Type,)


class ComplexType(Type):
    """``complex<f32>``."""

    XDSL = (builtin.ComplexType,)

    @staticmethod
    def get(element_type: Type) -> ComplexType:
        return ComplexType.wrapping(builtin.ComplexType(element_type._xdsl), element_type.context)

    @property
    def element_type(self) -> Type:
        return wrap_type(self._xdsl.element_type, self.context)


class ShapedType(Type):
    """A type with a shape and an element type."""

    XDSL: ClassVar[Kinds] = (
        builtin.TensorType,
        builtin.UnrankedTensorType,
        builtin.MemRefType,
        builtin.UnrankedMemRefType,
        builtin.VectorType,
    )

    @property
    def element_type(self) -> Type:
        return wrap_type(self._xdsl.element_type, self.context)

    @property
    def has_rank(self) -> bool:
        return not isinstance(self._xdsl, builtin.UnrankedTensorType | builtin.UnrankedMemRefType)

    @property
    def shape(self) -> list[int]:
        """The extents; one that is not known is ``ShapedType.get_dynamic_size()``."""
        if not self.has_rank:
            raise ValueError("calling this method requires that the type has a rank.")
        return [_DYNAMIC if extent == DYNAMIC_INDEX else extent for extent in self._xdsl.get_shape()]

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def has_static_shape(self) -> bool:
        return self.has_rank and _DYNAMIC not in self.shape

    def is_dynamic_dim(self, dim: int) -> bool:
        return self.shape[dim] == _DYNAMIC

    def get_dim_size(self, dim: int) -> int:
        return self.shape[dim]

    @staticmethod
    def is_dynamic_size(dim_size: int) -> bool:
        return dim_size == _DYNAMIC

    @staticmethod
    def get_dynamic_size() -> int:
        """What stands for an extent that is not known."""
        return _DYNAMIC


_DYNAMIC = -(2**63)


def _extents(shape: Sequence[int]) -> list[int]:
    return [DYNAMIC_INDEX if extent == _DYNAMIC else extent for extent in shape]


class RankedTensorType(ShapedType):
    """``tensor<64x128xf32, #layout>``."""

    XDSL = (builtin.TensorType,)

    @staticmethod
    def get(
        shape: Sequence[int],
        element_type: Type,
        encoding: Attribute | None = None,
        loc: Location | None = None,
    ) -> RankedTensorType:
        """A tensor type; ``encoding`` is its layout."""
        layout = builtin.NoneAttr() if encoding is None else encoding.xdsl
        result = builtin.TensorType(element_type._xdsl, _extents(shape), layout)
        return RankedTensorType.wrapping(result, element_type.context)

    @property
    def encoding(self) -> Attribute | None:
        """Its layout, or None."""
        from ttmlir.bindings.attributes import wrap_attribute

        encoding = self._xdsl.encoding
        return None if isinstance(encoding, builtin.NoneAttr) else wrap_attribute(encoding, self.context)


class UnrankedTensorType(ShapedType):
    """``tensor<*xf32>``."""

    XDSL = (builtin.UnrankedTensorType,)

    @staticmethod
    def get(element_type: Type, loc: Location | None = None) -> UnrankedTensorType:
        return UnrankedTensorType.wrapping(
            builtin.UnrankedTensorType(element_type._xdsl), element_type.context
        )


class VectorType(ShapedType):
    """``vector<4xf32>``."""

    XDSL = (builtin.VectorType,)

    @staticmethod
    def get(shape: Sequence[int], element_type: Type, loc: Location | None = None) -> VectorType:
        return VectorType.wrapping(builtin.VectorType(element_type._xdsl, shape), element_type.context)


class MemRefType(ShapedType):
    """``memref<2x4x!tt.tile<32x32, f32>, #l1_>``."""

    XDSL = (builtin.MemRefType,)

    @staticmethod
    def get(
        shape: Sequence[int],
        element_type: Type,
        layout: Attribute | None = None,
        memory_space: Attribute | None = None,
        loc: Location | None = None,
    ) -> MemRefType:
        none = builtin.NoneAttr()
        result = builtin.MemRefType(
            element_type._xdsl,
            _extents(shape),
            none if layout is None else layout.xdsl,
            none if memory_space is None else memory_space.xdsl,
        )
        return MemRefType.wrapping(result, element_type.context)

    @property
    def memory_space(self) -> Attribute | None:
        from ttmlir.bindings.attributes import wrap_attribute

        space = self._xdsl.memory_space
        return None if isinstance(space, builtin.NoneAttr) else wrap_attribute(space, self.context)


class TupleType(Type):
    """``tuple<f32, i32>``."""

    XDSL = (builtin.TupleType,)

    @staticmethod
    def get_tuple(elements: Sequence[Type], context: Context | None = None) -> TupleType:
        return TupleType._get(
            builtin.TupleType(builtin.ArrayAttr([element._xdsl for element in elements])), context
        )

    @property
    def num_types(self) -> int:
        return len(self._xdsl.types.data)

    def get_type(self, pos: int) -> Type:
        return wrap_type(self._xdsl.types.data[pos], self.context)


class FunctionType(Type):
    """``(tensor<4xf32>) -> tensor<4xf32>``."""

    XDSL = (builtin.FunctionType,)

    @staticmethod
    def get(inputs: Sequence[Type], results: Sequence[Type], context: Context | None = None) -> FunctionType:
        result = builtin.FunctionType.from_lists(
            [one._xdsl for one in inputs], [one._xdsl for one in results]
        )
        known = context or next((one.context for one in (*inputs, *results)), None)
        return FunctionType._get(result, known)

    @property
    def inputs(self) -> list[Type]:
        return [wrap_type(one, self.context) for one in self._xdsl.inputs.data]

    @property
    def results(self) -> list[Type]:
        return [wrap_type(one, self.context) for one in self._xdsl.outputs.data]


_CLASSES: dict[type[XdslAttribute], type[Type]] = {
    kind: handle
    for handle in (
        IntegerType,
        IndexType,
        NoneType,
        F32Type,
        F16Type,
        BF16Type,
        F64Type,
        ComplexType,
        RankedTensorType,
        UnrankedTensorType,
        VectorType,
        MemRefType,
        TupleType,
        FunctionType,
    )
    for kind in handle.XDSL
}


def wrap_type(type: XdslAttribute, context: Context) -> Type:
    """A handle of a type of xDSL, of the class that it has in the bindings."""
    return _CLASSES.get(type.__class__, Type).wrapping(type, context)
