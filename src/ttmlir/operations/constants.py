"""What constants consist of."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType

from ttl.ir.dense import first_of, is_splat
from ttmlir.operations.ttir import TTIRConstantOp, TTIRFillOp


def splat_of(op: TTIRConstantOp | TTIRFillOp) -> float | None:
    """The number of which a constant consists; None where there are several, or one of a type without numbers."""
    value = op.value
    if not (isinstance(value, DenseIntOrFPElementsAttr) and is_splat(value)):
        return None
    element = value.type.element_type
    if isinstance(element, IntegerType) and element.width.data not in (1, 8, 16, 32, 64):
        return None
    number = first_of(value)
    return float(number) if isinstance(number, int | float) else None
