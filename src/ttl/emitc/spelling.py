"""Types and attributes of ``emitc`` modules as C++."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from math import prod
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    SymbolRefAttr,
    TensorType,
    TupleType,
)
from xdsl.dialects.emitc import (
    EmitC_ArrayType,
    EmitC_LValueType,
    EmitC_OpaqueAttr,
    EmitC_OpaqueType,
    EmitC_PointerType,
    EmitC_PtrDiffT,
    EmitC_SignedSizeT,
    EmitC_SizeT,
)
from xdsl.ir import Attribute, TypeAttribute

from ttl.ir.refusals import Refused

_CPP_WORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
    concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default
    delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
    xor_eq
"""
KEYWORDS = frozenset(_CPP_WORDS.split())
"""The words of C++ that are not allowed as names."""

_WIDTHS = frozenset({8, 16, 32, 64})
_PLAIN: Mapping[type[Attribute], str] = MappingProxyType(
    {
        IndexType: "size_t",
        EmitC_SizeT: "size_t",
        EmitC_SignedSizeT: "ssize_t",
        EmitC_PtrDiffT: "ptrdiff_t",
        Float16Type: "_Float16",
        BFloat16Type: "__bf16",
        Float32Type: "float",
        Float64Type: "double",
    }
)
# For each float type, the number of digits after the first one, and the suffix of a literal.
_FLOATS: Mapping[type[Attribute], tuple[int, str]] = MappingProxyType(
    {Float16Type: (5, "f16"), BFloat16Type: (4, "bf16"), Float32Type: (9, "f"), Float64Type: (17, "")}
)


def type_text(type_: Attribute) -> str:
    """Return the C++ of a type; for an lvalue, of the type of its contents. Raises ``Refused``."""
    if type(type_) in _PLAIN:
        return _PLAIN[type(type_)]
    match type_:
        case IntegerType(width=width) if width.data == 1:
            return "bool"
        case IntegerType(width=width) if width.data in _WIDTHS:
            unsigned = "u" if _is_unsigned(type_) else ""
            return f"{unsigned}int{width.data}_t"
        case EmitC_OpaqueType():
            return type_.value.data
        case EmitC_LValueType():
            return type_text(type_.value_type)
        case EmitC_PointerType() if not isinstance(type_.pointee_type, EmitC_ArrayType):
            return f"{type_text(type_.pointee_type)}*"
        case EmitC_ArrayType():
            return f"{type_text(type_.element_type)}{_extents(type_)}"
        case TensorType() if all(extent >= 0 for extent in type_.get_shape()):
            parts = [type_text(type_.element_type), *map(str, type_.get_shape())]
            return f"Tensor<{', '.join(parts)}>"
        case TupleType():
            return f"std::tuple<{', '.join(map(type_text, type_.types))}>"
    raise Refused(
        f"cannot emit type {type_}",
        "what works: i1, integers of 8, 16, 32 and 64 bits, f16, bf16, f32, f64, index, tensors of a fixed shape, tuples and "
        "types of emitc",
    )


def declared(type_: Attribute, name: str) -> str:
    """``int32_t v1``, ``float v2[4]``: a variable of a type. Raises ``Refused``."""
    if isinstance(type_, EmitC_ArrayType):
        return f"{type_text(type_.element_type)} {name}{_extents(type_)}"
    return f"{type_text(type_)} {name}"


def results_text(types: FunctionType | tuple[Attribute, ...]) -> str:
    """Return the C++ return type of a function. Raises ``Refused``."""
    results = types.outputs.data if isinstance(types, FunctionType) else types
    if any(isinstance(result, EmitC_ArrayType) for result in results):
        raise Refused("cannot emit array type as result type", "what works: a pointer to its elements")
    if not results:
        return "void"
    if len(results) == 1:
        return type_text(results[0])
    return f"std::tuple<{', '.join(map(type_text, results))}>"


def _extents(type_: EmitC_ArrayType) -> str:
    return "".join(f"[{extent}]" for extent in type_.get_shape())


