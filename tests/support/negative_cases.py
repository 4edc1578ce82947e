"""What each condition of the operations refuses, and what it says then: one line each."""

from __future__ import annotations

from support.negative_results import RESULTS
from support.single_operations import SingleOperation

# An operation and the text of its error, after the operation's name.
Case = tuple[SingleOperation, str]


def _case(
    name: str, operands: str, results: str, attributes: str, message: str, *, regions: str = ""
) -> Case:
    return SingleOperation(name, operands, results, attributes, regions), message


def _moved(
    mnemonic: str, before: str, after: str, attributes: str, message: str, *, destination: bool = True
) -> tuple[Case, ...]:
    """A case of both dialects. In TTNN most operations have no destination."""
    return (
        _case(f"ttir.{mnemonic}", f"{before}; {after}", after, attributes, message),
        _case(
            f"ttnn.{mnemonic}", f"{before}; {after}" if destination else before, after, attributes, message
        ),
    )


def _shards(kind: str, shape: str, dims: str) -> str:
    return (
        f"shard_type = #tt.shard_type<{kind}>, shard_direction = #tt.shard_direction<full_to_shard>, "
        f"shard_shape = array<i64: {shape}>, shard_dims = array<i64: {dims}>"
    )


def _mesh_shard(before: str, after: str, attributes: str, message: str) -> tuple[Case, ...]:
    return (
        _case("ttir.mesh_shard", f"{before}; {after}", after, attributes, message),
        _case("ttnn.mesh_shard", f"{before}; device", after, attributes, message),
    )


def _array(*values: int) -> str:
    return f"[{', '.join(f'{value} : i32' for value in values)}]"


def _slice(begins: list[int], ends: list[int], steps: list[int]) -> str:
    return f"begins = {_array(*begins)}, ends = {_array(*ends)}, step = {_array(*steps)}"


def _index(dimension: int, begin: int, end: int, step: int) -> str:
    return f"dim = {dimension} : i32, begin = {begin} : i32, end = {end} : i32, step = {step} : i32"


SLICE: tuple[Case, ...] = (
    *(
        case
        for before, after, given, message in (
            ("tensor<bf16>", "1xbf16", _slice([0], [0], [1]), "Input must be at least a 1D tensor"),
            (
                "3x128xbf16",
                "1x128xbf16",
                _slice([0, 0, 0], [1, 128, 0], [1, 1, 1]),
                "Begins, ends, and step attributes must have the same number of elements as the input tensor rank",
            ),
            (
                "3x128xbf16",
                "1x128xf32",
                _slice([0, 0], [1, 128], [1, 1]),
                "Output tensor must have the same element type as the input tensor",
            ),
            (
                "3x128xbf16",
                "1x128x1xbf16",
                _slice([0, 0], [1, 128], [1, 1]),
                "Output tensor must have the same rank as the input tensor",
            ),
            (
                "10x128xbf16",
                "4x128xbf16",
                _slice([10, 0], [10, 128], [1, 1]),
                "Invalid begin index for dimension 0. Expected value in range [-10, 10), got 10. Input shape: (10, 128)",
            ),
            (
                "10x128xbf16",
                "4x128xbf16",
                _slice([0, 0], [10, -129], [3, 1]),
                "Invalid end index for dimension 1. Expected value in range [-128, 128], got -129. Input shape: (10, 128)",
            ),
            (
                "10x128xbf16",
                "4x128xbf16",
                _slice([0, 0], [10, 128], [3, 0]),
                "Step value for dimension 1 cannot be zero",
            ),
            (
                "10x128xbf16",
                "4x128xbf16",
                _slice([6, 0], [-8, 128], [1, 1]),
                "For positive step, begin index must be less than or equal to end index for dimension 0. "
                "Got begin: 6, end: 2 (-8), step: 1, input shape: (10, 128)",
            ),
            (
                "10x128xbf16",
                "4x128xbf16",
                _slice([-8, 0], [6, 128], [-1, 1]),
                "For negative step, begin index must be greater than or equal to end index for dimension 0. "
                "Got begin: 2 (-8), end: 6, step: -1, input shape: (10, 128)",
            ),
            (
                "10x128xbf16",
                "4x126xbf16",
                _slice([0, 0], [10, 128], [3, 1]),
                "Mismatch in dimension 1 of the output tensor: expected size 128, but got 126",
            ),
        )
        for case in _moved("slice", before, after, given, message)
    ),
)

