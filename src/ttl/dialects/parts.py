"""Parts of values: they represent sub-views of blocks between the first and the last step of ``ttl-materialize``."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, operand_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.elements import block_type_of, value_type
from ttl.dialects.structure import COMPUTING
from ttl.dialects.types import BlockMemoryType
from ttl.ir.syntax import operation_definition


def check_part(whole: Attribute, offsets: Sequence[SSAValue], shape: Sequence[int]) -> None:
    """Raise ``VerifyException`` where offsets and extents are not a part of a block, or of its value."""
    assert isinstance(whole, TensorType | BlockMemoryType)
    around = whole.shape if isinstance(whole, BlockMemoryType) else whole.get_shape()
    if not len(offsets) == len(shape) == len(around):
        raise VerifyException(
            f"a part of {whole} has {len(around)} offsets and extents, not {len(offsets)} and {len(shape)}"
        )
    if any(not 1 <= extent <= most for extent, most in zip(shape, around, strict=True)):
        raise VerifyException(f"{list(shape)} is not part of {whole}")


@operation_definition
class BlockPartOp(IRDLOperation):
    """A part of a value, which starts at an offset in tiles along each dimension."""

    name = "ttl.block_part"
    whole = operand_def(TensorType)
    offsets = var_operand_def(IndexType())
    result = result_def(TensorType)
    assembly_format = "$whole `[` $offsets `]` attr-dict `:` type($whole) `->` type($result)"
    traits = traits_def(COMPUTING, Pure())

    def __init__(self, whole: SSAValue, offsets: Sequence[SSAValue], shape: tuple[int, ...]) -> None:
        part = value_type(block_type_of(whole.type).with_shape(shape))
        super().__init__(operands=[whole, offsets], result_types=[part])

    def verify_(self) -> None:
        check_part(self.whole.type, self.offsets, self.result.type.get_shape())


@operation_definition
class BlockInsertOp(IRDLOperation):
    """A value with a part replaced, which starts at an offset in tiles along each dimension."""

    name = "ttl.block_insert"
    whole = operand_def(TensorType)
    part = operand_def(TensorType)
    offsets = var_operand_def(IndexType())
    result = result_def(TensorType)
    assembly_format = (
        "$part `into` $whole `[` $offsets `]` attr-dict `:` type($part) `,` type($whole) `->` type($result)"
    )
    traits = traits_def(COMPUTING, Pure())

    def __init__(self, whole: SSAValue, part: SSAValue, offsets: Sequence[SSAValue]) -> None:
        super().__init__(operands=[whole, part, offsets], result_types=[whole.type])

    def verify_(self) -> None:
        assert isinstance(self.part.type, TensorType)
        check_part(self.whole.type, self.offsets, self.part.type.get_shape())
