"""The call that replaces a compute region after passes have moved its arithmetic to a function."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, traits_def, var_operand_def

from ttl.dialects.effects import DST, L1, Effects, changes
from ttl.dialects.structure import COMPUTING
from ttl.dialects.types import BlockMemoryType
from ttl.ir.syntax import word_of


@irdl_op_definition
class StructuredCallOp(IRDLOperation):
    """Computes blocks with a function of the module, whose arguments are their elements as memrefs.

    A string names the function, not a symbol: tools that do not know this dialect look for symbols in its regions.
    """

    name = "ttl.structured_call"
    blocks = var_operand_def(BlockMemoryType)
    callee_word = prop_def(StringAttr, prop_name="callee")
    callee = word_of("callee", "The name of the function.")
    assembly_format = "$callee `(` $blocks `)` attr-dict `:` type($blocks)"
    traits = traits_def(COMPUTING, Effects(changes(L1, DST)))

    def __init__(self, callee: str, blocks: Sequence[SSAValue]) -> None:
        super().__init__(operands=[blocks], properties={"callee": StringAttr(callee)})
