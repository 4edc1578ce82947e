"""Block expressions: what operators and ``ttl.math`` functions build (specification, "Block")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ttl import control
from ttl.lang.check import fail, not_constructed
from ttl.lang.context import current
from ttl.lang.operators import Operators
from ttl.rules.expressions import compared, no_array

if TYPE_CHECKING:
    from ttl.rows.dtypes import DType
    from ttl.rows.row import Op, Params


class BlockExpr(Operators):
    """A block, or an expression over blocks. Its value is computed when it is stored."""

    __slots__ = ()

    def __init__(self, *arguments: Any) -> None:
        not_constructed("a block expression", "combine blocks with operators and ttl.math functions")

    __hash__ = object.__hash__

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        """Identity, so that blocks can be in containers; an error for what can never be the same object."""
        if self is other or other is None or isinstance(other, BlockExpr):
            return self is other
        fail(compared(other))

    def __array__(self, *options: Any, **more: Any) -> NoReturn:
        """An error: NumPy would make an array of objects."""
        fail(no_array())

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


apply = control.function("apply", apply)