INDEX: tuple[Case, ...] = tuple(
    _case("ttir.index", f"{before}; {after}", after, given, message)
    for before, after, given, message in (
        ("tensor<bf16>", "1xbf16", _index(0, 0, 1, 1), "Input must be at least a 1D tensor"),
        (
            "4x8xbf16",
            "4x8xf32",
            _index(0, 0, 4, 1),
            "Output tensor must have the same element type as the input tensor",
        ),
        (
            "4x8xbf16",
            "8xbf16",
            _index(0, 0, 1, 1),
            "Output tensor must have the same rank as the input tensor",
        ),
        ("4x8xbf16", "4x8xbf16", _index(2, 0, 4, 1), "Invalid dimension index 2. Input tensor rank is 2"),
        ("4x8xbf16", "4x8xbf16", _index(-1, 0, 4, 1), "Invalid dimension index -1. Input tensor rank is 2"),
        (
            "4x8xbf16",
            "4x8xbf16",
            _index(1, -9, 8, 1),
            "Invalid begin index for dimension 1. Expected value in range [-8, 8), got -9. Input shape: (4, 8)",
        ),
        (
            "4x8xbf16",
            "4x8xbf16",
            _index(1, 0, 9, 1),
            "Invalid end index for dimension 1. Expected value in range [-8, 8], got 9. Input shape: (4, 8)",
        ),
        ("4x8xbf16", "4x8xbf16", _index(1, 0, 8, 0), "Step value for dimension 1 cannot be zero"),
        (
            "4x8xbf16",
            "4x8xbf16",
            _index(1, 5, 3, 2),
            "For positive step, begin index must be less than or equal to end index for dimension 1. "
            "Got begin: 5, end: 3, step: 2, input shape: (4, 8)",
        ),
        (
            "4x8xbf16",
            "4x3xbf16",
            _index(1, 0, 8, 2),
            "Mismatch in dimension 1 of the output tensor: expected size 4, but got 3",
        ),
    )
)

RESHAPE: tuple[Case, ...] = tuple(
    case
    for before, after, shape, message in (
        ("2x4xf32", "8xf32", _array(2, 4), "Shape attribute size must match output tensor rank"),
        ("tensor<f32>", "tensor<f32>", "[]", "Shape attribute must be non-empty"),
        (
            "2x4xf32",
            "1x1x1x1x2x4xf32",
            _array(1, 1, 1, 1, 2, 4),
            "Shape attribute must have at most 5 elements",
        ),
        (
            "2x4xf32",
            "2x5xf32",
            _array(2, 5),
            "Input and output tensors must have the same number of elements",
        ),
        ("2x4xf32", "4x2xf32", _array(-1, -1), "Shape attribute must have at most one -1 element"),
        ("2x4xf32", "4x2xf32", _array(-4, -2), "All dimensions must be positive"),
        ("2x4xf32", "4x2xf32", _array(2, 4), "Shape attribute must match the output tensor shape"),
    )
    for case in _moved("reshape", before, after, f"shape = {shape}", message, destination=False)
)

SQUEEZE: tuple[Case, ...] = tuple(
    _case("ttir.squeeze", f"{before}; {after}", after, f"dim = {dimension} : si32", message)
    for before, after, dimension, message in (
        ("1x2x64xf32", "2x64xf32", 3, "Invalid dimension 3 for squeezing."),
        ("1x2x64xf32", "2x64xf32", -4, "Invalid dimension -4 for squeezing."),
        ("1x2x64xf32", "1x64xf32", 1, "Dimension 1 in the input tensor must be 1."),
        ("1xf32", "tensor<f32>", 0, "Output tensor must have at least one dimension."),
        ("1x2x64xf32", "1x2x64xf32", 0, "Output tensor rank must be one less than the input tensor rank."),
        (
            "1x2x64xf32",
            "2x63xf32",
            0,
            "Dimensions of the output tensor must be the same as the input tensor except for dimension 0.",
        ),
    )
)

UNSQUEEZE: tuple[Case, ...] = tuple(
    _case("ttir.unsqueeze", f"{before}; {after}", after, f"dim = {dimension} : si32", message)
    for before, after, dimension, message in (
        ("2x64xf32", "2x64x1xf32", 3, "Dimension attribute must be within the bounds of the input tensor"),
        ("2x64xf32", "2x64x1xf32", -4, "Dimension attribute must be within the bounds of the input tensor"),
        ("2x64xf32", "2x64xf32", 0, "Output tensor must have one more dimension than input tensor"),
        ("2x64xf32", "2x2x64xf32", 1, "Dimension added must be of size 1"),
        (
            "2x64xf32",
            "1x2x63xf32",
            0,
            "All dimensions of the input tensor must be the same in the output tensor",
        ),
    )
)

TRANSPOSE: tuple[Case, ...] = tuple(
    case
    for before, after, first, second, message in (
        ("64xf32", "64xf32", 0, 1, "Input must be at least a 2D tensor"),
        ("2x64xf32", "64x2x1xf32", 0, 1, "Input must have the same rank as output"),
        ("2x64xf32", "64x2xf32", 2, 0, "Dimension 0 attribute must be within the bounds of the input tensor"),
        (
            "2x64xf32",
            "64x2xf32",
            0,
            -3,
            "Dimension 1 attribute must be within the bounds of the input tensor",
        ),
        ("2x64xf32", "2x64xf32", 0, 1, "Input-output transpose dimension mismatch."),
    )
    for case in _moved(
        "transpose",
        before,
        after,
        f"dim0 = {first} : si32, dim1 = {second} : si32",
        message,
        destination=False,
    )
)

CONCAT: tuple[Case, ...] = tuple(
    case
    for before, after, dimension, message in (
        ("32x32xf32; 32x64xf32", "32x96xf32", 2, "Invalid dimension 2 for concatenation."),
        ("32x32xf32; 32x64xf32", "32x96xf32", -3, "Invalid dimension -3 for concatenation."),
        ("32x32xf32; 32x64x1xf32", "32x96xf32", 1, "All input tensors must have the same rank."),
        (
            "32x32xf32; 32x64xf32",
            "32x96xf32",
            -2,
            "All input tensors must have the same dimensions, except for dimension 0.",
        ),
    )
    for case in _moved("concat", before, after, f"dim = {dimension} : si32", message)
) + tuple(
    _case(
        f"{dialect}.concat", "32x32xf32", "32x32xf32", "dim = 0 : si32", "At least one input tensor is needed"
    )
    for dialect in ("ttir", "ttnn")
)

