"""Conditions on results of convolutions and poolings: windows that fit, matching channels, and the result's shape."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tt_model.operations import ttir, ttnn
from tt_model.operations.conditions.verify_common import ForEach, input_shape, shape_text
from tt_model.operations.conditions.verify_results import ResultShapes, shape_problem
from tt_model.operations.result_shapes import Pair, Shape, spread, window_positions
from tt_model.operations.tensors import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    Conv2d: TypeAlias = "ttir.TTIRConv2dOp | ttnn.TTNNConv2dOp"
    Convolving: TypeAlias = "Conv2d | ttir.TTIRConvolutionOp"


class _Window(NamedTuple):
    """A window along one dimension."""

    dimension: str
    extent: int
    size: int
    stride: int
    padding: Pair
    dilation: int
    ceil_mode: bool = False

    @property
    def positions(self) -> int:
        return window_positions(
            self.extent, self.size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode
        )


def _numbers_are_positive(window: _Window) -> str | None:
    for name, number in (("size", window.size), ("stride", window.stride), ("dilation", window.dilation)):
        if number < 1:
            return f"the window along {window.dimension} has {name} {number}: 1 is the least"
    return None


def _fits(window: _Window) -> str | None:
    if window.positions > 0:
        return None
    low, high = window.padding
    return (
        f"a window of size {window.size} with dilation {window.dilation} does not fit along {window.dimension}: the extent is "
        f"{window.extent}, with a padding of {low} before and {high} after"
    )


_WINDOW = (_numbers_are_positive, _fits)


# The windows of each operation, along each dimension that has windows.


def _windows_of_image(op: Conv2d | ttir.TTIRMaxPool2dOp | ttnn.TTNNMaxPool2dOp) -> tuple[_Window, _Window]:
    if isinstance(op, ttir.TTIRConv2dOp | ttir.TTIRMaxPool2dOp):
        extents: Sequence[int] = input_shape(op)[-3:-1]
        paddings = (op.padding_top, op.padding_bottom), (op.padding_left, op.padding_right)
    else:
        extents = op.input_height, op.input_width
        paddings = (op.padding_height,) * 2, (op.padding_width,) * 2
    if isinstance(op, ttir.TTIRConv2dOp | ttnn.TTNNConv2dOp):
        sizes: Sequence[int] = shape_of(op.weight)[2:]
        ceil_mode = False
    else:
        sizes, ceil_mode = (op.kernel_height, op.kernel_width), op.ceil_mode
    strides, dilations = (op.stride_height, op.stride_width), (op.dilation_height, op.dilation_width)
    height, width = (
        _Window(name, extent, size, stride, padding, dilation, ceil_mode)
        for name, extent, size, stride, padding, dilation in zip(
            ("height", "width"), extents, sizes, strides, paddings, dilations, strict=True
        )
    )
    return height, width


def _windows_of_convolution(op: ttir.TTIRConvolutionOp) -> Iterator[_Window]:
    layout, shape, filters = op.convolution_layout, input_shape(op), shape_of(op.weight)
    numbers = zip(
        layout.input_spatial_dimensions,
        layout.kernel_spatial_dimensions,
        op.window_strides,
        _pairs(op.padding),
        op.weight_dilation,
        op.input_dilation,
        strict=True,
    )
    for dim, of_filter, stride, padding, dilation, spacing in numbers:
        yield _Window(
            f"dimension {dim}", spread(shape[dim], spacing), filters[of_filter], stride, padding, dilation
        )


def _windows_along(op: ttir.TTIRPoolingOp, shape: Shape) -> list[_Window]:
    return [
        _Window(f"dimension {dim}", spread(extent, spacing), size, stride, padding, dilation)
        for dim, (extent, spacing, size, stride, padding, dilation) in enumerate(
            zip(
                shape,
                op.base_dilations,
                op.window_dimensions,
                op.window_strides,
                _pairs(op.padding),
                op.window_dilations,
                strict=True,
            )
        )
    ]


def _windows_of_pooling(op: ttir.TTIRPoolingOp) -> Iterator[_Window]:
    for value in op.inputs:
        yield from _windows_along(op, shape_of(value))


def _pairs(numbers: Sequence[int]) -> list[Pair]:
    return list(zip(numbers[::2], numbers[1::2], strict=True))


# Channels: the input's, divided by the groups, are those of the filters; the bias has as many as the result.


class _Channels(NamedTuple):
    given: int
    by_group: int
    created: int
    bias: Shape | None
    groups: int
    words: str


def _channels(op: Convolving) -> Iterator[_Channels]:
    filters, bias = shape_of(op.weight), op.bias
    if isinstance(op, ttir.TTIRConvolutionOp):
        layout = op.convolution_layout
        given = input_shape(op)[layout.input_feature]
        created, by_group = filters[layout.kernel_output_feature], filters[layout.kernel_input_feature]
        groups, words = op.feature_group_count, "feature_group_count"
    else:
        given, created, by_group, groups, words = (
            input_shape(op)[-1],
            filters[0],
            filters[1],
            op.groups,
            "groups",
        )
    yield _Channels(given, by_group, created, None if bias is None else shape_of(bias), groups, words)


def _there_are_groups(channels: _Channels) -> str | None:
    return None if channels.groups > 0 else f"{channels.words} is {channels.groups}: 1 is the least"


def _input_has_the_filters_channels(channels: _Channels) -> str | None:
    if channels.given == channels.by_group * channels.groups:
        return None
    return (
        f"the input has {channels.given} channels, and filters of {channels.by_group} with {channels.words} {channels.groups} "
        f"take {channels.by_group * channels.groups}"
    )


def _groups_have_as_many_filters(channels: _Channels) -> str | None:
    if channels.created % channels.groups == 0:
        return None
    return f"{channels.created} filters do not divide into the {channels.groups} of {channels.words}"


def _bias_has_the_result_s_channels(channels: _Channels) -> str | None:
    if channels.bias is None or prod(channels.bias) == channels.bias[-1] == channels.created:
        return None
    return (
        f"the bias is {shape_text(channels.bias)}, and the result has {channels.created} channels: it is "
        f"{shape_text((1, 1, 1, channels.created))}"
    )


_CHANNELS = (
    _input_has_the_filters_channels,
    _groups_have_as_many_filters,
    _bias_has_the_result_s_channels,
)


# Results.


def _convolved_image(op: ttir.TTIRConv2dOp) -> tuple[Shape, ...]:
    height, width = _windows_of_image(op)
    channels = shape_of(op.weight)[0]
    return ((*input_shape(op)[:-3], height.positions, width.positions, channels),)


def _convolved_images(op: ttnn.TTNNConv2dOp) -> tuple[Shape, ...]:
    height, width = _windows_of_image(op)
    return ((1, 1, op.batch_size * height.positions * width.positions, op.out_channels),)


def _pooled_image(op: ttir.TTIRMaxPool2dOp) -> tuple[Shape, ...]:
    height, width = _windows_of_image(op)
    batch, _, _, channels = input_shape(op)
    return ((batch, height.positions, width.positions, channels),)


def _pooled_images(op: ttnn.TTNNMaxPool2dOp) -> tuple[Shape, ...]:
    height, width = _windows_of_image(op)
    return ((1, 1, op.batch_size * height.positions * width.positions, op.channels),)


def _convolved(op: ttir.TTIRConvolutionOp) -> tuple[Shape, ...]:
    layout = op.convolution_layout
    extents = {
        layout.output_batch: input_shape(op)[layout.input_batch] // op.batch_group_count,
        layout.output_feature: shape_of(op.weight)[layout.kernel_output_feature],
        **{
            dim: window.positions
            for dim, window in zip(layout.output_spatial_dimensions, _windows_of_convolution(op), strict=True)
        },
    }
    return (tuple(extents[dim] for dim in range(len(extents))),)


# ``ttir.convolution``: each list has the right number of entries, and each dimension is named once.


def _padding_is_a_pair_for_each_dimension(op: ttir.TTIRConvolutionOp) -> str | None:
    count = len(op.convolution_layout.input_spatial_dimensions)
    for name, numbers, wanted in (
        ("padding", op.padding, 2 * count),
        ("input_dilation", op.input_dilation, count),
        ("weight_dilation", op.weight_dilation, count),
        ("window_reversal", op.window_reversal, count),
    ):
        if len(numbers) != wanted:
            return f"{name} has {len(numbers)} numbers, and with {count} spatial dimensions it has {wanted}"
    return None


def _layout_names_each_dimension_once(op: ttir.TTIRConvolutionOp) -> str | None:
    layout = op.convolution_layout
    for name, dims in (
        ("input", (layout.input_batch, layout.input_feature, *layout.input_spatial_dimensions)),
        (
            "kernel",
            (layout.kernel_output_feature, layout.kernel_input_feature, *layout.kernel_spatial_dimensions),
        ),
        ("output", (layout.output_batch, layout.output_feature, *layout.output_spatial_dimensions)),
    ):
        if sorted(dims) != list(range(len(dims))):
            return f"the {name} dimensions of convolution_layout are {list(dims)}: they name each from 0 to {len(dims) - 1} once"
    return None


def _input_is_spread_by_positive_numbers(op: ttir.TTIRConvolutionOp | ttir.TTIRPoolingOp) -> str | None:
    if isinstance(op, ttir.TTIRConvolutionOp):
        name, factors = "input_dilation", op.input_dilation
    else:
        name, factors = "base_dilations", op.base_dilations
    if min(factors, default=1) > 0:
        return None
    return f"{name} is {list(factors)}: 1 is the least"


def _base_dilations_are_of_all_dimensions(op: ttir.TTIRPoolingOp) -> str | None:
    rank = len(shape_of(op.inputs[0]))
    if len(op.base_dilations) == rank:
        return None
    return f"base_dilations has {len(op.base_dilations)} numbers, and the input has {rank} dimensions"


def _batch_divides_into_groups(op: ttir.TTIRConvolutionOp) -> str | None:
    groups, layout = op.batch_group_count, op.convolution_layout
    batch, created = (
        input_shape(op)[layout.input_batch],
        shape_of(op.weight)[layout.kernel_output_feature],
    )
    if batch % groups == 0 and created % groups == 0:
        return None
    return (
        f"a batch of {batch} and {created} filters do not both divide into the {groups} of batch_group_count"
    )


# ``ttnn.conv2d``: the numbers in its attributes agree with its tensors.


def _attributes_are_the_tensors(op: ttnn.TTNNConv2dOp) -> str | None:
    images = (op.batch_size, op.input_height, op.input_width, op.in_channels)
    shape, filters = input_shape(op), shape_of(op.weight)
    wanted = (op.out_channels, op.in_channels // max(op.groups, 1), op.kernel_height, op.kernel_width)
    if prod(shape) != prod(images) or shape[-1] != op.in_channels:
        return (
            f"the input is {shape_text(shape)}, and batch_size, input_height, input_width and in_channels are {shape_text(images)}: "
            f"it has {prod(images[:3])} rows of {op.in_channels}"
        )
    if filters != wanted:
        return (
            f"the weight is {shape_text(filters)}, and out_channels, in_channels by groups, kernel_height and kernel_width are "
            f"{shape_text(wanted)}"
        )
    return None


CONV2D = (
    ForEach(_channels, (_there_are_groups, *_CHANNELS)),
    ForEach(_windows_of_image, _WINDOW),
    ResultShapes(_convolved_image),
)
CONV2D_ON_DEVICE = (
    _attributes_are_the_tensors,
    ForEach(_channels, (_there_are_groups, *_CHANNELS)),
    ForEach(_windows_of_image, _WINDOW),
    ResultShapes(_convolved_images),
)
CONVOLUTION = (
    _padding_is_a_pair_for_each_dimension,
    _layout_names_each_dimension_once,
    _input_is_spread_by_positive_numbers,
    ForEach(_channels, _CHANNELS),
    _batch_divides_into_groups,
    ForEach(_windows_of_convolution, _WINDOW),
    ResultShapes(_convolved),
)
MAX_POOL2D = (ForEach(_windows_of_image, _WINDOW), ResultShapes(_pooled_image))
MAX_POOL2D_ON_DEVICE = (ForEach(_windows_of_image, _WINDOW), ResultShapes(_pooled_images))


def _all_inputs_have_a_result(op: ttir.TTIRPoolingOp) -> str | None:
    if len(op.results) == len(op.inputs):
        return None
    return f"{len(op.inputs)} inputs have {len(op.results)} results: each input has one"


def _pooled(op: ttir.TTIRPoolingOp) -> Iterator[_Pooled]:
    for value, result in zip(op.inputs, op.results, strict=True):
        shape = tuple(window.positions for window in _windows_along(op, shape_of(value)))
        yield _Pooled(shape, shape_of(result))


class _Pooled(NamedTuple):
    created: Shape
    given: Shape


def _result_is_what_windows_make(one: _Pooled) -> str | None:
    return None if one.created == one.given else shape_problem(one.given, one.created)


POOLING = (
    _all_inputs_have_a_result,
    _base_dilations_are_of_all_dimensions,
    _input_is_spread_by_positive_numbers,
    ForEach(_windows_of_pooling, _WINDOW),
    ForEach(_pooled, (_result_is_what_windows_make,)),
)
