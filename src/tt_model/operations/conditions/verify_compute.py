"""Conditions of products, convolutions and windows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from xdsl.dialects.builtin import bf16

from tt_model.operations.conditions.verify_common import (
    ForEach,
    HasInput,
    input_shape,
    input_type,
    output_shape,
    shape_text,
)
from tt_model.operations.result_shapes import broadcast_shapes
from tt_model.operations.tensors import shape_of

if TYPE_CHECKING:
    from tt_model.operations import ttir, ttnn
    from tt_model.operations.shared import MatmulOperation

    Conv2d: TypeAlias = "ttir.TTIRConv2dOp | ttnn.TTNNConv2dOp"
    MaxPool2d: TypeAlias = "ttir.TTIRMaxPool2dOp | ttnn.TTNNMaxPool2dOp"


# Matrix products, with vectors and batches as in NumPy's ``matmul``.


def _first_has_a_dimension(op: MatmulOperation) -> str | None:
    return None if shape_of(op.a) else "Input A must be at least a 1D tensor"


def _second_has_a_dimension(op: MatmulOperation) -> str | None:
    return None if shape_of(op.b) else "Input B must be at least a 1D tensor"


def _matrices(op: MatmulOperation) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shapes of the operands as matrices: a vector on the left is a row, a vector on the right is a column."""
    first, second = shape_of(op.a), shape_of(op.b)
    return (first if len(first) > 1 else (1, *first)), (second if len(second) > 1 else (*second, 1))


def _inner_extents_match(op: MatmulOperation) -> str | None:
    first, second = _matrices(op)
    if first[-1] == second[-2]:
        return None
    return f"Input A[-1]({first[-1]}) and B[-2]({second[-2]}) must have matching inner dimensions"


def _batches_repeat_to_one_shape(op: MatmulOperation) -> str | None:
    first, second = (shape[:-2] for shape in _matrices(op))
    if broadcast_shapes(first, second) is not None:
        return None
    return (
        f"Batch dimensions of input A({','.join(map(str, first))}) and B({','.join(map(str, second))}) "
        "are not broadcast compatible"
    )


def _expected_product(op: MatmulOperation) -> tuple[int, ...]:
    first, second = _matrices(op)
    batch = broadcast_shapes(first[:-2], second[:-2])
    assert batch is not None
    rows = (first[-2],) if len(shape_of(op.a)) > 1 else ()
    columns = (second[-1],) if len(shape_of(op.b)) > 1 else ()
    return (*batch, *rows, *columns)


def _number_is_in_a_tensor(op: MatmulOperation) -> str | None:
    if _expected_product(op) or output_shape(op):
        return None
    return "Scalar output is not supported, output must be at least a 1D tensor"


def _number_is_in_a_tensor_of_one(op: MatmulOperation) -> str | None:
    if _expected_product(op) or output_shape(op) == (1,):
        return None
    return f"Scalar output must be a 1D tensor of size 1, got {shape_text(output_shape(op))}"


def _product_has_the_result_s_rank(op: MatmulOperation) -> str | None:
    expected, shape = _expected_product(op), output_shape(op)
    if not expected or len(expected) == len(shape):
        return None
    return f"Output shape rank({len(shape)}) must match the expected output shape rank({len(expected)})"


def _product_has_the_result_s_shape(op: MatmulOperation) -> str | None:
    expected = _expected_product(op)
    if not expected:
        return None
    for index, (extent, wanted) in enumerate(zip(output_shape(op), expected, strict=True)):
        if extent != wanted:
            return (
                f"Output shape dimension[{index}]({extent}) doesn't match the expected output shape "
                f"dimension[{index}]({wanted})"
            )
    return None


MATMUL = (
    _first_has_a_dimension,
    _second_has_a_dimension,
    _inner_extents_match,
    _batches_repeat_to_one_shape,
    _number_is_in_a_tensor,
    _number_is_in_a_tensor_of_one,
    _product_has_the_result_s_rank,
    _product_has_the_result_s_shape,
)