SMALL: tuple[Case, ...] = (
    *_moved(
        "softmax",
        "512x1024xbf16",
        "512x1023xbf16",
        "dimension = -1 : si32",
        "Input and output shapes must be the same",
        destination=False,
    ),
    *_moved(
        "softmax",
        "512x1024xbf16",
        "512x1024xbf16",
        "dimension = 2 : si32",
        "Dimension attribute must be within the bounds of the input tensor",
        destination=False,
    ),
    *_moved(
        "all_gather",
        "1x32xbf16",
        "1x128xbf16",
        "dim = 2 : si32",
        "Invalid dimension for all gather op.",
        destination=False,
    ),
    *_moved(
        "all_gather",
        "1x32xbf16",
        "1x128xbf16",
        "dim = 1 : si32, cluster_axis = 2 : ui32",
        "cluster_axis is 2: a mesh has the axes 0 (down its rows) and 1 (along its columns)",
        destination=False,
    ),
    *(
        _case("ttir.all_reduce", f"4x8xf32; {out}", out, f"reduce_type = {kind} : i32{axis}", message)
        for out, kind, axis, message in (
            ("4x9xf32", 0, "", "Input and output shapes must be the same"),
            ("4x8xf32", 1, "", "reduce_type is 1: chips combine by 0 (sum), 2 (max), 3 (min)"),
            ("4x8xf32", 0, ", cluster_axis = 3 : ui32", "cluster_axis is 3: a mesh has the axes"),
        )
    ),
    *(
        _case("ttir.reduce_scatter", "4x8xf32; 4x4xf32", "4x4xf32", f"{attributes}", message)
        for attributes, message in (
            (
                "scatter_dim = 2 : si32, reduce_type = 0 : i32",
                "scatter_dim is 2, and the input tensor has 2 dimensions",
            ),
            ("scatter_dim = 1 : si32, reduce_type = 4 : i32", "reduce_type is 4: chips combine by"),
            (
                "scatter_dim = 1 : si32, reduce_type = 0 : i32, cluster_axis = 2 : ui32",
                "cluster_axis is 2: a mesh has",
            ),
        )
    ),
    *(
        case
        for before, after, kind, shape, dims, message in (
            ("4x8xf32", "4x8xbf16", "replicate", "1", "-1, -1", "input is of f32 and the result of bf16"),
            (
                "4x8xf32",
                "4x8xf32",
                "maximal",
                "2",
                "-1, -1",
                "shard_type is maximal, which cuts nothing, and shard_shape is [2]",
            ),
            (
                "4x8xf32",
                "4x8xf32",
                "devices",
                "2",
                "0, -1",
                "shard_shape has 1 extents, and the input tensor has 2 dimensions",
            ),
            (
                "4x8xf32",
                "2x8xf32",
                "devices",
                "2, 1",
                "0",
                "shard_dims has 1 entries: one for the rows of the mesh",
            ),
            (
                "4x8xf32",
                "2x8xf32",
                "devices",
                "2, 1",
                "2, -1",
                "shard_dims names dimension 2, and the tensor has 2",
            ),
            (
                "4x8xf32",
                "2x8xf32",
                "devices",
                "0, 1",
                "0, -1",
                "shard_shape is [0, 1]: a dimension is in 0 parts, and 1 is the least",
            ),
            (
                "4x8xf32",
                "2x8xf32",
                "devices",
                "2, 1",
                "1, -1",
                "shard_shape cuts dimension 0 into 2 parts, and shard_dims does not name it",
            ),
            (
                "4x8xf32",
                "4x8xf32",
                "devices",
                "1, 1",
                "0, -1",
                "shard_shape cuts nothing: use the type replicate",
            ),
            (
                "4x8xf32",
                "2x8xf32",
                "identity",
                "1",
                "-1",
                "input is 4x8 and the result 2x8: with shard_type identity the shape stays",
            ),
            (
                "4x8xf32",
                "1x8xf32",
                "devices",
                "3, 1",
                "0, -1",
                "dimension 0 of 4x8 does not divide into 3 parts",
            ),
            (
                "4x8xf32",
                "2x8xf32",
                "devices",
                "1, 2",
                "-1, 1",
                "input 4x8 by shard_shape [1, 2] makes 4x4, and the result is 2x8",
            ),
        )
        for case in _mesh_shard(before, after, _shards(kind, shape, dims), message)
    ),
    _case(
        "ttir.mesh_shard",
        "4x8xf32; 2x8xf32",
        "2x8xf32",
        f"{_shards('devices', '2, 1', '0, -1')}, operand_constraints = [#tt.operand_constraint<dram|tile|interleaved>]",
        "an operand constraint is dram|tile|interleaved: the host distributes tensors, in rows",
    ),
    _case("ttir.to_layout", "4x8xf32; 4x9xf32", "4x9xf32", "", "Input and output shapes must be the same"),
    _case("ttir.embedding", "32xf32; 512xf32; 32x512xf32", "32x512xf32", "", "Weight must be a 2D tensor"),
    _case("ttnn.embedding", "32xf32; 32x512xf32; 512xf32", "32x512xf32", "", "Weight must be a 2D tensor"),
    _case(
        "ttir.embedding",
        "32xf32; 64x512xf32; 32xf32",
        "32xf32",
        "",
        "Output must have one dimension more than input",
    ),
    _case(
        "ttnn.embedding",
        "32xf32; 32xf32; 64x512xf32",
        "32xf32",
        "",
        "Output must have one dimension more than input",
    ),
    _case(
        "ttir.get_dimension_size",
        "13x21xf32",
        "1xi32",
        "dimension = 2 : i32",
        "Invalid dimension 2. Operand tensor rank is 2",
    ),
    _case(
        "ttir.constant",
        "",
        "2x3xf32",
        "value = dense<1.0> : tensor<3x2xf32>",
        "failed to verify that all of {value, result} have same shape",
    ),
    _case(
        "ttir.fill",
        "2x3xf32",
        "2x3xf32",
        "value = dense<1.0> : tensor<3x2xf32>",
        "failed to verify that all of {value, result} have same shape",
    ),
    _case(
        "ttir.clamp",
        "64x64xbf16; 64x128xbf16",
        "64x128xbf16",
        "min = 0.0 : f32, max = 1.0 : f32",
        "input and output must have same shape.",
    ),
    _case(
        "ttnn.clamp",
        "4xf32; 4xf32",
        "4xf32",
        "min = 0.0 : f32, max = 1.0 : f32",
        "expects one tensor as input.",
    ),
    _case(
        "ttnn.clamp",
        "4xf32",
        "4xf32; 4xf32",
        "min = 0.0 : f32, max = 1.0 : f32",
        "generates one tensor as output.",
    ),
    _case(
        "ttnn.clamp",
        "4xf32",
        "4xbf16",
        "min = 0.0 : f32, max = 1.0 : f32",
        "input and output must have same shape.",
    ),
)

