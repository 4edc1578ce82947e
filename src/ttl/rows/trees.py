"""Rows written in other rows: what an expansion is made of."""

from __future__ import annotations

from dataclasses import dataclass

from ttl.rows.dtypes import REAL_NUMBER, WHOLE_NUMBER, DType
from ttl.rows.row import OperandType, Params
from ttl.rows.types import BlockType

_NOMINAL = (WHOLE_NUMBER, REAL_NUMBER)


@dataclass(frozen=True, slots=True)
class RowOperand:
    """An operand of the row that is expanded, by its position."""

    position: int


@dataclass(frozen=True, slots=True)
class Apply:
    """A row, by its name, applied to operands: given ones, numbers, and other applications.

    ``as_is``: what the row leaves undefined here does not matter, so it is not expanded again.
    """

    row: str
    operands: tuple[Apply | RowOperand | float, ...]
    params: Params = ()
    as_is: bool = False


# The replacement of a row: an application, or one of its operands.
Expansion = Apply | RowOperand


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A row to expand: its operands' types (numbers are given as they are), parameters and the result's type.

    ``block`` is the type that the block operands are computed in.
    """

    operands: tuple[OperandType, ...]
    params: Params
    result: BlockType
    block: BlockType

    @property
    def args(self) -> tuple[RowOperand | float, ...]:
        """The operands as an expansion names them."""
        return tuple(
            RowOperand(position) if isinstance(operand, BlockType) else operand
            for position, operand in enumerate(self.operands)
        )

    def fill(self, number: float) -> Apply:
        """A block of one number, of the shape of the result."""
        value = number if self.result.dtype in _NOMINAL else wrapped(self.block.dtype, number)
        return Apply("fill", (), (value, self.result.shape, self.result.layout))


def limits(dtype: DType) -> tuple[int, int]:
    """The smallest and the largest integer of an element type."""
    low = -(1 << (dtype.bits - 1)) if dtype.kind == "int" else 0
    return low, low + (1 << dtype.bits) - 1


def wrapped(dtype: DType, number: float) -> float:
    """A number as an element type holds it: integers modulo their width."""
    if dtype.is_float:
        return number
    low, high = limits(dtype)
    return (int(number) - low) % (high - low + 1) + low
