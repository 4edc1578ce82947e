"""The operations of TTNN: calls of the library, on tensors whose place and layout are known.

Names, operands and attributes are those of the operation reference of 2024-11-21; tables are those of the TTNN file of that
date. Those that work element by element are in ``ttmlir.operations.elementwise``.
"""

from __future__ import annotations

from ttmlir.operations import (
    elementwise,
    kinds,
    verify_compute,
    verify_memory,
    verify_mesh,
    verify_shapes,
    verify_tt_lang,
)
from ttmlir.operations.fields import TENSORS, attribute, operand, operands, optional, optional_operand
from ttmlir.operations.operation import OperationTable, TTNNOperation
from ttmlir.operations.row import FlatbufferTable, ResultDefinition


class TTNNReductionOp(TTNNOperation, pages="tiles"):
    """An operation that makes one element of many, over dimensions."""

    input = operand()
    keep_dim = attribute(kinds.BOOL)
    dim_arg = optional(kinds.I32_ARRAY)


class TTNNMaxOp(TTNNReductionOp, name="ttnn.max", flatbuffer=FlatbufferTable("ReductionOp", "Max")):
    """Maximum over dimensions.

    `dim_arg` are the dimensions, all of them where it is absent; with `keep_dim` they stay, with extent one.
    """


class TTNNMeanOp(TTNNReductionOp, name="ttnn.mean", flatbuffer=FlatbufferTable("ReductionOp", "Mean")):
    """Mean over dimensions.

    `dim_arg` are the dimensions, all of them where it is absent; with `keep_dim` they stay, with extent one.
    """


class TTNNSumOp(TTNNReductionOp, name="ttnn.sum", flatbuffer=FlatbufferTable("ReductionOp", "Sum")):
    """Sum over dimensions.

    `dim_arg` are the dimensions, all of them where it is absent; with `keep_dim` they stay, with extent one.
    """


class TTNNAllGatherOp(TTNNOperation, name="ttnn.all_gather", verify=verify_shapes.ALL_GATHER):
    """Gathers the parts of a tensor that lie on several chips.

    `num_links` is the number of links between chips that it uses. An extension: `cluster_axis` is the axis of the
    mesh along which chips gather; all chips where it is absent.
    """

    input = operand()
    dim = attribute(kinds.SI32)
    num_links = attribute(kinds.SI32, default=1)
    cluster_axis = optional(kinds.UI32)


class TTNNAllocOp(TTNNOperation, name="ttnn.alloc", verify=verify_memory.ALLOC, flatbuffer=None):
    """Allocates a tensor at an address.

    `address` and `size` are in bytes. In memory of the host the address is zero.
    """

    address = attribute(kinds.I64)
    size = attribute(kinds.I64)
    buffer_type = attribute(kinds.BUFFER_TYPE)


class TTNNClampOp(
    TTNNOperation,
    name="ttnn.clamp",
    results=(ResultDefinition(name="result", kind=kinds.TENSOR, arity="variadic"),),
    verify=verify_shapes.LIMITS_OF_MANY,
    flatbuffer=FlatbufferTable("EltwiseOp", "Clamp"),
    keeps_place=True,
    makes_shards=True,
    pages="tiles",
):
    """Limits elements to a range.

    Elements less than `min` become `min`, those greater than `max` become `max`.
    """

    inputs = operands()
    min = attribute(kinds.F32)
    max = attribute(kinds.F32)


class TTNNConcatOp(TTNNOperation, name="ttnn.concat", inits="output", verify=verify_shapes.CONCAT):
    """Joins tensors along a dimension.

    All other dimensions have the same extents. `dim` may count from the end.
    """

    inputs = operands()
    output = operand()
    dim = attribute(kinds.SI32)


class TTNNConv2dOp(
    TTNNOperation, name="ttnn.conv2d", inits="output", verify=verify_compute.CONV2D_ON_DEVICE, pages="tiles"
):
    """Convolution over height and width.

    The input is 1, 1, batch x height x width, channels; weight and bias are on the host.
    """

    input = operand()
    weight = operand()
    bias = optional_operand()
    output = operand()
    device = operand(kinds.DEVICE)
    in_channels = attribute(kinds.I32)
    out_channels = attribute(kinds.I32)
    batch_size = attribute(kinds.I32)
    input_height = attribute(kinds.I32)
    input_width = attribute(kinds.I32)
    kernel_height = attribute(kinds.I32)
    kernel_width = attribute(kinds.I32)
    stride_height = attribute(kinds.I32)
    stride_width = attribute(kinds.I32)
    padding_height = attribute(kinds.I32)
    padding_width = attribute(kinds.I32)
    dilation_height = attribute(kinds.I32)
    dilation_width = attribute(kinds.I32)
    groups = attribute(kinds.I32)


