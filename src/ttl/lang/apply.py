"""Operations of the table, applied to blocks, expressions and numbers: called by the functions of ``ttl.math`` and
``ttl.block``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ttl import control
from ttl.lang.context import current
from ttl.lang.expr import BlockExpr, applied_to

if TYPE_CHECKING:
    from ttl.rows.row import Op, Params


def apply(op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
    """Apply an operation of the table to blocks, expressions and numbers."""
    for operand in operands:
        if isinstance(operand, BlockExpr):
            return applied_to(operand, op, operands, params)
    return current(op.spellings[0]).apply(op, operands, params)


apply = control.function("apply", apply)
