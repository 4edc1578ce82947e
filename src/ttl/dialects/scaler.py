"""What a data movement kernel does for reductions of the compute kernel."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, traits_def

from ttl.dialects.effects import ActsOnOperands
from ttl.dialects.types import DataflowBufferType


@irdl_op_definition
class WriteScalerOp(IRDLOperation):
    """Fills a block with the tile that reductions multiply with, and hands it over."""

    name = "ttl.write_scaler"
    dfb = operand_def(DataflowBufferType)
    assembly_format = "$dfb attr-dict `:` type($dfb)"
    traits = traits_def(ActsOnOperands())

    def __init__(self, dfb: SSAValue) -> None:
        super().__init__(operands=[dfb])
