"""Builders of new operations that replace an old one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, LocationAttr, ModuleOp, NoneAttr, TensorType
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from tt_model.attributes.tt import OperandConstraintAttr
from tt_model.layouts.enums import OperandConstraint
from tt_model.operations.dialects import build
from tt_model.operations.tensors import Tensor
from ttl.ir.conversion import OpBuilder
from ttl.ir.failure import NotLegalized, not_legalized
from ttl.ir.locations import first_span
from ttl.ir.reports import Report


class Emission(OpBuilder):
    """Inserts operations just before the operation that they replace, by default with its location."""

    def __init__(self, op: Operation) -> None:
        assert op.parent is not None
        super().__init__(op.parent, anchor=op, location=op.location)
        self._op = op

    def make(
        self,
        name: str,
        operands: Sequence[SSAValue | Sequence[SSAValue] | None],
        type: Attribute,
        *,
        at: LocationAttr | None = None,
        **attributes: Any,
    ) -> SSAValue:
        """Insert an operation with one result. ``operands`` are by group."""
        try:
            op = build(name, operands, [type], attributes, location=self.location if at is None else at)
        except (ValueError, VerifyException) as problem:  # such as an extent that no attribute of it can hold
            note = f"'{name}' cannot hold its numbers: {problem}"
            raise NotLegalized([not_legalized(self._op, note, explicitly=True)]) from problem
        self.move(op)
        return op.result

    def empty(self, type: Tensor, at: LocationAttr | None = None) -> SSAValue:
        """Insert a ``tensor.empty``."""
        op = EmptyOp([], type)
        op.location = self.location if at is None else at
        self.move(op)
        return op.tensor

    def into_empty(
        self,
        name: str,
        operands: Sequence[SSAValue | Sequence[SSAValue] | None],
        type: Tensor,
        *,
        at: LocationAttr | None = None,
        **attributes: Any,
    ) -> SSAValue:
        """Insert an operation with one result and, as last operand, a new ``tensor.empty`` that it writes to."""
        return self.make(name, [*operands, self.empty(type, at)], type, at=at, **attributes)

    def tensor(self, shape: Sequence[int], element: Attribute, encoding: Attribute | None = None) -> Tensor:
        """The type of a tensor."""
        return TensorType(element, shape, NoneAttr() if encoding is None else encoding)

    def replace(self, values: Sequence[SSAValue]) -> None:
        """Replace the results of the old operation by ``values``, and erase it; this ends the emission."""
        for old, new in zip(self._op.results, values, strict=True):
            old.replace_all_uses_with(new)
        Rewriter.erase_op(self._op)


@lru_cache(maxsize=16)
def constraints_of_tiles(count: int) -> Attribute:
    """``operand_constraints`` for ``count`` operands in tiles on the device, in any memory and distribution."""
    return ArrayAttr([OperandConstraintAttr(OperandConstraint.AnyDeviceTile)] * count)


def about_module(module: ModuleOp, message: str, *notes: str) -> Report:
    """An error about a whole module; the source text is not shown with it."""
    place = first_span(module.location)
    return Report(
        message=message,
        span=place,
        notes=tuple(Report(message=text, severity="note", span=place) for text in notes),
    )
