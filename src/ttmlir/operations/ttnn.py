"""The operations of TTNN: calls of the library, on tensors whose place and layout are known.

Names, operands and attributes are those of the operation reference of 2024-11-21; tables are those of the TTNN file of that
date.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Any

from ttmlir.operations import kinds, verify_compute, verify_memory, verify_mesh, verify_shapes, verify_tt_lang
from ttmlir.operations.elementwise import elementwise_rows
from ttmlir.operations.row import (
    AttributeDefinition,
    Flatbuffer,
    ResultDefinition,
    Row,
    RowTable,
    operand_groups,
)

_RESULT = ResultDefinition(name="result", kind=kinds.TENSOR)
_KINDS = MappingProxyType({"device": kinds.DEVICE})
_NUM_LINKS = AttributeDefinition(name="num_links", kind=kinds.SI32, default=1)
_CLUSTER_AXIS = AttributeDefinition(name="cluster_axis", kind=kinds.UI32, optional=True)
_LAYOUT = AttributeDefinition(name="layout", kind=kinds.PAGE_LAYOUT)
_MEMORY_CONFIG = AttributeDefinition(name="memory_config", kind=kinds.MEMORY_CONFIG)
_OPTIONAL_DTYPE = AttributeDefinition(name="dtype", kind=kinds.DATA_TYPE, optional=True)
_OPTIONAL_LAYOUT = AttributeDefinition(name="layout", kind=kinds.PAGE_LAYOUT, optional=True)
_OPTIONAL_MEMORY_CONFIG = AttributeDefinition(name="memory_config", kind=kinds.MEMORY_CONFIG, optional=True)


def _attributes(kind: kinds.AttributeKind, *names: str) -> tuple[AttributeDefinition, ...]:
    return tuple(AttributeDefinition(name=name, kind=kind) for name in names)


_si32 = partial(_attributes, kinds.SI32)
_i32 = partial(_attributes, kinds.I32)


def _operation(
    mnemonic: str,
    class_name: str,
    operands: str,
    attributes: tuple[AttributeDefinition, ...] = (),
    *,
    table: str = "",
    **fields: Any,
) -> Row:
    """An operation on tensors, by ``operand_groups``. ``table``: that of the file; empty: it is not written there."""
    return Row(
        name=f"ttnn.{mnemonic}",
        class_name=class_name,
        operands=operand_groups(operands, kinds.TENSOR, _KINDS),
        attributes=attributes,
        flatbuffer=Flatbuffer(table, fields.pop("code", "")) if table else None,
        **{"results": (_RESULT,), **fields},
    )


def _reduction(mnemonic: str, class_name: str, what: str) -> Row:
    return _operation(
        mnemonic,
        class_name,
        "input",
        (
            AttributeDefinition(name="keep_dim", kind=kinds.BOOL),
            AttributeDefinition(name="dim_arg", kind=kinds.I32_ARRAY, optional=True),
        ),
        summary=f"{what} over dimensions.",
        doc="`dim_arg` are the dimensions, all of them where it is absent; with `keep_dim` they stay, with extent one.",
        reference="reduction",
        table="ReductionOp",
        code=class_name,
    )


_ROWS = (
    *elementwise_rows("ttnn"),
    _reduction("max", "Max", "Maximum"),
    _reduction("mean", "Mean", "Mean"),
    _reduction("sum", "Sum", "Sum"),
    _operation(
        "all_gather",
        "AllGather",
        "input",
        (*_si32("dim"), _NUM_LINKS, _CLUSTER_AXIS),
        summary="Gathers the parts of a tensor that lie on several chips.",
        doc="`num_links` is the number of links between chips that it uses. An extension: `cluster_axis` is the axis of the mesh "
        "along which chips gather; all chips where it is absent.",
        verify=verify_shapes.ALL_GATHER,
        reference="on_one_device",
        table="AllGatherOp",
    ),
    _operation(
        "alloc",
        "Alloc",
        "",
        (
            *_attributes(kinds.I64, "address", "size"),
            AttributeDefinition(name="buffer_type", kind=kinds.BUFFER_TYPE),
        ),
        summary="Allocates a tensor at an address.",
        doc="`address` and `size` are in bytes. In memory of the host the address is zero.",
        verify=verify_memory.ALLOC,
    ),
    _operation(
        "clamp",
        "Clamp",
        "inputs*",
        _attributes(kinds.F32, "min", "max"),
        summary="Limits elements to a range.",
        doc="Elements less than `min` become `min`, those greater than `max` become `max`.",
        results=(ResultDefinition(name="result", kind=kinds.TENSOR, arity="variadic"),),
        verify=verify_shapes.LIMITS_OF_MANY,
        reference="elementwise",
        table="EltwiseOp",
        code="Clamp",
    ),
    _operation(
        "concat",
        "Concat",
        "inputs* output",
        _si32("dim"),
        summary="Joins tensors along a dimension.",
        doc="All other dimensions have the same extents. `dim` may count from the end.",
        inits="output",
        verify=verify_shapes.CONCAT,
        reference="concat",
        table="ConcatOp",
    ),
    _operation(
        "conv2d",
        "Conv2d",
        "input weight bias? output device",
        _i32(
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
        ),
        summary="Convolution over height and width.",
        doc="The input is 1, 1, batch x height x width, channels; weight and bias are on the host.",
        inits="output",
        verify=verify_compute.CONV2D_ON_DEVICE,
        reference="conv2d",
        table="Conv2dOp",
    ),
    _operation(
        "deallocate",
        "Deallocate",
        "input",
        (AttributeDefinition(name="force", kind=kinds.BOOL, default=False),),
        summary="Frees the memory of a tensor.",
        doc="Without `force`, memory that another tensor shares stays.",
        results=(),
        table="DeallocateOp",
    ),
    _operation(
        "embedding",
        "Embedding",
        "input output weight",
        summary="Looks up rows of a table by their numbers.",
        doc="The result has the shape of the numbers, `input`, and the length of a row of `weight` as its last dimension.",
        inits="output",
        verify=verify_shapes.EMBEDDING,
        reference="embedding",
        table="EmbeddingOp",
    ),
    _operation(
        "empty",
        "Empty",
        "device?",
        (
            AttributeDefinition(name="shape", kind=kinds.SHAPE),
            _OPTIONAL_DTYPE,
            _OPTIONAL_LAYOUT,
            _OPTIONAL_MEMORY_CONFIG,
        ),
        summary="A tensor for results.",
        doc="It holds zeros when it is run, on the host and here on the device, too.",
        traits=("NoMemoryEffect",),
        verify=verify_memory.EMPTY,
        reference="zeros",
        table="EmptyOp",
    ),
    _operation(
        "from_device",
        "FromDevice",
        "input",
        summary="Copies a tensor to the host.",
        reference="same",
        table="FromDeviceOp",
    ),
    _operation(
        "full",
        "Full",
        "device",
        _attributes(kinds.F32, "fillValue"),
        summary="A tensor filled with one number.",
        reference="full",
        table="FullOp",
    ),
    _operation(
        "get_device",
        "GetDevice",
        "",
        (AttributeDefinition(name="mesh_shape", kind=kinds.MESH_SHAPE, optional=True),),
        summary="The chips that the program runs on.",
        results=(ResultDefinition(name="device", kind=kinds.DEVICE),),
        table="GetDeviceOp",
    ),
    _operation(
        "matmul",
        "Matmul",
        "a b output",
        summary="Matrix product.",
        doc="The last two dimensions are multiplied, those before them repeated to one shape; vectors are rows on the left "
        "and columns on the right, as in NumPy.",
        inits="output",
        verify=verify_compute.MATMUL,
        reference="matmul",
        table="MatmulOp",
    ),
    _operation(
        "max_pool2d",
        "MaxPool2d",
        "input output device",
        (
            *_si32(
                "batch_size",
                "input_height",
                "input_width",
                "channels",
                "kernel_height",
                "kernel_width",
                "stride_height",
                "stride_width",
                "dilation_height",
                "dilation_width",
            ),
            AttributeDefinition(name="ceil_mode", kind=kinds.BOOL),
            *_si32("padding_height", "padding_width"),
        ),
        summary="Maximum of windows over height and width.",
        doc="The input is 1, 1, batch x height x width, channels.",
        inits="output",
        verify=verify_compute.MAX_POOL2D_ON_DEVICE,
        reference="max_pool2d",
        table="MaxPool2dOp",
    ),
    _operation(
        "mesh_shard",
        "MeshShard",
        "input device",
        (
            AttributeDefinition(name="shard_type", kind=kinds.SHARD_TYPE),
            AttributeDefinition(name="shard_direction", kind=kinds.SHARD_DIRECTION),
            AttributeDefinition(name="shard_shape", kind=kinds.DENSE_I64),
            AttributeDefinition(name="shard_dims", kind=kinds.DENSE_I64),
        ),
        summary="Distributes a whole tensor over the chips of a mesh, or makes the whole of what they have.",
        doc="An extension, in the words of later versions; the attributes are those of `ttir.mesh_shard`. Both tensors are the "
        "host's: one that is in parts goes to the chips by `ttnn.to_device`, to each its own.",
        verify=verify_mesh.MESH_SHARD,
        reference="on_one_device",
        table="MeshShardOp",
    ),
    _operation(
        "reduce_scatter",
        "ReduceScatter",
        "input",
        (
            *_si32("scatter_split_dim"),
            AttributeDefinition(name="math_op", kind=kinds.REDUCE_OPERATION),
            _NUM_LINKS,
            _CLUSTER_AXIS,
        ),
        summary="Combines the tensors of several chips, and leaves one part of that on each.",
        doc="`math_op` is how: 0 sum, 1 mean, 2 max, 3 min, 4 standard deviation, 5 variance; there are kernels for 0, 2 and 3. "
        "Extensions: files have it, and `cluster_axis`, the axis of the mesh along which chips are brought together; all chips "
        "where it is absent.",
        reference="on_one_device",
        table="ReduceScatterOp",
    ),
    _operation(
        "reshape",
        "Reshape",
        "input",
        _attributes(kinds.I32_ARRAY, "shape"),
        summary="The same elements in another shape.",
        doc="One extent of `shape` may be -1: it follows from the others.",
        verify=verify_shapes.RESHAPE,
        reference="reshape",
        table="ReshapeOp",
    ),
    _operation(
        "slice",
        "Slice",
        "input output",
        _attributes(kinds.I32_ARRAY, "begins", "ends", "step"),
        summary="A range of every dimension.",
        doc="`begins`, `ends` and `step` are those of slices of Python; negative ones count from the end.",
        inits="output",
        verify=verify_shapes.SLICE,
        reference="slice",
        table="SliceOp",
    ),
    _operation(
        "softmax",
        "Softmax",
        "input",
        _si32("dimension"),
        summary="Exponentials along a dimension, divided by their sum.",
        verify=verify_shapes.SOFTMAX,
        reference="softmax",
        table="SoftmaxOp",
    ),
    _operation(
        "to_device",
        "ToDevice",
        "input device",
        (_OPTIONAL_MEMORY_CONFIG,),
        summary="Copies a tensor to the device.",
        reference="same",
        table="ToDeviceOp",
    ),
    _operation(
        "to_layout",
        "ToLayout",
        "input device?",
        (_LAYOUT, _OPTIONAL_DTYPE, _OPTIONAL_MEMORY_CONFIG),
        summary="The same elements in another layout.",
        doc="With a data type or a memory configuration it stands for several steps, which `ttnn-decompose-layouts` makes of it.",
        reference="to_layout",
        table="ToLayoutOp",
    ),
    _operation(
        "to_memory_config",
        "ToMemoryConfig",
        "input",
        (_MEMORY_CONFIG,),
        summary="The same elements in another memory of the device, or spread otherwise over its cores.",
        verify=verify_memory.TO_MEMORY_CONFIG,
        reference="same",
        table="ToMemoryConfigOp",
    ),
    _operation(
        "transpose",
        "Transpose",
        "input",
        _si32("dim0", "dim1"),
        summary="Exchanges two dimensions.",
        doc="`dim0` and `dim1` may count from the end.",
        verify=verify_shapes.TRANSPOSE,
        reference="transpose",
        table="TransposeOp",
    ),
    Row(
        name="ttnn.generic",
        class_name="Generic",
        summary="Runs kernels that are written out.",
        doc="`program` has the kernels with their source, their circular buffers and how many semaphores there are; kernels "
        "name tensors by their position among the operands. `ttnn-lower-tt-lang-to-generic` makes it. Every operand and "
        "result is in tiles.",
        operands=operand_groups("inputs* outputs*", kinds.TENSOR),
        attributes=(AttributeDefinition(name="program", kind=kinds.PROGRAM),),
        results=(ResultDefinition(name="results", kind=kinds.TENSOR, arity="variadic"),),
        inits="outputs",
        inits_by_results=True,
        verify=verify_tt_lang.GENERIC,
        reference="generic",
        flatbuffer=Flatbuffer("GenericOp", ""),
    ),
    Row(
        name="ttnn.tt_lang_op",
        class_name="TTLang",
        summary="Runs an operation of TT-Lang.",
        doc="As `ttir.tt_lang_op`. Every operand and result is in tiles. `kernel_artifact`, which "
        "`ttnn-resolve-tt-lang-kernels` attaches, is a JSON text with its kernels.",
        operands=operand_groups("inputs* outputs*", kinds.TENSOR),
        attributes=(
            *verify_tt_lang.ATTRIBUTES,
            AttributeDefinition(name="kernel_artifact", kind=kinds.STRING, optional=True),
        ),
        results=(ResultDefinition(name="results", kind=kinds.TENSOR, arity="variadic"),),
        inits="outputs",
        inits_by_results=True,
        invariants=verify_tt_lang.ROLES,
        verify=verify_tt_lang.TILED,
        reference="tt_lang",
        flatbuffer=Flatbuffer("TTLangOp", ""),
    ),
    _operation(
        "typecast",
        "Typecast",
        "input",
        _attributes(kinds.DATA_TYPE, "dtype"),
        summary="Conversion to another data type.",
        reference="typecast",
        table="TypecastOp",
    ),
)

TTNN = RowTable("ttnn", tuple(sorted(_ROWS, key=lambda row: row.name)))
