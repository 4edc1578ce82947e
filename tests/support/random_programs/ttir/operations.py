"""How random modules get each operation of TTIR: its other operands, attributes and result, right by construction."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.random_programs.ttir.modules import Body, Tensor

# Writes an operation that reads a value; None where there is none that could.
Write = Callable[["Body", "Tensor"], "Tensor | None"]


@dataclass(frozen=True, slots=True)
class Choice:
    """An entry of ``OPERATIONS``. ``weight`` is how often it is chosen, relative to others."""

    write: Write
    weight: int = 1


UNARY = (
    "abs", "cbrt", "ceil", "cos", "exp", "expm1", "floor", "gelu", "isfinite", "log", "log1p", "logical_not", "neg",
    "reciprocal", "relu", "rsqrt", "sigmoid", "sign", "sin", "sqrt",
)  # fmt: skip
_BINARY = (
    "add", "div", "eq", "ge", "gt", "le", "logical_and", "logical_or", "logical_xor", "lt", "maximum", "minimum",
    "multiply", "ne", "remainder", "subtract",
)  # fmt: skip
# Those that mean something for whole numbers.
_WHOLE = frozenset(("abs", "neg", "relu", "sign", "logical_not", *_BINARY))
_USES = ("add", "multiply", "subtract", "maximum")
_DTYPES = ("f32", "bf16", "i32")
Pair = tuple[int, int]


def broadcast(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape that both are repeated to."""
    rank = max(len(first), len(second))
    pairs = zip((1,) * (rank - len(first)) + first, (1,) * (rank - len(second)) + second, strict=True)
    shape = []
    for one, other in pairs:
        if one != other and 1 not in (one, other):
            return None
        shape.append(max(one, other))
    return tuple(shape)


def _unary(name: str) -> Write:
    def write(body: Body, x: Tensor) -> Tensor | None:
        if x.dtype.startswith("i") and name not in _WHOLE:
            return None
        return body.operation(name, [x], x.shape, segments=(1, 1))

    return write


def _partner(body: Body, x: Tensor) -> Tensor:
    """A value that can be combined with another element by element."""
    shape = tuple(1 if body.choice.random() < 0.3 else extent for extent in x.shape)
    if body.choice.random() < 0.25 and len(shape) > 1:
        shape = shape[body.choice.randint(1, len(shape) - 1) :]
    return body.value_like(
        lambda value: value.dtype == x.dtype and broadcast(value.shape, x.shape) is not None, shape, x.dtype
    )


def _binary(name: str) -> Write:
    def write(body: Body, x: Tensor) -> Tensor | None:
        operands = [x, _partner(body, x)]
        body.choice.shuffle(operands)
        shape = broadcast(operands[0].shape, operands[1].shape)
        assert shape is not None
        return body.operation(name, operands, shape, segments=(2, 1))

    return write


def _where(body: Body, x: Tensor) -> Tensor | None:
    condition = body.operation("gt", [x, x], x.shape, segments=(2, 1))
    if condition is None:
        return None
    other = _partner(body, x)
    shape = broadcast(x.shape, other.shape)
    assert shape is not None
    operands = [condition, *body.choice.sample([x, other], 2)]
    return body.operation("where", operands, shape, segments=(3, 1))


def _typecast(body: Body, x: Tensor) -> Tensor | None:
    dtype = body.choice.choice([dtype for dtype in _DTYPES if dtype != x.dtype])
    return body.operation("typecast", [x], x.shape, dtype, segments=(1, 1))


def _leaky_relu(body: Body, x: Tensor) -> Tensor | None:
    if x.dtype.startswith("i"):
        return None
    slope = ["parameter = 2.500000e-01 : f32"]
    return body.operation("leaky_relu", [x], x.shape, None, slope, segments=(1, 1))


def _clamp(body: Body, x: Tensor) -> Tensor | None:
    """Its verifier wants the operand to be laid out as the result: in tiles, which a pool does not give by itself."""
    limits = ["max = 2.000000e+00 : f32", "min = -1.000000e+00 : f32"]
    return body.operation("clamp", [x], x.shape, None, limits, constraint="any_device_tile")


