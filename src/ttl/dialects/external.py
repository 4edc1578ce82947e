"""Calls of the user's own C++."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, ArrayAttr, IndexType, IntegerAttr, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, opt_prop_def, opt_result_def, prop_def, traits_def, var_operand_def

from ttl.dialects.effects import ActsOnOperands
from ttl.ir.syntax import operation_definition, word_of

EXTERN = "ttl.extern"
"""The attribute of the steps on blocks that an external function takes: they are in its C++."""


@operation_definition
class ExternCallOp(IRDLOperation):
    """Calls a function of a header. ``text`` is the call around its operands; buffers stand for their numbers, tensors for their
    addresses.

    What it does to buffers are operations around it with the attribute ``ttl.extern``, and what an emulated chip checks.
    """

    name = "ttl.extern_call"
    header_name = prop_def(StringAttr, prop_name="header")
    header = word_of("header", "The path of the header.")
    callee_name = prop_def(StringAttr, prop_name="callee")
    callee = word_of("callee", "The name of the function.")
    texts = prop_def(ArrayAttr[StringAttr], prop_name="pieces")
    effects = prop_def(StringAttr)
    result_bits = opt_prop_def(IntegerAttr[I64])
    condition_number = opt_prop_def(IntegerAttr[I64], prop_name="condition")
    values = var_operand_def()
    result = opt_result_def(IndexType())
    assembly_format = (
        "$callee `of` $header $pieces (`(` $values^ `:` type($values) `)`)? `effects` $effects (`bits` $result_bits^)? "
        "(`condition` $condition^)? (`->` type($result)^)? attr-dict"
    )
    traits = traits_def(ActsOnOperands())

    def __init__(
        self,
        header: str,
        callee: str,
        pieces: Sequence[str],
        operands: Sequence[SSAValue],
        *,
        effects: str,
        bits: int | None = None,
        condition: int | None = None,
    ) -> None:
        numbers = {"result_bits": bits, "condition": condition}
        super().__init__(
            operands=[operands],
            result_types=[[] if bits is None else [IndexType()]],
            properties={
                **{name: IntegerAttr(value, i64) for name, value in numbers.items() if value is not None},
                "header": StringAttr(header),
                "callee": StringAttr(callee),
                "pieces": ArrayAttr([StringAttr(piece) for piece in pieces]),
                "effects": StringAttr(effects),
            },
        )

    @property
    def bits(self) -> int | None:
        """How many bits its result has; None without one."""
        return None if self.result_bits is None else self.result_bits.value.data

    @property
    def condition(self) -> int | None:
        """The number of the condition that it answers, in its operation."""
        return None if self.condition_number is None else self.condition_number.value.data

    @property
    def pieces(self) -> tuple[str, ...]:
        """Text before, between and after the operands."""
        return tuple(piece.data for piece in self.texts)
