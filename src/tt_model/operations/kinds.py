"""The kinds of attributes and operands, with their names in MLIR's operation definitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FlatSymbolRefAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    f32,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute

if TYPE_CHECKING:
    from tt_model.attributes.tt import IteratorTypeAttr, OperandConstraintAttr
    from tt_model.attributes.ttkernel import EthernetConfigAttr, NocConfigAttr, TensixConfigAttr
    from tt_model.attributes.ttmetal import MetalCoreRangeAttr
    from tt_model.attributes.ttnn import TTNNProgramAttr
    from tt_model.layouts.enums import (
        BufferType,
        DataType,
        MemorySpace,
        PageLayout,
        PoolingMethod,
        ReduceDim,
        ReduceType,
        ShardDirection,
        ShardType,
    )
    from tt_model.layouts.layout import Grid, MemoryConfigRecord
    from tt_model.layouts.records import ConvolutionLayout

ValueT_co = TypeVar("ValueT_co", covariant=True)
si32 = IntegerType(32, Signedness.SIGNED)
si64 = IntegerType(64, Signedness.SIGNED)
ui32 = IntegerType(32, Signedness.UNSIGNED)


@dataclass(frozen=True, slots=True)
class TypeKind:
    """The condition on the type of an operand or a result. ``summary`` is its name in MLIR."""

    summary: str
    holds: Callable[[Attribute], bool]


@dataclass(frozen=True, slots=True)
class AttributeKind(Generic[ValueT_co]):
    """The condition on an attribute.

    ``holds`` is whether an attribute is of this kind, ``make`` converts a Python value to the attribute, and ``value``
    converts the attribute to a Python value.
    """

    summary: str
    holds: Callable[[Attribute], bool]
    make: Callable[[Any], Attribute]
    value: Callable[[Any], ValueT_co]


def _is(*classes: type[Attribute]) -> Callable[[Attribute], bool]:
    return lambda attribute: isinstance(attribute, classes)


def _integer(summary: str, type: IntegerType, *, positive: bool = False) -> AttributeKind[int]:
    @lru_cache(maxsize=1024)
    def make(value: int) -> Attribute:
        return IntegerAttr(value, type)

    def holds(attribute: Attribute) -> bool:
        return (
            isinstance(attribute, IntegerAttr)
            and (attribute.type is type or attribute.type == type)
            and (not positive or attribute.value.data > 0)
        )

    return AttributeKind(summary, holds, make, lambda attribute: attribute.value.data)


def _enumeration(summary: str, type: IntegerType, cases: int) -> AttributeKind[int]:
    """An enumeration that text writes as a number."""
    plain = _integer(summary, type)
    return AttributeKind(
        summary,
        lambda attribute: plain.holds(attribute) and 0 <= plain.value(attribute) < cases,
        plain.make,
        plain.value,
    )


def _integer_array(summary: str, type: IntegerType) -> AttributeKind[tuple[int, ...]]:
    @lru_cache(maxsize=1024)
    def make(values: tuple[int, ...]) -> Attribute:
        return ArrayAttr(IntegerAttr(value, type) for value in values)

    def holds(attribute: Attribute) -> bool:
        return isinstance(attribute, ArrayAttr) and all(
            isinstance(item, IntegerAttr) and (item.type is type or item.type == type)
            for item in attribute.data
        )

    return AttributeKind(
        summary,
        holds,
        lambda values: make(tuple(values)),
        lambda attribute: tuple(item.value.data for item in attribute.data),
    )


def _dense_array(summary: str, type: IntegerType) -> AttributeKind[tuple[int, ...]]:
    @lru_cache(maxsize=1024)
    def make(values: tuple[int, ...]) -> Attribute:
        return DenseArrayBase.from_list(type, values)

    def holds(attribute: Attribute) -> bool:
        return isinstance(attribute, DenseArrayBase) and attribute.elt_type == type

    return AttributeKind(
        summary,
        holds,
        lambda values: make(tuple(values)),
        # In an array of i1, a bit that is set reads as -1.
        lambda attribute: tuple(bool(item) if type == i1 else item for item in attribute.get_values()),
    )


def _float32() -> AttributeKind[float]:
    def holds(attribute: Attribute) -> bool:
        return isinstance(attribute, FloatAttr) and attribute.type == f32

    return AttributeKind(
        "32-bit float attribute",
        holds,
        lambda value: FloatAttr(value, f32),
        lambda attribute: attribute.value.data,
    )


def _boolean() -> AttributeKind[bool]:
    true, false = IntegerAttr(1, i1), IntegerAttr(0, i1)

    def holds(attribute: Attribute) -> bool:
        return isinstance(attribute, IntegerAttr) and attribute.type == i1

    return AttributeKind(
        "bool attribute",
        holds,
        lambda value: true if value else false,
        lambda attribute: bool(attribute.value.data),
    )


def _flat_symbol() -> AttributeKind[str]:
    def holds(attribute: Attribute) -> bool:
        return isinstance(attribute, SymbolRefAttr) and not attribute.nested_references.data

    return AttributeKind(
        "flat symbol reference attribute",
        holds,
        lambda name: FlatSymbolRefAttr(StringAttr(name)) if isinstance(name, str) else name,
        lambda attribute: attribute.root_reference.data,
    )


def _as_it_is(value: Any) -> Any:
    if not isinstance(value, Attribute):
        raise TypeError(f"expected an attribute, got {value!r}")
    return value


def _array_of(summary: str, holds: Callable[[Attribute], bool]) -> AttributeKind[Any]:
    return AttributeKind(
        summary,
        lambda attribute: isinstance(attribute, ArrayAttr) and all(map(holds, attribute.data)),
        lambda items: items if isinstance(items, Attribute) else ArrayAttr(items),
        lambda attribute: tuple(attribute.data),
    )


def dialect_attribute(summary: str, *names: str) -> AttributeKind[Any]:
    """An attribute of the dialects, by its possible names. Its value is the plain object that it carries."""

    def holds(attribute: Attribute) -> bool:
        return attribute.name in names

    return AttributeKind(summary, holds, _as_it_is, lambda attribute: getattr(attribute, "data", attribute))


def array_of_dialect_attributes(summary: str, *names: str) -> AttributeKind[Any]:
    """An array of attributes of the dialects, by their possible names."""
    return _array_of(summary, lambda attribute: attribute.name in names)


SI32 = _integer("32-bit signed integer attribute", si32)
SI64 = _integer("64-bit signed integer attribute", si64)
UI32 = _integer("32-bit unsigned integer attribute", ui32)
I32 = _integer("32-bit signless integer attribute", i32)
I64 = _integer("64-bit signless integer attribute", i64)
POSITIVE_I64 = _integer("64-bit signless integer attribute whose value is positive", i64, positive=True)
F32 = _float32()
BOOL = _boolean()
I32_ARRAY = _integer_array("32-bit integer array attribute", i32)
I64_ARRAY = _integer_array("64-bit integer array attribute", i64)
DENSE_I64 = _dense_array("i64 dense array attribute", i64)
DENSE_BOOL = _dense_array("i1 dense array attribute", i1)
SYMBOL = _flat_symbol()
ELEMENTS: AttributeKind[Attribute] = AttributeKind(
    "constant vector/tensor attribute",
    _is(DenseIntOrFPElementsAttr, DenseResourceAttr),
    _as_it_is,
    lambda attribute: attribute,
)
STRING: AttributeKind[str] = AttributeKind(
    "string attribute",
    _is(StringAttr),
    lambda text: StringAttr(text) if isinstance(text, str) else text,
    lambda attribute: attribute.data,
)
AFFINE_MAPS: AttributeKind[tuple[AffineMapAttr, ...]] = _array_of(
    "AffineMap array attribute", _is(AffineMapAttr)
)

OPERAND_CONSTRAINTS: AttributeKind[tuple[OperandConstraintAttr, ...]] = array_of_dialect_attributes(
    "", "tt.operand_constraint"
)
ITERATOR_TYPES: AttributeKind[tuple[IteratorTypeAttr, ...]] = array_of_dialect_attributes(
    "", "tt.iterator_type"
)
SHARD_TYPE: AttributeKind[ShardType] = dialect_attribute("TT ShardType", "tt.shard_type")
SHARD_DIRECTION: AttributeKind[ShardDirection] = dialect_attribute("TT ShardDirection", "tt.shard_direction")
GRID: AttributeKind[Grid] = dialect_attribute("TT grid attribute", "tt.grid")
MEMORY_SPACE: AttributeKind[MemorySpace] = dialect_attribute("TT MemorySpace", "tt.memory_space")
DATA_TYPE: AttributeKind[DataType] = dialect_attribute("TT DataTypes", "tt.supportedDataTypes")
DATA_TYPE_NUMBER = _enumeration("TT DataTypes", i32, 12)
PROGRAM: AttributeKind[TTNNProgramAttr] = dialect_attribute("TTNN Program attribute", "ttnn.program")
POOLING_METHOD: AttributeKind[PoolingMethod] = dialect_attribute("TTIR PoolingMethod", "ttir.pooling_method")
CONVOLUTION_LAYOUT: AttributeKind[ConvolutionLayout] = dialect_attribute(
    "Structure of dimension information for convolution op", "ttir.convolution_layout"
)
SHAPE: AttributeKind[tuple[int, ...]] = dialect_attribute("TTNN Shape attribute", "ttnn.shape")
PAGE_LAYOUT: AttributeKind[PageLayout] = dialect_attribute("TTNN Layout", "ttnn.layout")
BUFFER_TYPE: AttributeKind[BufferType] = dialect_attribute("TTNN Buffer Type", "ttnn.buffer_type")
MEMORY_CONFIG: AttributeKind[MemoryConfigRecord] = dialect_attribute(
    "TTNN MemoryConfig attribute", "ttnn.memory_config"
)
MESH_SHAPE: AttributeKind[tuple[int, ...]] = dialect_attribute("TTNN Mesh Shape", "ttnn.mesh_shape")
REDUCE_OPERATION = _enumeration("TTNN Reduce Operation Type", i32, 6)
REDUCE_TYPE: AttributeKind[ReduceType] = dialect_attribute("TTKernel Reduce Types", "ttkernel.reduce_type")
REDUCE_DIM: AttributeKind[ReduceDim] = dialect_attribute("TTKernel Reduce Dimensions", "ttkernel.reduce_dim")
CORE_RANGES: AttributeKind[tuple[MetalCoreRangeAttr, ...]] = array_of_dialect_attributes(
    "", "ttmetal.core_range"
)
KERNEL_CONFIGS: AttributeKind[tuple[NocConfigAttr | TensixConfigAttr | EthernetConfigAttr, ...]] = (
    array_of_dialect_attributes(
        "", "ttkernel.noc_config", "ttkernel.tensix_config", "ttkernel.ethernet_config"
    )
)


def _is_named(*names: str) -> Callable[[Attribute], bool]:
    return lambda type: type.name in names


def _is_ranked_memref(type: Attribute) -> bool:
    return isinstance(type, MemRefType) and type.get_num_dims() > 0


def _is_memref_or(other: Callable[[Attribute], bool]) -> Callable[[Attribute], bool]:
    return lambda type: other(type) or _is_ranked_memref(type)


_MEMREF = "non-0-ranked.memref of any type values"

TENSOR = TypeKind("ranked tensor of any type values", _is(TensorType))
TENSOR_OR_MEMREF = TypeKind(f"{TENSOR.summary} or {_MEMREF}", _is_memref_or(TENSOR.holds))
DEVICE = TypeKind("TT device", _is_named("tt.device"))
INTEGER32 = TypeKind("32-bit signless integer", lambda type: type == i32)
CIRCULAR_BUFFER = TypeKind("TTKernel cb", _is_named("ttkernel.cb"))
MEMREF_OR_CIRCULAR_BUFFER = TypeKind(f"{_MEMREF} or TTKernel cb", _is_memref_or(CIRCULAR_BUFFER.holds))
NOC_ADDRESS = TypeKind("TTKernel noc address", _is_named("ttkernel.noc_addr"))
L1_ADDRESS = TypeKind("TTKernel l1 address", _is_named("ttkernel.l1_addr"))
INTEGER32_OR_L1_ADDRESS = TypeKind(
    "32-bit signless integer or TTKernel l1 address",
    lambda type: INTEGER32.holds(type) or L1_ADDRESS.holds(type),
)
L1_ADDRESS_POINTER = TypeKind("TTKernel l1 address pointer", _is_named("ttkernel.l1_addr_ptr"))
