"""Constants of the kernel API as C++."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ttl.rows import dtypes
from ttl.rows.dtypes import DType

# The name of each element type in ``DataFormat``. Python's types of numbers, which are for single elements, have no such name.
FORMATS: Mapping[DType, str] = MappingProxyType(
    {
        dtypes.BFLOAT16: "Float16_b",
        dtypes.FLOAT32: "Float32",
        dtypes.FLOAT16: "Float16",
        dtypes.BFLOAT8_B: "Bfp8_b",
        dtypes.BFLOAT4_B: "Bfp4_b",
        dtypes.INT32: "Int32",
        dtypes.UINT32: "UInt32",
        dtypes.UINT16: "UInt16",
        dtypes.UINT8: "UInt8",
    }
)
_ESCAPES: Mapping[int, str] = MappingProxyType(
    {ord('"'): r"\"", ord("\\"): r"\\", ord("\n"): r"\n", ord("\t"): r"\t"}
)


def bits_of(number: float) -> int:
    """The IEEE-754 bits of a number as a float32; one out of range becomes an infinity."""
    try:
        return int.from_bytes(struct.pack(">f", number), "big")
    except OverflowError:
        return 0x7F800000 if number > 0 else 0xFF800000


def literal(kind: str, value: Any) -> str:
    """A constant of a kind as C++. Raises KeyError for an element type without a format."""
    match kind:
        case "int":
            return f"{int(value)}"
        case "bool":
            return "true" if value else "false"
        case "float":
            return _float(float(value))
        case "double":
            return _double(float(value))
        case "bits":
            return f"{bits_of(value):#010x}"
        case "format":
            return f"DataFormat::{FORMATS[value]}"
        case "text":
            return quoted(value)
    return str(value)


def quoted(text: str) -> str:
    """Return a string literal; characters other than printable ASCII are written as the bytes of their UTF-8, in octal."""
    return f'"{"".join(_ESCAPES.get(byte) or _byte(byte) for byte in text.encode())}"'


def _byte(byte: int) -> str:
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def _double(number: float) -> str:
    if number != number:
        return '__builtin_nan("")'
    if number in (float("inf"), float("-inf")):
        return "__builtin_inf()" if number > 0 else "-__builtin_inf()"
    return repr(number)


def _float(number: float) -> str:
    if number != number:
        return '__builtin_nanf("")'
    if number in (float("inf"), float("-inf")):
        return "__builtin_inff()" if number > 0 else "-__builtin_inff()"
    bits = bits_of(number)
    single = struct.unpack(">f", bits.to_bytes(4, "big"))[0]
    if single in (float("inf"), float("-inf")):
        return "__builtin_inff()" if single > 0 else "-__builtin_inff()"
    # The shortest decimal that is this float32.
    for digits in range(1, 10):
        text = f"{single:.{digits}g}"
        if bits_of(float(text)) == bits:
            break
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"
