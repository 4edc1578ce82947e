"""Blocks that data movement kernels fill for the compute kernel: masks of padding, and scaler tiles of reductions."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, traits_def
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.effects import BUFFERS, L1, Effects, anywhere, changes, writes
from ttl.dialects.structure import MOVING
from ttl.dialects.types import DataflowBufferType
from ttl.ir.syntax import number_of, word_of
from ttl.rows.types import TILE

# The contents of the mask: 0 for elements and 1 for padding, as a condition; or 0 and minus infinity, as a summand.
MASKS = ("select", "lowest")


@irdl_op_definition
class WriteMaskOp(IRDLOperation):
    """Fills a block with a mask, and pushes it: ``rows`` and ``columns`` of its elements are not padding."""

    name = "ttl.write_mask"
    dfb = operand_def(DataflowBufferType)
    row_number = prop_def(IntegerAttr[I64], prop_name="rows")
    rows = number_of("rows", "Rows of elements that are not padding.")
    column_number = prop_def(IntegerAttr[I64], prop_name="columns")
    columns = number_of("columns", "Columns of elements that are not padding.")
    kind_word = prop_def(StringAttr, prop_name="kind")
    kind = word_of("kind", "One of ``MASKS``.")
    assembly_format = "$kind $dfb `rows` $rows `columns` $columns attr-dict `:` type($dfb)"
    traits = traits_def(MOVING, Effects(changes(BUFFERS), writes(L1, of=anywhere)))

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


@irdl_op_definition
class WriteScalerOp(IRDLOperation):
    """Fills a block with the scaler tile, with which reductions multiply, and pushes it.

    ``count`` is the number of columns, or rows, of the reduced tile that count: 32, or fewer where the last ones are
    padding.
    """

    name = "ttl.write_scaler"
    dfb = operand_def(DataflowBufferType)
    count_number = prop_def(IntegerAttr[I64], prop_name="count")
    count = number_of("count", "How many count.")
    along_word = prop_def(StringAttr, prop_name="along")
    along = word_of("along", "``columns`` or ``rows``.")
    assembly_format = "$dfb `counts` $count $along attr-dict `:` type($dfb)"
    traits = traits_def(MOVING, Effects(changes(BUFFERS), writes(L1, of=anywhere)))

    def __init__(self, dfb: SSAValue, count: int, along: str) -> None:
        super().__init__(
            operands=[dfb], properties={"count": IntegerAttr(count, i64), "along": StringAttr(along)}
        )

    def verify_(self) -> None:
        if self.along not in ("columns", "rows"):
            raise VerifyException(f"columns or rows count, not {self.along}")
        if not 1 <= self.count <= TILE:
            raise VerifyException(f"a tile has {TILE} {self.along}, so {self.count} cannot count")
