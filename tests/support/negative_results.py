"""What is refused of results that do not follow from operands and attributes: one line each, the attributes by what differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from support.single_operations import SingleOperation
from tt_model.operations.dialects import rows_of

# An operation and the text of its error, after the operation's name.
Case = tuple[SingleOperation, str]


def _made(given: str, made: str) -> str:
    return f"result has shape ({given}), and operands and attributes make ({made})"


def _text(value: Any, type: str) -> str:
    match value:
        case str():
            return value
        case bool():
            return str(value).lower()
        case tuple():
            element = "i1" if any(isinstance(item, bool) for item in value) else "i64"
            return f"array<{element}: {', '.join(map(_item, value))}>" if value else "array<i64>"
    return f"{value} : {type}"


def _item(value: Any) -> str:
    return str(value).lower()


def _attributes(defaults: dict[str, Any], type: str, given: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {_text(value, type)}" for name, value in (defaults | given).items())


# Convolutions. The first two rows of each are the shapes, then what differs in the attributes.

_SIDES = ("padding_left", "padding_right", "padding_top", "padding_bottom")
_STEPS = ("stride_height", "stride_width", "dilation_height", "dilation_width")
_IMAGE: dict[str, Any] = dict.fromkeys(_STEPS, 1) | {"groups": 1} | dict.fromkeys(_SIDES, 0)
_ON_DEVICE: dict[str, Any] = (
    dict.fromkeys(_STEPS, 1)
    | {"groups": 1, "padding_height": 0, "padding_width": 0, "batch_size": 1}
    | {"input_height": 8, "input_width": 8, "in_channels": 4, "out_channels": 6}
    | {"kernel_height": 3, "kernel_width": 3}
)
_X, _W, _Y = "1x8x8x4xbf16", "6x4x3x3xbf16", "1x6x6x6xbf16"
_FLAT = "1x1x64x4xbf16", "1x1x36x6xbf16"
_B = "; 1x1x1x6xbf16"
_DOES_NOT_FIT = "a window of size 3 with dilation 4 does not fit along height: the extent is 8, with a padding of 0 before and 0 after"
_CONV2D: tuple[tuple[str, str, str, str, dict[str, Any], str], ...] = (
    (_X, _W, "", _Y, {"groups": 0}, "groups is 0: 1 is the least"),
    (
        "1x8x8x5xbf16",
        _W,
        "",
        _Y,
        {},
        "the input has 5 channels, and filters of 4 with groups 1 take 4",
    ),
    (_X, "6x1x3x3xbf16", "", _Y, {"groups": 4}, "6 filters do not divide into the 4 of groups"),
    (
        _X,
        _W,
        "; 1x1x1x5xbf16",
        _Y,
        {},
        "the bias is (1, 1, 1, 5), and the result has 6 channels: it is (1, 1, 1, 6)",
    ),
    (_X, _W, _B, _Y, {"stride_width": 0}, "the window along width has stride 0: 1 is the least"),
    (_X, _W, _B, _Y, {"dilation_height": 4}, _DOES_NOT_FIT),
    (_X, _W, _B, "1x6x7x6xbf16", {}, _made("1, 6, 7, 6", "1, 6, 6, 6")),
    (_X, _W, "", "1x6x6x5xbf16", {}, _made("1, 6, 6, 5", "1, 6, 6, 6")),
    (_X, _W, "", _Y, {"dilation_height": 2}, _made("1, 6, 6, 6", "1, 4, 6, 6")),
    (_X, _W, "", _Y, {"padding_left": 1}, _made("1, 6, 6, 6", "1, 6, 7, 6")),
)
_CONV2D_ON_DEVICE: tuple[tuple[str, str, str, str, dict[str, Any], str], ...] = (
    (
        "1x1x63x4xbf16",
        _W,
        "",
        _FLAT[1],
        {},
        "the input is (1, 1, 63, 4), and batch_size, input_height, input_width and in_channels are (1, 8, 8, 4)",
    ),
    (
        _FLAT[0],
        "6x4x3x2xbf16",
        "",
        _FLAT[1],
        {},
        "the weight is (6, 4, 3, 2), and out_channels, in_channels by groups, kernel_height and kernel_width are (6, 4, 3, 3)",
    ),
    (_FLAT[0], _W, "", _FLAT[1], {"groups": 0}, "groups is 0: 1 is the least"),
    (
        _FLAT[0],
        "6x1x3x3xbf16",
        "",
        _FLAT[1],
        {"groups": 3},
        "the input has 4 channels, and filters of 1 with groups 3 take 3",
    ),
    (
        _FLAT[0],
        "6x1x3x3xbf16",
        "",
        _FLAT[1],
        {"groups": 4},
        "6 filters do not divide into the 4 of groups",
    ),
    (_FLAT[0], _W, "; 1x1x1x5xbf16", _FLAT[1], {}, "the bias is (1, 1, 1, 5), and the result has 6 channels"),
    (_FLAT[0], _W, _B, _FLAT[1], {"stride_width": 0}, "the window along width has stride 0: 1 is the least"),
    (_FLAT[0], _W, _B, _FLAT[1], {"dilation_height": 4}, _DOES_NOT_FIT),
    (_FLAT[0], _W, _B, "1x1x35x6xbf16", {}, _made("1, 1, 35, 6", "1, 1, 36, 6")),
)
_LAYOUT = "#ttir<convolution_layout input_batch = {}, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>"
_PLAIN: dict[str, Any] = {
    "batch_group_count": 1,
    "convolution_layout": _LAYOUT.format(0),
    "feature_group_count": 1,
    "input_dilation": (1, 1),
    "padding": (0, 0, 0, 0),
    "weight_dilation": (1, 1),
    "window_reversal": (False, False),
    "window_strides": (1, 1),
}
_N, _M = "2x4x8x8xbf16", "2x6x6x6xbf16"
_CONVOLUTION: tuple[tuple[str, str, str, str, dict[str, Any], str], ...] = (
    (_N, _W, "", _M, {"padding": (0, 0)}, "padding has 2 numbers, and with 2 spatial dimensions it has 4"),
    (
        _N,
        _W,
        "",
        _M,
        {"convolution_layout": _LAYOUT.format(1)},
        "the input dimensions of convolution_layout are [1, 1, 2, 3]: they name each from 0 to 3 once",
    ),
    (_N, _W, "", _M, {"input_dilation": (0, 1)}, "input_dilation is [0, 1]: 1 is the least"),
    (
        "2x5x8x8xbf16",
        _W,
        "",
        _M,
        {},
        "the input has 5 channels, and filters of 4 with feature_group_count 1 take 4",
    ),
    (
        _N,
        "6x1x3x3xbf16",
        "",
        _M,
        {"feature_group_count": 4},
        "6 filters do not divide into the 4 of feature_group_count",
    ),
    (_N, _W, "; 1x1x1x5xbf16", _M, {}, "the bias is (1, 1, 1, 5), and the result has 6 channels"),
    (
        _N,
        _W,
        "",
        _M,
        {"batch_group_count": 3},
        "a batch of 2 and 6 filters do not both divide into the 3 of batch_group_count",
    ),
    (_N, _W, "", _M, {"window_strides": (1, 0)}, "the window along dimension 3 has stride 0: 1 is the least"),
    (
        _N,
        _W,
        "",
        _M,
        {"weight_dilation": (4, 1)},
        "a window of size 3 with dilation 4 does not fit along dimension 2",
    ),
    (_N, _W, "", "2x6x6x7xbf16", {}, _made("2, 6, 6, 7", "2, 6, 6, 6")),
    (_N, _W, _B, _M, {"input_dilation": (2, 1)}, _made("2, 6, 6, 6", "2, 6, 13, 6")),
    (_N, _W, _B, _M, {"batch_group_count": 2}, _made("2, 6, 6, 6", "1, 6, 6, 6")),
)


def _convolutions() -> Iterator[Case]:
    for name, defaults, type, device, cases in (
        ("ttir.conv2d", _IMAGE, "si32", "", _CONV2D),
        ("ttnn.conv2d", _ON_DEVICE, "i32", "; device", _CONV2D_ON_DEVICE),
        ("ttir.convolution", _PLAIN, "i64", "", _CONVOLUTION),
    ):
        for image, weight, bias, result, given, message in cases:
            operands = f"{image}; {weight}{bias}; {result}{device}"
            yield SingleOperation(name, operands, result, _attributes(defaults, type, given)), message


# Poolings.

_POOL: dict[str, Any] = (
    {"ceil_mode": False, "kernel_height": 2, "kernel_width": 2}
    | dict.fromkeys(_STEPS, 1)
    | dict.fromkeys(_SIDES, 0)
)
_POOL_ON_DEVICE: dict[str, Any] = (
    {"ceil_mode": False, "batch_size": 1, "input_height": 4, "input_width": 4, "channels": 8}
    | {"kernel_height": 2, "kernel_width": 2, "padding_height": 0, "padding_width": 0}
    | dict.fromkeys(_STEPS, 1)
)
_WINDOWS: dict[str, Any] = {
    "pooling_method": "#ttir<pooling_method Average>",
    "window_dimensions": (2, 2),
    "window_strides": (1, 1),
    "base_dilations": (1, 1),
    "window_dilations": (1, 1),
    "padding": (0, 0, 0, 0),
}
_NO_STRIDE = "the window along height has stride 0: 1 is the least"
_TOO_FAR = "a window of size 2 with dilation 4 does not fit along width"


def _poolings() -> Iterator[Case]:
    for result, given, message in (
        ("1x3x3x8xbf16", {"stride_height": 0}, _NO_STRIDE),
        ("1x3x3x8xbf16", {"dilation_width": 4}, _TOO_FAR),
        ("1x3x4x8xbf16", {}, _made("1, 3, 4, 8", "1, 3, 3, 8")),
        ("1x1x2x8xbf16", {"stride_height": 3, "ceil_mode": True}, _made("1, 1, 2, 8", "1, 2, 3, 8")),
    ):
        attributes = _attributes(_POOL, "si32", given)
        yield SingleOperation("ttir.max_pool2d", f"1x4x4x8xbf16; {result}", result, attributes), message
    for result, given, message in (
        ("1x1x9x8xbf16", {"stride_height": 0}, _NO_STRIDE),
        ("1x1x9x8xbf16", {"dilation_width": 4}, _TOO_FAR),
        ("1x1x8x8xbf16", {}, _made("1, 1, 8, 8", "1, 1, 9, 8")),
    ):
        attributes = _attributes(_POOL_ON_DEVICE, "si32", given)
        yield (
            SingleOperation("ttnn.max_pool2d", f"1x1x16x8xbf16; {result}; device", result, attributes),
            message,
        )
    one, two = "4x8xbf16 | {0}", "4x8xbf16 | {0}; {0}"
    for operands, result, given, message in (
        (two, "3x7xbf16; 3x7xbf16", {}, "1 inputs have 2 results: each input has one"),
        (one, "3x7xbf16", {"base_dilations": (1,)}, "base_dilations has 1 numbers, and the input has 2"),
        (one, "3x7xbf16", {"base_dilations": (0, 1)}, "base_dilations is [0, 1]: 1 is the least"),
        (one, "3x7xbf16", {"window_strides": (0, 1)}, "the window along dimension 0 has stride 0"),
        (one, "3x7xbf16", {"window_dilations": (4, 1)}, "a window of size 2 with dilation 4 does not fit"),
        (one, "3x8xbf16", {}, _made("3, 8", "3, 7")),
        (one, "3x7xbf16", {"base_dilations": (1, 2)}, _made("3, 7", "3, 14")),
    ):
        text = operands.format(result.partition(";")[0])
        yield SingleOperation("ttir.pooling", text, result, _attributes(_WINDOWS, "i64", given)), message


# What moves and sums.


def _both(mnemonic: str, before: str, after: str, attributes: str, message: str) -> Iterator[Case]:
    """A case of an operation that has a destination in TTIR and none in TTNN."""
    yield SingleOperation(f"ttir.{mnemonic}", f"{before}; {after}", after, attributes), message
    yield SingleOperation(f"ttnn.{mnemonic}", before, after, attributes), message


def _reductions() -> Iterator[Case]:
    for name in ("max", "mean", "sum"):
        for after, dims, keep, message in (
            ("4xf32", "2", False, "dim_arg names dimension 2, and the input (4, 8) has 2 dimensions"),
            ("4xf32", "1, -1", False, "dim_arg names a dimension twice: [1, -1], where the input has 2"),
            ("8xf32", "1", False, _made("8", "4")),
            ("4x1xf32", "1", False, _made("4, 1", "4")),
            ("1x8xf32", "1", True, _made("1, 8", "4, 1")),
            ("8xf32", "1", True, _made("8", "4, 1")),
        ):
            array = ", ".join(f"{dim.strip()} : i32" for dim in dims.split(","))
            yield from _both(
                name, "4x8xf32", after, f"keep_dim = {str(keep).lower()}, dim_arg = [{array}]", message
            )
        # In modules of 2024-11-21 this is right of ttir.
        kept = "keep_dim = true, dim_arg = [1 : i32]"
        yield SingleOperation(f"ttnn.{name}", "4x8xf32", "4xf32", kept), _made("4", "4, 1")


def _moves() -> Iterator[Case]:
    yield from _both(
        "transpose",
        "2x4x8xf32",
        "3x8x4xf32",
        "dim0 = 1 : si32, dim1 = -1 : si32",
        _made("3, 8, 4", "2, 8, 4"),
    )
    for dialect in ("ttir", "ttnn"):
        yield (
            SingleOperation(f"{dialect}.concat", "4x8xf32; 4x3xf32; 4x12xf32", "4x12xf32", "dim = -1 : si32"),
            _made("4, 12", "4, 11"),
        )
    table, rows = "512x128xf32", "32x64xf32"
    yield SingleOperation("ttir.embedding", f"32xf32; {table}; {rows}", rows), _made("32, 64", "32, 128")
    yield SingleOperation("ttnn.embedding", f"32xf32; {rows}; {table}", rows), _made("32, 64", "32, 128")
    index = "dim = 1 : i32, begin = 0 : i32, end = 4 : i32, step = 1 : i32"
    yield SingleOperation("ttir.index", "4x8xf32; 5x4xf32", "5x4xf32", index), _made("5, 4", "4, 4")
    yield (
        SingleOperation("ttir.get_dimension_size", "4x8xf32", "2xi32", "dimension = 1 : i32"),
        _made("2", "1"),
    )
    yield (
        SingleOperation("ttir.broadcast", "64xf32; 64x32xf32", "64x32xf32", "dimension = [0]"),
        "result has shape (64, 32), to which the input (64) does not repeat",
    )
    for name, more, before, after in (
        ("from_device", "", "4x8xf32, #dram", "4x9xf32, #host"),
        ("to_device", "; device", "4x8xf32, #host", "4x9xf32, #dram"),
        ("to_layout", "", "4x8xf32", "4x9xf32"),
        ("to_memory_config", "", "4x8xf32, #dram", "4x9xf32, #l1"),
        ("typecast", "", "4x8xf32", "4x9xbf16"),
    ):
        attributes = {
            "to_layout": "layout = #ttnn.layout<tile>",
            "to_memory_config": "memory_config = #ttnn.memory_config<<interleaved>, <l1>, <<2x4>>>",
            "typecast": "dtype = #tt.supportedDataTypes<bf16>",
        }.get(name, "")
        yield SingleOperation(f"ttnn.{name}", before + more, after, attributes), _made("4, 9", "4, 8")


def _elementwise() -> Iterator[Case]:
    for row in rows_of("ttnn").rows:
        if not row.elementwise:
            continue
        slope = "parameter = 1.0 : f32" if "parameter" in row.attribute_named else ""
        yield SingleOperation(row.name, "1x8xf32 | 4x8xf32", "4x8xf32", slope), _made("4, 8", "1, 8")
        yield (
            SingleOperation(row.name, "4x8xf32; 4x7xf32 | 4x8xf32", "4x8xf32", slope),
            "operands of the shapes (4, 8), (4, 7) do not repeat to one shape",
        )


_ROWS: dict[str, Any] = {
    "offset_dims": (2,),
    "collapsed_slice_dims": (0,),
    "operand_batching_dims": (),
    "start_indices_batching_dims": (),
    "start_index_map": (0,),
    "index_vector_dim": 2,
    "slice_sizes": (1, 128),
    "indices_are_sorted": False,
}


def _gathers() -> Iterator[Case]:
    result = "1x32x128xf32"
    for given, message in (
        (
            {"slice_sizes": (1, 129)},
            "slice_sizes is [1, 129]: one extent for each dimension of the input (512, 128)",
        ),
        ({"collapsed_slice_dims": (2,)}, "collapsed_slice_dims names dimension 2, and the input has 2"),
        ({"offset_dims": (1, 2)}, "offset_dims is [1, 2]: a slice keeps 1 of its dimensions"),
        ({"start_index_map": (0, 1)}, "start_indices (1, 32) has no vectors of 2 numbers along dimension 2"),
        ({"offset_dims": (3,)}, "offset_dims is [3], and the result has 3 dimensions"),
        ({"slice_sizes": (1, 64)}, _made("1, 32, 128", "1, 32, 64")),
    ):
        yield (
            SingleOperation(
                "ttir.gather",
                f"512x128xf32; 1x32xi32; {result}",
                result,
                _attributes(_ROWS, "si64", given),
            ),
            message,
        )


def _maps() -> Iterator[Case]:
    region = '({\n  ^bb0(%arg8: memref<64x128xf32>, %arg9: memref<64x128xf32>):\n    "ttir.yield"() : () -> ()\n  })'
    same, row = "affine_map<(d0, d1) -> (d0, d1)>", "affine_map<(d0, d1) -> (d1)>"
    for maps, message in (
        (same, "indexing_maps has 1 maps for 2 operands: each input and output has one"),
        (
            f"{same}, {row}",
            "indexing_maps has 2 dimensions and 1 results for operand #1: there are 2 iterator_types",
        ),
    ):
        attributes = (
            f"grid = #tt.grid<1x1>, indexing_maps = [{maps}], operand_cb_mapping = array<i64: -1, -1>, "
            "iterator_types = [#tt.iterator_type<parallel>, #tt.iterator_type<parallel>]"
        )
        operands = "64x128xf32 | | 64x128xf32"
        yield SingleOperation("ttir.generic", operands, "64x128xf32", attributes, region), message


def _chips() -> Iterator[Case]:
    for after in ("4x12xf32", "5x16xf32", "16xf32"):
        given = ", ".join(after.removesuffix("xf32").split("x"))
        message = f"result has shape ({given}), and the input (4, 8): along dimension 1 one is a multiple of the other"
        yield from _both("all_gather", "4x8xf32", after, "dim = -1 : si32", message)
    message = (
        "result has shape (4, 3), and the input (4, 8): along dimension 1 one is a multiple of the other"
    )
    scattered = "scatter_dim = 1 : si32, reduce_type = 0 : i32"
    yield SingleOperation("ttir.reduce_scatter", "4x8xf32; 4x3xf32", "4x3xf32", scattered), message
    on_device = "math_op = 0 : i32, scatter_split_dim = {} : si32"
    yield SingleOperation("ttnn.reduce_scatter", "4x8xf32", "4x3xf32", on_device.format(1)), message
    yield (
        SingleOperation("ttnn.reduce_scatter", "4x8xf32", "4x4xf32", on_device.format(2)),
        "scatter_split_dim is 2, and the input tensor has 2 dimensions",
    )


RESULTS: tuple[Case, ...] = (
    *_convolutions(),
    *_poolings(),
    *_reductions(),
    *_moves(),
    *_elementwise(),
    *_gathers(),
    *_chips(),
    *_maps(),
)
