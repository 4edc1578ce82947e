"""Element types: their storage, their conversion for arithmetic, and their rounding when stored.

Arithmetic on floats happens in float32, on integers in int64; a value is rounded (or wrapped) once, when it
is stored. Storage is a NumPy array: ``uint16`` bit patterns for bfloat16, ``float32`` with only
representable values for the block floats.

Source: the headers in the wheels of ttnn 0.69.0 and 0.81.1 (sizes of tiles, block floats).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from ttl.diag.errors import ProgramError
from ttl.diag.model import error
from ttl.source.spans import user_span

Array = npt.NDArray[Any]
TILE = 32
"""Elements along an edge of a tile."""
# The number of elements of a row of a block float that share an exponent.
_SHARED_EXPONENT = 16
# NumPy's array types, for modules that only check whether a value is an array.
ARRAYS: tuple[type[Any], ...] = (np.ndarray,)
NUMBERS: tuple[type[Any], ...] = (np.generic,)
DESCRIBED: tuple[type[Any], ...] = (np.dtype, np.ufunc)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class DType:
    """One element type. Compared by identity: there is exactly one object per type."""

    name: str
    kind: Literal["float", "block_float", "int", "uint"]
    bits: int
    storage: np.dtype[Any]
    element_bytes: int
    tile_bytes: int
    mantissa_bits: int = 0  # stored bits, without the implicit one

    def bytes_of(self, tile: tuple[int, int]) -> int:
        """Return the bytes of a tile of these rows and columns; exponents of block floats take whole 16 bytes."""
        elements = tile[0] * tile[1]
        if self.kind != "block_float":
            return elements * self.element_bytes
        return elements * self.bits // 8 + -(-elements // _SHARED_EXPONENT // 16) * 16

    @property
    def is_float(self) -> bool:
        """Whether arithmetic on the type happens in float32 (else in int64)."""
        return self.kind in ("float", "block_float")

    def __repr__(self) -> str:
        return self.name

    def load(self, stored: Array) -> Array:
        """Convert storage to arithmetic: float32 for floats, int64 for integers. Always a fresh or exact array."""
        if not isinstance(stored, np.ndarray | np.generic):
            self._refuse("load")
        if self is BFLOAT16:
            wide = stored.astype(np.uint32)
            wide <<= np.uint32(16)
            return wide.view(np.float32)
        if self.is_float:
            return stored.astype(np.float32, copy=False)
        return stored.astype(np.int64)

    def store(self, values: Array) -> Array:
        """Convert arithmetic to storage, with the one rounding (to nearest, ties to even) or wrap."""
        if not isinstance(values, np.ndarray | np.generic):
            self._refuse("store")
        if self is BFLOAT16:
            return round_to_bfloat16(values)
        if self.kind == "block_float":
            return round_to_block_float(np.asarray(values, np.float32), self.mantissa_bits)
        if self.is_float:
            with np.errstate(over="ignore"):
                return values.astype(self.storage)
        return wrap_to_integer(values, self)

    def _refuse(self, name: str) -> NoReturn:
        """Raise the error for a program that takes an element type for a block: these methods are for this package."""
        raise ProgramError(
            error(
                "TTL0428",
                f"ttnn.{self.name} is an element type and has no attribute {name} for programs",
                help="blocks are stored into: blk.store(...); tensors are converted with ttnn.typecast",
            ).at(user_span())
        )


def round_to_bfloat16(values: Array) -> Array:
    """Round float32 to bfloat16 bit patterns (uint16), to nearest with ties to even; NaN stays NaN."""
    values = np.ascontiguousarray(values, np.float32)
    bits = values.view(np.uint32)
    rounded = bits >> np.uint32(16)
    rounded &= np.uint32(1)
    rounded += np.uint32(0x7FFF)
    rounded += bits
    rounded >>= np.uint32(16)
    high: Array = rounded.astype(np.uint16)
    if values.size and np.isnan(values.max()):
        nan = np.isnan(values)
        high[nan] = (bits[nan] >> np.uint32(16)).astype(np.uint16) | np.uint16(0x40)
    return high


def round_to_block_float(values: Array, mantissa_bits: int) -> Array:
    """Round float32 to values that a block float can represent: 16 values of a row share an 8-bit exponent.

    The 16 values are those of one row of a 16x16 face, so groups of 16 along the last dimension. Each value
    keeps a sign and ``mantissa_bits`` bits of magnitude relative to the largest exponent of its group.
    """
    if values.size == 0:
        return values
    shape = values.shape
    width = shape[-1] if shape else 1
    padding = -width % 16
    padded = (
        np.pad(values.reshape(-1, width), ((0, 0), (0, padding))) if padding else values.reshape(-1, width)
    )
    groups = padded.reshape(-1, 16)
    finite = np.where(np.isfinite(groups), groups, np.float32(0))
    _, exponents = np.frexp(np.abs(finite).max(axis=1, keepdims=True))
    scale = np.ldexp(np.float64(1.0), mantissa_bits - exponents)
    limit = 2.0**mantissa_bits - 1
    quantised = np.clip(np.rint(finite.astype(np.float64) * scale), -limit, limit) / scale
    result = np.where(np.isfinite(groups), quantised.astype(np.float32), groups).reshape(padded.shape)
    return np.ascontiguousarray(result[:, :width]).reshape(shape)


def wrap_to_integer(values: Array, dtype: DType) -> Array:
    """Convert int64 or float32 to an integer storage type, modulo its width as the hardware's registers do."""
    if values.dtype.kind == "f":
        values = np.trunc(np.nan_to_num(values, nan=0.0, posinf=2.0**62, neginf=-(2.0**62))).astype(np.int64)
    return values.astype(np.int64).astype(dtype.storage)