MATMUL: tuple[Case, ...] = tuple(
    _case(f"{dialect}.matmul", f"{first}; {second}; {result}", result, "", message)
    for dialect in ("ttir", "ttnn")
    for first, second, result, message in (
        ("tensor<bf16>", "128xbf16", "1xbf16", "Input A must be at least a 1D tensor"),
        ("128xbf16", "tensor<bf16>", "1xbf16", "Input B must be at least a 1D tensor"),
        (
            "64x128xbf16",
            "64xbf16",
            "64xbf16",
            "Input A[-1](128) and B[-2](64) must have matching inner dimensions",
        ),
        (
            "7x2x64x128xbf16",
            "3x128x64xbf16",
            "7x2x64x64xbf16",
            "Batch dimensions of input A(7,2) and B(3) are not broadcast compatible",
        ),
        (
            "128xbf16",
            "128xbf16",
            "tensor<bf16>",
            "Scalar output is not supported, output must be at least a 1D tensor",
        ),
        ("128xbf16", "128xbf16", "2xbf16", "Scalar output must be a 1D tensor of size 1"),
        (
            "64x128xbf16",
            "128x64xbf16",
            "1x64x64xbf16",
            "Output shape rank(3) must match the expected output shape rank(2)",
        ),
        (
            "64x128xbf16",
            "128x64xbf16",
            "64x63xbf16",
            "Output shape dimension[1](63) doesn't match the expected output shape dimension[1](64)",
        ),
    )
)

_CONV2D = (
    ", ".join(f"{name} = 1 : si32" for name in ("stride_height", "stride_width", "dilation_height"))
    + ", "
    + ", ".join(
        f"{name} = {value} : si32"
        for name, value in (
            ("dilation_width", 1),
            ("groups", 1),
            ("padding_left", 0),
            ("padding_right", 0),
            ("padding_top", 0),
            ("padding_bottom", 0),
        )
    )
)
_CONV2D_ON_DEVICE = ", ".join(
    f"{name} = 1 : i32"
    for name in [
        "in_channels",
        "out_channels",
        "batch_size",
        "input_height",
        "input_width",
        "kernel_height",
        "kernel_width",
        "stride_height",
        "stride_width",
        "padding_height",
        "padding_width",
        "dilation_height",
        "dilation_width",
        "groups",
    ]
)
CONV2D: tuple[Case, ...] = (
    *(
        case
        for given, bias, message in (
            (("32x32xbf16", "64x64x3x3xbf16"), "1x1x1x64xbf16", "Input must be at least a 3D tensor"),
            (("1x32x32x64xbf16", "64x64x3xbf16"), "1x1x1x64xbf16", "Weight must be a 4D tensor"),
            (("1x32x32x64xbf16", "64x64x3x3xbf16"), "64xbf16", "Bias must be a 4D tensor"),
        )
        for case in (
            _case(
                "ttir.conv2d",
                "; ".join((*given, bias, "1x30x30x64xbf16")),
                "1x30x30x64xbf16",
                _CONV2D,
                message,
            ),
            _case(
                "ttnn.conv2d",
                "; ".join((*given, bias, "1x30x30x64xbf16", "device")),
                "1x30x30x64xbf16",
                _CONV2D_ON_DEVICE,
                message,
            ),
        )
    ),
    _case(
        "ttnn.conv2d",
        "1x32x32x64xbf16; 64x64x3x3xbf16; 1x1x2x64xbf16; 1x30x30x64xbf16; device",
        "1x30x30x64xbf16",
        _CONV2D_ON_DEVICE,
        "Bias must only have data on the final dimenstion",
    ),
)


