"""The C++ types of values."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, Float64Type, IndexType, IntegerType
from xdsl.ir import SSAValue

from ttl.codegen.cpp.patterns import bits_of, is_bool
from ttl.codegen.cpp.ranges import Ranges
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
            return "float"
    raise TypeError(f"no variable of C++ holds a {value.type}")


def same_type(a: SSAValue, b: SSAValue, ranges: Ranges) -> bool:
    """Whether one variable can hold both."""
    return type_of(a, ranges) == type_of(b, ranges)
