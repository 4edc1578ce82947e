"""Signposts, prints and assertions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    Float64Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i1,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.effects import BUFFERS, DRAM, L1, PROGRAM, Effects, reads, writes
from ttl.dialects.structure import RUNNING
from ttl.dialects.types import AccessorType, BlockMemoryType, DataflowBufferType
from ttl.ir.syntax import Keyword, operation_definition, word_of


@operation_definition
class SignpostOp(IRDLOperation):
    """Begins or ends a named range of time."""

    name = "ttl.signpost"
    range_name = prop_def(StringAttr, prop_name="name")
    signpost_name = word_of("name", "The name of the range.")
    edge_word = prop_def(StringAttr, prop_name="edge")
    edge = word_of("edge", "``begin`` or ``end``.")
    assembly_format = "custom<Keyword>($edge) $name attr-dict"
    custom_directives = (Keyword,)
    traits = traits_def(RUNNING, Effects(writes(PROGRAM)))

    def __init__(self, name: str, *, edge: Literal["begin", "end"]) -> None:
        super().__init__(properties={"name": StringAttr(name), "edge": StringAttr(edge)})

    def verify_(self) -> None:
        if self.edge not in ("begin", "end"):
            raise VerifyException(f"a signpost is of the begin or the end of a range, not {self.edge}")


# The types that can be printed: numbers, tensors, buffers, blocks, and values of blocks.
_PRINTED = (
    IndexType,
    IntegerType,
    Float64Type,
    TensorType,
    BlockMemoryType,
    DataflowBufferType,
    AccessorType,
)


@operation_definition
class PrintOp(IRDLOperation):
    """Prints pieces of text around its operands."""

    name = "ttl.print"
    texts = prop_def(ArrayAttr[StringAttr], prop_name="pieces")
    values = var_operand_def()
    pages = opt_prop_def(IntegerAttr[I64], prop_name="num_pages")
    assembly_format = "$pieces (`(` $values^ `:` type($values) `)`)? (`pages` $num_pages^)? attr-dict"
    traits = traits_def(RUNNING, Effects(reads(BUFFERS, L1, DRAM), writes(PROGRAM)))

    def __init__(
        self, pieces: Sequence[str], operands: Sequence[SSAValue], *, num_pages: int | None = None
    ) -> None:
        super().__init__(
            operands=[operands],
            properties={
                "pieces": ArrayAttr([StringAttr(piece) for piece in pieces]),
                "num_pages": None if num_pages is None else IntegerAttr(num_pages, i64),
            },
        )

    @property
    def pieces(self) -> tuple[str, ...]:
        """Text before, between and after the operands."""
        return tuple(piece.data for piece in self.texts)

    @property
    def num_pages(self) -> int | None:
        """The number of pages of a tensor or buffer to print."""
        return None if self.pages is None else self.pages.value.data

    def verify_(self) -> None:
        for operand in self.operands:
            if not isinstance(operand.type, _PRINTED):
                raise VerifyException(f"numbers, blocks, buffers and tensors are printed, not {operand.type}")
        if self.num_pages is not None and self.num_pages < 1:
            raise VerifyException(f"at least one page is printed, not {self.num_pages}")
        if len(self.pieces) != len(self.operands) + 1:
            raise VerifyException(
                f"there is text around {len(self.operands)} operands: {len(self.operands) + 1} pieces, not {len(self.pieces)}"
            )


@operation_definition
class AssertOp(IRDLOperation):
    """Stops the program when a condition does not hold."""

    name = "ttl.assert"
    condition = operand_def(i1)
    text = prop_def(StringAttr, prop_name="message")
    message = word_of("message", "What the program says when it stops.")
    assembly_format = "$condition `,` $message attr-dict"
    traits = traits_def(RUNNING, Effects(writes(PROGRAM)))

    def __init__(self, condition: SSAValue, message: str) -> None:
        super().__init__(operands=[condition], properties={"message": StringAttr(message)})
