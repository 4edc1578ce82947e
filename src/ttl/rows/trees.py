"""Trees of rows: the expansion of a row into other rows."""

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
    """A row, by its name, applied to operands: those of the expanded row, numbers, and other applications.

    With ``as_is``, the row is not expanded again, because its undefined cases do not matter here.
    """

    row: str
    operands: tuple[Apply | RowOperand | float, ...]
    params: Params = ()
    as_is: bool = False


# The replacement of a row: an application, or one of its operands.
Expansion = Apply | RowOperand


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A row to expand: the types of its operands (numbers stand for themselves), its parameters, and its result's type.

    ``block`` is the type in which the row computes block operands.
    """

    operands: tuple[OperandType, ...]
    params: Params
    result: BlockType
    block: BlockType

    @property
    def args(self) -> tuple[RowOperand | float, ...]:
        """The operands as parts of an expansion: blocks by position, and numbers."""
        return tuple(
            RowOperand(position) if isinstance(operand, BlockType) else operand
            for position, operand in enumerate(self.operands)
        )

    def fill(self, number: float) -> Apply:
        """A block of the result's shape that is filled with a number."""
        value = number if self.result.dtype in _NOMINAL else wrapped(self.block.dtype, number)
        return Apply("fill", (), (value, self.result.shape, self.result.layout))


def limits(dtype: DType) -> tuple[int, int]:
    """The smallest and the largest integer of an element type."""
    low = -(1 << (dtype.bits - 1)) if dtype.kind == "int" else 0
    return low, low + (1 << dtype.bits) - 1


def wrapped(dtype: DType, number: float) -> float:
    """A number converted to an element type: integers modulo their width."""
    if dtype.is_float:
        return number
    low, high = limits(dtype)
    return (int(number) - low) % (high - low + 1) + low
