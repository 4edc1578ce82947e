"""The C++ types of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from xdsl.dialects.builtin import Float32Type, Float64Type, IndexType, IntegerType
from xdsl.ir import SSAValue

from ttl.analysis.arithmetic import is_bool
from ttl.analysis.ranges import Ranges
from ttl.dialects.ttkernel import L1AddrType, NocAddrType, SemaphoreType

POINTER = "volatile tt_l1_ptr uint32_t*"


def type_of(value: SSAValue, ranges: Ranges) -> str:
    """The type of a variable that holds a value: unsigned where it cannot be negative.

    Raises TypeError for what no variable holds.
    """
    match value.type:
        case IndexType() | IntegerType():
            if is_bool(value):
                return "bool"
            return f"{'u' if ranges.of(value).is_natural else ''}int{bits_of(value)}_t"
        case NocAddrType():
            return "uint64_t"
        case L1AddrType() | SemaphoreType():
            return POINTER
        case Float32Type() | Float64Type():
            return float_type(value)
    raise TypeError(f"no variable of C++ holds a {value.type}")


def element_type(members: Sequence[int]) -> str:
    """The smallest type of an array that holds some integers: kernels have little memory of their own."""
    least, most = min(members), max(members)
    for bits in (8, 16, 32):
        if least >= 0 and most < 2**bits:
            return f"uint{bits}_t"
        if least < 0 and -(2 ** (bits - 1)) <= least and most < 2 ** (bits - 1):
            return f"int{bits}_t"
    raise TypeError(f"no array of C++ holds integers from {least} to {most}")


def float_type(value: SSAValue) -> Literal["float", "double"]:
    """The type of C++ of a float."""
    return "double" if isinstance(value.type, Float64Type) else "float"


def declaration(value: SSAValue, variable: str, ranges: Ranges, *, constant: bool) -> str:
    """``const uint32_t row``: the declaration of a variable that holds a value."""
    ctype = type_of(value, ranges)
    if ctype.endswith("*"):
        # What it points to is written to. The type is that of the cast behind it.
        return f"const auto {variable}" if constant else f"{ctype} {variable}"
    return f"const {ctype} {variable}" if constant else f"{ctype} {variable}"


def bits_of(value: SSAValue) -> int:
    """How many bits an integer has in C++: those of an ``index`` are 32."""
    if isinstance(value.type, IntegerType):
        return 64 if value.type.width.data > 32 else 32
    return 32
