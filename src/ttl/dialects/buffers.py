"""Dataflow buffers, the blocks acquired from them, and reads and stores of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from xdsl.dialects.builtin import I64, Float64Type, IndexType, IntegerAttr, StringAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.effects import (
    BUFFERS,
    DRAM,
    L1,
    PROGRAM,
    BarrierType,
    Effects,
    SynchronizationOp,
    anywhere,
    changes,
    reads,
    writes,
)
from ttl.dialects.elements import block_type_of, value_type
from ttl.dialects.parts import check_part
from ttl.dialects.structure import COMPUTING, MOVING, RUNNING, InBody, Resource, hint_name
from ttl.dialects.types import BlockMemoryType, DataflowBufferType
from ttl.ir.syntax import (
    Keyword,
    operation_definition,
    parse_stripped,
    parse_stripped_operand,
    print_stripped,
    print_stripped_operand,
    word_of,
)
from ttl.rows.types import BlockType


@irdl_custom_directive
class StrippedBlock(CustomDirective):
    """``custom<StrippedBlock>(type($block))``: the type of a block without its name."""

    type_: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.type_.set(state, (parse_stripped(parser, BlockMemoryType),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        print_stripped(printer, self.type_.get(op)[0])


Scope = Literal["local", "remote_uniform"]
# How a block is released: by a call, at the end of a ``with``, or at a place that the compiler infers.
How = Literal["explicit", "with", "inferred"]
HOWS = ("explicit", "with", "inferred")


@operation_definition
class CreateDfbOp(Resource):
    """A dataflow buffer of every node. With ``in`` a tensor, its memory is the tensor's shard there, from a byte on."""

    name = "ttl.create_dfb"
    buffer_name = prop_def(StringAttr, prop_name="name")
    index = opt_prop_def(IntegerAttr[I64], prop_name="buffer_index")
    scope_word = opt_prop_def(StringAttr, prop_name="scope")
    group = opt_prop_def(IntegerAttr[I64], prop_name="group")
    memory = opt_operand_def(TensorType)
    byte_offset = opt_prop_def(IntegerAttr[I64], prop_name="byte_offset")
    result = result_def(DataflowBufferType)
    assembly_format = (
        "$name (`scope` $scope^)? (`group` $group^)? (`in` $memory^ `:` type($memory) `at` $byte_offset)? "
        "(`index` $buffer_index^)? attr-dict `:` type($result)"
    )
    traits = traits_def(InBody(), Effects(writes(BUFFERS)))

    def __init__(
        self,
        *,
        type: DataflowBufferType,
        name: str,
        buffer_index: int | None = None,
        scope: Scope = "local",
        group: int | None = None,
        memory: SSAValue | None = None,
        byte_offset: int = 0,
    ) -> None:
        super().__init__(
            operands=[memory],
            result_types=[type],
            properties={
                "name": StringAttr(name),
                "buffer_index": None if buffer_index is None else IntegerAttr(buffer_index, i64),
                "group": None if group is None else IntegerAttr(group, i64),
                "scope": None if scope == "local" else StringAttr(scope),
                "byte_offset": None if memory is None else IntegerAttr(byte_offset, i64),
            },
        )
        hint_name(self.result, name)

    def rename(self, name: str) -> None:
        """Give the buffer another name."""
        self.buffer_name = StringAttr(name)
        hint_name(self.result, name)

    @property
    def scope(self) -> Scope:
        """The scope of its address: ``local`` if the address may differ between nodes, else ``remote_uniform``."""
        return "local" if self.scope_word is None else "remote_uniform"

    @property
    def group_number(self) -> int | None:
        """The number of its allocation group in the operation."""
        return None if self.group is None else self.group.value.data

    @property
    def offset(self) -> int:
        """The offset of the buffer's memory in a shard, in bytes."""
        return 0 if self.byte_offset is None else self.byte_offset.value.data

    def verify_(self) -> None:
        if (self.memory is None) != (self.byte_offset is None):
            raise VerifyException("a buffer in the memory of a tensor begins at a byte of its shard")
        if self.scope_word is not None and self.scope_word.data != "remote_uniform":
            raise VerifyException(
                f"the scope of a buffer is remote_uniform, or not given, not {self.scope_word.data}"
            )
        numbers = {"index": self.buffer_index, "group": self.group_number, "byte offset": self.offset}
        for what, number in numbers.items():
            if number is not None and number < 0:
                raise VerifyException(f"the {what} of a buffer counts from 0, and is not {number}")

    @property
    def buffer_index(self) -> int | None:
        """The number of the buffer on the chip, once it has one."""
        return None if self.index is None else self.index.value.data


