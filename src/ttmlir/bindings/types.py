"""Types, under the names of MLIR's Python bindings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Self

from xdsl.dialects import builtin
from xdsl.dialects.builtin import DYNAMIC_INDEX, Signedness

from ttmlir.bindings.scope import (
    Attribute,
    Context,
    Kinds,
    Location,
    Type,
    wrap_attribute,
    wrap_type,
)

if TYPE_CHECKING:
    from ttmlir.bindings.scope import Attribute


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
        """The extents; an unknown extent is ``ShapedType.get_dynamic_size()``."""
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
        """Return the number that stands for an unknown extent."""
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
        """The layout of the tensor, or None."""
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


Type.CLASSES.update(
    (kind, handle)
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
)
