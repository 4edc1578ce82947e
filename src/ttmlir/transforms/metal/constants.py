"""``ttir-constant-as-fill``: constants become tensors that are filled."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, TensorType
from xdsl.dialects.tensor import EmptyOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tt_model.attributes.tt import OperandConstraintAttr
from tt_model.layouts.enums import OperandConstraint
from tt_model.operations.dialects import build
from tt_model.operations.ttir import TTIRConstantOp
from ttl.analysis.dominance import of_kinds


@dataclass(frozen=True)
class ConstantAsFill(ModulePass):
    """Convert ``ttir.constant`` to a ``tensor.empty`` and a ``ttir.fill``.

    Expects: TTIR. Guarantees: no ``ttir.constant``; each is a ``ttir.fill`` of a ``tensor.empty`` of the same type.
    """

    name = "ttir-constant-as-fill"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        constants = of_kinds(op, TTIRConstantOp)
        anywhere = ArrayAttr([OperandConstraintAttr(OperandConstraint.AnyDevice)])
        for constant in constants:
            type = constant.result.type
            assert isinstance(type, TensorType)
            empty = EmptyOp([], type)
            empty.location = constant.location
            fill = build(
                "ttir.fill",
                [empty.tensor],
                [type],
                {"value": constant.value, "operand_constraints": anywhere},
                location=constant.location,
            )
            Rewriter.replace_op(constant, [empty, fill], [fill.result])
