"""What a data movement kernel does for reductions of the compute kernel."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, IntegerAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, traits_def
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.effects import ActsOnOperands
from ttl.dialects.types import DataflowBufferType
from ttl.ops.types import TILE


@irdl_op_definition
class WriteScalerOp(IRDLOperation):
    """Fills a block with the tile that reductions multiply with, and hands it over.

    So many columns of what is reduced count: 32, or fewer where the last ones are padding.
    """

    name = "ttl.write_scaler"
    dfb = operand_def(DataflowBufferType)
    column_number = prop_def(IntegerAttr[I64], prop_name="columns")
    assembly_format = "$dfb `columns` $columns attr-dict `:` type($dfb)"
    traits = traits_def(ActsOnOperands())

    def __init__(self, dfb: SSAValue, columns: int) -> None:
        super().__init__(operands=[dfb], properties={"columns": IntegerAttr(columns, i64)})

    @property
    def columns(self) -> int:
        """Columns that count."""
        return self.column_number.value.data

    def verify_(self) -> None:
        if not 1 <= self.columns <= TILE:
            raise VerifyException(f"a tile has {TILE} columns, so {self.columns} cannot count")