def _reduction(name: str) -> Write:
    def write(body: Body, x: Tensor) -> Tensor | None:
        if x.dtype.startswith("i") and name == "mean":
            return None
        keep = body.choice.random() < 0.5
        attributes = [f"keep_dim = {str(keep).lower()}"]
        dims = set(range(len(x.shape)))
        if body.choice.random() < 0.8:
            dims = set(body.choice.sample(sorted(dims), body.choice.randint(1, len(dims))))
            given = [dim - body.choice.choice((0, len(x.shape))) for dim in sorted(dims)]
            attributes.insert(0, f"dim_arg = {i32(given)}")
        kept = [1 if dim in dims else extent for dim, extent in enumerate(x.shape) if keep or dim not in dims]
        return body.operation(name, [x], tuple(kept) or (1,), None, attributes)

    return write


def _softmax(body: Body, x: Tensor) -> Tensor | None:
    if x.dtype.startswith("i"):
        return None
    return body.operation("softmax", [x], x.shape, None, si32(dimension=_dim(body, len(x.shape))))


def si32(**numbers: int) -> list[str]:
    """Attributes that are integers with a sign."""
    return [f"{name} = {number} : si32" for name, number in numbers.items()]


def i32(numbers: Iterable[int]) -> str:
    """An array of integers as an attribute."""
    return f"[{', '.join(f'{number} : i32' for number in numbers)}]"


def _dim(body: Body, rank: int) -> int:
    """A dimension, counted from the first or the last."""
    return body.choice.randrange(-rank, rank)


def _transpose(body: Body, x: Tensor) -> Tensor | None:
    if len(x.shape) < 2:
        return None
    first, second = _dim(body, len(x.shape)), _dim(body, len(x.shape))
    shape = list(x.shape)
    shape[first], shape[second] = shape[second], shape[first]
    return body.operation("transpose", [x], tuple(shape), None, si32(dim0=first, dim1=second))


def _reshape(body: Body, x: Tensor) -> Tensor | None:
    count = math.prod(x.shape)
    shape: list[int] = []
    for _ in range(body.choice.randint(0, 3)):
        factors = [factor for factor in range(1, min(count, 64) + 1) if count % factor == 0]
        extent = body.choice.choice(factors)
        shape.append(extent)
        count //= extent
    shape.append(count)
    return body.operation("reshape", [x], tuple(shape), None, [f"shape = {i32(shape)}"])


def _squeeze(body: Body, x: Tensor) -> Tensor | None:
    dims = [dim for dim, extent in enumerate(x.shape) if extent == 1]
    if not dims or len(x.shape) < 2:
        return None
    dim = body.choice.choice(dims)
    given = dim - body.choice.choice((0, len(x.shape)))
    return body.operation("squeeze", [x], (*x.shape[:dim], *x.shape[dim + 1 :]), None, si32(dim=given))


def _unsqueeze(body: Body, x: Tensor) -> Tensor | None:
    if len(x.shape) > 3:
        return None
    dim = body.choice.randint(0, len(x.shape))
    given = dim - body.choice.choice((0, len(x.shape) + 1))
    return body.operation("unsqueeze", [x], (*x.shape[:dim], 1, *x.shape[dim:]), None, si32(dim=given))


def _broadcast(body: Body, x: Tensor) -> Tensor | None:
    """What is repeated is used at once, by an operation that also reads the shape it is repeated to."""
    dims = [dim for dim, extent in enumerate(x.shape) if extent == 1]
    if not dims:
        return None
    chosen = sorted(body.choice.sample(dims, body.choice.randint(1, len(dims))))
    shape = tuple(
        body.choice.choice((2, 3, 8, 32)) if dim in chosen else x.shape[dim] for dim in range(len(x.shape))
    )
    repeated = body.operation("broadcast", [x], shape, None, [f"dimension = {chosen}"])
    if repeated is None:
        return None
    other = body.value_of(shape, x.dtype)
    return body.operation("multiply", body.choice.sample([repeated, other], 2), shape, segments=(2, 1))


