"""Calls of the user's own C++."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    Float64Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.effects import BUFFERS, DRAM, DST, L1, PROGRAM, Effects, anywhere, changes, writes
from ttl.dialects.structure import RUNNING
from ttl.dialects.types import (
    AccessorType,
    BlockMemoryType,
    GroupType,
    PipeNetType,
    PipeType,
    RemoteSemaphoreType,
    SemaphoreType,
    SliceType,
    TransferType,
)
from ttl.ir.syntax import Keyword, operation_definition, word_of

_EFFECTS = re.compile(r"\d+:\d+(?:,\d+:\d+)*")
_TOUCHED = re.compile(r"(?:read|write):(\d+(?:x\d+)*):\d+(?:x\d+)*")
_NUMBERS = (IndexType, IntegerType, Float64Type, AccessorType, TensorType)
# Types that cannot be passed to C++, neither before nor after the conversion to the kernel API.
_NOT_PASSED = (
    TransferType,
    GroupType,
    PipeNetType,
    PipeType,
    SliceType,
    BlockMemoryType,
    SemaphoreType,
    RemoteSemaphoreType,
)

DECLARED = "ttl.tensors_declared"
"""The attribute of a call that declares all accesses of its C++ to tensors."""
EXTERN = "ttl.extern"
"""The attribute of operations on blocks that the C++ of an external function performs itself."""


@operation_definition
class ExternAccessOp(IRDLOperation):
    """A part of a tensor that the C++ of the call before it reads or writes."""

    name = "ttl.extern_access"
    kind_name = prop_def(StringAttr, prop_name="kind")
    kind = word_of("kind", "read or write.")
    part = operand_def(SliceType)
    assembly_format = "custom<Keyword>($kind) $part attr-dict `:` type($part)"
    custom_directives = (Keyword,)
    traits = traits_def(Effects(changes(DRAM)))

    def __init__(self, part: SSAValue, kind: str) -> None:
        super().__init__(operands=[part], properties={"kind": StringAttr(kind)})

    def verify_(self) -> None:
        if self.kind not in ("read", "write"):
            raise VerifyException(f"a part of a tensor is read or written, not {self.kind}")


@operation_definition
class ExternCallOp(IRDLOperation):
    """Calls a function of a header.

    ``pieces`` are the text of the call around its operands; a buffer is passed as its number, a tensor as its address.
    ``touched`` declares the parts of tensors that the function reads or writes: for each, the extents of the tensor in
    pages and the extents of the part. The last operands are the accessor and the first page of each part.

    Its accesses to buffers are represented by operations around it with the attribute ``ttl.extern``; ``effects`` are
    for the check of an emulated chip.
    """

    name = "ttl.extern_call"
    header_name = prop_def(StringAttr, prop_name="header")
    header = word_of("header", "The path of the header.")
    callee_name = prop_def(StringAttr, prop_name="callee")
    callee = word_of("callee", "The name of the function.")
    texts = prop_def(ArrayAttr[StringAttr], prop_name="pieces")
    effects = prop_def(StringAttr)
    result_bits = opt_prop_def(IntegerAttr[I64])
    touched = opt_prop_def(StringAttr)
    condition_number = opt_prop_def(IntegerAttr[I64], prop_name="condition")
    values = var_operand_def()
    result = opt_result_def(IndexType())
    assembly_format = (
        "$callee `of` $header $pieces (`(` $values^ `:` type($values) `)`)? `effects` $effects (`touching` $touched^)? (`bits` $result_bits^)? "
        "(`condition` $condition^)? (`->` type($result)^)? attr-dict"
    )
    traits = traits_def(RUNNING, Effects(changes(BUFFERS, DRAM, DST, PROGRAM), writes(L1, of=anywhere)))

    def __init__(
        self,
        header: str,
        callee: str,
        pieces: Sequence[str],
        operands: Sequence[SSAValue],
        *,
        effects: str,
        touched: str | None = None,
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
                **({} if touched is None else {"touched": StringAttr(touched)}),
            },
        )

    @property
    def bits(self) -> int | None:
        """The bits of its result; None without a result."""
        return None if self.result_bits is None else self.result_bits.value.data

    @property
    def condition(self) -> int | None:
        """The number, within the operation, of the condition whose value the call returns."""
        return None if self.condition_number is None else self.condition_number.value.data

    @property
    def pieces(self) -> tuple[str, ...]:
        """Text before, between and after the operands."""
        return tuple(piece.data for piece in self.texts)

    def verify_(self) -> None:
        effects, touched = self.effects.data, "" if self.touched is None else self.touched.data
        if effects and not _EFFECTS.fullmatch(effects):
            raise VerifyException(
                f"effects are pages pushed and popped of each buffer, such as 1:0,0:2, not {effects}"
            )
        parts = [match for text in touched.split(",") if text and (match := _TOUCHED.fullmatch(text))]
        if len(parts) != touched.count(",") + bool(touched):
            raise VerifyException(f"touched are parts of tensors, such as read:2x4:1x4, not {touched}")
        # The operands of each part are the accessor of its tensor, and its begin along each dimension that has pages.
        places = sum(2 + match[1].count("x") for match in parts)
        wanted = len(self.pieces) - 1 + effects.count(":") + places
        if len(self.operands) != wanted or not self.pieces:
            raise VerifyException(
                f"text, effects and parts of tensors have {max(wanted, 0)} operands, not {len(self.operands)}"
            )
        buffers = self.operands[len(self.pieces) - 1 : len(self.operands) - places]
        for buffer in buffers:
            if isinstance(buffer.type, _NUMBERS):
                raise VerifyException(f"effects are of buffers, not of {buffer.type}")
        for operand in self.operands:
            if isinstance(operand.type, _NOT_PASSED):
                raise VerifyException(f"numbers, buffers and tensors are passed to C++, not {operand.type}")
        if self.bits not in (None, 32, 64) or (self.bits is None) is not (self.result is None):
            raise VerifyException(
                f"the result of C++ has 32 or 64 bits, or 0 bits if there is no result, not {self.bits}"
            )
        if self.condition is not None and self.condition < 0:
            raise VerifyException(f"conditions are counted from 0, not {self.condition}")
