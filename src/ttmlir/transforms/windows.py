"""Conversion of convolutions and poolings with any order of dimensions to TTNN's: batch, height, width, channels.

Dimensions have labels: ``B`` for the batch, ``F`` for features, 0 and 1 for the spatial ones; for filters ``O`` and ``I``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.ir import SSAValue

from tt_model.layouts.enums import PoolingMethod
from tt_model.operations.emission import Emission, constraints_of_tiles
from tt_model.operations.result_shapes import Pair, exchanged, exchanges_of, joined
from tt_model.operations.tensors import Tensor, location_of, shape_of, tensor_type_of
from tt_model.operations.ttir import TTIRConvolutionOp, TTIRPoolingOp
from ttl.ir.dense import dense

Label = str | int

_SMALLEST, _LARGEST = -(1 << 31), (1 << 31) - 1
_CHANNELS_LAST: tuple[Label, ...] = ("B", 0, 1, "F")
_FILTER: tuple[Label, ...] = ("O", "I", 0, 1)


def _beyond_32_bits(**named: Sequence[int]) -> list[str]:
    """Return messages about numbers of a window that do not fit 32 bits."""
    failed: list[str] = []
    for name, numbers in named.items():
        if not all(_SMALLEST <= number <= _LARGEST for number in numbers):
            failed.append(
                f"{name} has to be of numbers from {_SMALLEST} to {_LARGEST}, and is {', '.join(map(str, numbers))}"
            )
    return failed


def _transposed(
    value: SSAValue, steps: Sequence[Pair], op: TTIRConvolutionOp | TTIRPoolingOp, emission: Emission
) -> SSAValue:
    """The value after the exchanges ``steps``; the transposes have the location of the value."""
    place = location_of(value)
    for step in steps:
        type = tensor_type_of(value)
        value = emission.into_empty(
            "ttir.transpose",
            [value],
            emission.tensor(exchanged(type.get_shape(), step), type.element_type, type.encoding),
            at=place,
            dim0=step[0],
            dim1=step[1],
            operand_constraints=op.operand_constraints,
        )
    return value


# ttir.convolution


def _data_labels(rank: int, batch: int, feature: int, spatial: Sequence[int]) -> list[Label]:
    return _labels(rank, {batch: "B", feature: "F"}, spatial)


def _labels(rank: int, named: dict[int, Label], spatial: Sequence[int]) -> list[Label]:
    labels: dict[int, Label] = {**named, **{dim: index for index, dim in enumerate(spatial)}}
    return [labels.get(dim, "") for dim in range(rank)]


def _convolution_labels(op: TTIRConvolutionOp) -> tuple[list[Label], list[Label], list[Label]]:
    """The labels of the input, of the filter and of the output."""
    layout = op.convolution_layout
    rank = len(shape_of(op.result))
    return (
        _data_labels(rank, layout.input_batch, layout.input_feature, layout.input_spatial_dimensions),
        _labels(
            rank,
            {layout.kernel_output_feature: "O", layout.kernel_input_feature: "I"},
            layout.kernel_spatial_dimensions,
        ),
        _data_labels(rank, layout.output_batch, layout.output_feature, layout.output_spatial_dimensions),
    )


def convolution_conditions(op: TTIRConvolutionOp) -> list[str]:
    """Return the reasons why ``ttir.conv2d`` cannot compute a convolution."""
    failed: list[str] = []
    layout = op.convolution_layout
    count = len(layout.input_spatial_dimensions)
    if count != 2:
        return [
            f"only convolutions of 2 spatial dimensions are lowered, and this one has {count}: "
            + ("give it a second one of extent 1" if count == 1 else "sum convolutions of 2 dimensions")
        ]
    if any(extent != 1 for extent in op.input_dilation):
        dilation = ", ".join(map(str, op.input_dilation))
        failed.append(
            f"input_dilation has to be 1, and is {dilation}: a transposed convolution has no equivalent in TTNN"
        )
    if len(op.padding) != 4 or len(op.weight_dilation) != 2:
        failed.append(
            "padding has to have 4 numbers (before and after each spatial dimension) and weight_dilation 2, and they have "
            f"{len(op.padding)} and {len(op.weight_dilation)}"
        )
    failed += _beyond_32_bits(
        padding=op.padding,
        window_strides=op.window_strides,
        weight_dilation=op.weight_dilation,
        feature_group_count=(op.feature_group_count,),
    )
    for what, labels, wanted in zip(
        ("input", "kernel", "output"),
        _convolution_labels(op),
        (_CHANNELS_LAST, _FILTER, _CHANNELS_LAST),
        strict=True,
    ):
        if sorted(map(str, labels)) != sorted(map(str, wanted)):
            failed.append(
                f"the {what} dimensions of convolution_layout do not name each of the 4 dimensions once"
            )
    element, result = tensor_type_of(op.input).element_type, tensor_type_of(op.result).element_type
    if element != result:
        failed.append(
            f"the result has to be of the element type of the input, {element}, and is of {result}: add a ttir.typecast"
        )
    return failed


def convolution_to_conv2d(op: TTIRConvolutionOp, emission: Emission) -> Sequence[SSAValue]:
    """Convert to a convolution of batch, height, width, channels, between transposes to and from this order."""
    data, filter, result = _convolution_labels(op)
    into = exchanges_of(data, _CHANNELS_LAST)
    # If the result has the dimensions in the order of the input, the same exchanges in reverse restore it.
    back = into[::-1] if data == result else exchanges_of(_CHANNELS_LAST, result)
    extents = shape_of(op.result)
    type = emission.tensor(
        [extents[result.index(label)] for label in _CHANNELS_LAST],
        tensor_type_of(op.input).element_type,
        tensor_type_of(op.input).encoding,
    )
    empty = emission.empty(type) if op.batch_group_count == 1 else None
    images = _transposed(op.input, into, op, emission)
    filters = _transposed(op.weight, exchanges_of(filter, _FILTER), op, emission)
    for dim, is_reversed in enumerate(op.window_reversal):
        if is_reversed:
            filters = _reversed(filters, _FILTER.index(dim), emission)
    if empty is not None:
        convolved = _conv2d(op, images, filters, op.bias, empty, emission)
    else:
        convolved = _by_batch_groups(op, images, filters, type, emission)
    return [_transposed(convolved, back, op, emission)]


def _conv2d(
    op: TTIRConvolutionOp,
    images: SSAValue,
    filters: SSAValue,
    bias: SSAValue | None,
    empty: SSAValue,
    emission: Emission,
) -> SSAValue:
    top, bottom, left, right = op.padding
    stride_height, stride_width = op.window_strides
    dilation_height, dilation_width = op.weight_dilation
    return emission.make(
        "ttir.conv2d",
        [images, filters, bias, empty],
        empty.type,
        stride_height=stride_height,
        stride_width=stride_width,
        dilation_height=dilation_height,
        dilation_width=dilation_width,
        groups=op.feature_group_count,
        padding_left=left,
        padding_right=right,
        padding_top=top,
        padding_bottom=bottom,
        operand_constraints=op.operand_constraints,
    )


def _by_batch_groups(
    op: TTIRConvolutionOp, images: SSAValue, filters: SSAValue, type: Tensor, emission: Emission
) -> SSAValue:
    """Convolve each part of the batch with its own filters, and join the results along their channels."""
    groups, shape = op.batch_group_count, type.get_shape()
    part = emission.tensor((*shape[:-1], shape[-1] // groups), type.element_type, type.encoding)
    parts = [
        _conv2d(
            op,
            _part(images, 0, group, groups, emission),
            _part(filters, 0, group, groups, emission),
            None if op.bias is None else _part(op.bias, 3, group, groups, emission),
            emission.empty(part),
            emission,
        )
        for group in range(groups)
    ]
    return _joined(parts, 3, emission)


def _part(value: SSAValue, dim: int, number: int, count: int, emission: Emission) -> SSAValue:
    """Part ``number`` of ``count`` equal parts of a dimension."""
    type = tensor_type_of(value)
    shape = list(type.get_shape())
    size = shape[dim] // count
    begins, ends = [0] * len(shape), list(shape)
    begins[dim], ends[dim], shape[dim] = number * size, (number + 1) * size, size
    return emission.into_empty(
        "ttir.slice",
        [value],
        emission.tensor(shape, type.element_type, type.encoding),
        begins=begins,
        ends=ends,
        step=[1] * len(shape),
        operand_constraints=constraints_of_tiles(2),
    )


def _joined(values: Sequence[SSAValue], dim: int, emission: Emission) -> SSAValue:
    first = tensor_type_of(values[0])
    shape = joined([shape_of(value) for value in values], dim)
    return emission.into_empty(
        "ttir.concat",
        [values],
        emission.tensor(shape, first.element_type, first.encoding),
        dim=dim,
        operand_constraints=constraints_of_tiles(len(values) + 1),
    )


def _reversed(value: SSAValue, dim: int, emission: Emission) -> SSAValue:
    """Reverse a dimension, slice by slice: no slice of TTNN with a negative step reaches the first element."""
    count = shape_of(value)[dim]
    if count == 1:
        return value
    return _joined(
        [_part(value, dim, number, count, emission) for number in reversed(range(count))], dim, emission
    )


# ttir.pooling


def _more_than_one(values: Sequence[int]) -> list[int]:
    return [dim for dim, value in enumerate(values) if value > 1]


def _spatial(window: Sequence[int]) -> list[int]:
    """The two dimensions, as height and width, along which a window moves.

    A window with fewer dimensions greater than 1 gets others of its last three.
    """
    wide = _more_than_one(window)
    others = [dim for dim in (len(window) - 1, len(window) - 2, len(window) - 3) if dim not in wide]
    return sorted([*wide, *others[: 2 - len(wide)]])


def pooling_conditions(op: TTIRPoolingOp) -> list[str]:
    """Return the reasons why ``ttir.max_pool2d`` and ``ttir.conv2d`` cannot compute a pooling."""
    failed: list[str] = []
    window, strides = op.window_dimensions, op.window_strides
    wide = _more_than_one(window)
    window_text, strides_text = (", ".join(map(str, values)) for values in (window, strides))
    if len(wide) > 2:
        failed.append(
            f"No decompositions for a pooling op whose window has {len(wide)} dimensions greater than 1 (window_dimensions "
            f"{window_text}): at most 2 are lowered, to ttir.max_pool2d or ttir.conv2d"
        )
    if any(len(shape_of(value)) != 4 for value in op.inputs):
        types = ", ".join(str(value.type) for value in op.inputs)
        failed.append(f"inputs have to have 4 dimensions, and are {types}: reshape them before")
    if failed:
        return failed
    spatial = _spatial(window)
    if any(dim not in spatial for dim in _more_than_one(strides)):
        failed.append(
            f"strides have to be 1 where the window is: window_dimensions is {window_text}, window_strides {strides_text}"
        )
    if any(extent != 1 for extent in op.base_dilations):
        dilations = ", ".join(map(str, op.base_dilations))
        failed.append(f"base_dilations has to be 1, and is {dilations}")
    failed += _beyond_32_bits(
        padding=op.padding,
        window_dimensions=op.window_dimensions,
        window_strides=op.window_strides,
        window_dilations=op.window_dilations,
    )
    padding = op.padding
    if any(
        value
        for dim in range(len(padding) // 2)
        if dim not in spatial
        for value in padding[2 * dim : 2 * dim + 2]
    ):
        failed.append(
            f"padding has to be 0 where the window is 1, and is {', '.join(map(str, padding))}: pad the input before"
        )
    if op.pooling_method is PoolingMethod.Average:
        elements = {str(tensor_type_of(value).element_type) for value in op.inputs}
        if not elements <= {"f32", "bf16", "f16"}:
            failed.append(
                f"means need floats, but the elements are {', '.join(sorted(elements))}: cast them before"
            )
    return failed


def pooling_to_windows(op: TTIRPoolingOp, emission: Emission) -> Sequence[SSAValue]:
    """Convert the pooling of each input to a ``max_pool2d``, or, for means, to a ``conv2d`` of each channel by itself.

    The images have their channels last.
    """
    height, width = _spatial(op.window_dimensions)
    labels: list[Label] = [{height: 0, width: 1}.get(dim, f"other{dim}") for dim in range(4)]
    others = [label for label in labels if isinstance(label, str)]
    into = exchanges_of(labels, [others[0], 0, 1, others[1]])
    padding, strides, dilations = op.padding, op.window_strides, op.window_dilations
    windows: dict[str, Any] = {
        "stride_height": strides[height],
        "stride_width": strides[width],
        "dilation_height": dilations[height],
        "dilation_width": dilations[width],
        "padding_top": padding[2 * height],
        "padding_bottom": padding[2 * height + 1],
        "padding_left": padding[2 * width],
        "padding_right": padding[2 * width + 1],
    }
    size = op.window_dimensions[height], op.window_dimensions[width]
    pooled = _maxima if op.pooling_method is PoolingMethod.Max else _means
    results: list[SSAValue] = []
    for value, old in zip(op.inputs, op.results, strict=True):
        old_type = tensor_type_of(old)
        type = emission.tensor(
            exchanged(old_type.get_shape(), *into), old_type.element_type, old_type.encoding
        )
        images = _transposed(value, into, op, emission)
        results.append(
            _transposed(pooled(op, images, type, size, windows, emission), into[::-1], op, emission)
        )
    return results


def _maxima(
    op: TTIRPoolingOp,
    images: SSAValue,
    type: Tensor,
    size: tuple[int, int],
    windows: Mapping[str, Any],
    emission: Emission,
) -> SSAValue:
    return emission.into_empty(
        "ttir.max_pool2d",
        [images],
        type,
        kernel_height=size[0],
        kernel_width=size[1],
        ceil_mode=False,
        operand_constraints=op.operand_constraints,
        **windows,
    )


def _means(
    op: TTIRPoolingOp,
    images: SSAValue,
    type: Tensor,
    size: tuple[int, int],
    windows: Mapping[str, Any],
    emission: Emission,
) -> SSAValue:
    """Compute means by a filter of equal weights for each channel: padding counts as zeros, as in the mean."""
    channels = type.get_shape()[-1]
    filters = emission.tensor((channels, 1, *size), type.element_type)
    part = emission.make("ttir.constant", [], filters, value=dense(filters, [1 / (size[0] * size[1])]))
    return emission.into_empty(
        "ttir.conv2d",
        [images, part, None],
        type,
        groups=channels,
        operand_constraints=constraints_of_tiles(3),
        **windows,
    )
