"""Convolutions, pooling and resizing of images, in the order (N, C, H, W) of torch."""

from __future__ import annotations

import math
from typing import Any

from ttmlir.torch.emitter import GraphEmitter
from ttmlir.torch.functions.shapes import pad
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.row import AtenValue, Rule, rows

# The largest window for which a maximum is computed from shifted tensors.
_LARGEST_WINDOW = 49
_RIGHT_SIDE = "padding must be equal on both sides"


def _pair(given: Any, default: int = 0) -> tuple[int, int]:
    """Return a number, or a pair of numbers, as height and width."""
    if given is None or (not isinstance(given, int) and not len(given)):
        return default, default
    if isinstance(given, int):
        return given, given
    first, *others = given
    return first, (others[0] if others else first)


def _convolved(
    at: GraphLowering,
    value: AtenValue,
    weight: AtenValue,
    bias: AtenValue | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    if value.rank not in (3, 4) or weight.rank != value.rank:
        raise at.refuse(
            f"a convolution of {value.rank} dimensions with a weight of {weight.rank}",
            "images (N, C, H, W), or sequences (N, C, L), with the dimension for the batch",
        )
    build = at.builder
    numbers = {"stride": stride, "padding": padding, "dilation": dilation}
    image, filters = at.operand(value), at.operand(weight)
    pairs = {name: _pair(one, 0 if name == "padding" else 1) for name, one in numbers.items()}
    if value.rank == 3:
        # A sequence is an image of height one.
        pairs = {name: (0 if name == "padding" else 1, one[0]) for name, one in pairs.items()}
        image, filters = (
            build.reshape(one, [*shape[:2], 1, shape[2]])
            for one, shape in ((image, value.shape), (filters, weight.shape))
        )
    offsets = None if bias is None else build.reshape(at.operand(bias), [1, 1, 1, bias.shape[0]])
    result = build.convolution(image, filters, offsets, groups=groups, **pairs)
    return at.reshape(at.again(result, tuple(build.get_shape(result))), at.shape)


def _core_convolution(
    at: GraphLowering,
    value: AtenValue,
    weight: AtenValue,
    bias: AtenValue | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    is_transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    if not is_transposed:
        return _convolved(at, value, weight, bias, stride, padding, dilation, groups)
    return _transposed(at, value, weight, bias, stride, padding, output_padding, groups, dilation)


def _transposed(
    at: GraphLowering,
    value: AtenValue,
    weight: AtenValue,
    bias: AtenValue | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """Transposed convolution; without overlap, a matrix product makes the window of each pixel, and these are joined.

    Otherwise it is a convolution of the image with zeros between its pixels.
    """
    kernel = tuple(weight.shape[2:])
    plain = _pair(padding) == (0, 0) == _pair(output_padding) and _pair(dilation, 1) == (1, 1) and groups == 1
    if value.rank != 4 or not plain or _pair(stride, 1) != kernel:
        return _spread_out(at, value, weight, bias, stride, padding, output_padding, groups, dilation)
    build = at.builder
    (batch, channels, height, width), (rows_of, columns) = value.shape, kernel
    outputs = weight.shape[1]
    pixels = build.reshape(build.permute(at.operand(value), (0, 2, 3, 1)), [batch * height * width, channels])
    filters = build.permute(at.operand(weight), (0, 2, 3, 1))
    windows = build.matmul(pixels, build.reshape(filters, [channels, rows_of * columns * outputs]))
    # Lines of windows become lines of pixels.
    apart = build.reshape(windows, [batch * height, width, rows_of, columns * outputs])
    image = build.reshape(build.transpose(apart, 1, 2), [batch, height * rows_of, width * columns, outputs])
    if bias is not None:
        image = build.add(image, build.reshape(at.operand(bias), [1, 1, 1, outputs]))
    return build.permute(image, (0, 3, 1, 2))


def _spread_out(
    at: GraphLowering,
    value: AtenValue,
    weight: AtenValue,
    bias: AtenValue | None,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Any:
    """Compute a transposed convolution as a convolution: zeros between the pixels, and the filters reversed."""
    if value.rank not in (3, 4):
        raise at.refuse(
            f"a transposed convolution of {value.rank} dimensions",
            "images (N, C, H, W), or sequences (N, C, L), with the dimension for the batch",
        )
    one_line = value.rank == 3
    if one_line:  # a sequence is an image of height one
        value, weight = (at.reshape(one, (*one.shape[:2], 1, one.shape[2])) for one in (value, weight))

    def pair(given: Any, default: int) -> tuple[int, int]:
        return (default, _pair(given, default)[0]) if one_line else _pair(given, default)

    by, apart, edge, further = pair(stride, 1), pair(dilation, 1), pair(padding, 0), pair(output_padding, 0)
    image = _with_zeros_between(at, value, by)
    same = []
    for index, dim in enumerate((1, 2)):
        reach = apart[index] * (weight.shape[2 + index] - 1) - edge[index]
        # The image ends in zeros already.
        before, behind = reach, reach + further[index] - (by[index] - 1)
        same.append(max(0, min(before, behind)))
        image = pad(at, image, dim, before - same[index], behind - same[index], 0.0)
    build = at.builder
    filters = at.operand(_backwards(at, weight, groups))
    offsets = None if bias is None else build.reshape(at.operand(bias), [1, 1, 1, bias.shape[0]])
    result = build.convolution(
        build.permute(at.operand(image), (0, 3, 1, 2)),
        filters,
        offsets,
        stride=(1, 1),
        padding=(same[0], same[1]),
        dilation=apart,
        groups=groups,
    )
    return at.reshape(at.again(result, tuple(build.get_shape(result))), at.shape)


def _with_zeros_between(at: GraphLowering, value: AtenValue, by: tuple[int, int]) -> AtenValue:
    """Insert ``by - 1`` lines of zeros behind each line of pixels of an image with channels last."""
    build = at.builder
    batch, channels, height, width = value.shape
    operand = build.permute(at.operand(value, at.dtype), (0, 2, 3, 1))
    for lines, length, times in (
        (batch * height * width, channels, by[1]),
        (batch * height, width * by[1] * channels, by[0]),
    ):
        if times > 1:
            zeros = build.constant(0.0, [lines, (times - 1) * length], build.element_of(operand))
            operand = build.concat([build.reshape(operand, [lines, length]), zeros], 1)
    shape = (batch, height * by[0], width * by[1], channels)
    return at.again(build.reshape(operand, list(shape)), shape)


def _backwards(at: GraphLowering, weight: AtenValue, groups: int) -> AtenValue:
    """Return filters (I, O / groups, KH, KW) as (O, I / groups, KH, KW), each reversed."""
    inputs, outputs, *kernel = weight.shape
    if weight.known is not None:
        split = weight.known.reshape(groups, inputs // groups, outputs, *kernel).transpose(1, 2)
        return AtenValue.of(split.reshape(groups * outputs, inputs // groups, *kernel).flip((2, 3)))
    apart = at.reshape(weight, (groups, inputs // groups, outputs, kernel[0] * kernel[1]))
    swapped = at.builder.transpose(at.operand(apart), 1, 2)
    shape = (groups * outputs, inputs // groups, *kernel)
    whole = AtenValue(shape, weight.dtype, operand=at.builder.reshape(swapped, list(shape)))
    for dim in (2, 3):
        extent = whole.shape[dim]
        parts = [
            at.builder.slice(
                at.operand(whole),
                [position if axis == dim else 0 for axis in range(4)],
                [position + 1 if axis == dim else one for axis, one in enumerate(shape)],
                [1] * 4,
            )
            for position in range(extent - 1, -1, -1)
        ]
        if extent > 1:
            whole = AtenValue(shape, weight.dtype, operand=at.builder.concat(parts, dim))
    return whole


# Pooling, of the last ``count`` dimensions: two of images, three of volumes; lines are images of height one for torch.


def _each(given: Any, count: int, default: int = 0) -> list[int]:
    """Return one number for each dimension."""
    several = [given] if isinstance(given, int) else list(given or [default])
    return [one if one is not None else default for one in several * (count if len(several) == 1 else 1)]


def _max_pooled(count: int) -> Rule:
    def rule(
        at: GraphLowering,
        value: AtenValue,
        kernel: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
    ) -> Any:
        """Max pooling.

        ``ttir.max_pool2d`` takes bf16 only; float32 maxima are those of shifted tensors, which loses no digit.
        """
        import torch

        size, edge, apart = _each(kernel, count), _each(padding, count), _each(dilation, count, 1)
        by = _each(stride, count) if stride else size
        build = at.builder
        if at.dtype is torch.bfloat16 and count == 2 and value.rank == 4:
            rows_of = build.permute(at.operand(value), (0, 2, 3, 1))
            window, step, sides, between = ((one[0], one[1]) for one in (size, by, edge, apart))
            pooled = build.max_pool2d(rows_of, window, step, sides, between, ceil_mode)
            return build.permute(pooled, (0, 3, 1, 2))
        if math.prod(size) > _LARGEST_WINDOW:
            what = "x".join(map(str, size))
            raise at.refuse(
                f"a window of {what} of {at.dtype}", "images of bfloat16: tensor.to(torch.bfloat16)"
            )
        first = value.rank - count
        for index, dim in enumerate(range(first, value.rank)):
            reach = (at.shape[dim] - 1) * by[index] + apart[index] * (size[index] - 1) + 1
            behind = reach - value.shape[dim] - edge[index]
            value = pad(at, value, dim, edge[index], behind, float("-inf"))
        # Along one dimension after the other: 3 + 3 tensors for a window of 3x3, not 9.
        for index, dim in enumerate(range(first, value.rank)):
            value = _along(at, value, dim, size[index], by[index], apart[index], at.shape[dim])
        return value

    return rule


def _along(
    at: GraphLowering, value: AtenValue, dim: int, size: int, stride: int, dilation: int, count: int
) -> AtenValue:
    """Maxima over the windows of one dimension."""
    w, operand, result = GraphEmitter(at), at.operand(value), None
    for position in range(0, size * dilation, dilation):
        part = w.range(operand, dim, position, position + (count - 1) * stride + 1, stride)
        result = part if result is None else w.elementwise("maximum", result, part)
    assert result is not None
    return at.again(result, w.shape(result))


def _without_positions(rule: Rule) -> Rule:
    """Return the rule that gives the maxima only; a use of their positions is refused."""

    def only_maxima(at: GraphLowering, *arguments: Any) -> Any:
        if at.is_used(1):
            raise at.refuse("positions of maxima are not available", "return_indices=False")
        return [rule(at, *arguments), None]

    return only_maxima


def _mean_pooled(count: int) -> Rule:
    def rule(
        at: GraphLowering,
        value: AtenValue,
        kernel: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        counts_padding: bool = True,
        divisor: int | None = None,
    ) -> Any:
        """Average pooling by a matrix for each dimension, which torch makes by pooling unit columns."""
        import torch

        if divisor is not None:
            raise at.refuse(f"divisor_override is {divisor}", "no divisor, and a multiplication after it")
        size, edge = _each(kernel, count), _each(padding, count)
        by = _each(stride, count) if stride else size

        def of_one_dimension(index: int, columns: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.avg_pool2d(
                columns, (size[index], 1), (by[index], 1), (edge[index], 0), ceil_mode, counts_padding
            )

        return _dimension_by_dimension(at, value, of_one_dimension, count)

    return rule


def _maximum_of_parts(count: int) -> Rule:
    def rule(at: GraphLowering, value: AtenValue, size: Any) -> Any:
        """Adaptive max pooling: if the extents divide evenly it is a max pooling, else one maximum for each part."""
        wanted, first = at.shape[-count:], value.rank - count
        if set(wanted) == {1}:
            return at.builder.max(at.operand(value), list(range(first, value.rank)), True)
        if all(extent % parts == 0 for extent, parts in zip(value.shape[first:], wanted, strict=True)):
            sizes = [extent // parts for extent, parts in zip(value.shape[first:], wanted, strict=True)]
            return _max_pooled(count)(at, value, sizes)
        w, operand = GraphEmitter(at), at.operand(value)
        for dim, parts in enumerate(wanted, first):
            extent = w.shape(operand)[dim]
            if parts != extent:
                ends = [(part * extent // parts, -(-(part + 1) * extent // parts)) for part in range(parts)]
                greatest = [w.reduce("max", w.range(operand, dim, *one), [dim], keep=True) for one in ends]
                operand = w.concat(greatest, dim)
        return operand

    return rule


def _adapted(count: int) -> Rule:
    def rule(at: GraphLowering, value: AtenValue, size: Any) -> Any:
        import torch

        first = value.rank - count
        if set(at.shape[first:]) == {1}:
            return at.builder.mean(at.operand(value), list(range(first, value.rank)), True)

        def of_one_dimension(index: int, columns: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.adaptive_avg_pool2d(columns, (at.shape[first + index], 1))

        return _dimension_by_dimension(at, value, of_one_dimension, count)

    return rule


def _dimension_by_dimension(
    at: GraphLowering, value: AtenValue, of_one_dimension: Any, count: int = 2
) -> Any:
    """Apply a linear function along each of the last ``count`` dimensions.

    Its matrix consists of its results for the unit columns.
    """
    import torch

    for index, dim in enumerate(range(value.rank - count, value.rank)):
        extent = value.shape[dim]
        units = torch.eye(extent).reshape(1, extent, extent, 1)
        matrix = of_one_dimension(index, units)[0, :, :, 0].T.contiguous()
        if matrix.shape != (extent, extent) or not torch.equal(matrix, torch.eye(extent)):
            value = at.mixed(value, dim, matrix)
    return value


# Resizing of images.


def _nearest(at: GraphLowering, value: AtenValue, *arguments: Any) -> Any:
    """Nearest-neighbour upsampling: repeat each pixel; for a factor that is not whole, multiply by 0/1 matrices.

    With channels last, each pixel is a row that is concatenated with itself, and then each line of pixels is.
    """
    build = at.builder
    (batch, channels, height, width), (rows_of, columns) = value.shape, at.shape[2:]
    if rows_of % height or columns % width:
        return _resized("upsample_nearest2d")(at, value, *arguments)
    operand = build.permute(at.operand(value), (0, 2, 3, 1))
    for lines, times in ((batch * height * width, columns // width), (batch * height, rows_of // height)):
        if times > 1:
            operand = build.reshape(operand, [lines, -1])
            operand = build.concat([operand] * times, 1)
    image = build.reshape(operand, [batch, rows_of, columns, channels])
    return build.permute(image, (0, 3, 1, 2))


def _resized(name: str) -> Rule:
    """Return the rule of a resize by a matrix for the rows and one for the columns, which torch makes of unit vectors."""

    def rule(at: GraphLowering, value: AtenValue, *arguments: Any) -> Any:
        import torch

        aligned = [one for one in arguments if isinstance(one, bool)]
        scales = next((one for one in arguments[::-1] if isinstance(one, list | tuple)), None)
        if scales is None or not all(isinstance(one, float) for one in scales) or len(arguments) > 3:
            given = [one for one in arguments if isinstance(one, float)]
            scales = given if len(given) == 2 else [None, None]
        function = getattr(torch.ops.aten, name).default

        def of_one_dimension(index: int, columns: torch.Tensor) -> torch.Tensor:
            result: torch.Tensor = function(columns, [at.shape[2 + index], 1], *aligned, scales[index], None)
            return result

        return _dimension_by_dimension(at, value, of_one_dimension)

    return rule


_MAXIMA = "ttir.max_pool2d and ttir.transpose for bf16; for float32 ttir.slice, ttir.concat and ttir.maximum"
_MATRICES = "one ttir.matmul for each dimension, with matrices that are known, with ttir.transpose"
ROWS = rows(
    ("conv2d.default conv1d.default", _convolved, "ttir.convolution", "tensors that do not have three or four dimensions"),
    ("convolution.default", _core_convolution, "ttir.convolution", "tensors that do not have three or four dimensions"),
    ("conv_transpose2d.input conv_transpose1d.default", _transposed, "ttir.transpose, ttir.matmul, ttir.reshape, ttir.add; where windows overlap ttir.convolution of zeros between pixels, by ttir.concat and ttir.slice", "tensors that do not have three or four dimensions"),
    ("max_pool2d.default", _max_pooled(2), _MAXIMA, "positions"),
    ("max_pool3d.default", _max_pooled(3), _MAXIMA),
    ("max_pool2d_with_indices.default", _without_positions(_max_pooled(2)), _MAXIMA, "positions"),
    ("max_pool3d_with_indices.default", _without_positions(_max_pooled(3)), _MAXIMA, "positions"),
    ("adaptive_max_pool2d.default", _without_positions(_maximum_of_parts(2)), f"ttir.max, or {_MAXIMA}", "positions"),
    ("adaptive_max_pool3d.default", _without_positions(_maximum_of_parts(3)), f"ttir.max, or {_MAXIMA}", "positions"),
    ("avg_pool2d.default", _mean_pooled(2), _MATRICES, "divisor_override"),
    ("avg_pool3d.default", _mean_pooled(3), _MATRICES, "divisor_override"),
    ("adaptive_avg_pool2d.default _adaptive_avg_pool2d.default", _adapted(2), f"ttir.mean, or {_MATRICES}"),
    ("adaptive_avg_pool3d.default _adaptive_avg_pool3d.default", _adapted(3), f"ttir.mean, or {_MATRICES}"),
    ("upsample_nearest2d.vec upsample_nearest2d.default", _nearest, f"ttir.concat and ttir.transpose, or {_MATRICES}"),
    ("upsample_bilinear2d.vec upsample_bilinear2d.default", _resized("upsample_bilinear2d"), _MATRICES),
)  # fmt: skip
