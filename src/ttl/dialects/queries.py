"""The queries of a kernel: its node, and the extents of the grid and of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import I64, IndexType, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    VarConstraint,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.structure import grid_around
from ttl.dialects.types import AccessorType, tensor_shape
from ttl.ir.rewriting import Foldable, Folds, replace_by_numbers
from ttl.ir.syntax import (
    DYNAMIC,
    I64_ARRAY,
    Extents,
    NamesValues,
    given_name,
    i64_array,
    number_of,
    numbers_of,
    operation_definition,
)
from ttl.protocol.grid import grid_size


@operation_definition
class TensorAccessorOp(IRDLOperation, NamesValues):
    """The accessor from which slices of a tensor are taken."""

    name = "ttl.tensor_accessor"
    tensor = operand_def(TensorType[Attribute])
    result = result_def(AccessorType)
    traits = traits_def(Pure())

    def __init__(self, tensor: SSAValue) -> None:
        super().__init__(operands=[tensor], result_types=[_accessor_of(tensor)])

    def usual_name(self, value: SSAValue) -> str | None:
        return f"{given_name(self.tensor) or self.tensor.name_hint or 'tensor'}_accessor"

    @classmethod
    def parse(cls, parser: Parser) -> TensorAccessorOp:
        tensor = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(tensor, parser.parse_type()))
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.tensor)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)

    def verify_(self) -> None:
        if self.result.type != _accessor_of(self.tensor):
            raise VerifyException(f"the accessor of {self.tensor.type} is not {self.result.type}")


def _accessor_of(tensor: SSAValue) -> AccessorType:
    if not isinstance(tensor.type, TensorType):
        raise VerifyException(f"an accessor is of a tensor, not of {tensor.type}")
    return AccessorType(tensor.type)


class _GridQueryOp(IRDLOperation):
    """A query of coordinates or extents: ``%y, %x = ttl.node`` has one result for each dimension."""

    coordinates = var_result_def(IndexType())
    assembly_format = "attr-dict `:` type($coordinates)"
    traits = traits_def(Pure())

    def __init__(self, dims: int) -> None:
        super().__init__(result_types=[[IndexType()] * dims])

    @property
    def dims(self) -> int:
        """The number of coordinates."""
        return len(self.results)

    def verify_(self) -> None:
        if not self.results:
            raise VerifyException("at least one dimension is asked for, not 0")


@operation_definition
class NodeOp(_GridQueryOp, Foldable):
    """The coordinates of this node.

    With fewer results than the grid has dimensions, the last dimensions are counted together; further results are 0.
    """

    name = "ttl.node"
    traits = traits_def(Pure(), Folds())

    def fold_by(self, rewriter: PatternRewriter) -> None:
        """Fold coordinates along extents of 1 to 0."""
        grid = grid_around(self)
        sizes = () if grid is None else grid_size(grid, self.dims)
        ones = [result for size, result in zip(sizes, self.results) if size == 1 and result.uses]
        if not ones:
            return
        zero = ConstantOp.from_int_and_width(0, IndexType())
        rewriter.insert(zero)
        for result in ones:
            rewriter.replace_all_uses_with(result, zero.result)


@operation_definition
class GridSizeOp(_GridQueryOp, Foldable):
    """The extents of the grid. With fewer results than extents, the last ones are multiplied; further results are 1."""

    name = "ttl.grid_size"
    traits = traits_def(Pure(), Folds())

    def fold_by(self, rewriter: PatternRewriter) -> None:
        if (grid := grid_around(self)) is not None:
            replace_by_numbers(self, grid_size(grid, self.dims), rewriter)


@operation_definition
class NodeLinearOp(IRDLOperation, Foldable):
    """The number of this node in row-major order."""

    name = "ttl.node_linear"
    result = result_def(IndexType())
    assembly_format = "attr-dict"
    traits = traits_def(Pure(), Folds())

    def __init__(self) -> None:
        super().__init__(result_types=[IndexType()])

    def fold_by(self, rewriter: PatternRewriter) -> None:
        """Fold the number of the node to 0 in a grid of one node."""
        if set(grid_around(self) or ()) == {1}:
            replace_by_numbers(self, (0,), rewriter)


@operation_definition
class DimOp(IRDLOperation, Foldable):
    """The extent of a tensor along one axis, in elements."""

    name = "ttl.dim"
    source = operand_def(TensorType | AccessorType)
    axis_number = prop_def(IntegerAttr[I64], prop_name="axis")
    axis = number_of("axis", "Which axis.")
    result = result_def(IndexType())
    assembly_format = "$source `axis` $axis attr-dict `:` type($source)"
    traits = traits_def(Pure(), Folds())

    def __init__(self, source: SSAValue, axis: int) -> None:
        super().__init__(
            operands=[source], result_types=[IndexType()], properties={"axis": IntegerAttr(axis, i64)}
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the tensor in elements, -1 where symbolic."""
        type_ = self.source.type
        if isinstance(type_, AccessorType):
            return type_.shape
        assert isinstance(type_, TensorType)
        return tensor_shape(type_)

    def fold_by(self, rewriter: PatternRewriter) -> None:
        extent = self.shape[self.axis]
        if extent != DYNAMIC:
            replace_by_numbers(self, (extent,), rewriter)

    def verify_(self) -> None:
        if not 0 <= self.axis < len(self.shape):
            raise VerifyException(f"a tensor of {len(self.shape)} dimensions has no axis {self.axis}")


@operation_definition
class GridSliceOp(IRDLOperation):
    """The part of a tensor that belongs to this node; the part of every node has ``factors`` tiles or elements."""

    name = "ttl.grid_slice"
    SAME: ClassVar = VarConstraint("T", BaseAttr(AccessorType))

    accessor = operand_def(SAME)
    factors = prop_def(I64_ARRAY, prop_name="block_factors")
    block_factors = numbers_of("block_factors", "Tiles or elements of one node along each axis.")
    result = result_def(SAME)
    assembly_format = "$accessor custom<Extents>($block_factors) attr-dict `:` type($accessor)"
    custom_directives = (Extents,)
    traits = traits_def(Pure())

    def __init__(self, accessor: SSAValue, block_factors: Sequence[int]) -> None:
        super().__init__(
            operands=[accessor],
            result_types=[accessor.type],
            properties={"block_factors": i64_array(block_factors)},
        )

    def verify_(self) -> None:
        assert isinstance(self.accessor.type, AccessorType)
        rank = len(self.accessor.type.shape)
        if len(self.block_factors) != rank or min(self.block_factors, default=1) < 1:
            raise VerifyException(
                f"a node's part of a tensor of {rank} dimensions has {rank} extents of at least 1, not {list(self.block_factors)}"
            )
