"""The operations of TTIR: what a model computes, on tensors, before it is known where they lie.

Names, operands and attributes are those of the operation reference of 2024-11-21; lowerings follow the TTNN pipeline of that
date.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ttmlir.operations import (
    kinds,
    verify_compute,
    verify_memory,
    verify_mesh,
    verify_regions,
    verify_shapes,
    verify_tt_lang,
)
from ttmlir.operations.elementwise import elementwise_rows
from ttmlir.operations.fold import dimension_size, value_of_constant
from ttmlir.operations.row import (
    AttributeDefinition,
    NoLowering,
    OperandDefinition,
    ResultDefinition,
    Row,
    RowTable,
    Same,
    WithoutInit,
    Written,
    operand_groups,
)

_CONSTRAINTS = AttributeDefinition(name="operand_constraints", kind=kinds.OPERAND_CONSTRAINTS)
_VALUE = AttributeDefinition(name="value", kind=kinds.ELEMENTS)
_RESULT = ResultDefinition(name="result", kind=kinds.TENSOR)
_RESULTS = ResultDefinition(name="results", kind=kinds.TENSOR, arity="variadic")
# The axis of the mesh of chips along which an operation brings chips together; of all where it is absent.
_CLUSTER_AXIS = AttributeDefinition(name="cluster_axis", kind=kinds.UI32, optional=True)
_REDUCE_TYPE = AttributeDefinition(name="reduce_type", kind=kinds.REDUCE_OPERATION)
_METAL_ONLY = NoLowering("TTNN has no such operation: it is one of the way to TTMetal")


def _attributes(kind: kinds.AttributeKind, *names: str) -> tuple[AttributeDefinition, ...]:
    return tuple(AttributeDefinition(name=name, kind=kind) for name in names)


_si32 = partial(_attributes, kinds.SI32)
_i32 = partial(_attributes, kinds.I32)
_dense = partial(_attributes, kinds.DENSE_I64)


def _operation(
    mnemonic: str,
    class_name: str,
    operands: str,
    attributes: tuple[AttributeDefinition, ...] = (),
    **fields: Any,
) -> Row:
    """A destination-style operation on tensors. The last of ``operands`` (see ``operand_groups``) is the destination."""
    groups = operand_groups(operands, kinds.TENSOR)
    return Row(
        name=f"ttir.{mnemonic}",
        class_name=class_name,
        operands=groups,
        attributes=(*attributes, _CONSTRAINTS),
        inits=groups[-1].name,
        segments=sum(group.arity != "one" for group in groups) > 1,
        **{"results": (_RESULT,), "layout": "all", **fields},
    )


def _reduction(mnemonic: str, class_name: str, what: str) -> Row:
    return _operation(
        mnemonic,
        class_name,
        "input output",
        (
            AttributeDefinition(name="keep_dim", kind=kinds.BOOL),
            AttributeDefinition(name="dim_arg", kind=kinds.I32_ARRAY, optional=True),
        ),
        summary=f"{what} over dimensions.",
        doc="`dim_arg` are the dimensions, all of them where it is absent; with `keep_dim` they stay, with extent one.",
        lowering=WithoutInit(),
        reference="reduction",
    )


_ROWS = (
    *elementwise_rows("ttir", (_CONSTRAINTS,)),
    _reduction("max", "Max", "Maximum"),
    _reduction("mean", "Mean", "Mean"),
    _reduction("sum", "Sum", "Sum"),
    _operation(
        "all_gather",
        "AllGather",
        "input output",
        (*_si32("dim"), _CLUSTER_AXIS),
        summary="Gathers the parts of a tensor that lie on several chips.",
        doc="`dim` is the dimension along which the parts are joined; it may count from the end. An extension: `cluster_axis` is "
        "the axis of the mesh along which chips gather, 0 down its rows or 1 along its columns; all chips where it is absent.",
        verify=verify_shapes.ALL_GATHER,
        lowering=Written("all_gather"),
        reference="on_one_device",
    ),
    _operation(
        "all_reduce",
        "AllReduce",
        "input output",
        (_REDUCE_TYPE, _CLUSTER_AXIS),
        summary="Combines the tensors of several chips; all of them get the result.",
        doc="An extension, in the words of later versions. `reduce_type` is how: 0 sum, 2 max, 3 min. `cluster_axis` is the axis of "
        "the mesh along which chips are brought together; all chips where it is absent. TTNN has it as a `reduce_scatter` and an "
        "`all_gather`, so that one dimension divides into a part for each chip.",
        verify=verify_shapes.ALL_REDUCE,
        lowering=Written("all_reduce"),
        reference="on_one_device",
    ),
    Row(
        name="ttir.alloc",
        class_name="Alloc",
        summary="Allocates a tensor at an address.",
        doc="`address` and `size` are in bytes. In memory of the host the address is zero.",
        attributes=(
            *_attributes(kinds.I64, "address", "size"),
            AttributeDefinition(name="memory_space", kind=kinds.MEMORY_SPACE),
        ),
        results=(_RESULT,),
        verify=verify_memory.ALLOC,
        lowering=_METAL_ONLY,
    ),
    _operation(
        "broadcast",
        "Broadcast",
        "input output",
        _attributes(kinds.I64_ARRAY, "dimension"),
        summary="Repeats a tensor along dimensions.",
        doc="On the way to TTNN it goes: operations repeat what they need themselves.",
        lowering=Written("broadcast"),
        reference="broadcast",
    ),
    _operation(
        "clamp",
        "Clamp",
        "input output",
        _attributes(kinds.F32, "min", "max"),
        summary="Limits elements to a range.",
        doc="Elements less than `min` become `min`, those greater than `max` become `max`.",
        verify=verify_shapes.LIMITS,
        lowering=Written("clamp"),
        reference="elementwise",
    ),
    _operation(
        "concat",
        "Concat",
        "inputs* output",
        _si32("dim"),
        summary="Joins tensors along a dimension.",
        doc="All other dimensions have the same extents. `dim` may count from the end.",
        verify=verify_shapes.CONCAT,
        lowering=Written("concat"),
        reference="concat",
    ),
    Row(
        name="ttir.constant",
        class_name="Constant",
        summary="A tensor of known values.",
        doc="TTNN has one number for all elements only.",
        attributes=(_VALUE,),
        results=(_RESULT,),
        traits=("ConstantLike",),
        invariants=(verify_shapes.value_has_the_result_s_shape,),
        fold=value_of_constant,
        lowering=Written("constant"),
        reference="constant",
    ),
    _operation(
        "conv2d",
        "Conv2d",
        "input weight bias? output",
        _si32(
            "stride_height",
            "stride_width",
            "dilation_height",
            "dilation_width",
            "groups",
            "padding_left",
            "padding_right",
            "padding_top",
            "padding_bottom",
        ),
        summary="Convolution over height and width.",
        doc=(
            "The input is batch, height, width, channels; the weight is channels out, channels in by group, height, width; "
            "the bias is 1, 1, 1, channels out."
        ),
        verify=verify_compute.CONV2D,
        layout="inits",
        lowering=Written("conv2d"),
        reference="conv2d",
    ),
    _operation(
        "convolution",
        "Convolution",
        "input weight bias? output",
        (
            *_dense("window_strides", "padding", "input_dilation", "weight_dilation"),
            AttributeDefinition(name="window_reversal", kind=kinds.DENSE_BOOL),
            AttributeDefinition(name="convolution_layout", kind=kinds.CONVOLUTION_LAYOUT),
            *_attributes(kinds.POSITIVE_I64, "feature_group_count", "batch_group_count"),
        ),
        summary="Convolution over any number of dimensions, in any order of them.",
        doc=(
            "`convolution_layout` says which dimension is what. `padding` is a pair for each spatial dimension, before and "
            "after; it is expanded to `ttir.conv2d` and transpositions where there are two spatial dimensions."
        ),
        verify=verify_compute.CONVOLUTION,
        decomposition="convolution",
        reference="convolution",
    ),
    Row(
        name="ttir.dealloc",
        class_name="Dealloc",
        summary="Ends an allocation.",
        operands=operand_groups("result", kinds.TENSOR),
        lowering=_METAL_ONLY,
    ),
    _operation(
        "embedding",
        "Embedding",
        "input weight output",
        summary="Looks up rows of a table by their numbers.",
        doc="The result has the shape of the numbers, `input`, and the length of a row of `weight` as its last dimension.",
        verify=verify_shapes.EMBEDDING,
        lowering=Written("embedding"),
        reference="embedding",
    ),
    _operation(
        "fill",
        "Fill",
        "output",
        (_VALUE,),
        summary="Fills a tensor with known values.",
        invariants=(verify_shapes.value_has_the_result_s_shape,),
        lowering=_METAL_ONLY,
        reference="constant",
    ),
    _operation(
        "gather",
        "Gather",
        "input start_indices output",
        (
            *_dense(
                "offset_dims",
                "collapsed_slice_dims",
                "operand_batching_dims",
                "start_indices_batching_dims",
                "start_index_map",
            ),
            AttributeDefinition(name="index_vector_dim", kind=kinds.SI64),
            *_dense("slice_sizes"),
            AttributeDefinition(name="indices_are_sorted", kind=kinds.BOOL),
        ),
        summary="Collects slices that begin at given places.",
        doc="It is that of StableHLO. Where it looks up rows of a table, it is expanded to `ttir.embedding`.",
        decomposition="gather",
        reference="gather",
    ),
    Row(
        name="ttir.generic",
        class_name="Generic",
        summary="Does the work of its region on every core of a grid.",
        doc=(
            "The region has an argument for each input and output. `operand_cb_mapping` gives for each operand the circular "
            "buffer it is streamed through, or -1."
        ),
        operands=operand_groups("inputs* cbs* outputs*", kinds.TENSOR),
        attributes=(
            AttributeDefinition(name="grid", kind=kinds.GRID),
            AttributeDefinition(name="indexing_maps", kind=kinds.AFFINE_MAPS),
            AttributeDefinition(name="iterator_types", kind=kinds.ITERATOR_TYPES),
            _CONSTRAINTS,
            AttributeDefinition(name="operand_cb_mapping", kind=kinds.DENSE_I64, default=()),
        ),
        results=(_RESULTS,),
        regions=1,
        inits="outputs",
        segments=True,
        layout="all",
        verify=verify_regions.GENERIC,
        lowering=_METAL_ONLY,
        reference="work",
    ),
    Row(
        name="ttir.get_dimension_size",
        class_name="GetDimensionSize",
        summary="The extent of a dimension, as a tensor.",
        operands=operand_groups("operand", kinds.TENSOR),
        attributes=_i32("dimension"),
        results=(_RESULT,),
        verify=verify_shapes.GET_DIMENSION_SIZE,
        fold=dimension_size,
        decomposition="get_dimension_size",
        reference="dimension_size",
    ),
    _operation(
        "index",
        "Index",
        "input output",
        _i32("dim", "begin", "end", "step"),
        summary="A range of one dimension.",
        doc="`begin`, `end` and `step` are those of a slice of Python; negative ones count from the end.",
        verify=verify_shapes.INDEX,
        decomposition="index",
        reference="index",
    ),
    Row(
        name="ttir.kernel",
        class_name="Kernel",
        summary="Calls a kernel by its name.",
        doc="`op` is the name, `kind` the kind of kernel; who lowers it knows both.",
        operands=operand_groups("inputs* outputs*", kinds.TENSOR_OR_MEMREF),
        attributes=(*_attributes(kinds.SYMBOL, "op", "kind"), _CONSTRAINTS),
        results=(ResultDefinition(name="results", kind=kinds.TENSOR_OR_MEMREF, arity="variadic"),),
        inits="outputs",
        segments=True,
        layout="all",
        lowering=_METAL_ONLY,
    ),
    _operation(
        "matmul",
        "Matmul",
        "a b output",
        summary="Matrix product.",
        doc="The last two dimensions are multiplied, those before them repeated to one shape; vectors are rows on the left "
        "and columns on the right, as in NumPy.",
        verify=verify_compute.MATMUL,
        lowering=Same(),
        reference="matmul",
    ),
    _operation(
        "max_pool2d",
        "MaxPool2d",
        "input output",
        (
            *_si32(
                "kernel_height",
                "kernel_width",
                "stride_height",
                "stride_width",
                "dilation_height",
                "dilation_width",
            ),
            AttributeDefinition(name="ceil_mode", kind=kinds.BOOL),
            *_si32("padding_left", "padding_right", "padding_top", "padding_bottom"),
        ),
        summary="Maximum of windows over height and width.",
        doc="The input is batch, height, width, channels.",
        verify=verify_compute.MAX_POOL2D,
        lowering=Written("max_pool2d"),
        reference="max_pool2d",
    ),
    _operation(
        "pooling",
        "Pooling",
        "inputs* outputs*",
        (
            AttributeDefinition(name="pooling_method", kind=kinds.POOLING_METHOD),
            *_dense("window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"),
        ),
        summary="Maximum or mean of windows over any dimensions.",
        doc="A maximum over two dimensions is expanded to `ttir.max_pool2d` and transpositions.",
        results=(_RESULTS,),
        verify=verify_compute.POOLING,
        decomposition="pooling",
        reference="pooling",
    ),
    _operation(
        "mesh_shard",
        "MeshShard",
        "input output",
        (
            AttributeDefinition(name="shard_type", kind=kinds.SHARD_TYPE),
            AttributeDefinition(name="shard_direction", kind=kinds.SHARD_DIRECTION),
            *_dense("shard_shape", "shard_dims"),
        ),
        summary="Distributes a whole tensor over the chips of a mesh, or makes the whole of what they have.",
        doc="An extension, in the words of later versions. `shard_direction` says which: `full_to_shard`, `shard_to_full`. "
        "`shard_type` is `devices` where chips have parts: `shard_shape` into how many parts each dimension is cut, `shard_dims` "
        "which dimension each axis of the mesh cuts (rows, columns), -1 for none; chips along that axis have the same, and the "
        "first of them counts for the whole. Where both axes cut one dimension, the columns' parts lie within those of the rows. "
        "With `replicate` and `maximal` all chips have the whole, of which that of the first chip counts; with `identity` they keep "
        "what they have. The last three have `shard_shape` and `shard_dims` of ones and -1. The host does it: `operand_constraints` "
        "are `system|scalar|none`.",
        verify=verify_mesh.MESH_SHARD_OF_HOST,
        lowering=Written("mesh_shard"),
        reference="on_one_device",
    ),
    _operation(
        "reduce_scatter",
        "ReduceScatter",
        "input output",
        (*_si32("scatter_dim"), _REDUCE_TYPE, _CLUSTER_AXIS),
        summary="Combines the tensors of several chips, and leaves one part of that on each.",
        doc="An extension, in the words of later versions. `reduce_type` is how: 0 sum, 2 max, 3 min; `scatter_dim` the dimension "
        "of which each chip gets a part, which may count from the end; `cluster_axis` the axis of the mesh along which chips are "
        "brought together, all chips where it is absent.",
        verify=verify_shapes.REDUCE_SCATTER,
        lowering=Written("reduce_scatter"),
        reference="on_one_device",
    ),
    _operation(
        "reshape",
        "Reshape",
        "input output",
        _attributes(kinds.I32_ARRAY, "shape"),
        summary="The same elements in another shape.",
        doc="One extent of `shape` may be -1: it follows from the others.",
        verify=verify_shapes.RESHAPE,
        lowering=WithoutInit(),
        reference="reshape",
    ),
    _operation(
        "slice",
        "Slice",
        "input output",
        _attributes(kinds.I32_ARRAY, "begins", "ends", "step"),
        summary="A range of every dimension.",
        doc="`begins`, `ends` and `step` are those of slices of Python; negative ones count from the end.",
        verify=verify_shapes.SLICE,
        lowering=Same(),
        reference="slice",
    ),
    _operation(
        "softmax",
        "Softmax",
        "input output",
        _si32("dimension"),
        summary="Exponentials along a dimension, divided by their sum.",
        verify=verify_shapes.SOFTMAX,
        lowering=WithoutInit(),
        reference="softmax",
    ),
    _operation(
        "squeeze",
        "Squeeze",
        "input output",
        _si32("dim"),
        summary="Takes away a dimension of extent one.",
        verify=verify_shapes.SQUEEZE,
        lowering=Written("reshape"),
        reference="reshape",
    ),
    Row(
        name="ttir.to_layout",
        class_name="ToLayout",
        summary="The same elements in another layout.",
        doc="The layout is in the types: another memory, another data type, tiles or rows, another spread over cores.",
        operands=operand_groups("input output", kinds.TENSOR),
        results=(_RESULT,),
        inits="output",
        layout="none",
        verify=verify_shapes.TO_LAYOUT,
        lowering=Written("to_layout"),
        reference="to_layout",
    ),
    _operation(
        "transpose",
        "Transpose",
        "input output",
        _si32("dim0", "dim1"),
        summary="Exchanges two dimensions.",
        doc="`dim0` and `dim1` may count from the end.",
        verify=verify_shapes.TRANSPOSE,
        lowering=WithoutInit(),
        reference="transpose",
    ),
    _operation(
        "unsqueeze",
        "Unsqueeze",
        "input output",
        _si32("dim"),
        summary="Inserts a dimension of extent one.",
        doc="It is at `dim` in the result, which may count from the result's end.",
        verify=verify_shapes.UNSQUEEZE,
        lowering=Written("reshape"),
        reference="reshape",
    ),
    Row(
        name="ttir.tt_lang_op",
        class_name="TTLang",
        summary="Runs an operation of TT-Lang.",
        doc="`kernel_id` names it, such as `pkg.softmax::v1`: what is to be imported, and its version. `arg_roles` has `in` or "
        "`out` for each operand, all `in` first; each `out` is the destination of a result. It stays as it is until its "
        "kernels are made by `ttnn-resolve-tt-lang-kernels`. Where it has no `operand_constraints`, every operand is in tiles.",
        operands=operand_groups("inputs* outputs*", kinds.TENSOR),
        attributes=(
            *verify_tt_lang.ATTRIBUTES,
            AttributeDefinition(name="operand_constraints", kind=kinds.OPERAND_CONSTRAINTS, optional=True),
        ),
        results=(ResultDefinition(name="results", kind=kinds.TENSOR, arity="variadic"),),
        inits="outputs",
        inits_by_results=True,
        invariants=verify_tt_lang.ROLES,
        layout="all",
        lowering=Same(),
        reference="tt_lang",
    ),
    Row(
        name="ttir.yield",
        class_name="Yield",
        summary="Ends a region and gives its values.",
        operands=(OperandDefinition(name="values", kind=kinds.TENSOR_OR_MEMREF, arity="variadic"),),
        traits=("Pure", "ReturnLike", "Terminator"),
        lowering=_METAL_ONLY,
    ),
)

TTIR = RowTable("ttir", tuple(sorted(_ROWS, key=lambda row: row.name)))