def saturated(values: Array, smallest: int, largest: int) -> Array:
    """Convert values to whole numbers: fractions are cut off, values beyond the limits become the nearest limit, NaN 0.

    The result is float64, or int64 for integers. The behaviour of a card for values beyond the type is not published,
    and was not measured: this rule is used by all executions.
    """
    if values.dtype.kind == "f":
        values = np.trunc(np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
    limited: Array = np.clip(values, smallest, largest)
    return limited


def _float(name: str, bits: int, storage: Any, mantissa: int) -> DType:
    size = bits // 8
    return DType(
        name=name, kind="float", bits=bits, storage=np.dtype(storage), element_bytes=size,
        tile_bytes=size * TILE * TILE, mantissa_bits=mantissa,
    )  # fmt: skip


def _integer(name: str, kind: Literal["int", "uint"], bits: int, storage: Any) -> DType:
    size = bits // 8
    return DType(
        name=name,
        kind=kind,
        bits=bits,
        storage=np.dtype(storage),
        element_bytes=size,
        tile_bytes=size * TILE * TILE,
    )


BFLOAT16 = _float("bfloat16", 16, np.uint16, 7)
FLOAT32 = _float("float32", 32, np.float32, 23)
FLOAT16 = _float("float16", 16, np.float16, 10)
BFLOAT8_B = DType(
    name="bfloat8_b", kind="block_float", bits=8, storage=np.dtype(np.float32), element_bytes=1,
    tile_bytes=1088, mantissa_bits=7,
)  # fmt: skip
BFLOAT4_B = DType(
    name="bfloat4_b", kind="block_float", bits=4, storage=np.dtype(np.float32), element_bytes=1,
    tile_bytes=576, mantissa_bits=3,
)  # fmt: skip
INT32 = _integer("int32", "int", 32, np.int32)
UINT32 = _integer("uint32", "uint", 32, np.uint32)
UINT16 = _integer("uint16", "uint", 16, np.uint16)
UINT8 = _integer("uint8", "uint", 8, np.uint8)

DTYPES: tuple[DType, ...] = (
    BFLOAT16, FLOAT32, FLOAT16, BFLOAT8_B, BFLOAT4_B, INT32, UINT32, UINT16, UINT8,
)  # fmt: skip

# Other names of these types in programs and tools.
_OTHER_NAMES: Mapping[str, DType] = MappingProxyType(
    {
        "bf16": BFLOAT16, "fp16": FLOAT16, "f16": FLOAT16, "half": FLOAT16, "fp32": FLOAT32, "f32": FLOAT32,
        "float": FLOAT32, "bfp8": BFLOAT8_B, "bfp8_b": BFLOAT8_B, "bfp4": BFLOAT4_B, "bfp4_b": BFLOAT4_B, "i32": INT32,
        "si32": INT32, "u32": UINT32, "ui32": UINT32, "u16": UINT16, "ui16": UINT16, "u8": UINT8, "ui8": UINT8,
    }
)  # fmt: skip


def dtype_named(value: object) -> DType | None:
    """The element type of a type of ours, of the real ttnn or of torch, or of a format's name; None for others."""
    if isinstance(value, DType):
        return value if value in DTYPES else None
    if isinstance(value, int):
        return None
    name = getattr(value, "name", None)
    text = (name if isinstance(name, str) else str(value)).rsplit(".", 1)[-1].lower()
    return next((dtype for dtype in DTYPES if dtype.name == text), _OTHER_NAMES.get(text))


# The types of ``fill`` for a whole number and for any other number: combined with a block, they take its element
# type. No buffer and no tensor has them.
WHOLE_NUMBER = _float("number", 32, np.float32, 23)
REAL_NUMBER = _float("real number", 32, np.float32, 23)


def promote(first: DType, second: DType) -> DType | None:
    """Element type of an expression over two element types, or None when they do not mix.

    The wider of two floats (float32 for bfloat16 with float16), the wider of two integers; a number takes
    the other's type. None for a float with an integer, and for int32 with uint32.
    """
    if first is second or second is WHOLE_NUMBER:
        return first
    if first is WHOLE_NUMBER:
        return second
    if first.is_float is not second.is_float:
        return None
    if second is REAL_NUMBER:
        return first
    if first is REAL_NUMBER:
        return second
    if first.bits == second.bits:
        return FLOAT32 if first.is_float else None
    return first if first.bits > second.bits else second