def _convolution(
    spatial: str = "2x3", kernel: str = "2x3", output: str = "2x3", strides: str = "1, 1"
) -> str:
    return (
        "batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, "
        f"input_spatial_dimensions = {spatial}, kernel_output_feature = 0, kernel_input_feature = 1, "
        f"kernel_spatial_dimensions = {kernel}, output_batch = 0, output_feature = 1, output_spatial_dimensions = {output}>, "
        "feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, "
        "weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, "
        f"window_strides = array<i64: {strides}>"
    )


_IMAGE, _FILTER, _BIAS, _CONVOLVED = "1x3x100x100xbf16", "7x3x3x3xbf16", "1x1x1x7xbf16", "1x7x100x100xbf16"
CONVOLUTION: tuple[Case, ...] = tuple(
    _case("ttir.convolution", f"{image}; {weight}; {bias}; {_CONVOLVED}", _CONVOLVED, given, message)
    for image, weight, bias, given, message in (
        (
            _IMAGE,
            _FILTER,
            _BIAS,
            _convolution(output="2"),
            "Convolution input and output must have the same number of spatial dimensions",
        ),
        (
            _IMAGE,
            _FILTER,
            _BIAS,
            _convolution(kernel="2"),
            "Convolution input and kernel must have the same number of spatial dimensions",
        ),
        (
            "1x3x100xbf16",
            _FILTER,
            _BIAS,
            _convolution(),
            "Input tensor must have the same number of spatial dimensions",
        ),
        (
            _IMAGE,
            "7x3x3xbf16",
            _BIAS,
            _convolution(),
            "Weight tensor must have the same number of spatial dimensions",
        ),
        (_IMAGE, _FILTER, "7xbf16", _convolution(), "Bias must be a 4D tensor"),
        (
            _IMAGE,
            _FILTER,
            _BIAS,
            _convolution(strides="1"),
            "Window strides must have the same number of elements",
        ),
    )
)


def _pooling(strides: str, dilations: str, dimensions: str, padding: str) -> str:
    return (
        f"pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: {strides}>, "
        f"window_dilations = array<i64: {dilations}>, window_dimensions = array<i64: {dimensions}>, "
        f"padding = array<i64: {padding}>, base_dilations = array<i64: 1, 1>"
    )


POOLING: tuple[Case, ...] = tuple(
    _case("ttir.pooling", operands, results, given, message)
    for operands, results, given, message in (
        (" | ", "", _pooling("1, 1", "1, 1", "1, 1", "0, 0, 0, 0"), "At least one input tensor is needed"),
        (
            "4x8xbf16; 4x8x1xbf16 | 4x8xbf16; 4x8x1xbf16",
            "4x8xbf16; 4x8x1xbf16",
            _pooling("1, 1", "1, 1", "1, 1", "0, 0, 0, 0"),
            "All input tensors must have the same rank",
        ),
        (
            "4x8xbf16 | 4x8xbf16",
            "4x8xbf16",
            _pooling("1", "1, 1", "1, 1", "0, 0, 0, 0"),
            "Window strides must have the same number of elements",
        ),
        (
            "4x8xbf16 | 4x8xbf16",
            "4x8xbf16",
            _pooling("1, 1", "1", "1, 1", "0, 0, 0, 0"),
            "Window dilations must have the same number of elements",
        ),
        (
            "4x8xbf16 | 4x8xbf16",
            "4x8xbf16",
            _pooling("1, 1", "1, 1", "1", "0, 0, 0, 0"),
            "Window dimensions must have the same number of elements",
        ),
        (
            "4x8xbf16 | 4x8xbf16",
            "4x8xbf16",
            _pooling("1, 1", "1, 1", "1, 1", "0, 0"),
            "Padding must have the same number of elements",
        ),
    )
)


def _max_pool(kernel: tuple[int, int]) -> str:
    numbers = {
        "kernel_height": kernel[0],
        "kernel_width": kernel[1],
        **dict.fromkeys(("stride_height", "stride_width", "dilation_height", "dilation_width"), 1),
        **dict.fromkeys(("padding_left", "padding_right", "padding_top", "padding_bottom"), 0),
    }
    return "ceil_mode = false, " + ", ".join(f"{name} = {value} : si32" for name, value in numbers.items())


def _max_pool_on_device(kernel: tuple[int, int] = (2, 2), batch: int = 1, channels: int = 8) -> str:
    numbers = {
        "batch_size": batch,
        "input_height": 4,
        "input_width": 4,
        "channels": channels,
        "kernel_height": kernel[0],
        "kernel_width": kernel[1],
        **dict.fromkeys(("stride_height", "stride_width", "dilation_height", "dilation_width"), 1),
        **dict.fromkeys(("padding_height", "padding_width"), 0),
    }
    return "ceil_mode = false, " + ", ".join(f"{name} = {value} : si32" for name, value in numbers.items())