class TTNNDeallocateOp(TTNNOperation, name="ttnn.deallocate", results=()):
    """Frees the memory of a tensor.

    Without `force`, memory that another tensor shares stays.
    """

    input = operand()
    force = attribute(kinds.BOOL, default=False)


class TTNNEmbeddingOp(
    TTNNOperation,
    name="ttnn.embedding",
    inits="output",
    verify=verify_shapes.EMBEDDING,
    result_type_is_free=True,
    pages="of its type",
):
    """Looks up rows of a table by their numbers.

    The result has the shape of the numbers, `input`, and the length of a row of `weight` as its last dimension.
    """

    input = operand()
    output = operand()
    weight = operand()


class TTNNEmptyOp(
    TTNNOperation,
    name="ttnn.empty",
    traits=("NoMemoryEffect",),
    verify=verify_memory.EMPTY,
    pages="of its type",
):
    """A tensor for results.

    It holds zeros when it is run, on the host and here on the device, too.
    """

    device = optional_operand(kinds.DEVICE)
    shape = attribute(kinds.SHAPE)
    dtype = optional(kinds.DATA_TYPE)
    layout = optional(kinds.PAGE_LAYOUT)
    memory_config = optional(kinds.MEMORY_CONFIG)


class TTNNFromDeviceOp(TTNNOperation, name="ttnn.from_device", moves=True):
    """Copies a tensor to the host."""

    input = operand()


class TTNNFullOp(TTNNOperation, name="ttnn.full", pages="tiles"):
    """A tensor filled with one number."""

    device = operand(kinds.DEVICE)
    fill_value = attribute(kinds.F32, name="fillValue")


class TTNNGenericOp(
    TTNNOperation,
    name="ttnn.generic",
    results=TENSORS,
    inits="outputs",
    inits_by_results=True,
    verify=verify_tt_lang.GENERIC,
    runs_kernels=True,
    pages="tiles",
):
    """Runs kernels that are written out.

    `program` has the kernels with their source, their circular buffers and how many semaphores there are; kernels
    name tensors by their position among the operands. `ttnn-lower-tt-lang-to-generic` makes it. Every operand and
    result is in tiles.
    """

    inputs = operands()
    outputs = operands()
    program = attribute(kinds.PROGRAM)


class TTNNGetDeviceOp(
    TTNNOperation, name="ttnn.get_device", results=(ResultDefinition(name="device", kind=kinds.DEVICE),)
):
    """The chips that the program runs on."""

    mesh_shape = optional(kinds.MESH_SHAPE)


class TTNNMatmulOp(
    TTNNOperation,
    name="ttnn.matmul",
    inits="output",
    verify=verify_compute.MATMUL,
    makes_shards=True,
    result_type_is_free=True,
    pages="tiles",
):
    """Matrix product.

    The last two dimensions are multiplied, those before them repeated to one shape; vectors are rows on the left
    and columns on the right, as in NumPy.
    """

    a = operand()
    b = operand()
    output = operand()


class TTNNMaxPool2dOp(
    TTNNOperation,
    name="ttnn.max_pool2d",
    inits="output",
    verify=verify_compute.MAX_POOL2D_ON_DEVICE,
    pages="rows",
):
    """Maximum of windows over height and width.

    The input is 1, 1, batch x height x width, channels.
    """

    input = operand()
    output = operand()
    device = operand(kinds.DEVICE)
    batch_size = attribute(kinds.SI32)
    input_height = attribute(kinds.SI32)
    input_width = attribute(kinds.SI32)
    channels = attribute(kinds.SI32)
    kernel_height = attribute(kinds.SI32)
    kernel_width = attribute(kinds.SI32)
    stride_height = attribute(kinds.SI32)
    stride_width = attribute(kinds.SI32)
    dilation_height = attribute(kinds.SI32)
    dilation_width = attribute(kinds.SI32)
    ceil_mode = attribute(kinds.BOOL)
    padding_height = attribute(kinds.SI32)
    padding_width = attribute(kinds.SI32)


class TTNNMeshShardOp(TTNNOperation, name="ttnn.mesh_shard", verify=verify_mesh.MESH_SHARD):
    """Distributes a whole tensor over the chips of a mesh, or makes the whole of what they have.

    An extension, in the words of later versions; the attributes are those of `ttir.mesh_shard`. Both tensors are
    the host's: one that is in parts goes to the chips by `ttnn.to_device`, to each its own.
    """

    input = operand()
    device = operand(kinds.DEVICE)
    shard_type = attribute(kinds.SHARD_TYPE)
    shard_direction = attribute(kinds.SHARD_DIRECTION)
    shard_shape = attribute(kinds.DENSE_I64)
    shard_dims = attribute(kinds.DENSE_I64)