def _concat(body: Body, x: Tensor) -> Tensor | None:
    dim = _dim(body, len(x.shape))
    place = dim % len(x.shape)

    def others(value: Tensor) -> tuple[int, tuple[int, ...]]:
        return len(value.shape), (*value.shape[:place], *value.shape[place + 1 :])

    operands = [x]
    for _ in range(body.choice.randint(0, 2)):
        shape = (*x.shape[:place], body.choice.choice((1, 2, 32)), *x.shape[place + 1 :])
        operands.append(
            body.value_like(
                lambda value: value.dtype == x.dtype and others(value) == others(x), shape, x.dtype
            )
        )
    extent = sum(operand.shape[place] for operand in operands)
    shape = (*x.shape[:place], extent, *x.shape[place + 1 :])
    return body.operation("concat", operands, shape, None, si32(dim=dim))


def _range(body: Body, extent: int) -> tuple[int, int, int, int]:
    """Begin, end, step as attributes, and the number of elements."""
    while True:
        begin, end = body.choice.randrange(extent), body.choice.randint(0, extent)
        step = body.choice.choice((1, 1, 2, 3)) * (1 if begin <= end else -1)
        size = len(range(begin, end, step))
        if size:
            shown_begin = begin - extent * (body.choice.random() < 0.3)
            shown_end = end - extent if end < extent and body.choice.random() < 0.3 else end
            return shown_begin, shown_end, step, size


def _slice(body: Body, x: Tensor) -> Tensor | None:
    begins, ends, steps, shape = zip(*(_range(body, extent) for extent in x.shape), strict=True)
    attributes = [f"begins = {i32(begins)}", f"ends = {i32(ends)}", f"step = {i32(steps)}"]
    return body.operation("slice", [x], tuple(shape), None, attributes)


def _index(body: Body, x: Tensor) -> Tensor | None:
    dim = body.choice.randrange(len(x.shape))
    begin, end, step, size = _range(body, x.shape[dim])
    numbers = {"begin": begin, "dim": dim, "end": end, "step": step}
    attributes = [f"{name} = {number} : i32" for name, number in numbers.items()]
    return body.operation("index", [x], (*x.shape[:dim], size, *x.shape[dim + 1 :]), None, attributes)


def _matmul(body: Body, x: Tensor) -> Tensor | None:
    if x.dtype.startswith("i"):
        return None
    other_shape: tuple[int, ...] = x.shape[-1:]
    if form := body.choice.randint(0, 2):
        batch = tuple(body.choice.choice((1, extent)) for extent in x.shape[:-2]) if form == 2 else ()
        other_shape = (*batch, *other_shape, body.choice.choice((1, 3, 32)))
    other = body.value_of(other_shape, x.dtype)
    batch_shape = broadcast(x.shape[:-2], other_shape[:-2])
    if batch_shape is None:
        return None
    rows = x.shape[-2:-1]
    columns = other_shape[-1:] if len(other_shape) > 1 else ()
    return body.operation("matmul", [x, other], (*batch_shape, *rows, *columns) or (1,), None)


def _embedding(body: Body, x: Tensor) -> Tensor | None:
    if x.dtype.startswith("i") or len(x.shape) != 2:
        return None
    indices = body.argument(body.shape(body.choice.choice((1, 2))), "i32", x.shape[0])
    return body.operation("embedding", [indices, x], (*indices.shape, x.shape[1]), x.dtype)


def _gather(body: Body, x: Tensor) -> Tensor | None:
    """The form that is an embedding."""
    if x.dtype != "bf16" or len(x.shape) != 2:
        return None
    indices = body.argument((1, body.choice.choice((2, 5)), 1), "i32", x.shape[0])
    attributes = [
        "collapsed_slice_dims = array<i64: 0>", "index_vector_dim = 2 : si64", "indices_are_sorted = false",
        "offset_dims = array<i64: 2>", "operand_batching_dims = array<i64>",
        f"slice_sizes = array<i64: 1, {x.shape[1]}>", "start_index_map = array<i64: 0>",
        "start_indices_batching_dims = array<i64>",
    ]  # fmt: skip
    return body.operation("gather", [x, indices], (1, indices.shape[1], x.shape[1]), None, attributes)