# Convolutions.


def _bias_shape(op: Conv2d | ttir.TTIRConvolutionOp) -> tuple[int, ...] | None:
    bias = op.bias
    return None if bias is None else shape_of(bias)


def _input_has_three_dimensions(op: Conv2d) -> str | None:
    return None if len(input_shape(op)) >= 3 else "Input must be at least a 3D tensor"


def _weight_has_four_dimensions(op: Conv2d) -> str | None:
    return None if len(shape_of(op.weight)) == 4 else "Weight must be a 4D tensor"


def _bias_has_four_dimensions(op: Conv2d | ttir.TTIRConvolutionOp) -> str | None:
    shape = _bias_shape(op)
    return None if shape is None or len(shape) == 4 else "Bias must be a 4D tensor"


def _bias_has_one_dimension_of_data(op: Conv2d) -> str | None:
    shape = _bias_shape(op)
    if shape is None or shape[:3] == (1, 1, 1):
        return None
    return f"Bias must only have data on the final dimenstion, got shape {shape_text(shape)}"


CONV2D = (
    _input_has_three_dimensions,
    _weight_has_four_dimensions,
    _bias_has_four_dimensions,
)
CONV2D_ON_DEVICE = (*CONV2D, _bias_has_one_dimension_of_data)


def _spatial(op: ttir.TTIRConvolutionOp) -> int:
    return len(op.convolution_layout.input_spatial_dimensions)


def _input_and_output_have_as_many(op: ttir.TTIRConvolutionOp) -> str | None:
    if _spatial(op) == len(op.convolution_layout.output_spatial_dimensions):
        return None
    return "Convolution input and output must have the same number of spatial dimensions"


def _input_and_kernel_have_as_many(op: ttir.TTIRConvolutionOp) -> str | None:
    if _spatial(op) == len(op.convolution_layout.kernel_spatial_dimensions):
        return None
    return "Convolution input and kernel must have the same number of spatial dimensions"


def _input_has_its_dimensions(op: ttir.TTIRConvolutionOp) -> str | None:
    if len(input_shape(op)) - 2 == _spatial(op):
        return None
    return (
        "Input tensor must have the same number of spatial dimensions as specified in the ConvolutionLayout"
    )


def _weight_has_its_dimensions(op: ttir.TTIRConvolutionOp) -> str | None:
    if len(shape_of(op.weight)) - 2 == _spatial(op):
        return None
    return (
        "Weight tensor must have the same number of spatial dimensions as specified in the ConvolutionLayout"
    )


def _strides_are_spatial(op: ttir.TTIRConvolutionOp) -> str | None:
    if len(op.window_strides) == _spatial(op):
        return None
    return (
        "Window strides must have the same number of elements as the spatial dimensions of the input tensor"
    )


CONVOLUTION = (
    _input_and_output_have_as_many,
    _input_and_kernel_have_as_many,
    _input_has_its_dimensions,
    _weight_has_its_dimensions,
    _bias_has_four_dimensions,
    _strides_are_spatial,
)


# Windows over any dimensions.


def _rank_of_inputs(op: ttir.TTIRPoolingOp) -> int:
    return len(shape_of(op.inputs[0]))


def _has_an_input(op: ttir.TTIRPoolingOp) -> str | None:
    return None if op.inputs else "At least one input tensor is needed"


def _inputs_have_one_rank(op: ttir.TTIRPoolingOp) -> str | None:
    if len({len(shape_of(value)) for value in op.inputs}) == 1:
        return None
    return "All input tensors must have the same rank"


class _Extents(NamedTuple):
    words: str
    length: int
    rank: int


def _extents_of_windows(op: ttir.TTIRPoolingOp) -> Iterator[_Extents]:
    rank = _rank_of_inputs(op)
    for words, extents in (
        ("strides", op.window_strides),
        ("dilations", op.window_dilations),
        ("dimensions", op.window_dimensions),
    ):
        yield _Extents(words, len(extents), rank)