MAX_POOL2D: tuple[Case, ...] = (
    *(
        _case("ttir.max_pool2d", f"{before}; 1x3x3x8xbf16", "1x3x3x8xbf16", _max_pool(kernel), message)
        for before, kernel, message in (
            (
                "4x4x8xbf16",
                (2, 2),
                "Input tensor rank must be 4. Recieved input with rank 3. Shape: (4, 4, 8)",
            ),
            ("1x4x4x8xbf16", (5, 2), "Kernel height 5 is greater than input height 4."),
            ("1x4x4x8xbf16", (2, 6), "Kernel width 6 is greater than input width 4."),
        )
    ),
    *(
        _case("ttnn.max_pool2d", f"{before}; 1x1x9x8xbf16; device", "1x1x9x8xbf16", given, message)
        for before, given, message in (
            (
                "1x1x16x8xf32",
                _max_pool_on_device(),
                "Maxpool2d currently only supports an input type of bfloat16. Recieved f32.",
            ),
            ("1x1x16x8xbf16", _max_pool_on_device((5, 2)), "Kernel height 5 is greater than input height 4."),
            ("1x1x16x8xbf16", _max_pool_on_device((2, 5)), "Kernel width 5 is greater than input width 4."),
            (
                "1x16x8xbf16",
                _max_pool_on_device(),
                "Input tensor rank must be 4. Recieved input with rank 3.",
            ),
            ("1x4x4x8xbf16", _max_pool_on_device(), "Maxpool input must be in the form (1, 1, N*H*W, C)"),
            (
                "1x1x16x8xbf16",
                _max_pool_on_device(batch=2),
                "Maxpool shape (1, 1, 16, 8) at dim -2 must be equal to N*H*W (32), got 16",
            ),
            (
                "1x1x16x8xbf16",
                _max_pool_on_device(channels=4),
                "Maxpool shape (1, 1, 16, 8) at dim -3 must be equal to C (4), got 8",
            ),
        )
    ),
)


def _alloc(name: str, type: str, address: int, size: int, space: str) -> str:
    word = "buffer_type" if name == "ttnn.alloc" else "memory_space"
    dialect = "ttnn" if name == "ttnn.alloc" else "tt"
    return f"address = {address} : i64, size = {size} : i64, {word} = #{dialect}.{word}<{space}>"


ALLOC: tuple[Case, ...] = tuple(
    _case(name, "", type, _alloc(name, type, address, size, space), message)
    for name, host, device, system in (
        ("ttir.alloc", "metal_host", "metal_l1", "system"),
        ("ttmetal.alloc", "metal_host", "metal_l1", "system"),
        ("ttnn.alloc", "host", "l1", "system_memory"),
    )
    for type, address, size, space, message in (
        ("64x128xf32", 4096, 32768, "l1", "Result type missing layout attribute"),
        (f"64x128xf32, #{device}", 4096, 0, "l1", "Alloc size must be non-zero"),
        (
            f"64x128xf32, #{device}",
            4096,
            32768,
            "dram",
            "Input tensor layout memory space must match alloc memory space",
        ),
        (
            f"64x128xf32, #{host}",
            4096,
            32768,
            system,
            "Allocating from system memory space must have address set to 0",
        ),
        (
            f"64x128xf32, #{device}",
            0,
            32768,
            "l1",
            "Allocating from a device memory space must have address set to a non-zero value",
        ),
    )
)

_CACHE_TYPE, _UPDATE, _FILL = "2x4x64x32xf32", "1x4x2x32xf32", "1x4x32x32xf32"
CACHES: tuple[Case, ...] = tuple(
    _case(f"{dialect}.{name}", operands, result, f"batch_offset = {offset} : i32", message)
    for dialect in ("ttir", "ttnn")
    for name, operands, result, offset, message in (
        *(
            case
            for name, given, more in (
                ("fill_cache", _FILL, ""),
                ("update_cache", _UPDATE, "; 1xi32"),
            )
            for case in (
                (name, f"64x32xf32; {given}{more}", "64x32xf32", 0, "cache and input have four dimensions"),
                (
                    name,
                    f"{_CACHE_TYPE}; {given.replace('4x', '8x')}{more}",
                    _CACHE_TYPE,
                    0,
                    "input has shape",
                ),
            )
        ),
        (
            "update_cache",
            f"{_CACHE_TYPE}; {_UPDATE}; 1xi32",
            _CACHE_TYPE,
            1,
            "input has 2 users, and the cache 2, and batch_offset is 1",
        ),
        ("update_cache", f"{_CACHE_TYPE}; {_UPDATE}; 2xi32", _CACHE_TYPE, 0, "update_index is tensor<2xi32>"),
        ("update_cache", f"{_CACHE_TYPE}; {_UPDATE}; 1xf32", _CACHE_TYPE, 0, "update_index is tensor<1xf32>"),
        ("fill_cache", f"{_CACHE_TYPE}; {_FILL}", _CACHE_TYPE, 2, "32 positions of user 2 are written"),
        (
            "fill_cache",
            f"{_CACHE_TYPE}; 1x4x96x32xf32",
            _CACHE_TYPE,
            0,
            "96 positions of user 0 are written, and the cache has 64 of 2 users",
        ),
    )
)

_ANY_CONFIG = "memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>"
TO_MEMORY_CONFIG: tuple[Case, ...] = tuple(
    _case("ttnn.to_memory_config", before, after, _ANY_CONFIG, message)
    for before, after, message in (
        ("64x128xf32", "64x128xf32, #dram", "Input tensor type missing layout attribute"),
        ("64x128xf32, #dram", "64x128xf32", "Output tensor type missing layout attribute"),
        (
            "64x128xf32, #dram",
            "64x128xf32, #host_interleaved",
            "System memory space only supports undef memory layout",
        ),
        (
            "64x128xf32, #dram",
            "64x128xf32, #dram_none",
            "Device memory space only supports interleaved or sharded memory layouts",
        ),
        (
            "64x128xf32, #dram",
            "64x128xf32, #dram_sharded",
            "Device DRAM memory space only supports interleaved memory layout",
        ),
        ("64x128xf32, #dram", "64x128xf32, #small_sharded", "Sharded tensors layout must reside in L1"),
        ("64x128xf32, #dram", "64x128xf32, #l1_sharded_cube", "Shard shape must be 2D"),
        (
            "64x128xf32, #dram",
            "64x128xf32, #l1_blocks",
            "Shard shape (16, 32) must divide tile shape (32, 32) evenly",
        ),
    )
)