class TTNNReduceScatterOp(TTNNOperation, name="ttnn.reduce_scatter"):
    """Combines the tensors of several chips, and leaves one part of that on each.

    `math_op` is how: 0 sum, 1 mean, 2 max, 3 min, 4 standard deviation, 5 variance; there are kernels for 0, 2 and
    3. Extensions: files have it, and `cluster_axis`, the axis of the mesh along which chips are brought together;
    all chips where it is absent.
    """

    input = operand()
    scatter_split_dim = attribute(kinds.SI32)
    math_op = attribute(kinds.REDUCE_OPERATION)
    num_links = attribute(kinds.SI32, default=1)
    cluster_axis = optional(kinds.UI32)


class TTNNReshapeOp(TTNNOperation, name="ttnn.reshape", verify=verify_shapes.RESHAPE, keeps_place=True):
    """The same elements in another shape.

    One extent of `shape` may be -1: it follows from the others.
    """

    input = operand()
    shape = attribute(kinds.I32_ARRAY)


class TTNNSliceOp(TTNNOperation, name="ttnn.slice", inits="output", verify=verify_shapes.SLICE):
    """A range of every dimension.

    `begins`, `ends` and `step` are those of slices of Python; negative ones count from the end.
    """

    input = operand()
    output = operand()
    begins = attribute(kinds.I32_ARRAY)
    ends = attribute(kinds.I32_ARRAY)
    step = attribute(kinds.I32_ARRAY)


class TTNNSoftmaxOp(
    TTNNOperation, name="ttnn.softmax", verify=verify_shapes.SOFTMAX, makes_shards=True, pages="tiles"
):
    """Exponentials along a dimension, divided by their sum."""

    input = operand()
    dimension = attribute(kinds.SI32)


class TTNNToDeviceOp(TTNNOperation, name="ttnn.to_device", moves=True):
    """Copies a tensor to the device."""

    input = operand()
    device = operand(kinds.DEVICE)
    memory_config = optional(kinds.MEMORY_CONFIG)


class TTNNToLayoutOp(TTNNOperation, name="ttnn.to_layout", moves=True, result_type_is_free=True):
    """The same elements in another layout.

    With a data type or a memory configuration it stands for several steps, which `ttnn-decompose-layouts` makes of
    it.
    """

    input = operand()
    device = optional_operand(kinds.DEVICE)
    layout = attribute(kinds.PAGE_LAYOUT)
    dtype = optional(kinds.DATA_TYPE)
    memory_config = optional(kinds.MEMORY_CONFIG)


class TTNNToMemoryConfigOp(
    TTNNOperation, name="ttnn.to_memory_config", verify=verify_memory.TO_MEMORY_CONFIG, moves=True
):
    """The same elements in another memory of the device, or spread otherwise over its cores."""

    input = operand()
    memory_config = attribute(kinds.MEMORY_CONFIG)


class TTNNTransposeOp(TTNNOperation, name="ttnn.transpose", verify=verify_shapes.TRANSPOSE):
    """Exchanges two dimensions.

    `dim0` and `dim1` may count from the end.
    """

    input = operand()
    dim0 = attribute(kinds.SI32)
    dim1 = attribute(kinds.SI32)


class TTNNTTLangOp(
    TTNNOperation,
    name="ttnn.tt_lang_op",
    results=TENSORS,
    inits="outputs",
    inits_by_results=True,
    invariants=verify_tt_lang.ROLES,
    verify=verify_tt_lang.TILED,
    runs_kernels=True,
    pages="tiles",
):
    """Runs an operation of TT-Lang.

    As `ttir.tt_lang_op`. Every operand and result is in tiles. `kernel_artifact`, which
    `ttnn-resolve-tt-lang-kernels` attaches, is a JSON text with its kernels.
    """

    inputs = operands()
    outputs = operands()
    kernel_id = attribute(kinds.STRING)
    version_tag = attribute(kinds.STRING)
    arg_roles = attribute(kinds.STRING)
    shard_spec = attribute(kinds.STRING, default="")
    kernel_artifact = optional(kinds.STRING)


class TTNNTypecastOp(TTNNOperation, name="ttnn.typecast", moves=True, keeps_place=True, makes_shards=True):
    """Conversion to another data type."""

    input = operand()
    dtype = attribute(kinds.DATA_TYPE)


TTNN = OperationTable("ttnn", vars(elementwise), globals())
