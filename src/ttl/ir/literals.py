"""Numbers, strings and tables of elements as MLIR prints them.

The rules are those of ``AsmPrinter.cpp`` and of ``APFloat::toString``: six significant digits, and a zero, if these are
exact; else as many digits as distinguish the numbers of the type. An infinity, a NaN, and a number whose digits would
have no decimal point, are printed as their bits in hexadecimal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    ComplexType,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute

from ttl.ir.dense import count_of, first_of, is_splat, values_of

_BARE = re.compile(r"[A-Za-z_][\w$.]*", re.ASCII)
_PLAIN = re.compile(r"[ !#-\[\]-~]*")
# Significant digits that distinguish any two numbers of a type, as LLVM computes them: 2 + precision * 59 / 196.
_DIGITS: dict[type[Attribute], int] = {Float16Type: 5, BFloat16Type: 4, Float32Type: 9, Float64Type: 17}
# A table with more elements than this is printed as its bytes.
HEX_FROM = 100


def quoted(text: str) -> str:
    """Return a string literal."""
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    return quoted_bytes(text.encode("utf-8", "surrogateescape"))


def quoted_bytes(data: bytes) -> str:
    """Return a string literal for bytes, which need not be text."""
    return f'"{"".join(map(_escaped, data))}"'


def _escaped(byte: int) -> str:
    if byte == 0x5C:
        return "\\\\"
    return chr(byte) if 0x20 <= byte <= 0x7E and byte != 0x22 else f"\\{byte:02X}"


def keyword(name: str) -> str:
    """Return a name as a bare word, or as a string if it is not a bare word."""
    return name if _BARE.fullmatch(name) else quoted(name)


def symbol(name: str) -> str:
    """``@name``."""
    return f"@{keyword(name)}"


def float_text(value: float, type: AnyFloat) -> str:
    """Return a number of a float type as text, without the type. ``value`` is representable in the type."""
    if value == 0:
        return "-0.000000e+00" if math.copysign(1, value) < 0 else "0.000000e+00"
    return _float_text(value, type)


@lru_cache(maxsize=4096)
def _float_text(value: float, type: AnyFloat) -> str:
    if math.isfinite(value):
        short = _scientific(value)
        if _as_type(float(short), type) == value:
            return short
        exact = _shortest(value, _DIGITS.get(type.__class__, 17))
        if "." in exact:
            return exact
    raw = type.pack((value,))
    return f"0x{int.from_bytes(raw, 'little'):X}"


def _as_type(value: float, type: AnyFloat) -> float:
    try:
        return float(type.unpack(type.pack((value,)), 1)[0])
    except OverflowError:
        return math.inf


def _digits(value: float, precision: int) -> tuple[str, str, int]:
    """Return sign, digits without trailing zeros, and the power of ten of the last digit, as ``APFloat`` finds them.

    It truncates the number to the bits of the digits before it rounds, so the last digit may be one too small.
    """
    significand, denominator = abs(value).as_integer_ratio()
    exponent = 1 - denominator.bit_length()  # first a power of two; after the next line a power of ten
    significand *= 5**-exponent
    spare = (significand.bit_length() - (precision * 196 + 58) // 59) * 59 // 196
    if spare > 0:
        exponent += spare
        significand //= 10**spare
    digits = str(significand)
    if len(digits) > precision:
        up = digits[precision] >= "5"
        exponent += len(digits) - precision
        digits = str(int(digits[:precision]) + up)
    kept = digits.rstrip("0")
    return "-" if value < 0 else "", kept, exponent + len(digits) - len(kept)


def _scientific(value: float) -> str:
    sign, digits, exponent = _digits(value, 6)
    power = exponent + len(digits) - 1
    return f"{sign}{digits[0]}.{digits[1:]:0<6}e{'-' if power < 0 else '+'}{abs(power):02}"


def _shortest(value: float, precision: int) -> str:
    sign, digits, exponent = _digits(value, precision)
    leading = exponent + len(digits) - 1
    if exponent >= 0:
        scientific = exponent > 3 or len(digits) + exponent > precision
    else:
        scientific = leading < -3
    if scientific:
        power = f"E{'-' if leading < 0 else '+'}{abs(leading)}"
        return f"{sign}{digits[0]}.{digits[1:] or '0'}{power}"
    if exponent >= 0:
        return f"{sign}{digits}{'0' * exponent}"
    whole = exponent + len(digits)
    if whole > 0:
        return f"{sign}{digits[:whole]}.{digits[whole:]}"
    return f"{sign}0.{'0' * -whole}{digits}"


def element_text(type: Attribute) -> Callable[[Any], str]:
    """Return the function that prints elements of a type."""
    match type:
        case IntegerType(width=width) if width.data == 1:
            return lambda value: "true" if value else "false"
        case IntegerType(signedness=signedness) if signedness.data == Signedness.UNSIGNED:
            bits = 1 << type.width.data
            return lambda value: str(value % bits)
        case ComplexType():
            part = element_text(type.element_type)
            return lambda value: f"({part(value[0])},{part(value[1])})"
        case IntegerType() | IndexType():
            return str
    return lambda value: float_text(value, cast("AnyFloat", type))


def dense_body(dense: DenseIntOrFPElementsAttr[Any], hex_from: int = HEX_FROM) -> str:
    """Return the text between the brackets of ``dense<...>``."""
    shape, element, data = dense.type.get_shape(), dense.get_element_type(), dense.data.data
    if not data:
        return ""
    text = element_text(element)
    if is_splat(dense):
        return text(first_of(dense))
    if count_of(dense) > hex_from:
        return f'"0x{_raw(data, element, element.compile_time_size).hex().upper()}"'
    return _nested([text(value) for value in values_of(dense)], shape)


def _raw(data: bytes, element: Attribute, size: int) -> bytes:
    """Return the bytes in MLIR's form: eight truth values in one."""
    if not (isinstance(element, IntegerType) and element.width.data == 1):
        return data
    bits = "".join("1" if data[at] else "0" for at in range(0, len(data), size))
    return bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))


def _nested(values: Sequence[str], shape: Sequence[int]) -> str:
    for extent in reversed(shape):
        values = [f"[{', '.join(values[at : at + extent])}]" for at in range(0, len(values), extent)]
    return values[0]