def _empty(
    shape: str = "64x128",
    dtype: str | None = "f32",
    layout: str | None = "tile",
    config: tuple[str, str] | None = ("interleaved", "dram"),
) -> str:
    words = [f"shape = #ttnn.shape<{shape}>"]
    if dtype is not None:
        words.append(f"dtype = #tt.supportedDataTypes<{dtype}>")
    if layout is not None:
        words.append(f"layout = #ttnn.layout<{layout}>")
    if config is not None:
        words.append(f"memory_config = #ttnn.memory_config<<{config[0]}>, <{config[1]}>, <<2x4>>>")
    return ", ".join(words)


EMPTY: tuple[Case, ...] = tuple(
    _case("ttnn.empty", operands, result, given, message)
    for operands, result, given, message in (
        ("device", "64x128xf32", _empty(), "Result type missing layout attribute"),
        (
            "device",
            "64x128xf32, #dram",
            _empty(shape="64x127"),
            "Shape attribute 64x127 must match the shape of the output tensor 64x128",
        ),
        ("device", "64x128xf32, #dram", _empty(layout="row_major"), "Layout attribute row_major must match"),
        ("device", "64x128xf32, #dram", _empty(dtype="bf16"), "Data type attribute bf16 must match"),
        (
            "device",
            "64x128xf32, #dram",
            _empty(config=("interleaved", "l1")),
            "Memory config attribute (interleaved, l1) must match",
        ),
        ("device", "64x128xf32, #dram", _empty(dtype=None), "Attribute dtype must be present"),
        (
            "device",
            "64x128xf32, #dram",
            _empty(config=None),
            "Attribute memory_config must be present where there is a device",
        ),
        (
            "",
            "64x128xf32, #dram",
            _empty(),
            "Attribute memory_config must be absent where there is no device",
        ),
    )
)

ELEMENTWISE: tuple[Case, ...] = (
    _case(
        "ttir.add",
        "64x128xf32; 64x64xf32 | 64x128xf32",
        "64x128xf32",
        "",
        "Operands are not broadcast compatible",
    ),
    _case(
        "ttir.add",
        "64x128xf32; 2x64x128xf32 | 64x128xf32",
        "64x128xf32",
        "",
        "Result shape must match operand shapes after broadcasting",
    ),
    _case(
        "ttir.relu",
        "64x128xf32 | 64x128xf32",
        "64x128xbf16",
        "",
        "expected type of operand #1 ('tensor<64x128xf32>') to match type of corresponding result ('tensor<64x128xbf16>')",
    ),
    _case(
        "ttnn.relu",
        "64x128xf32 | 64x128xf32; 64x128xf32",
        "64x128xf32",
        "",
        "expected the number of tensor results (1) to be equal to the number of output tensors (2)",
    ),
)

_GENERIC = (
    "grid = #tt.grid<1x1>, indexing_maps = [], iterator_types = [], operand_cb_mapping = array<i64: -1, {}>"
)
_CB = "!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>"
_KERNEL = "({\n  ^bb0(%arg9: " + _CB + '):\n    "ttkernel.return"() : () -> ()\n  })'
_CORES = "core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>]"
_ON_L1 = "64x128xf32, #metal_l1"
_ON_HOST = "64x128xf32, #metal_host"
REGIONS: tuple[Case, ...] = (
    _case(
        "ttir.generic",
        "64x128xf32 | | 64x128xf32",
        "64x128xf32",
        _GENERIC.format(-1),
        "The number of input and output operands and region/block arguments must match",
        regions='({\n  ^bb0(%arg9: memref<64x128xf32>):\n    "ttir.yield"() : () -> ()\n  })',
    ),
    _case(
        "ttir.generic",
        "64x128xf32 | 64x128xf32 | 64x128xf32",
        "64x128xf32",
        _GENERIC.format(1),
        "CB index out of bounds",
        regions='({\n  ^bb0(%arg8: memref<64x128xf32>, %arg9: memref<64x128xf32>):\n    "ttir.yield"() : () -> ()\n  })',
    ),
    *(
        _case("ttmetal.dispatch", operands, results, given, message, regions=regions)
        for operands, results, given, regions, message in (
            (f"64x128xf32 | {_ON_L1}", _ON_L1, _CORES, _KERNEL, "Input tensor missing layout attribute"),
            (
                f"{_ON_HOST} | {_ON_L1}",
                _ON_L1,
                _CORES,
                _KERNEL,
                "Input tensor must be in device memory space, got system",
            ),
            (
                f"{_ON_L1} | {_ON_L1}",
                _ON_L1,
                "core_ranges = [], kernelConfigs = [#ttkernel.noc_config<noc0>]",
                _KERNEL,
                "The number of core ranges must match the number of regions: 0 core ranges, 1 regions",
            ),
            (
                f"{_ON_L1} | {_ON_L1}",
                _ON_L1,
                "core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = []",
                _KERNEL,
                "The number of kernel configs must match the number of regions: 0 kernel configs, 1 regions",
            ),
            (
                f"{_ON_L1} | {_ON_L1}",
                _ON_L1,
                _CORES,
                _KERNEL.replace(_CB, "i32"),
                "Block inputs must be CBType, got 'i32' in region #0",
            ),
        )
    ),
    _case(
        "ttmetal.host_read", f"64x128xf32; {_ON_HOST}", _ON_HOST, "", "Input tensor missing layout attribute"
    ),
    _case(
        "ttmetal.host_read",
        f"{_ON_HOST}; {_ON_HOST}",
        _ON_HOST,
        "",
        "Input tensor must be in device memory space, got system",
    ),
    _case(
        "ttmetal.host_read",
        f"{_ON_L1}; {_ON_L1}",
        _ON_L1,
        "",
        "Output tensor must be in system memory space, got l1",
    ),
    _case(
        "ttmetal.host_write",
        "64x128xf32",
        "64x128xf32",
        "value = dense<0.0> : tensor<64x128xf32>",
        "Output tensor missing layout attribute",
    ),
    _case(
        "ttmetal.host_write",
        _ON_HOST,
        _ON_HOST,
        "value = dense<0.0> : tensor<64x128xf32>",
        "Output tensor must be in device memory space, got system",
    ),
)


