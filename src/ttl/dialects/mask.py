"""What a data movement kernel does for blocks whose padding must not enter what is computed."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, traits_def
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.effects import ActsOnOperands
from ttl.dialects.types import DataflowBufferType
from ttl.ir.syntax import number_of, word_of

# What is in the mask: 1 for elements and 0 for padding, to choose with; or 0 and minus infinity, to add.
MASKS = ("select", "lowest")


@irdl_op_definition
class WriteMaskOp(IRDLOperation):
    """Fills a block with a mask, and hands it over: so many of its rows and columns are no padding."""

    name = "ttl.write_mask"
    dfb = operand_def(DataflowBufferType)
    row_number = prop_def(IntegerAttr[I64], prop_name="rows")
    rows = number_of("rows", "Rows of elements that are no padding.")
    column_number = prop_def(IntegerAttr[I64], prop_name="columns")
    columns = number_of("columns", "Columns of elements that are no padding.")
    kind_word = prop_def(StringAttr, prop_name="kind")
    kind = word_of("kind", "One of ``MASKS``.")
    assembly_format = "$kind $dfb `rows` $rows `columns` $columns attr-dict `:` type($dfb)"
    traits = traits_def(ActsOnOperands())

    def __init__(self, dfb: SSAValue, kind: str, rows: int, columns: int) -> None:
        super().__init__(
            operands=[dfb],
            properties={
                "kind": StringAttr(kind),
                "rows": IntegerAttr(rows, i64),
                "columns": IntegerAttr(columns, i64),
            },
        )

    def verify_(self) -> None:
        if self.kind not in MASKS:
            raise VerifyException(f"a mask is one of {', '.join(MASKS)}, not {self.kind}")
        if self.rows < 0 or self.columns < 0:
            raise VerifyException(f"a mask has no {self.rows} rows and {self.columns} columns")
