"""Conditions of operations that move elements, on their shapes before and after.

Error texts that tools match on are those of 2024-11-21; TTIR and TTNN share them. An operation's conditions are in the
order in which they are checked, and each may rely on those before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tt_model.layouts.enums import ReduceOperation
from tt_model.operations.conditions.verify_common import (
    ForEach,
    HasInput,
    OnInput,
    from_the_front,
    input_shape,
    input_type,
    keeps_the_shape,
    output_shape,
    output_type,
    scatter_attribute,
    shape_text,
)
from tt_model.operations.tensors import shape_of

if TYPE_CHECKING:
    from tt_model.operations import ttir, ttnn
    from tt_model.operations.operation import RowOperation
    from tt_model.operations.shared import (
        ConcatOperation,
        ReshapeOperation,
        SliceOperation,
        SoftmaxOperation,
        TransposeOperation,
    )

    AllGather: TypeAlias = "ttir.TTIRAllGatherOp | ttnn.TTNNAllGatherOp"
    Embedding: TypeAlias = "ttir.TTIREmbeddingOp | ttnn.TTNNEmbeddingOp"
    ReduceScatter: TypeAlias = "ttir.TTIRReduceScatterOp | ttnn.TTNNReduceScatterOp"

# The largest number of dimensions of a tensor in the library.
_MOST_DIMENSIONS = 5


# Ranges of dimensions: slice and index.


class _Range(NamedTuple):
    """The range of one dimension, as the attributes state it."""

    dimension: int
    begin: int
    end: int
    step: int
    extent: int
    result: int
    shape: tuple[int, ...]

    @property
    def first(self) -> int:
        return from_the_front(self.begin, self.extent)

    @property
    def last(self) -> int:
        return from_the_front(self.end, self.extent)

    @property
    def size(self) -> int:
        return -(-abs(self.last - self.first) // abs(self.step))


def _begin_in_range(item: _Range) -> str | None:
    if 0 <= item.first < item.extent:
        return None
    return (
        f"Invalid begin index for dimension {item.dimension}. Expected value in range "
        f"[{-item.extent}, {item.extent}), got {item.begin}. Input shape: {shape_text(item.shape)}"
    )


def _end_in_range(item: _Range) -> str | None:
    if 0 <= item.last <= item.extent:
        return None
    return (
        f"Invalid end index for dimension {item.dimension}. Expected value in range "
        f"[{-item.extent}, {item.extent}], got {item.end}. Input shape: {shape_text(item.shape)}"
    )


def _step_is_not_zero(item: _Range) -> str | None:
    return None if item.step else f"Step value for dimension {item.dimension} cannot be zero"


def _step_goes_from_begin_to_end(item: _Range) -> str | None:
    sign, relation = ("positive", "less") if item.step > 0 else ("negative", "greater")
    if (item.last - item.first) * item.step >= 0:
        return None
    begin = f"{item.first} ({item.begin})" if item.begin < 0 else f"{item.first}"
    end = f"{item.last} ({item.end})" if item.end < 0 else f"{item.last}"
    return (
        f"For {sign} step, begin index must be {relation} than or equal to end index for dimension "
        f"{item.dimension}. Got begin: {begin}, end: {end}, step: {item.step}, input shape: {shape_text(item.shape)}"
    )


def _size_is_the_result_s(item: _Range) -> str | None:
    if item.size == item.result:
        return None
    return (
        f"Mismatch in dimension {item.dimension} of the output tensor: expected size {item.size}, "
        f"but got {item.result}"
    )


_RANGE = (
    _begin_in_range,
    _end_in_range,
    _step_is_not_zero,
    _step_goes_from_begin_to_end,
    _size_is_the_result_s,
)


def _has_a_dimension(op: HasInput) -> str | None:
    return None if input_shape(op) else "Input must be at least a 1D tensor"


def _has_a_range_for_each_dimension(op: SliceOperation) -> str | None:
    rank = len(input_shape(op))
    if all(len(numbers) == rank for numbers in (op.begins, op.ends, op.step)):
        return None
    return "Begins, ends, and step attributes must have the same number of elements as the input tensor rank"


def _keeps_the_element_type(op: OnInput) -> str | None:
    if input_type(op).element_type == output_type(op).element_type:
        return None
    return "Output tensor must have the same element type as the input tensor"


def _keeps_the_rank(op: OnInput) -> str | None:
    if len(input_shape(op)) == len(output_shape(op)):
        return None
    return "Output tensor must have the same rank as the input tensor"


def _ranges_of_slice(op: SliceOperation) -> Iterator[_Range]:
    shape = input_shape(op)
    ranges = zip(op.begins, op.ends, op.step, shape, output_shape(op), strict=True)
    for dimension, (begin, end, step, extent, result) in enumerate(ranges):
        yield _Range(dimension, begin, end, step, extent, result, shape)


def _index_names_a_dimension(op: ttir.TTIRIndexOp) -> str | None:
    rank, dimension = len(input_shape(op)), op.dim
    if 0 <= dimension < rank:
        return None
    return f"Invalid dimension index {dimension}. Input tensor rank is {rank}"


def _range_of_index(op: ttir.TTIRIndexOp) -> Iterator[_Range]:
    dimension, shape = op.dim, input_shape(op)
    yield _Range(
        dimension,
        op.begin,
        op.end,
        op.step,
        shape[dimension],
        output_shape(op)[dimension],
        shape,
    )


SLICE = (
    _has_a_dimension,
    _has_a_range_for_each_dimension,
    _keeps_the_element_type,
    _keeps_the_rank,
    ForEach(_ranges_of_slice, _RANGE),
)
INDEX = (
    _has_a_dimension,
    _keeps_the_element_type,
    _keeps_the_rank,
    _index_names_a_dimension,
    ForEach(_range_of_index, _RANGE),
)


# Reshape. That the extent for -1 is a whole number follows from the other conditions.


class _Extent(NamedTuple):
    given: int
    result: int
    is_second_unknown: bool


def _shape_has_the_result_s_rank(op: ReshapeOperation) -> str | None:
    if len(op.shape) == len(output_shape(op)):
        return None
    return "Shape attribute size must match output tensor rank"


def _shape_is_not_empty(op: ReshapeOperation) -> str | None:
    return None if op.shape else "Shape attribute must be non-empty"


def _shape_is_not_too_long(op: ReshapeOperation) -> str | None:
    if len(op.shape) <= _MOST_DIMENSIONS:
        return None
    return f"Shape attribute must have at most {_MOST_DIMENSIONS} elements"


def _has_as_many_elements(op: OnInput) -> str | None:
    if prod(input_shape(op)) == prod(output_shape(op)):
        return None
    return "Input and output tensors must have the same number of elements"


def _extents(op: ReshapeOperation) -> Iterator[_Extent]:
    is_unknown = False
    for given, result in zip(op.shape, output_shape(op), strict=True):
        yield _Extent(given, result, is_unknown and given == -1)
        is_unknown = is_unknown or given == -1


def _only_one_extent_is_unknown(extent: _Extent) -> str | None:
    return "Shape attribute must have at most one -1 element" if extent.is_second_unknown else None


def _extent_is_positive(extent: _Extent) -> str | None:
    if extent.given == -1 or extent.given > 0:
        return None
    return f"All dimensions must be positive except the one with -1, got {extent.given}"


def _extent_is_the_result_s(extent: _Extent) -> str | None:
    if extent.given in (-1, extent.result):
        return None
    return f"Shape attribute must match the output tensor shape, expected {extent.result}, got {extent.given}"


RESHAPE = (
    _shape_has_the_result_s_rank,
    _shape_is_not_empty,
    _shape_is_not_too_long,
    _has_as_many_elements,
    ForEach(_extents, (_only_one_extent_is_unknown, _extent_is_positive, _extent_is_the_result_s)),
)


# Dimensions of extent one: squeeze and unsqueeze.


def _squeeze_names_a_dimension(op: ttir.TTIRSqueezeOp) -> str | None:
    rank, dimension = len(input_shape(op)), op.dim
    if 0 <= from_the_front(dimension, rank) < rank:
        return None
    return f"Invalid dimension {dimension} for squeezing."


def _squeezes_an_extent_of_one(op: ttir.TTIRSqueezeOp) -> str | None:
    shape, dimension = input_shape(op), op.dim
    if shape[dimension] == 1:
        return None
    return f"Dimension {dimension} in the input tensor must be 1."


def _leaves_a_dimension(op: OnInput) -> str | None:
    return None if output_shape(op) else "Output tensor must have at least one dimension."


def _takes_one_dimension_away(op: OnInput) -> str | None:
    if len(output_shape(op)) == len(input_shape(op)) - 1:
        return None
    return "Output tensor rank must be one less than the input tensor rank."


def _squeeze_keeps_the_others(op: ttir.TTIRSqueezeOp) -> str | None:
    shape = list(input_shape(op))
    del shape[op.dim]
    if tuple(shape) == output_shape(op):
        return None
    return (
        f"Dimensions of the output tensor must be the same as the input tensor except for dimension {op.dim}."
    )


SQUEEZE = (
    _squeeze_names_a_dimension,
    _squeezes_an_extent_of_one,
    _leaves_a_dimension,
    _takes_one_dimension_away,
    _squeeze_keeps_the_others,
)


def _new_dimension(op: ttir.TTIRUnsqueezeOp) -> int:
    return from_the_front(op.dim, len(input_shape(op)) + 1)


def _unsqueeze_is_within_bounds(op: ttir.TTIRUnsqueezeOp) -> str | None:
    if 0 <= _new_dimension(op) <= len(input_shape(op)):
        return None
    return "Dimension attribute must be within the bounds of the input tensor"


def _adds_one_dimension(op: OnInput) -> str | None:
    if len(output_shape(op)) == len(input_shape(op)) + 1:
        return None
    return "Output tensor must have one more dimension than input tensor"


def _adds_an_extent_of_one(op: ttir.TTIRUnsqueezeOp) -> str | None:
    return None if output_shape(op)[_new_dimension(op)] == 1 else "Dimension added must be of size 1"


def _unsqueeze_keeps_the_others(op: ttir.TTIRUnsqueezeOp) -> str | None:
    shape = list(output_shape(op))
    del shape[_new_dimension(op)]
    if tuple(shape) == input_shape(op):
        return None
    return "All dimensions of the input tensor must be the same in the output tensor except for the new one"


UNSQUEEZE = (
    _unsqueeze_is_within_bounds,
    _adds_one_dimension,
    _adds_an_extent_of_one,
    _unsqueeze_keeps_the_others,
)


# Exchange of dimensions.


def _has_two_dimensions(op: HasInput) -> str | None:
    return None if len(input_shape(op)) >= 2 else "Input must be at least a 2D tensor"


def _has_the_output_s_rank(op: OnInput) -> str | None:
    if len(input_shape(op)) == len(output_shape(op)):
        return None
    return "Input must have the same rank as output"


def _first_is_within_bounds(op: TransposeOperation) -> str | None:
    rank = len(input_shape(op))
    if -rank <= op.dim0 < rank:
        return None
    return "Dimension 0 attribute must be within the bounds of the input tensor"


def _second_is_within_bounds(op: TransposeOperation) -> str | None:
    rank = len(input_shape(op))
    if -rank <= op.dim1 < rank:
        return None
    return "Dimension 1 attribute must be within the bounds of the input tensor"


def _extents_are_exchanged(op: TransposeOperation) -> str | None:
    first, second = op.dim0, op.dim1
    before, after = input_shape(op), output_shape(op)
    if before[first] == after[second] and before[second] == after[first]:
        return None
    return "Input-output transpose dimension mismatch."


TRANSPOSE = (
    _has_two_dimensions,
    _has_the_output_s_rank,
    _first_is_within_bounds,
    _second_is_within_bounds,
    _extents_are_exchanged,
)


# Several tensors one after another.


def _shapes(op: ConcatOperation) -> list[tuple[int, ...]]:
    return [shape_of(value) for value in op.inputs]


def _has_an_input(op: ConcatOperation) -> str | None:
    return None if op.inputs else "At least one input tensor is needed"


def _concat_names_a_dimension(op: ConcatOperation) -> str | None:
    rank, dimension = len(_shapes(op)[0]), op.dim
    if 0 <= from_the_front(dimension, rank) < rank:
        return None
    return f"Invalid dimension {dimension} for concatenation."


class _Pair(NamedTuple):
    first: tuple[int, ...]
    other: tuple[int, ...]
    dimension: int


def _first_and_others(op: ConcatOperation) -> Iterator[_Pair]:
    first, *others = _shapes(op)
    for other in others:
        yield _Pair(first, other, from_the_front(op.dim, len(first)))


def _ranks_are_the_same(pair: _Pair) -> str | None:
    return None if len(pair.first) == len(pair.other) else "All input tensors must have the same rank."


def _other_extents_are_the_same(pair: _Pair) -> str | None:
    for dimension, (one, other) in enumerate(zip(pair.first, pair.other, strict=True)):
        if dimension != pair.dimension and one != other:
            return f"All input tensors must have the same dimensions, except for dimension {pair.dimension}."
    return None


CONCAT = (
    _has_an_input,
    _concat_names_a_dimension,
    ForEach(_first_and_others, (_ranks_are_the_same, _other_extents_are_the_same)),
)


# Operations that keep the shape, and operations with few conditions.


def _softmax_is_within_bounds(op: SoftmaxOperation) -> str | None:
    rank = len(input_shape(op))
    if -rank <= op.dimension < rank:
        return None
    return "Dimension attribute must be within the bounds of the input tensor"


SOFTMAX = (keeps_the_shape, _softmax_is_within_bounds)


def _gathers_along_a_dimension(op: AllGather) -> str | None:
    rank, dimension = len(input_shape(op)), op.dim
    if -rank <= dimension < rank:
        return None
    return f"Invalid dimension for all gather op. Got {dimension}, input tensor rank is {rank}"


def _axis_is_of_a_mesh(op: AllGather | ttir.TTIRAllReduceOp | ttir.TTIRReduceScatterOp) -> str | None:
    axis = op.cluster_axis
    if axis is None or axis in (0, 1):
        return None
    return f"cluster_axis is {axis}: a mesh has the axes 0 (down its rows) and 1 (along its columns)"


def _scatters_along_a_dimension(op: ReduceScatter) -> str | None:
    rank, name = len(input_shape(op)), scatter_attribute(op)
    dimension = getattr(op, name)
    if -rank <= dimension < rank:
        return None
    return f"{name} is {dimension}, and the input tensor has {rank} dimensions: name one from 0 to {rank - 1}"


def _combines(op: ttir.TTIRAllReduceOp | ttir.TTIRReduceScatterOp) -> str | None:
    reduction = op.reduce_type
    if reduction in REDUCED_BETWEEN_CHIPS:
        return None
    known = ", ".join(f"{int(one)} ({one.keyword})" for one in REDUCED_BETWEEN_CHIPS)
    return f"reduce_type is {reduction}: chips combine by {known}"


# The functions with which chips can combine their tensors.
REDUCED_BETWEEN_CHIPS = (ReduceOperation.Sum, ReduceOperation.Max, ReduceOperation.Min)
ALL_GATHER = (_gathers_along_a_dimension, _axis_is_of_a_mesh)
ALL_REDUCE = (keeps_the_shape, _combines, _axis_is_of_a_mesh)
REDUCE_SCATTER = (_scatters_along_a_dimension, _combines, _axis_is_of_a_mesh)
REDUCE_SCATTER_ON_DEVICE = (_scatters_along_a_dimension,)


def _table_is_a_matrix(op: Embedding) -> str | None:
    return None if len(shape_of(op.weight)) == 2 else "Weight must be a 2D tensor"


def _embedding_adds_a_dimension(op: Embedding) -> str | None:
    if len(output_shape(op)) == len(input_shape(op)) + 1:
        return None
    return "Output must have one dimension more than input"


EMBEDDING = (_table_is_a_matrix, _embedding_adds_a_dimension)


def _dimension_is_the_operand_s(op: ttir.TTIRGetDimensionSizeOp) -> str | None:
    rank, dimension = len(shape_of(op.operand)), op.dimension
    # MLIR compares the attribute as an unsigned number, and the real verifier fails without a message.
    if 0 <= dimension < rank:
        return None
    return f"Invalid dimension {dimension}. Operand tensor rank is {rank}"


GET_DIMENSION_SIZE = (_dimension_is_the_operand_s,)


def value_has_the_result_s_shape(op: ttir.TTIRConstantOp | ttir.TTIRFillOp) -> str | None:
    """The condition of constants and fills: the shapes must agree, the element types need not."""
    type = getattr(op.value, "type", None)
    if type is None or type.get_shape() == output_shape(op):
        return None
    return "failed to verify that all of {value, result} have same shape"


# Limits.


def _takes_one_tensor(op: ttnn.TTNNClampOp) -> str | None:
    return None if len(op.inputs) == 1 else "expects one tensor as input."


def _gives_one_tensor(op: RowOperation) -> str | None:
    return None if len(op.results) == 1 else "generates one tensor as output."


def _keeps_the_type(op: RowOperation) -> str | None:
    if op.operands[0].type == op.results[0].type:
        return None
    return "input and output must have same shape."


LIMITS = (_keeps_the_type,)
LIMITS_OF_MANY = (_takes_one_tensor, _gives_one_tensor, _keeps_the_type)
