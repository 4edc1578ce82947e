"""The C++ types of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import Float32Type, Float64Type, IndexType, IntegerType
from xdsl.ir import Operation, SSAValue

from ttl.analysis.arithmetic import is_bool, modulo_of
from ttl.analysis.intervals import LONG, SHORT, exactly
from ttl.analysis.ranges import Ranges
from ttl.codegen.cpp.demand import inputs_of
from ttl.dialects.ttkernel import KernelSemaphoreType, L1AddrPtrType, NocAddrType

POINTER = "volatile tt_l1_ptr uint32_t*"


def type_of(value: SSAValue, ranges: Ranges) -> str:
    """The type of a variable that holds a value: unsigned where it cannot be negative.

    An ``index`` of 64 bits is signed, so that operands of 32 bits keep their signs when they are converted to it.
    Raises TypeError for a value that a variable cannot hold.
    """
    match value.type:
        case IndexType() if ranges.held(value).bits == LONG:
            return "int64_t"
        case IndexType() | IntegerType():
            if is_bool(value):
                return "bool"
            return f"{'u' if ranges.held(value).is_natural else ''}int{bits_of(value, ranges)}_t"
        case NocAddrType():
            return "uint64_t"
        case L1AddrPtrType() | KernelSemaphoreType():
            return POINTER
        case Float32Type() | Float64Type():
            return float_type(value)
    raise TypeError(f"no variable of C++ holds a {value.type}")


def element_type(members: Sequence[int]) -> str:
    """The smallest type of an array that can hold some integers: kernels have little memory of their own."""
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
        # The kernel writes through the pointer, whose type follows from the cast in its initialiser.
        return f"const auto {variable}" if constant else f"{ctype} {variable}"
    return f"const {ctype} {variable}" if constant else f"{ctype} {variable}"


def bits_of(value: SSAValue, ranges: Ranges) -> int:
    """Return the bits of an integer in C++: for an ``index``, as many as its numbers need."""
    if isinstance(value.type, IntegerType):
        return LONG if value.type.width.data > SHORT else SHORT
    return ranges.held(value).bits


def is_long_index(value: SSAValue, ranges: Ranges) -> bool:
    """Whether a value is an ``index`` of 64 bits."""
    return isinstance(value.type, IndexType) and bits_of(value, ranges) == LONG


def is_long(op: Operation, ranges: Ranges) -> bool:
    """Whether an operation on indices needs 64 bits: its numbers do not all fit one type of 32 bits."""
    kind = type(op)
    if kind not in _RINGS and kind not in _ORDERED:
        return False
    operands = inputs_of(op)
    if not isinstance(operands[0].type, IndexType):
        return False
    if any(is_long_index(value, ranges) for value in (*operands, *op.results)):
        return True
    a, b = map(ranges.of, operands)
    if kind in _SHIFTS and (b.high is None or b.high >= SHORT):
        return True
    if isinstance(op, arith.CeilDivSIOp | arith.CeilDivUIOp):
        return not (a | b | (a + b)).fits(SHORT)
    is_ordered = kind in _ORDERED or modulo_of(op) is not None
    return is_ordered and not (a | b).fits(SHORT)


# Operations whose lowest 32 bits depend only on the lowest 32 bits of their operands.
_RINGS = frozenset(
    {arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.ShLIOp}
)
_SHIFTS = frozenset({arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp})
_ORDERED = frozenset(
    {
        arith.CmpiOp, arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp, arith.DivSIOp, arith.DivUIOp,
        arith.RemSIOp, arith.RemUIOp, arith.MinSIOp, arith.MinUIOp, arith.MaxSIOp, arith.MaxUIOp, arith.ShRSIOp,
        arith.ShRUIOp,
    }
)  # fmt: skip


def counter_type(op: scf.ForOp, ranges: Ranges) -> str:
    """The type of the counter of a loop, which must also hold the first number after the last iteration."""
    lower, upper = ranges.of(op.lb), ranges.of(op.ub)
    if isinstance(op.lb.type, IndexType):
        bits = (lower | upper | (upper + ranges.of(op.step) - exactly(1))).bits
        if bits == LONG:
            return "int64_t"
    else:
        bits = bits_of(op.lb, ranges)
    return f"{'u' if lower.is_natural and upper.is_natural else ''}int{bits}_t"