def _one_for_each_dimension(extents: _Extents) -> str | None:
    if extents.length == extents.rank:
        return None
    return (
        f"Window {extents.words} must have the same number of elements as the rank of the input tensor, "
        f"expected {extents.rank}, got {extents.length}"
    )


def _two_paddings_for_each_dimension(op: ttir.TTIRPoolingOp) -> str | None:
    rank, count = _rank_of_inputs(op), len(op.padding)
    if count == 2 * rank:
        return None
    return (
        "Padding must have the same number of elements as twice the rank of the input tensor, "
        f"expected {2 * rank}, got {count}"
    )


POOLING = (
    _has_an_input,
    _inputs_have_one_rank,
    ForEach(_extents_of_windows, (_one_for_each_dimension,)),
    _two_paddings_for_each_dimension,
)


# Windows over height and width.


def _input_has_four_dimensions(op: HasInput) -> str | None:
    shape = input_shape(op)
    if len(shape) == 4:
        return None
    return f"Input tensor rank must be 4. Recieved input with rank {len(shape)}. Shape: {shape_text(shape)}"


def _kernel_is_not_higher_than(op: MaxPool2d, height: int) -> str | None:
    kernel = op.kernel_height
    if kernel <= height:
        return None
    return f"Kernel height {kernel} is greater than input height {height}. This MaxPool2d configuration is invalid."


def _kernel_is_not_wider_than(op: MaxPool2d, width: int) -> str | None:
    kernel = op.kernel_width
    if kernel <= width:
        return None
    return (
        f"Kernel width {kernel} is greater than input width {width}. This MaxPool2d configuration is invalid."
    )


def _kernel_fits_in_height(op: ttir.TTIRMaxPool2dOp) -> str | None:
    return _kernel_is_not_higher_than(op, input_shape(op)[1])


def _kernel_fits_in_width(op: ttir.TTIRMaxPool2dOp) -> str | None:
    return _kernel_is_not_wider_than(op, input_shape(op)[2])


MAX_POOL2D = (_input_has_four_dimensions, _kernel_fits_in_height, _kernel_fits_in_width)


def _is_bfloat16(op: ttnn.TTNNMaxPool2dOp) -> str | None:
    element = input_type(op).element_type
    if element == bf16:
        return None
    return f"Maxpool2d currently only supports an input type of bfloat16. Recieved {element}."


def _kernel_fits_in_given_height(op: ttnn.TTNNMaxPool2dOp) -> str | None:
    return _kernel_is_not_higher_than(op, op.input_height)


def _kernel_fits_in_given_width(op: ttnn.TTNNMaxPool2dOp) -> str | None:
    return _kernel_is_not_wider_than(op, op.input_width)


def _input_is_flat(op: ttnn.TTNNMaxPool2dOp) -> str | None:
    shape = input_shape(op)
    if shape[:2] == (1, 1):
        return None
    return f"Maxpool input must be in the form (1, 1, N*H*W, C). Received shape {shape_text(shape)}"


def _input_has_all_positions(op: ttnn.TTNNMaxPool2dOp) -> str | None:
    shape = input_shape(op)
    wanted = op.batch_size * op.input_height * op.input_width
    if shape[2] == wanted:
        return None
    return (
        f"Maxpool shape ({', '.join(map(str, shape))}) at dim -2 must be equal to N*H*W ({wanted}), "
        f"got {shape[2]}"
    )


def _input_has_all_channels(op: ttnn.TTNNMaxPool2dOp) -> str | None:
    shape, wanted = input_shape(op), op.channels
    if shape[3] == wanted:
        return None
    return f"Maxpool shape ({', '.join(map(str, shape))}) at dim -3 must be equal to C ({wanted}), got {shape[3]}"


MAX_POOL2D_ON_DEVICE = (
    _is_bfloat16,
    _kernel_fits_in_given_height,
    _kernel_fits_in_given_width,
    _input_has_four_dimensions,
    _input_is_flat,
    _input_has_all_positions,
    _input_has_all_channels,
)
