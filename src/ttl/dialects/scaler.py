"""What a data movement kernel does for reductions of the compute kernel."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, traits_def
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.effects import ActsOnOperands
from ttl.dialects.types import DataflowBufferType
from ttl.ir.syntax import number_of, word_of
from ttl.ops.types import TILE


@irdl_op_definition
class WriteScalerOp(IRDLOperation):
    """Fills a block with the tile that reductions multiply with, and hands it over.

    So many columns, or rows, of what is reduced count: 32, or fewer where the last ones are padding.
    """

    name = "ttl.write_scaler"
    dfb = operand_def(DataflowBufferType)
    count_number = prop_def(IntegerAttr[I64], prop_name="count")
    count = number_of("count", "How many count.")
    along_word = prop_def(StringAttr, prop_name="along")
    along = word_of("along", "``columns`` or ``rows``.")
    assembly_format = "$dfb `counts` $count $along attr-dict `:` type($dfb)"
    traits = traits_def(ActsOnOperands())

    def __init__(self, dfb: SSAValue, count: int, along: str) -> None:
        super().__init__(
            operands=[dfb], properties={"count": IntegerAttr(count, i64), "along": StringAttr(along)}
        )

    def verify_(self) -> None:
        if self.along not in ("columns", "rows"):
            raise VerifyException(f"columns or rows count, not {self.along}")
        if not 1 <= self.count <= TILE:
            raise VerifyException(f"a tile has {TILE} {self.along}, so {self.count} cannot count")
