"""Slices of tensors, copies, and waits for copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from xdsl.dialects.builtin import IndexType, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.compute import constant_of
from ttl.dialects.dist_tensor import DistTensorType
from ttl.dialects.effects import (
    DMA,
    DRAM,
    L1,
    PIPES,
    TRANSFERS,
    BarrierType,
    Effects,
    SynchronizationOp,
    anywhere,
    changes,
    reads,
    writes,
)
from ttl.dialects.structure import MOVING
from ttl.dialects.types import (
    AccessorType,
    BlockMemoryType,
    GroupType,
    PipeType,
    SliceType,
    TransferType,
)
from ttl.ir.rewriting import Foldable, Folds
from ttl.ir.syntax import (
    DYNAMIC,
    I64_ARRAY,
    Keyword,
    i64_array,
    ints_of,
    numbers_of,
    operation_definition,
    word_of,
)


@operation_definition
class TensorSliceOp(IRDLOperation, Foldable):
    """A slice of a tensor. Offsets and sizes are in tiles, or in elements where the tensor is row-major.

    ``%t[%i, %j size 2, %k size %n]``: an axis without a size is indexed by a number and has extent 1. A slice of the
    shard of a node has the type of the distribution: ``%t[%i size 1, %j size 2] of !ttl.dist_tensor<...>``.
    """

    name = "ttl.tensor_slice"
    accessor = operand_def(AccessorType)
    offsets = var_operand_def(IndexType)
    dynamic_sizes = var_operand_def(IndexType)
    static_sizes = prop_def(I64_ARRAY, prop_name="sizes")
    sizes = numbers_of("sizes", "Extent along each axis; -1 where an operand gives it.")
    single_axes = prop_def(I64_ARRAY, prop_name="single")
    shard_of = opt_prop_def(DistTensorType, prop_name="shard_of")
    result = result_def(SliceType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MOVING, Pure(), Folds())

    def __init__(
        self,
        accessor: SSAValue,
        offsets: Sequence[SSAValue],
        *,
        sizes: Sequence[int],
        single: Sequence[bool],
        dynamic_sizes: Sequence[SSAValue] = (),
        shard_of: DistTensorType | None = None,
    ) -> None:
        assert isinstance(accessor.type, AccessorType)
        super().__init__(
            operands=[accessor, offsets, dynamic_sizes],
            result_types=[SliceType(sizes, accessor.type.element_type)],
            properties={
                "sizes": i64_array(sizes),
                "single": i64_array([int(axis) for axis in single]),
                "shard_of": shard_of,
            },
        )

    @property
    def single(self) -> tuple[bool, ...]:
        """Whether each axis is indexed by a number."""
        return tuple(map(bool, ints_of(self.single_axes)))

    @property
    def size_values(self) -> tuple[int | SSAValue, ...]:
        """The extent along each axis: a number, or a value of the IR."""
        dynamic = iter(self.dynamic_sizes)
        return tuple(next(dynamic) if size == DYNAMIC else size for size in self.sizes)

    def fold_by(self, rewriter: PatternRewriter) -> None:
        """Fold sizes that are constants into the type."""
        known = [size if isinstance(size, int) else constant_of(size) for size in self.size_values]
        sizes = [DYNAMIC if size is None or size < 0 else int(size) for size in known]
        if tuple(sizes) == self.sizes:
            return
        dynamic: list[SSAValue] = [
            value
            for size, value in zip(sizes, self.size_values, strict=True)
            if size == DYNAMIC and isinstance(value, SSAValue)
        ]
        slice_ = TensorSliceOp(
            self.accessor, self.offsets, sizes=sizes, single=self.single, dynamic_sizes=dynamic, shard_of=self.shard_of
        )  # fmt: skip
        rewriter.replace(self, slice_)

    @classmethod
    def parse(cls, parser: Parser) -> TensorSliceOp:
        accessor = parser.parse_unresolved_operand()
        axes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_axis(parser))
        shard_of = parser.parse_type() if parser.parse_optional_keyword("of") else None
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        parser.parse_punctuation("->")
        result = parser.parse_type()
        index = IndexType()
        offsets = [parser.resolve_operand(offset, index) for offset, _ in axes]
        dynamic = [
            parser.resolve_operand(size, index) for _, size in axes if isinstance(size, UnresolvedOperand)
        ]
        sizes = [DYNAMIC if isinstance(size, UnresolvedOperand) else size or 1 for _, size in axes]
        return cls.build(
            operands=[[parser.resolve_operand(accessor, type_)], offsets, dynamic],
            result_types=[result],
            properties={
                "sizes": i64_array(sizes),
                "single": i64_array([int(size is None) for _, size in axes]),
                **({} if shard_of is None else {"shard_of": shard_of}),
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.accessor)
        printer.print_string("[")
        for index, (offset, size) in enumerate(zip(self.offsets, self.size_values)):
            printer.print_string(", " if index else "")
            printer.print_operand(offset)
            if not self.single[index]:
                printer.print_string(" size ")
                if isinstance(size, int):
                    printer.print_string(str(size))
                else:
                    printer.print_operand(size)
        printer.print_string("]")
        if self.shard_of is not None:
            printer.print_string(" of ")
            printer.print_attribute(self.shard_of)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.accessor.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        accessor, slice_ = self.accessor.type, self.result.type
        assert isinstance(accessor, AccessorType) and isinstance(slice_, SliceType)
        rank = len(accessor.shape)
        if not len(self.sizes) == len(self.single) == len(self.offsets) == rank:
            raise VerifyException(
                f"a slice of a tensor of {rank} dimensions has {rank} offsets and sizes, "
                f"not {len(self.offsets)} and {len(self.sizes)}"
            )
        if not set(ints_of(self.single_axes)) <= {0, 1}:
            raise VerifyException(
                f"an axis is single, 1, or not, 0, and not {max(ints_of(self.single_axes))}"
            )
        dynamic = self.sizes.count(DYNAMIC)
        if dynamic != len(self.dynamic_sizes):
            raise VerifyException(
                f"{dynamic} sizes are dynamic, {len(self.dynamic_sizes)} operands give them"
            )
        for axis, (size, single) in enumerate(zip(self.sizes, self.single)):
            if single and size != 1:
                raise VerifyException(f"axis {axis} is indexed by a number and counts 1, not {size}")
        if (slice_.shape, slice_.element_type) != (self.sizes, accessor.element_type):
            expected = SliceType(self.sizes, accessor.element_type)
            raise VerifyException(f"the slice is {expected}, not {slice_}")
        if self.shard_of is not None:
            self.shard_of.require_same_tensor(accessor.tensor)


def _parse_axis(parser: Parser) -> tuple[UnresolvedOperand, UnresolvedOperand | int | None]:
    offset = parser.parse_unresolved_operand()
    if parser.parse_optional_keyword("size") is None:
        return offset, None
    size = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
    return offset, parser.parse_unresolved_operand() if size is None else size


# After a wait, the memory of blocks and tensors has the data that transfers have written.
_FENCE = Effects(changes(TRANSFERS), writes(L1, DRAM, of=anywhere))


@operation_definition
class CopyOp(IRDLOperation):
    """Starts a copy between a block and a slice of a tensor or a pipe; the result is the handle to wait for."""

    name = "ttl.copy"
    src = operand_def(SliceType | BlockMemoryType | PipeType)
    dst = operand_def(SliceType | BlockMemoryType | PipeType)
    result = result_def(TransferType())
    assembly_format = "$src `to` $dst attr-dict `:` type($src) `,` type($dst)"
    traits = traits_def(
        MOVING,
        Effects(
            reads(L1, DRAM, PIPES, of=lambda op: [op.src]),
            writes(L1, DRAM, PIPES, of=lambda op: [op.dst]),
            writes(TRANSFERS),
        ),
    )

    def __init__(self, src: SSAValue, dst: SSAValue) -> None:
        super().__init__(operands=[src, dst], result_types=[TransferType()])

    def verify_(self) -> None:
        blocks = [end for end in (self.src, self.dst) if isinstance(end.type, BlockMemoryType)]
        if len(blocks) != 1:
            raise VerifyException(
                f"one end of a copy is a block, and the other a slice or a pipe, not {self.src.type} and {self.dst.type}"
            )
        block = blocks[0].type
        assert isinstance(block, BlockMemoryType)
        for end, name in ((self.src, "src"), (self.dst, "dst")):
            if isinstance(end.type, PipeType) and end.type.end == name:
                raise VerifyException(f"the {name} of a copy cannot be {end.type}")
            if isinstance(end.type, SliceType) and end.type.element_type != block.element_type:
                raise VerifyException(
                    f"nothing is converted: {end.type.element_type} to or from {block.element_type}"
                )


class _TransferWait(SynchronizationOp):
    """A wait for copies, which determine the kind of the wait; it is of all kinds where the copies are not known."""

    @property
    def copies(self) -> tuple[CopyOp, ...]:
        """Return the awaited copies; empty if they depend on control flow, so that there may be others."""
        return ()

    @property
    def barriers(self) -> tuple[BarrierType, ...]:
        kinds = {isinstance(copy.dst.type, BlockMemoryType) for copy in self.copies}
        return DMA if len(kinds) != 1 else (BarrierType.DMA_READ if kinds.pop() else BarrierType.DMA_WRITE,)

    @property
    def scope(self) -> Literal["node", "grid"]:
        ends = [end for copy in self.copies for end in (copy.src, copy.dst)]
        return "grid" if not ends or any(isinstance(end.type, PipeType) for end in ends) else "node"


def _copies_of(transfers: Sequence[SSAValue]) -> tuple[CopyOp, ...]:
    copies = [transfer.owner for transfer in transfers if isinstance(transfer.owner, CopyOp)]
    return tuple(copies) if len(copies) == len(transfers) else ()


@operation_definition
class WaitOp(IRDLOperation, _TransferWait):
    """Waits until a transfer is complete."""

    name = "ttl.wait"
    transfer = operand_def(TransferType())
    how_word = prop_def(StringAttr, prop_name="how")
    how = word_of("how", "By a call, or because the compiler found where.")
    assembly_format = "$transfer custom<Keyword>($how) attr-dict"
    custom_directives = (Keyword,)
    traits = traits_def(MOVING, _FENCE)

    @property
    def copies(self) -> tuple[CopyOp, ...]:
        return _copies_of([self.transfer])

    def __init__(self, transfer: SSAValue, *, how: Literal["explicit", "inferred"] = "explicit") -> None:
        super().__init__(operands=[transfer], properties={"how": StringAttr(how)})

    def verify_(self) -> None:
        if self.how not in ("explicit", "inferred"):
            raise VerifyException(f"a transfer is waited for explicit or inferred, not {self.how}")


@operation_definition
class WaitAnyOp(IRDLOperation, SynchronizationOp):
    """Waits until one of several receives is complete; the result is the position of the first one from ``start`` on.

    The result depends on the order in which messages arrive. A ``ttl.wait`` for that receive must follow.
    """

    name = "ttl.wait_any"
    BARRIERS: ClassVar[tuple[BarrierType, ...]] = (BarrierType.DMA_READ,)
    SCOPE: ClassVar[Literal["node", "grid"]] = "grid"
    start = operand_def(IndexType)
    transfers = var_operand_def(TransferType())
    result = result_def(IndexType())
    assembly_format = "$transfers `from` $start attr-dict"
    traits = traits_def(MOVING, _FENCE)

    def __init__(self, transfers: Sequence[SSAValue], start: SSAValue) -> None:
        super().__init__(operands=[start, transfers], result_types=[IndexType()])

    def verify_(self) -> None:
        if not self.transfers:
            raise VerifyException("there is at least one transfer to wait for")


@operation_definition
class DmaBarrierOp(IRDLOperation, SynchronizationOp):
    """Waits until every transfer of this kernel is complete."""

    name = "ttl.dma_barrier"
    assembly_format = "attr-dict"
    traits = traits_def(MOVING, _FENCE)

    SCOPE: ClassVar[Literal["node", "grid"]] = "grid"
    IS_GLOBAL: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()


@operation_definition
class CreateGroupOp(IRDLOperation):
    """An empty group of transfers."""

    name = "ttl.create_group"
    result = result_def(GroupType())
    assembly_format = "attr-dict"
    traits = traits_def(MOVING, Effects(writes(TRANSFERS)))

    def __init__(self) -> None:
        super().__init__(result_types=[GroupType()])


@operation_definition
class GroupAddOp(IRDLOperation):
    """Adds a transfer to a group."""

    name = "ttl.group_add"
    group = operand_def(GroupType())
    transfer = operand_def(TransferType())
    assembly_format = "$transfer `to` $group attr-dict"
    traits = traits_def(MOVING, Effects(changes(TRANSFERS)))

    def __init__(self, group: SSAValue, transfer: SSAValue) -> None:
        super().__init__(operands=[group, transfer])


@operation_definition
class GroupWaitOp(IRDLOperation, _TransferWait):
    """Waits until every transfer of a group is complete."""

    name = "ttl.group_wait"
    group = operand_def(GroupType())
    assembly_format = "$group attr-dict"
    traits = traits_def(MOVING, _FENCE)

    @property
    def copies(self) -> tuple[CopyOp, ...]:
        adds = [use.operation for use in self.group.uses if isinstance(use.operation, GroupAddOp)]
        return (
            _copies_of([add.transfer for add in adds]) if isinstance(self.group.owner, CreateGroupOp) else ()
        )

    def __init__(self, group: SSAValue) -> None:
        super().__init__(operands=[group])
