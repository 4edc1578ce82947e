"""Block expressions: what operators and ``ttl.math`` functions build (specification, "Block")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ttl.lang.context import current
from ttl.lang.operators import Operators

if TYPE_CHECKING:
    from ttl.ops.dtypes import DType
    from ttl.ops.row import Op, Params


class BlockExpr(Operators):
    """A block, or an expression over blocks. Its value is computed when it is stored."""

    __slots__ = ()

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape in tiles (tiled) or elements (row-major), outermost dimension first."""
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """Element type."""
        raise NotImplementedError


def apply(op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
    """Apply an operation of the table to blocks, expressions and numbers."""
    for operand in operands:
        if isinstance(operand, BlockExpr):
            return operand._apply(op, operands, params)
    return current(op.spellings[0]).apply(op, operands, params)