def _image(body: Body, x: Tensor, dtype: str) -> Tensor:
    """The value itself where it is an image, ``(N, H, W, C)``, or a new one."""
    if len(x.shape) == 4 and x.dtype == dtype and min(x.shape[1:3]) >= 3:
        return x
    batch, height, width = body.choice.choice((1, 2)), body.choice.randint(3, 9), body.choice.randint(3, 9)
    return body.argument((batch, height, width, body.choice.choice((1, 3, 4))), dtype)


def _two(body: Body, low: int, high: int) -> Pair:
    return body.choice.randint(low, high), body.choice.randint(low, high)


def _window(body: Body) -> tuple[Pair, Pair, Pair]:
    """Kernel, stride and padding of a window that fits into three by three."""
    kernel, stride = _two(body, 1, 3), _two(body, 1, 3)
    return kernel, stride, (body.choice.randint(0, kernel[0] // 2), body.choice.randint(0, kernel[1] // 2))


def _sizes(
    extents: Iterable[int], kernel: Pair, stride: Pair, padding: Pair, dilation: Pair = (1, 1)
) -> list[int]:
    """The extents of what a window gives."""
    return [
        (extent + 2 * around - gap * (size - 1) - 1) // step + 1
        for extent, size, step, around, gap in zip(extents, kernel, stride, padding, dilation, strict=True)
    ]


def _window_attributes(stride: Pair, padding: Pair, dilation: Pair = (1, 1)) -> list[str]:
    return si32(
        dilation_height=dilation[0], dilation_width=dilation[1], padding_bottom=padding[0], padding_left=padding[1],
        padding_right=padding[1], padding_top=padding[0], stride_height=stride[0], stride_width=stride[1],
    )  # fmt: skip


def _conv2d(body: Body, x: Tensor) -> Tensor | None:
    x = _image(body, x, "bf16")
    kernel, stride, padding = _window(body)
    groups = x.shape[3] if body.choice.random() < 0.3 else 1
    features = groups * body.choice.choice((1, 2, 5))
    weight = body.argument((features, x.shape[3] // groups, *kernel), "bf16")
    operands = [x, weight]
    if body.choice.random() < 0.5:
        operands.append(body.argument((1, 1, 1, features), "bf16"))
    sizes = _sizes(x.shape[1:3], kernel, stride, padding)
    attributes = [*_window_attributes(stride, padding), *si32(groups=groups)]
    return body.operation("conv2d", operands, (x.shape[0], *sizes, features), None, attributes)


def _max_pool2d(body: Body, x: Tensor) -> Tensor | None:
    x = _image(body, x, "bf16")
    kernel, stride, padding = _window(body)
    sizes = _sizes(x.shape[1:3], kernel, stride, padding)
    size = si32(kernel_height=kernel[0], kernel_width=kernel[1])
    attributes = ["ceil_mode = false", *_window_attributes(stride, padding), *size]
    return body.operation("max_pool2d", [x], (x.shape[0], *sizes, x.shape[3]), None, attributes)


def _dilated_conv2d(body: Body, x: Tensor) -> Tensor | None:
    """Kernels with gaps over larger images, with groups that are not single channels."""
    shape = (body.choice.choice((1, 2)), body.choice.randint(5, 9), body.choice.randint(5, 9), 4)
    image = body.value_of(shape, "bf16")
    kernel, dilation = _two(body, 1, 3), _two(body, 1, 2)
    stride, padding = (body.choice.randint(1, 2), body.choice.randint(1, 3)), (body.choice.randint(0, 2), 0)
    groups = body.choice.choice((1, 2, 4))
    features = groups * body.choice.choice((1, 3))
    weight = body.argument((features, 4 // groups, *kernel), "bf16")
    sizes = _sizes(shape[1:3], kernel, stride, padding, dilation)
    attributes = [*_window_attributes(stride, padding, dilation), *si32(groups=groups)]
    return body.operation("conv2d", [image, weight], (shape[0], *sizes, features), None, attributes)


def _to_narrow(body: Body, x: Tensor) -> Tensor | None:
    """A conversion to a type of one or two bytes, which is used at once."""
    dtype = body.choice.choice(("i8", "i16"))
    narrow = body.operation("typecast", [x], x.shape, dtype, segments=(1, 1))
    if narrow is None:
        return None
    return body.operation(body.choice.choice(_USES), [narrow, narrow], x.shape, segments=(2, 1))


def _residual(body: Body, x: Tensor) -> Tensor | None:
    """What layers of models do: a normalised value, through a function, added to the value."""
    if x.dtype.startswith("i") or len(x.shape) < 2:
        return None
    kept = (*x.shape[:-1], 1)
    mean = body.operation("mean", [x], kept, None, ["dim_arg = [-1 : i32]", "keep_dim = true"])
    centred = mean and body.operation("subtract", [x, mean], x.shape, segments=(2, 1))
    if centred is None:
        return None
    function = body.choice.choice(("gelu", "relu", "sigmoid"))
    through = body.operation(function, [centred], x.shape, segments=(1, 1))
    return through and body.operation("add", [through, x], x.shape, segments=(2, 1))


def _convolution(body: Body, x: Tensor) -> Tensor | None:
    channels_last = body.choice.random() < 0.5
    batch, height, width = body.choice.choice((1, 2)), body.choice.randint(3, 9), body.choice.randint(3, 9)
    groups = body.choice.choice((1, 1, 2))
    channels, features = groups * body.choice.choice((1, 3)), groups * body.choice.choice((1, 4))
    kernel, stride, padding = _window(body)
    dilation = body.choice.choice(((1, 1), (1, 1), (2, 1)))
    order = (0, 3, 1, 2) if channels_last else (0, 1, 2, 3)
    sizes = _sizes((height, width), kernel, stride, padding, dilation)
    if min(sizes) < 1:
        return None
    image = _placed((batch, channels, height, width), order)
    source = body.value_of(image, "bf16")
    weight = body.argument((features, channels // groups, *kernel), "bf16")
    operands = [source, weight]
    if body.choice.random() < 0.4:
        operands.append(body.argument((1, 1, 1, features), "bf16"))
    attributes = [
        "batch_group_count = 1 : i64",
        "convolution_layout = #ttir<convolution_layout "
        f"input_batch = {order[0]}, input_feature = {order[1]}, input_spatial_dimensions = {order[2]}x{order[3]}, "
        "kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, "
        f"output_batch = {order[0]}, output_feature = {order[1]}, output_spatial_dimensions = {order[2]}x{order[3]}>",
        f"feature_group_count = {groups} : i64", "input_dilation = array<i64: 1, 1>",
        f"padding = array<i64: {padding[0]}, {padding[0]}, {padding[1]}, {padding[1]}>",
        f"weight_dilation = array<i64: {dilation[0]}, {dilation[1]}>", "window_reversal = array<i1: false, false>",
        f"window_strides = array<i64: {stride[0]}, {stride[1]}>",
    ]  # fmt: skip
    return body.operation(
        "convolution", operands, _placed((batch, features, *sizes), order), None, attributes
    )


def _placed(shape: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    """A shape whose dimension i stands at place ``order[i]``."""
    placed = [0] * len(shape)
    for extent, place in zip(shape, order, strict=True):
        placed[place] = extent
    return tuple(placed)


def _pooling(body: Body, x: Tensor) -> Tensor | None:
    """A maximum over two dimensions that it also strides over, the form that is a ``max_pool2d``."""
    order = body.choice.choice(((0, 1, 2, 3), (0, 3, 1, 2)))
    height, width = body.choice.randint(3, 9), body.choice.randint(3, 9)
    images = _placed((2, 3, height, width), order)
    source = body.value_of(images, "bf16")
    kernel, stride, padding = _two(body, 2, 3), _two(body, 2, 3), _two(body, 0, 1)
    sizes = _sizes((height, width), kernel, stride, padding)
    sides = _placed((0, 0, *padding), order)
    lists = {
        "base_dilations": (1,) * 4, "padding": tuple(side for side in sides for _ in range(2)),
        "window_dilations": (1,) * 4, "window_dimensions": _placed((1, 1, *kernel), order),
        "window_strides": _placed((1, 1, *stride), order),
    }  # fmt: skip
    attributes = [f"{name} = array<i64: {', '.join(map(str, numbers))}>" for name, numbers in lists.items()]
    attributes.append("pooling_method = #ttir<pooling_method Max>")
    return body.operation(
        "pooling", [source], _placed((2, 3, *sizes), order), None, attributes, segments=(1, 1)
    )


def _constant(body: Body, x: Tensor) -> Tensor | None:
    """A constant that is used at once."""
    whole = x.dtype.startswith("i")
    number = body.choice.choice(("0", "1", "-3", "7") if whole else ("0.0", "1.0", "-2.5", "0.125"))
    shape = body.choice.choice((x.shape, (1,) * len(x.shape)))
    constant = body.constant(shape, x.dtype, number)
    name = body.choice.choice(_USES)
    return body.operation(name, body.choice.sample([x, constant], 2), x.shape, segments=(2, 1))


def _dimension_size(body: Body, x: Tensor) -> Tensor | None:
    if x.dtype != "i32":
        return None
    name = body.fresh()
    body.lines.append(
        f'    {name} = "ttir.get_dimension_size"({x.name}) '
        f"<{{dimension = {body.choice.randrange(len(x.shape))} : i32}}> : ({x.type}) -> tensor<1xi32>"
    )
    size = type(x)(name, (1,), "i32")
    return body.operation("multiply", [x, size], x.shape, segments=(2, 1))


def _all_gather(body: Body, x: Tensor) -> Tensor | None:
    return body.operation("all_gather", [x], x.shape, None, si32(dim=_dim(body, len(x.shape))))


OPERATIONS: Mapping[str, Choice] = MappingProxyType({
    **{name: Choice(_unary(name)) for name in UNARY}, **{name: Choice(_binary(name), 2) for name in _BINARY},
    **{name: Choice(_reduction(name), 2) for name in ("max", "mean", "sum")},
    "all_gather": Choice(_all_gather), "broadcast": Choice(_broadcast, 2), "clamp": Choice(_clamp, 2),
    "concat": Choice(_concat, 2), "constant": Choice(_constant, 4), "conv2d": Choice(_conv2d),
    "convolution": Choice(_convolution), "embedding": Choice(_embedding, 2), "gather": Choice(_gather, 2),
    "get_dimension_size": Choice(_dimension_size), "index": Choice(_index, 2), "leaky_relu": Choice(_leaky_relu),
    "matmul": Choice(_matmul, 3), "max_pool2d": Choice(_max_pool2d), "pooling": Choice(_pooling),
    "reshape": Choice(_reshape, 2), "slice": Choice(_slice, 2), "softmax": Choice(_softmax, 2),
    "squeeze": Choice(_squeeze, 2), "transpose": Choice(_transpose, 2), "typecast": Choice(_typecast, 2),
    "unsqueeze": Choice(_unsqueeze, 2), "where": Choice(_where, 2),
})  # fmt: skip

# Beside ``OPERATIONS``; apart from them, so that the modules of their numbers stay the same ones.
FURTHER_OPERATIONS: Mapping[str, Choice] = MappingProxyType({
    "dilated_conv2d": Choice(_dilated_conv2d, 2), "residual": Choice(_residual, 2), "to_narrow": Choice(_to_narrow, 3),
})  # fmt: skip
