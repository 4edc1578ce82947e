"""Tensors without elements, as ``associative_scan`` has them at its ends: they become nothing, and what takes one is the rest."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from ttl.ir.refusals import Refused
from ttmlir.stablehlo.dialect import (
    PRODUCTS,
    HLOConcatenate,
    HLOControlFlow,
    HLOGather,
    HLOOperation,
    HLOPad,
    HLOReduce,
    HLOScatter,
    HLOUpdate,
)
from ttmlir.stablehlo.numbers import shape_of
from ttmlir.transforms.from_stablehlo.writer import Writer


def _has_none(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and 0 in value.type.get_shape()


def results_without_elements(op: Operation, w: Writer) -> Sequence[SSAValue] | None:
    """What becomes of an operation that gives or takes tensors without elements; None of others, and of joining."""
    given, created = (
        [one for one in op.operands if _has_none(one)],
        [one for one in op.results if _has_none(one)],
    )
    if not given and not created:
        return None
    if isinstance(op, ReturnOp | CallOp | HLOControlFlow) or not isinstance(op, HLOOperation):
        raise Refused(f"{(given or created)[0].type} has no elements", "what works: tensors with elements")
    if created:
        if len(created) < len(op.results):
            raise Refused(f"{created[0].type} has no elements", "what works: tensors with elements")
        w.has_tables = True
        return [w.stand_in(one) for one in op.results]
    if isinstance(op, (HLOGather, HLOScatter)) and given == [op.operands[1]]:
        return None  # the one place of what is whole
    if isinstance(op, HLOConcatenate):
        return None
    if isinstance(op, (HLOUpdate, HLOScatter)) and len(op.results) == 1:
        return [w[op.operands[0]]]
    if isinstance(op, (HLOPad, HLOReduce)) and len(op.operands) == 2:
        return [_filled(op, w[op.operands[1]], w)]
    if isinstance(op, PRODUCTS):
        type = w.result(op)
        return [w.filled(0, type.get_shape(), type.element_type)]
    raise Refused(f"{given[0].type} has no elements", "what works: tensors with elements")


def _filled(op: Operation, number: SSAValue, w: Writer) -> SSAValue:
    shape = shape_of(op.results[0])
    return w.broadcast(w.reshape(number, [1] * len(shape)), shape or (1,))
