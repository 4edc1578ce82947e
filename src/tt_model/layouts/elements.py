"""Elements of tensors in memory: scalars (types of MLIR) and tiles, conversions between them, and their bytes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    bf16,
    f16,
    f32,
    i8,
    i16,
    i32,
)
from xdsl.ir import Attribute

from tt_model.layouts.enums import DataType
from tt_model.layouts.values import LayoutError, LayoutValue, dimensions_text, volume

TILE_SHAPE = (32, 32)

_BLOCK_FORMAT_BYTES = {
    DataType.BFP_Float8: 1024,
    DataType.BFP_BFloat8: 1024,
    DataType.BFP_Float4: 512,
    DataType.BFP_BFloat4: 512,
    DataType.BFP_Float2: 256,
    DataType.BFP_BFloat2: 256,
}
# The data types that the library has, by their names in Python.
LIBRARY_TYPES = {
    DataType.Float32: "float32",
    DataType.BFloat16: "bfloat16",
    DataType.BFP_BFloat8: "bfloat8_b",
    DataType.BFP_BFloat4: "bfloat4_b",
    DataType.UInt32: "uint32",
    DataType.UInt16: "uint16",
    DataType.UInt8: "uint8",
}
# Bytes of a scalar; block floats have no scalars.
SCALAR_BYTES = {
    DataType.Float32: 4,
    DataType.Float16: 2,
    DataType.BFloat16: 2,
    DataType.UInt32: 4,
    DataType.UInt16: 2,
    DataType.UInt8: 1,
}
# Bytes of a tile of a block float on the chip: mantissas, and one byte of exponent for each row of a face.
_BLOCK_TILE_BYTES = {data_type: size + 64 for data_type, size in _BLOCK_FORMAT_BYTES.items()}
# The host's type for elements that the device stores as each data type.
_HOST_TYPES: dict[DataType, Attribute] = {
    DataType.Float32: f32,
    DataType.Float16: f16,
    DataType.BFloat16: bf16,
    DataType.BFP_Float8: f16,
    DataType.BFP_BFloat8: bf16,
    DataType.BFP_Float4: f16,
    DataType.BFP_BFloat4: bf16,
    DataType.BFP_Float2: f16,
    DataType.BFP_BFloat2: bf16,
    DataType.UInt32: i32,
    DataType.UInt16: i16,
    DataType.UInt8: i8,
}


# Rows and columns of the tiles that chips have: parts of 32x32 with the full width of one face or two.
_TILE_ROWS, _TILE_COLUMNS = (1, 2, 4, 8, 16, 32), (16, 32)


def check_tile_shape(shape: tuple[int, ...]) -> None:
    """Raise ``LayoutError`` for a tile that no chip has."""
    rows, columns = shape
    if rows in _TILE_ROWS and columns in _TILE_COLUMNS:
        return
    raise LayoutError(
        f"no chip has tiles of {dimensions_text(shape)}: they have {', '.join(map(str, _TILE_ROWS))} rows and "
        f"{' or '.join(map(str, _TILE_COLUMNS))} columns"
    )


@dataclass(frozen=True, slots=True, eq=False)
class TileRecord(LayoutValue):
    """A rectangle of scalars that the chip moves and computes as one: ``!tt.tile<32x32, bf16>``.

    ``shape`` is (rows, columns) in scalars. Raises ``LayoutError`` for another rank, or a shape that no chip has.
    """

    shape: tuple[int, ...]
    data_type: DataType

    def __post_init__(self) -> None:
        if len(self.shape) != 2:
            raise LayoutError(f"expected 2D shape, got {dimensions_text(self.shape) or 'none'}")
        if min(self.shape) < 1:
            raise LayoutError(f"expected positive tile dimensions, got {dimensions_text(self.shape)}")
        check_tile_shape(self.shape)

    def __str__(self) -> str:
        return f"!tt.tile<{dimensions_text(self.shape)}, {self.data_type.keyword}>"

    @property
    def bytes(self) -> int:
        """Bytes of one tile, without the exponents of block formats.

        Raises ``LayoutError`` for a block format of another shape than 32x32.
        """
        block = _BLOCK_FORMAT_BYTES.get(self.data_type)
        if block is None:
            return volume(self.shape) * SCALAR_BYTES[self.data_type]
        if self.shape != TILE_SHAPE:
            raise LayoutError(
                f"{self.data_type.keyword} is a format of 32x32 tiles, not of {dimensions_text(self.shape)}"
            )
        return block


Element: TypeAlias = Attribute | TileRecord


@lru_cache(maxsize=256)
def data_type_of(element: Element) -> DataType:
    """Return the type in which a device stores an element; ``f32`` for a type that is not a number. Raises ``LayoutError``."""
    match element:
        case TileRecord():
            return element.data_type
        case Float32Type():
            return DataType.Float32
        case Float16Type():
            return DataType.Float16
        case BFloat16Type():
            return DataType.BFloat16
        case IntegerType(width=width) if width.data in (8, 16, 32):
            return {8: DataType.UInt8, 16: DataType.UInt16, 32: DataType.UInt32}[width.data]
        case IntegerType() | Float64Type():
            raise _no_data_type(element)
    if bits_of(element) is not None:
        raise _no_data_type(element)
    return DataType.Float32


def _no_data_type(element: Attribute) -> LayoutError:
    code = " [TTL1710]" if isinstance(element, IntegerType) and element.width.data > 1 else ""
    return LayoutError(
        f"no data type of the chip holds {element}; there are f32, f16, bf16, i32, i16 and i8{code}"
    )


@lru_cache(maxsize=256)
def tile_of(scalar: Element, shape: tuple[int, int] = TILE_SHAPE) -> TileRecord:
    """The tile of a scalar type; a tile is returned as it is. Raises ``LayoutError`` for f64, i1 and i64."""
    return scalar if isinstance(scalar, TileRecord) else TileRecord(shape, data_type_of(scalar))


def scalar_of(element: Element) -> Attribute:
    """The host's type for the scalars of a tile; a scalar type is returned as it is."""
    return host_type_of(element.data_type) if isinstance(element, TileRecord) else element


def host_type_of(data_type: DataType) -> Attribute:
    """The host's type for a data type: i32 for u32; for a block format, the float type that it is made from."""
    return _HOST_TYPES[data_type]


def bits_of(scalar: Attribute) -> int | None:
    """The bits of a number; None for a type that is not a number of fixed width."""
    if isinstance(scalar, IntegerType):
        bits: int = scalar.width.data
        return bits
    width = getattr(scalar, "bitwidth", None)
    return width if isinstance(width, int) else None


def tile_bytes(data_type: DataType) -> int:
    """Bytes of a 32x32 tile in the memory of a chip, including the exponents of block floats."""
    return _BLOCK_TILE_BYTES.get(data_type) or volume(TILE_SHAPE) * SCALAR_BYTES[data_type]


@lru_cache(maxsize=256)
def element_bytes(element: Element) -> int:
    """Bytes of one element in memory: of a tile, or of a scalar (bits divided by eight). Raises ``LayoutError``."""
    if isinstance(element, TileRecord):
        return element.bytes
    bits = bits_of(element)
    if bits is None:
        raise LayoutError(f"{element} has no size in memory")
    return bits // 8
