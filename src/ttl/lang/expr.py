"""Block expressions, which are built by operators and ``ttl.math`` functions (specification, "Block")."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NoReturn

from ttl.lang.check import fail, not_constructed
from ttl.lang.operators import Operators
from ttl.rows.table import EQ, NE
from ttl.rules.expressions import compared, no_array
from ttl.source.code import is_author_equality

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

    def __eq__(self, other: object) -> Any:
        """Compare elements if an author wrote ``==``; compare identity if Python itself compares, as in containers."""
        frame = sys._getframe(1)
        if is_author_equality(frame.f_code, frame.f_lasti):
            return self._apply(EQ, (self, other), ())
        return is_same(self, other)

    def __ne__(self, other: object) -> Any:
        """As ``==``, negated."""
        frame = sys._getframe(1)
        if is_author_equality(frame.f_code, frame.f_lasti):
            return self._apply(NE, (self, other), ())
        return not is_same(self, other)

    def __array__(self, *options: Any, **more: Any) -> NoReturn:
        """Always an error, because NumPy would make an array of objects."""
        fail(no_array())

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape in tiles (tiled) or elements (row-major), outermost dimension first."""
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """Element type."""
        raise NotImplementedError


def is_same(expr: BlockExpr, other: object) -> bool:
    """Return whether two values are the same object, as Python compares members of containers.

    Raises an error for a value that cannot be a block.
    """
    if expr is other or other is None or isinstance(other, BlockExpr):
        return expr is other
    fail(compared(other))


def applied_to(operand: BlockExpr, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
    """Apply an operation of the table to operands, one of which is ``operand``: its execution makes the expression."""
    return operand._apply(op, operands, params)
