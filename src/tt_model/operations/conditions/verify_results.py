"""Conditions on the shape of a result, which must be the one that follows from operands and attributes.

Each comes after an operation's other conditions and relies on them. The real project has few of these: there, a wrong
shape is found when the program runs, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from tt_model.layouts.elements import TILE_SHAPE
from tt_model.operations.conditions.verify_common import (
    HasResults,
    OnInput,
    from_the_front,
    input_shape,
    output_shape,
    output_type,
    scatter_attribute,
    shape_text,
)
from tt_model.operations.conditions.verify_memory import layout_of
from tt_model.operations.result_shapes import Shape, broadcast_shapes, exchanged, gathered, joined, reduced
from tt_model.operations.tensors import shape_of

if TYPE_CHECKING:
    from tt_model.operations import elementwise, ttir, ttnn
    from tt_model.operations.shared import (
        ConcatOperation,
        ReductionOperation,
        TransposeOperation,
        TTIRReductionOp,
    )

    AllGather: TypeAlias = "ttir.TTIRAllGatherOp | ttnn.TTNNAllGatherOp"
    Embedding: TypeAlias = "ttir.TTIREmbeddingOp | ttnn.TTNNEmbeddingOp"
    ReduceScatter: TypeAlias = "ttir.TTIRReduceScatterOp | ttnn.TTNNReduceScatterOp"

OpT = TypeVar("OpT", bound=HasResults)


@dataclass(frozen=True, slots=True)
class ResultShapes(Generic[OpT]):
    """Every result has one of the ``shapes`` that follow from operands and attributes.

    The first one is the shape that the operation makes, the others are equivalent forms of it.
    """

    shapes: Callable[[OpT], tuple[Shape, ...]]

    @property
    def __name__(self) -> str:
        return f"makes_{self.shapes.__name__.strip('_')}"

    def __call__(self, op: OpT) -> str | None:
        possible = self.shapes(op)
        for result in op.results:
            given = shape_of(result)
            if given not in possible and not _is_dynamic(op):
                return shape_problem(given, possible[0])
        return None


def shape_problem(given: Shape, made: Shape) -> str:
    """Return the message for a result whose shape differs from the one that the operation makes."""
    return f"result has shape {shape_text(given)}, and operands and attributes make {shape_text(made)}"


def _is_dynamic(op: HasResults) -> bool:
    """Whether an extent is not known; passes refuse such tensors when they meet them."""
    values = (*op.operands, *op.results)
    return any(extent < 0 for value in values if value.type.name == "tensor" for extent in shape_of(value))


# Operations that keep the shape, and elementwise operations.


def _of_the_input(op: OnInput) -> tuple[Shape, ...]:
    return (input_shape(op),)


def _repeated(op: elementwise.TTNNElementwiseOp) -> Shape | None:
    shape: Shape | None = ()
    for value in op.inputs:
        shape = None if shape is None else broadcast_shapes(shape, shape_of(value))
    return shape


def _operands_repeat_to_one_shape(op: elementwise.TTNNElementwiseOp) -> str | None:
    if _repeated(op) is not None:
        return None
    shapes = ", ".join(shape_text(shape_of(value)) for value in op.inputs)
    return f"operands of the shapes {shapes} do not repeat to one shape"


def _of_the_repeated_operands(op: elementwise.TTNNElementwiseOp) -> tuple[Shape, ...]:
    shape = _repeated(op)
    assert shape is not None
    return (shape,)


SAME = (ResultShapes(_of_the_input),)
# Of TTNN: in TTIR, the interface has already checked that the operands and destinations repeat to one shape.
ELEMENTWISE = (_operands_repeat_to_one_shape, ResultShapes(_of_the_repeated_operands))


def _input_repeats_to_the_result(op: ttir.TTIRBroadcastOp) -> str | None:
    given, result = input_shape(op), output_shape(op)
    if broadcast_shapes(given, result) == result or _is_dynamic(op):
        return None
    return (
        f"result has shape {shape_text(result)}, to which the input {shape_text(given)} does not repeat: its extents have to "
        "be 1 or those of the result's last dimensions; reshape it before"
    )


BROADCAST = (_input_repeats_to_the_result,)


# Reductions.


def _reduces_dimensions_of_the_input(op: ReductionOperation) -> str | None:
    rank, dims = len(input_shape(op)), op.dim_arg or ()
    wrong = [dim for dim in dims if not -rank <= dim < rank]
    if not wrong:
        return None
    return f"dim_arg names dimension {wrong[0]}, and the input {shape_text(input_shape(op))} has {rank} dimensions"


def _reduces_each_dimension_once(op: ReductionOperation) -> str | None:
    rank, dims = len(input_shape(op)), op.dim_arg or ()
    if len({dim % rank for dim in dims}) == len(dims):
        return None
    return f"dim_arg names a dimension twice: {list(dims)}, where the input has {rank} dimensions"


def _of_the_reduction(op: ReductionOperation) -> tuple[Shape, ...]:
    shape = reduced(input_shape(op), op.dim_arg, keep=op.keep_dim)
    return (shape, ()) if shape == (1,) else (shape,)


def _of_the_reduction_of_2024(op: TTIRReductionOp) -> tuple[Shape, ...]:
    """The shapes that modules of 2024-11-21 may give a result.

    They may ask to keep dimensions and name a result without them. For TTMetal, where the type has a ``tt.layout``,
    they name a result with the extents of a tile: the reduction is in its first row or column.
    """
    shape = input_shape(op)
    possible = [*_of_the_reduction(op), reduced(shape, op.dim_arg, keep=False)]
    if layout_of(output_type(op)) is not None:
        possible.append(reduced(shape, op.dim_arg, keep=True, kept=TILE_SHAPE[0]))
    return tuple(possible)


_DIMENSIONS = (_reduces_dimensions_of_the_input, _reduces_each_dimension_once)
REDUCTION = (*_DIMENSIONS, ResultShapes(_of_the_reduction_of_2024))
REDUCTION_ON_DEVICE = (*_DIMENSIONS, ResultShapes(_of_the_reduction))


# Operations that move elements.


def _of_the_inputs_joined(op: ConcatOperation) -> tuple[Shape, ...]:
    shapes = [shape_of(value) for value in op.inputs]
    return (joined(shapes, from_the_front(op.dim, len(shapes[0]))),)


def _of_exchanged_dimensions(op: TransposeOperation) -> tuple[Shape, ...]:
    return (exchanged(input_shape(op), (op.dim0, op.dim1)),)


def _of_the_range(op: ttir.TTIRIndexOp) -> tuple[Shape, ...]:
    shape, dim = input_shape(op), op.dim
    return ((*shape[:dim], output_shape(op)[dim], *shape[dim + 1 :]),)


def _of_rows(op: Embedding) -> tuple[Shape, ...]:
    return ((*input_shape(op), shape_of(op.weight)[1]),)


def _of_one_number(op: ttir.TTIRGetDimensionSizeOp) -> tuple[Shape, ...]:
    return (1,), ()


CONCAT = ResultShapes(_of_the_inputs_joined)
TRANSPOSE = ResultShapes(_of_exchanged_dimensions)
INDEX = ResultShapes(_of_the_range)
EMBEDDING = ResultShapes(_of_rows)
ONE_NUMBER = ResultShapes(_of_one_number)


def _slice_has_an_extent_for_each_dimension(op: ttir.TTIRGatherOp) -> str | None:
    sizes, shape = op.slice_sizes, input_shape(op)
    if len(sizes) == len(shape) and all(
        0 <= size <= extent for size, extent in zip(sizes, shape, strict=True)
    ):
        return None
    return f"slice_sizes is {list(sizes)}: one extent for each dimension of the input {shape_text(shape)}, and none greater"


def _names_dimensions_of_a_slice(op: ttir.TTIRGatherOp) -> str | None:
    rank = len(op.slice_sizes)
    for name, dims in (
        ("collapsed_slice_dims", op.collapsed_slice_dims),
        ("operand_batching_dims", op.operand_batching_dims),
        ("start_index_map", op.start_index_map),
    ):
        if wrong := [dim for dim in dims if not 0 <= dim < rank]:
            return f"{name} names dimension {wrong[0]}, and the input has {rank} dimensions"
    return None


def _taken(op: ttir.TTIRGatherOp) -> set[int]:
    return {*op.collapsed_slice_dims, *op.operand_batching_dims}


def _offsets_are_those_of_a_slice(op: ttir.TTIRGatherOp) -> str | None:
    count = len(op.slice_sizes) - len(_taken(op))
    if len(set(op.offset_dims)) == len(op.offset_dims) == count:
        return None
    return f"offset_dims is {list(op.offset_dims)}: a slice keeps {count} of its dimensions, and each has a place in the result"


def _batches(op: ttir.TTIRGatherOp) -> list[Shape]:
    """The shapes of ``start_indices`` without the dimension of an index vector, in each possible reading.

    That dimension is ``index_vector_dim``. In modules of 2024-11-21 it may not exist: each number is then an index by
    itself, or in a vector of one number as the last dimension.
    """
    numbers, vector = shape_of(op.start_indices), op.index_vector_dim
    without = [dim for dim in (vector, len(numbers) - 1) if 0 <= dim < len(numbers)]
    count = len(op.start_index_map)
    matches = [(*numbers[:dim], *numbers[dim + 1 :]) for dim in without if numbers[dim] == count]
    return [*matches, numbers] if count == 1 else matches


def _numbers_are_indices(op: ttir.TTIRGatherOp) -> str | None:
    if _batches(op):
        return None
    return (
        f"start_indices {shape_text(shape_of(op.start_indices))} has no vectors of {len(op.start_index_map)} numbers along "
        f"dimension {op.index_vector_dim}, one for each dimension of start_index_map"
    )


def _placed(op: ttir.TTIRGatherOp) -> list[Shape]:
    """Return the shapes of ``_batches`` for which all ``offset_dims`` are dimensions of the result."""
    offsets = op.offset_dims
    return [batch for batch in _batches(op) if all(0 <= dim < len(batch) + len(offsets) for dim in offsets)]


def _offsets_have_a_place(op: ttir.TTIRGatherOp) -> str | None:
    if _placed(op):
        return None
    rank = len(_batches(op)[0]) + len(op.offset_dims)
    return f"offset_dims is {list(op.offset_dims)}, and the result has {rank} dimensions"


def _of_slices(op: ttir.TTIRGatherOp) -> tuple[Shape, ...]:
    return tuple(gathered(batch, op.slice_sizes, _taken(op), op.offset_dims) for batch in _placed(op))


GATHER = (
    _slice_has_an_extent_for_each_dimension,
    _names_dimensions_of_a_slice,
    _offsets_are_those_of_a_slice,
    _numbers_are_indices,
    _offsets_have_a_place,
    ResultShapes(_of_slices),
)


# Operations between chips, which do not know how many chips there are.


def _gathers_whole_parts(op: AllGather) -> str | None:
    return _whole_parts(op, from_the_front(op.dim, len(input_shape(op))), output_shape(op), input_shape(op))


def _scatters_whole_parts(op: ReduceScatter) -> str | None:
    dim = from_the_front(getattr(op, scatter_attribute(op)), len(input_shape(op)))
    return _whole_parts(op, dim, input_shape(op), output_shape(op))


def _whole_parts(op: OnInput, dim: int, whole: Shape, part: Shape) -> str | None:
    if (
        len(whole) == len(part)
        and (whole[:dim], whole[dim + 1 :]) == (part[:dim], part[dim + 1 :])
        and part[dim] > 0
        and whole[dim] % part[dim] == 0
    ):
        return None
    return (
        f"result has shape {shape_text(output_shape(op))}, and the input {shape_text(input_shape(op))}: along dimension {dim} one "
        "is a multiple of the other, by the number of chips, and all other extents are the same"
    )


ALL_GATHER = (_gathers_whole_parts,)
REDUCE_SCATTER = (_scatters_whole_parts,)