def _is_unsigned(type_: Attribute) -> bool:
    return isinstance(type_, IntegerType) and type_.signedness.data is Signedness.UNSIGNED


def attribute_text(attribute: Attribute) -> str:
    """Return the C++ of a constant. Raises ``Refused``."""
    match attribute:
        case IntegerAttr():
            return _integer(attribute.value.data, attribute.type)
        case FloatAttr():
            return _float(attribute.value.data, attribute.type)
        case EmitC_OpaqueAttr():
            return attribute.value.data
        case DenseIntOrFPElementsAttr() | DenseArrayBase():
            return f"{{{', '.join(_elements(attribute))}}}"
        case ArrayAttr():
            return f"{{{', '.join(map(attribute_text, attribute))}}}"
        case SymbolRefAttr() if not attribute.nested_references.data:
            return attribute.root_reference.data
        case TypeAttribute():
            return type_text(attribute)
    raise Refused(
        f"cannot emit attribute: {attribute}",
        "what works: integers, floats, dense numbers, types, symbols and #emitc.opaque",
    )


def _elements(attribute: DenseIntOrFPElementsAttr | DenseArrayBase[Any]) -> list[str]:
    values: list[Any] = list(attribute.get_values())
    element: Attribute
    if isinstance(attribute, DenseArrayBase):
        element = attribute.elt_type
    else:
        element = attribute.get_element_type()
        if len(values) == 1:
            values *= prod(attribute.get_shape())
    if isinstance(element, IntegerType | IndexType):
        return [_integer(int(value), element) for value in values]
    return [_float(float(value), element) for value in values]


def _integer(value: int, type_: Attribute) -> str:
    if not isinstance(type_, IntegerType):
        return str(value)
    width = type_.width.data
    if width == 1:
        return "true" if value else "false"
    value %= 1 << width
    is_negative = not _is_unsigned(type_) and value >= 1 << (width - 1)
    return str(value - (1 << width) if is_negative else value)


def _float(value: float, type_: Attribute) -> str:
    if type(type_) not in _FLOATS:
        raise Refused(f"cannot emit a number of type {type_}", "what works: f16, bf16, f32 and f64")
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "-INFINITY" if value < 0 else "INFINITY"
    digits, end = _FLOATS[type(type_)]
    if not value:
        return f"{'-' if str(value).startswith('-') else ''}0.0e+00{end}"
    figures, exponent = _decimal(_rounded(abs(value), type_), digits)
    text = figures.ljust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{text[0]}.{text[1:]}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}{end}"


def _rounded(value: float, type_: Attribute) -> float:
    """Round a number to a float type."""
    match type_:
        case Float32Type():
            return float(struct.unpack("<f", struct.pack("<f", value))[0])
        case Float16Type():
            return float(struct.unpack("<e", struct.pack("<e", value))[0])
        case BFloat16Type():
            (bits,) = struct.unpack("<I", struct.pack("<f", value))
            bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
            return float(struct.unpack("<f", struct.pack("<I", bits))[0])
    return value


def _decimal(value: float, digits: int) -> tuple[str, int]:
    """The first digits of a positive number, and the power of ten of the first one.

    The algorithm is that of LLVM's ``APFloat::toString``: it first divides by a power of ten so that at most a few
    surplus digits are left, and then rounds these half up.
    """
    significand, denominator = value.as_integer_ratio()
    power = 1 - denominator.bit_length()
    significand *= 5**-power
    # 196 / 59 is a little more than the binary logarithm of ten.
    surplus = (significand.bit_length() - (digits * 196 + 58) // 59) * 59 // 196
    if surplus > 0:
        significand //= 10**surplus
        power += surplus
    figures = str(significand)
    exponent = power + len(figures) - 1
    if len(figures) <= digits:
        return figures, exponent
    kept = int(figures[:digits]) + (figures[digits] >= "5")
    return str(kept), exponent + len(str(kept)) - digits
