"""The values of operations that are known without running them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ttl.ir.dense import dense
from ttmlir.operations.tensors import shape_of
from ttmlir.operations.verify_common import output_type

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from ttmlir.operations.ttir import TTIRConstantOp, TTIRGetDimensionSizeOp


def value_of_constant(op: TTIRConstantOp) -> Attribute | None:
    """A constant is its ``value``."""
    return op.value


def dimension_size(op: TTIRGetDimensionSizeOp) -> Attribute | None:
    """An extent of the operand's type, repeated in the type of the result; None where it is not known,
    or is more than its element type holds."""
    extent = shape_of(op.operand)[op.dimension]
    if extent < 0:
        return None
    type: Any = output_type(op)
    try:
        return dense(type, [extent])
    except ValueError:  # more than the element type holds
        return None