def _tt_lang(kernel_id: str, roles: str) -> str:
    return f'kernel_id = "{kernel_id}", version_tag = "1", arg_roles = "{roles}", shard_spec = ""'


_TILES, _ROWS, _HOST = "64x128xf32, #dram", "64x128xf32, #dram_rows", "64x128xf32, #host_tiles"
TT_LANG: tuple[Case, ...] = (
    *(
        _case(name, "; ".join([_TILES] * count), "; ".join([_TILES] * results), given, message)
        for name in ("ttir.tt_lang_op", "ttnn.tt_lang_op")
        for count, results, given, message in (
            (3, 1, _tt_lang(" ", "in,in,out"), "requires a kernel_id that is not empty"),
            (3, 1, _tt_lang("p.k::v1", ""), "requires arg_roles that are not empty"),
            (
                3,
                1,
                _tt_lang("p.k::v1", "in,inout,out"),
                "has the role 'inout' for operand #1: a role is 'in' or 'out'",
            ),
            (3, 1, _tt_lang("p.k::v1", "in,out"), "has 3 operands and 2 arg_roles ('in,out')"),
            (
                3,
                1,
                _tt_lang("p.k::v1", "in,out,in"),
                "has arg_roles 'in,out,in': all 'in' come before the first 'out'",
            ),
            (3, 1, _tt_lang("p.k::v1", "in,out,out"), "has 1 results and 2 operands of the role 'out'"),
            (2, 0, _tt_lang("p.k::v1", "in,in"), "has no operand of the role 'out'"),
        )
    ),
    _case(
        "ttnn.tt_lang_op",
        f"{_ROWS}; {_TILES}",
        _TILES,
        _tt_lang("p.k::v1", "in,out"),
        "requires tensors in tiles, and operand #0 is of type",
    ),
    _case(
        "ttnn.tt_lang_op",
        f"{_TILES}; {_HOST}",
        _HOST,
        _tt_lang("p.k::v1", "in,out"),
        "requires tensors on the device, and operand #1 is of type",
    ),
    *(
        _case("ttnn.generic", operands, _TILES, f"program = #ttnn.program<[{kernel}], [], {{}}>", message)
        for operands, kernel, message in (
            (f"{_TILES}; {_TILES}", "", "has a program without kernels"),
            (f"{_TILES}; {_TILES}", "7 : i64", "has a program that cannot be read: a kernel is 7 : i64"),
            (f"{_TILES}; {_TILES}", "#ttnn.read_kernel<{}>", "has a program whose kernel #0 has no source"),
            (
                f"{_TILES}; {_TILES}",
                '#ttnn.compute_kernel<{source = "x", tensor_indices = [2 : i64]}>',
                "has 2 operands, and kernel #0 names the tensors [2]",
            ),
            (
                f"{_ROWS}; {_TILES}",
                '#ttnn.write_kernel<{source = "x", tensor_indices = [1 : i64]}>',
                "requires tensors in tiles, and operand #0 is of type",
            ),
        )
    ),
    _case(
        "ttnn.generic",
        f"{_HOST}; {_TILES}",
        _TILES,
        'program = #ttnn.program<[#ttnn.write_kernel<{source = "x", tensor_indices = [1 : i64]}>], [], {}>',
        "requires tensors on the device, and operand #0 is of type",
    ),
)

CASES: tuple[Case, ...] = (
    *CACHES,
    _case("ttnn.copy", "64x128xf32; 64x64xf32", "64x64xf32", "", "result has shape"),
    *ELEMENTWISE,
    *SLICE,
    *INDEX,
    *RESHAPE,
    *SQUEEZE,
    *UNSQUEEZE,
    *TRANSPOSE,
    *CONCAT,
    *SMALL,
    *MATMUL,
    *CONV2D,
    *CONVOLUTION,
    *POOLING,
    *MAX_POOL2D,
    *ALLOC,
    *TO_MEMORY_CONFIG,
    *EMPTY,
    *REGIONS,
    *TT_LANG,
    *RESULTS,
)