class AcquireOp(IRDLOperation, SynchronizationOp):
    """Waits for a block of a dataflow buffer."""

    dfb = operand_def(DataflowBufferType)
    result = result_def(BlockMemoryType)
    traits = traits_def(RUNNING, Effects(changes(BUFFERS)))

    BARRIERS: ClassVar[tuple[BarrierType, ...]] = (BarrierType.DFB,)

    def __init__(self, dfb: SSAValue) -> None:
        assert isinstance(dfb.type, DataflowBufferType)
        super().__init__(
            operands=[dfb], result_types=[BlockMemoryType(dfb.type.shape, dfb.type.element_type)]
        )

    @classmethod
    def parse(cls, parser: Parser) -> AcquireOp:
        dfb, attributes = parse_stripped_operand(parser, DataflowBufferType)
        op = cls(dfb)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        print_stripped_operand(printer, self, self.dfb)

    def verify_(self) -> None:
        dfb, block = self.dfb.type, self.result.type
        assert isinstance(dfb, DataflowBufferType) and isinstance(block, BlockMemoryType)
        if (dfb.shape, dfb.element_type) != (block.shape, block.element_type):
            raise VerifyException(f"a block of {dfb} is no {block}")


# The attribute of a buffer of tokens: the names of the buffers that are empty when all kernels have pushed their
# tokens. On operations on such a buffer, it says that the blocks hold no data.
RESETS = "ttl.resets"


@operation_definition
class DfbReserveOp(AcquireOp):
    """Waits for a free block, to be filled and pushed."""

    name = "ttl.dfb_reserve"


@operation_definition
class DfbWaitOp(AcquireOp):
    """Waits for a filled block, to be read and popped."""

    name = "ttl.dfb_wait"


class ReleaseOp(IRDLOperation):
    """Gives a block back to its buffer."""

    block = operand_def(BlockMemoryType)
    how_word = prop_def(StringAttr, prop_name="how")
    how = word_of("how", "By a call, at the end of a ``with``, or inferred.")
    assembly_format = "$block custom<Keyword>($how) attr-dict `:` custom<StrippedBlock>(type($block))"
    custom_directives = (Keyword, StrippedBlock)
    traits = traits_def(RUNNING, Effects(changes(BUFFERS), writes(L1, of=anywhere)))

    def __init__(self, block: SSAValue, *, how: How) -> None:
        super().__init__(operands=[block], properties={"how": StringAttr(how)})

    def verify_(self) -> None:
        if self.how not in HOWS:
            raise VerifyException(f"a block is given back {', '.join(HOWS)}, not {self.how}")


@operation_definition
class DfbPushOp(ReleaseOp):
    """Passes a filled block to the kernel that waits for it."""

    name = "ttl.dfb_push"


@operation_definition
class DfbPopOp(ReleaseOp):
    """Frees a block that was read."""

    name = "ttl.dfb_pop"


@operation_definition
class BlockViewOp(IRDLOperation):
    """A part of a block in memory that compute regions read or write; it starts at an offset along each dimension."""

    name = "ttl.block_view"
    block = operand_def(BlockMemoryType)
    offsets = var_operand_def(IndexType())
    result = result_def(BlockMemoryType)
    assembly_format = "$block `[` $offsets `]` attr-dict `:` type($block) `->` type($result)"
    traits = traits_def(RUNNING, Pure())

    def __init__(self, block: SSAValue, offsets: Sequence[SSAValue], shape: Sequence[int]) -> None:
        assert isinstance(block.type, BlockMemoryType)
        super().__init__(
            operands=[block, offsets], result_types=[BlockMemoryType(shape, block.type.element_type)]
        )

    def verify_(self) -> None:
        block, part = self.block.type, self.result.type
        assert isinstance(block, BlockMemoryType) and isinstance(part, BlockMemoryType)
        if block.element_type != part.element_type:
            raise VerifyException(f"a part of {block} has its elements, not {part.element_type}")
        check_part(block, self.offsets, part.shape)


def acquired_from(block: SSAValue) -> AcquireOp | None:
    """The operation that acquired a block or the block of a view; None where that depends on control flow."""
    while isinstance(block.owner, BlockViewOp):
        block = block.owner.block
    return block.owner if isinstance(block.owner, AcquireOp) else None


def dfb_of(block: SSAValue) -> SSAValue | None:
    """The dataflow buffer of a block; None where that depends on control flow."""
    acquire = acquired_from(block)
    return None if acquire is None else acquire.dfb


