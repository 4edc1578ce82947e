"""Integers of 64 bits in later text become 32 bits: of what only moves, chooses or counts these are enough; the rest is refused."""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ttl.ir.refusals import Refused
from ttmlir.integers.bounds import CODE
from ttmlir.integers.kinds import WIDEST, IntegerKind, kind_of

# Their elements are those of operands, which 32 bits hold, or no larger; or positions and extents.
_NO_LARGER: Final = frozenset(
    {
        *("all_gather", "broadcast", "concat", "concatenate_heads", "embedding", "empty", "index", "index_select", "mesh_partition"),
        *("mesh_shard", "permute", "repeat", "repeat_interleave", "reshape", "reverse", "select", "slice_static", "squeeze"),
        *("transpose", "unsqueeze", "where", "max", "maximum", "min", "minimum", "relu", "relu6", "remainder", "sign", "signbit"),
        *("pad", "clamp_scalar", "clamp_tensor", "arange", "get_dimension_size", "ones", "zeros", "full", "constant", "trunc"),
        *("ceil", "floor"),
    }
)  # fmt: skip


def require_no_more_bits(name: str, op: Operation) -> None:
    """Raises ``Refused`` for an operation that may make an integer of 64 bits that 32 do not hold."""
    wide = next((kind for kind in map(_kind, op.results) if kind is not None and kind.width > WIDEST), None)
    if wide is None or name in _NO_LARGER or (name == "typecast" and _is_narrow(op.operands[0])):
        return
    raise Refused(
        f"its {wide} may need more bits than the {WIDEST} that the device has for it [{CODE}]",
        "what works: integers of 32 bits in the text; or the model from its framework, where it is known how large its numbers are",
    )


def _kind(value: SSAValue) -> IntegerKind | None:
    return kind_of(value.type.element_type) if isinstance(value.type, TensorType) else None


def _is_narrow(value: SSAValue) -> bool:
    """Whether all numbers of a type are among those that the device has of int64."""
    kind = _kind(value)
    if kind is None:
        return str(getattr(value.type, "element_type", "")) == "i1"
    return kind.width < WIDEST or kind.is_signed
