"""Element types of blocks, between the rules of the language and MLIR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType

from xdsl.dialects.builtin import (
    IntAttr,
    IntegerType,
    Signedness,
    StringAttr,
    TensorType,
    bf16,
    f16,
    f32,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import IRDLOperation, irdl_attr_definition, operand_def, result_def, traits_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.structure import COMPUTING
from ttl.ir.syntax import dimensions_text, operation_definition, parse_dimensions
from ttl.rows import dtypes
from ttl.rows.dtypes import DType
from ttl.rows.types import TILE, TILE_HEIGHTS, TILE_WIDTHS, WHOLE_TILE, BlockType, Layout, Tile

# The printed name of each element type of ``ttl.rows.dtypes``.
SHORT_NAMES: Mapping[DType, str] = MappingProxyType(
    {
        dtypes.BFLOAT16: "bf16",
        dtypes.FLOAT32: "f32",
        dtypes.FLOAT16: "f16",
        dtypes.BFLOAT8_B: "bfp8",
        dtypes.BFLOAT4_B: "bfp4",
        dtypes.INT32: "si32",
        dtypes.UINT32: "ui32",
        dtypes.UINT16: "ui16",
        dtypes.UINT8: "ui8",
        dtypes.WHOLE_NUMBER: "whole",
        dtypes.REAL_NUMBER: "real",
    }
)
DTYPE_OF_NAME: Mapping[str, DType] = MappingProxyType({name: dtype for dtype, name in SHORT_NAMES.items()})

# The element types that MLIR has itself.
_BUILTIN: Mapping[DType, TypeAttribute] = MappingProxyType(
    {
        dtypes.BFLOAT16: bf16,
        dtypes.FLOAT32: f32,
        dtypes.FLOAT16: f16,
        dtypes.INT32: IntegerType(32, Signedness.SIGNED),
        dtypes.UINT32: IntegerType(32, Signedness.UNSIGNED),
        dtypes.UINT16: IntegerType(16, Signedness.UNSIGNED),
        dtypes.UINT8: IntegerType(8, Signedness.UNSIGNED),
    }
)


@irdl_attr_definition
class TileType(ParametrizedAttribute, TypeAttribute):
    """A tile: ``!ttl.tile<32x32, bf16>``."""

    name = "ttl.tile"
    rows: IntAttr
    columns: IntAttr
    element_name: StringAttr

    def __init__(self, height: int, width: int, element: str) -> None:
        super().__init__(IntAttr(height), IntAttr(width), StringAttr(element))

    @property
    def height(self) -> int:
        """Rows of elements."""
        return self.rows.data

    @property
    def width(self) -> int:
        """Columns of elements."""
        return self.columns.data

    @property
    def extents(self) -> Tile:
        """Rows and columns of elements."""
        return self.height, self.width

    @property
    def element(self) -> str:
        """Short name of the element type."""
        return self.element_name.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            position = parser.pos
            extents = parse_dimensions(parser)
            if len(extents) != 2:
                parser.raise_error("a tile has two extents, such as 32x32", position, parser.pos)
            parser.parse_punctuation(",")
            return (*extents, StringAttr(parser.parse_identifier(" for the element type")))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{dimensions_text((self.height, self.width))}, {self.element}>")

    def verify(self) -> None:
        if self.width not in TILE_WIDTHS or self.height not in TILE_HEIGHTS:
            raise VerifyException(
                f"a tile is 16 or {TILE} wide and 1, 2, 4, 8, 16 or {TILE} high, not {self.height}x{self.width}"
            )
        _check_name(self.element)


@irdl_attr_definition
class DataTypeType(ParametrizedAttribute, TypeAttribute):
    """An element type that MLIR does not have: ``!ttl.element<bfp8>``."""

    name = "ttl.element"
    element_name: StringAttr

    def __init__(self, element: str) -> None:
        super().__init__(StringAttr(element))

    @property
    def element(self) -> str:
        """Short name of the element type."""
        return self.element_name.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (StringAttr(parser.parse_identifier(" for the element type")),)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.element}>")

    def verify(self) -> None:
        _check_name(self.element)


def _check_name(name: str) -> None:
    if name not in DTYPE_OF_NAME:
        raise VerifyException(f"unknown element type {name}, known are {', '.join(DTYPE_OF_NAME)}")


@cache
def element_type(dtype: DType, layout: Layout, tile: Tile = WHOLE_TILE) -> Attribute:
    """Return the type of the elements of a shape: tiles of ``dtype``, or numbers."""
    if layout is Layout.TILE:
        return TileType(*tile, SHORT_NAMES[dtype])
    return _BUILTIN.get(dtype) or DataTypeType(SHORT_NAMES[dtype])


@lru_cache(maxsize=256)
def dtype_and_layout(element: Attribute) -> tuple[DType, Layout]:
    """The inverse of ``element_type``. Raises ValueError for a type that is not an element type of the language."""
    match element:
        case TileType():
            return DTYPE_OF_NAME[element.element], Layout.TILE
        case DataTypeType():
            return DTYPE_OF_NAME[element.element], Layout.ROW_MAJOR
    for dtype, builtin in _BUILTIN.items():
        if builtin == element:
            return dtype, Layout.ROW_MAJOR
    raise ValueError(f"{element} is not an element type of the language")


def block_type(shape: Sequence[int], element: Attribute) -> BlockType:
    """The type of a block of a shape in elements or tiles. Raises ValueError as ``dtype_and_layout`` does."""
    tile = element.extents if isinstance(element, TileType) else WHOLE_TILE
    return BlockType.of(tuple(shape), *dtype_and_layout(element), tile)


def check_element(element: Attribute) -> None:
    """Verify that a type is an element type of the language."""
    try:
        dtype_and_layout(element)
    except ValueError as problem:
        raise VerifyException(str(problem)) from problem


@lru_cache(maxsize=4096)
def value_type(block: BlockType) -> TensorType[Attribute]:
    """The type of a block's value: ``tensor<2x1x!ttl.tile<32x32, bf16>>``."""
    return TensorType(element_type(block.dtype, block.layout, block.tile), block.shape)


@lru_cache(maxsize=4096)
def block_type_of(value: TensorType[Attribute]) -> BlockType:
    """The inverse of ``value_type``. Raises ValueError as ``dtype_and_layout`` does."""
    return block_type(value.get_shape(), value.element_type)


@operation_definition
class RetypeOp(IRDLOperation):
    """The same value with another element type, without rounding: inside an expression all floats are float32.

    It is inserted where a loop carries, or a branch chooses, values of different element types: for example ``total``,
    which starts as a block filled with the whole number 0 and continues as bfloat16.
    """

    name = "ttl.retype"
    value = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(COMPUTING, Pure())
    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue, type: BlockType) -> None:
        super().__init__(operands=[value], result_types=[value_type(type)])

    def verify_(self) -> None:
        given, result = self.value.type, self.result.type
        assert isinstance(given, TensorType) and isinstance(result, TensorType)
        if given.get_shape() != result.get_shape():
            raise VerifyException(
                f"expected a result of shape {list(given.get_shape())}, got {list(result.get_shape())}"
            )