@operation_definition
class BlockReadOp(IRDLOperation):
    """The value of a block, as an operand of an expression; with offsets, of a part of it.

    ``%block[%i, %j] size [1, 2]``: a part of a block has an offset and an extent along each dimension, in tiles.
    """

    name = "ttl.block_read"
    block = operand_def(BlockMemoryType)
    offsets = var_operand_def(IndexType())
    result = result_def(TensorType)
    traits = traits_def(COMPUTING, Effects(reads(L1)))

    def __init__(
        self, block: SSAValue, offsets: Sequence[SSAValue] = (), shape: Sequence[int] | None = None
    ) -> None:
        assert isinstance(block.type, BlockMemoryType)
        type_ = block.type.block_type if shape is None else block.type.block_type.with_shape(tuple(shape))
        super().__init__(operands=[block, offsets], result_types=[value_type(type_)])

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the part that is read."""
        return block_type_of(self.result.type).shape

    @classmethod
    def parse(cls, parser: Parser) -> BlockReadOp:
        block = parser.parse_unresolved_operand()
        offsets = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE,
            lambda: parser.resolve_operand(parser.parse_unresolved_operand(), IndexType()),
        )
        shape = None
        if offsets is not None:
            parser.parse_keyword("size")
            shape = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(block, parse_stripped(parser, BlockMemoryType)), offsets or (), shape)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.block)
        if self.offsets:
            with printer.in_square_brackets():
                printer.print_list(self.offsets, printer.print_operand)
            printer.print_string(f" size {list(self.shape)}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        print_stripped(printer, self.block.type)

    def verify_(self) -> None:
        assert isinstance(self.block.type, BlockMemoryType)
        whole = self.block.type.block_type
        if self.offsets:
            check_part(self.block.type, self.offsets, self.shape)
        expected = value_type(whole.with_shape(self.shape) if self.offsets else whole)
        if self.result.type != expected:
            raise VerifyException(f"the value of {self.block.type} is {expected}, not {self.result.type}")


class _IntoBlockOp(IRDLOperation):
    block = operand_def(BlockMemoryType)
    value = operand_def(TensorType)
    offsets = var_operand_def(IndexType())
    assembly_format = (
        "$value `,` $block (`[` $offsets^ `]`)? attr-dict `:` type($value) `->` "
        "custom<StrippedBlock>(type($block))"
    )
    custom_directives = (StrippedBlock,)
    traits = traits_def(COMPUTING, Effects(writes(L1)))

    def __init__(self, block: SSAValue, value: SSAValue, offsets: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[block, value, offsets])

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the part that is written."""
        return block_type_of(self.value.type).shape

    def verify_(self) -> None:
        if self.offsets:
            assert isinstance(self.block.type, BlockMemoryType)
            check_part(self.block.type, self.offsets, self.shape)


@operation_definition
class BlockStoreOp(_IntoBlockOp):
    """Stores the value of an expression into a block, or into a part of it."""

    name = "ttl.block_store"


@operation_definition
class BlockAccumulateOp(_IntoBlockOp):
    """Adds to a reserved block, or to a part of it: the first time it stores, later times it adds."""

    name = "ttl.block_accumulate"
    traits = traits_def(Effects(changes(L1)))


class _ElementOp(IRDLOperation):
    """An element of a block: a coordinate for each dimension, in elements."""

    block = operand_def(BlockMemoryType)
    coordinates = var_operand_def(IndexType())
    custom_directives = (StrippedBlock,)
    traits = traits_def(MOVING)

    @property
    def block_type(self) -> BlockType:
        """Type of the block."""
        assert isinstance(self.block.type, BlockMemoryType)
        return self.block.type.block_type

    def verify_(self) -> None:
        rank = len(self.block_type.shape)
        if len(self.coordinates) != rank:
            raise VerifyException(
                f"an element of a block of rank {rank} has {rank} coordinates, not {len(self.coordinates)}"
            )


@operation_definition
class ElementReadOp(_ElementOp):
    """Reads one element of a block of floats."""

    name = "ttl.element_read"
    result = result_def(Float64Type())
    traits = traits_def(Effects(reads(L1)))
    assembly_format = "$block `[` $coordinates `]` attr-dict `:` custom<StrippedBlock>(type($block))"

    def __init__(self, block: SSAValue, coordinates: Sequence[SSAValue]) -> None:
        super().__init__(operands=[block, coordinates], result_types=[Float64Type()])


@operation_definition
class ReadIndexOp(_ElementOp):
    """Reads one element of a block as an index. An element that is not an index ends the program."""

    name = "ttl.read_index"
    result = result_def(IndexType())
    traits = traits_def(Effects(reads(L1), writes(PROGRAM)))
    assembly_format = "$block `[` $coordinates `]` attr-dict `:` custom<StrippedBlock>(type($block))"

    def __init__(self, block: SSAValue, coordinates: Sequence[SSAValue]) -> None:
        super().__init__(operands=[block, coordinates], result_types=[IndexType()])


@operation_definition
class ElementWriteOp(_ElementOp):
    """Writes one element of a block: rounded to float32, of which bfloat16 keeps the high half."""

    name = "ttl.element_write"
    value = operand_def(Float64Type())
    traits = traits_def(Effects(writes(L1)))
    assembly_format = (
        "$value `,` $block `[` $coordinates `]` attr-dict `:` custom<StrippedBlock>(type($block))"
    )

    def __init__(self, block: SSAValue, coordinates: Sequence[SSAValue], value: SSAValue) -> None:
        super().__init__(operands=[value, block, coordinates])


@operation_definition
class DfbResidentOp(IRDLOperation):
    """Declares a reserved block in the memory of a tensor as filled: its contents are the tensor's data."""

    name = "ttl.dfb_resident"
    block = operand_def(BlockMemoryType)
    assembly_format = "$block attr-dict `:` custom<StrippedBlock>(type($block))"
    custom_directives = (StrippedBlock,)
    traits = traits_def(MOVING, Effects(writes(L1, DRAM)))

    def __init__(self, block: SSAValue) -> None:
        super().__init__(operands=[block])


ELEMENT_READS = (ElementReadOp, ReadIndexOp)
