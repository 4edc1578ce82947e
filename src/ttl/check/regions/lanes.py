"""Which elements of the tiles of a value are defined, in the values of one kernel.

A reduction over the innermost dimension leaves its results in column 0 of each tile, over the next one in row 0. An
operation that takes such a value element by element together with the data it was reduced from is right in these
elements only. Values that come from loops, branches or memory count as defined everywhere and as derived from nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import OpResult, SSAValue

from ttl.dialects import ttl as dialect
from ttl.ops.rules import elementwise_valid

_ROW, _COLUMN = -2, -1


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of a value."""

    undefined: frozenset[int] = frozenset()
    """Of the dimensions -2 and -1 those in which only the first element of a tile is defined."""
    data: frozenset[SSAValue] = frozenset()
    """Blocks that it was computed from, element by element and everywhere."""
    reduced: frozenset[SSAValue] = frozenset()
    """Blocks that the reductions in it were computed from."""
    reduction: dialect.BlockComputeOp | None = None


@dataclass(frozen=True, slots=True)
class Clash:
    """A reduction that meets what it was reduced from."""

    reduction: dialect.BlockComputeOp
    dims: tuple[int, ...]
    operand: int
    """The position of the reduction among the operands."""

    @property
    def where(self) -> str:
        """Where the results are."""
        if len(self.dims) > 1:
            return "element (0, 0)"
        return "column 0" if self.dims == (_COLUMN,) else "row 0"


class Lanes:
    """What is known of the values of a kernel; ``visit`` its operations in order."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, Value] = {}

    def visit(self, op: dialect.BlockComputeOp) -> Clash | None:
        """Note what an operation computes; the clash among its operands, if there is one."""
        operands = [self._of(operand) for operand in op.operands]
        row = op.row
        if row.undefined is not None:
            (operand,) = operands
            rank = len(dialect.block_type_of(op.result.type).shape)
            dims = {dim if dim < 0 else dim - rank for dim in op.params[0]}
            self._known[op.result] = Value(
                operand.undefined | (dims & {_ROW, _COLUMN}),
                frozenset(),
                operand.data | operand.reduced,
                op,
            )
            return None
        if row.valid_rule is not elementwise_valid:
            return None
        undefined = frozenset().union(*(operand.undefined for operand in operands))
        whole = [operand for operand in operands if not operand.undefined]
        self._known[op.result] = Value(
            undefined,
            frozenset().union(*(operand.data for operand in whole)),
            frozenset().union(*(operand.reduced for operand in operands)),
            next((operand.reduction for operand in operands if operand.undefined), None),
        )
        for position, operand in enumerate(operands):
            if operand.reduction is None or not operand.undefined:
                continue
            if any(other.data & operand.reduced for other in whole):
                return Clash(operand.reduction, tuple(sorted(operand.undefined)), position)
        return None

    def _of(self, value: SSAValue) -> Value:
        if isinstance(value, OpResult) and isinstance(value.op, dialect.BlockReadOp):
            return Value(data=frozenset({value.op.block}))
        return self._known.get(value, Value())
