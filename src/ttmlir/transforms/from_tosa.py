"""``convert-tosa-to-ttir``: models in TOSA become TTIR."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tt_model.operations.emission import Emission, constraints_of_tiles
from tt_model.operations.operation import TTIROperation
from tt_model.operations.tosa import CONVERTED, TosaOperation
from ttl.analysis.dominance import of_kinds
from ttl.ir.failure import NotLegalized, not_legalized
from ttl.ir.reports import Report


@dataclass(frozen=True)
class ConvertTosaToTTIR(ModulePass):
    """Convert TOSA to TTIR.

    Expects: functions of TOSA's abs, add, greater_equal, mul, negate and sub, and of TTIR. Guarantees: TTIR,
    ``tensor.empty``, functions and returns only. Each operation writes to a ``tensor.empty`` of its own and constrains
    all its operands to tiles on the device; types stay, so a comparison returns i1. All operations without a conversion
    are reported.
    """

    name = "convert-tosa-to-ttir"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if reports := list(_refused(op)):
            raise NotLegalized(reports)
        for inner in of_kinds(op, TosaOperation):
            assert inner.BECOMES is not None  # the others are refused
            emission = Emission(inner)
            type = inner.results[0].type
            assert isinstance(type, TensorType)
            empty = emission.empty(type)
            converted = emission.make(
                inner.BECOMES.name,
                [tuple(inner.operands), empty],
                type,
                operand_constraints=constraints_of_tiles(len(inner.operands) + 1),
            )
            emission.replace([converted])


def _refused(module: ModuleOp) -> Iterator[Report]:
    for op in module.walk():
        if isinstance(op, TosaOperation) and op.BECOMES is not None:
            if (condition := _condition(op, op.BECOMES.ROW.takes)) is not None:
                yield not_legalized(op, condition, explicitly=True)
        elif op.name.startswith("tosa."):
            names = ", ".join(CONVERTED)
            yield not_legalized(
                op, f"these operations of TOSA are converted to TTIR: {names}", explicitly=True
            )
        elif not _is_legal(op):
            yield not_legalized(op, "beside TOSA there may be TTIR, tensor.empty, functions and returns")


def _is_legal(op: Operation) -> bool:
    return isinstance(op, ModuleOp | FuncOp | ReturnOp | EmptyOp | TTIROperation)


def _condition(op: Operation, count: int) -> str | None:
    """Return why an operation has no counterpart in TTIR, which would have ``count`` operands; None if it has one."""
    if len(op.operands) != count or len(op.results) != 1:
        return (
            f"it has to have {count} operand{'s' if count > 1 else ''} and a result, and has {len(op.operands)} and "
            f"{len(op.results)}: the form is that of LLVM 19, in which a shift is an attribute"
        )
    shift = op.attributes.get("shift", op.properties.get("shift"))
    if isinstance(shift, IntegerAttr) and shift.value.data:
        return f"shift has to be 0, and is {shift.value.data}: ttir.multiply does not shift its products"
    return None
