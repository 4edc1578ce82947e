"""All operations inside another one, quickly; integers that are constants."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Operation, SSAValue


def inside(op: Operation) -> list[Operation]:
    """Every operation in the regions of one, each before those inside it.

    The list is made at once, so what is in it can be erased and moved. xDSL's own ``walk`` is a tower of generators,
    and compiling is mostly walking.
    """
    found: list[Operation] = []
    _collect(op, found)
    return found


def _collect(op: Operation, found: list[Operation]) -> None:
    for region in op.regions:
        for block in region.blocks:
            each = block.first_op
            while each is not None:
                found.append(each)
                if each.regions:
                    _collect(each, found)
                each = each.next_op


def integer(value: SSAValue) -> int | None:
    """The integer a value is, where it is a constant."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        found = int(op.value.value.data)
        return found & 1 if op.value.type == i1 else found
    return None
