"""The operations of TTNN: calls of the library, on tensors whose place and layout are known.

Names, operands and attributes are those of the operation reference of 2024-11-21; tables are those of the TTNN file of
that date. Operations that work element by element are in ``tt_model.operations.elementwise``.
"""

from __future__ import annotations

from xdsl.ir import Operation

from tt_model.layouts.enums import DataType
from tt_model.operations import elementwise, kinds, shared
from tt_model.operations.fields import TENSORS, attribute, operand, operands, optional, optional_operand
from tt_model.operations.operation import OperationTable, TTNNOperation
from tt_model.operations.row import FlatbufferTable, ResultDefinition
from tt_model.operations.takes import (
    ANYWHERE,
    IN_ROWS_RATHER,
    IN_TILES_OR_SHARDS,
    INTEGERS,
    ON_DEVICE,
    ON_DEVICE_OR_IN_SHARDS,
    ON_HOST,
    WHEREVER_IT_IS,
    OperandRequirement,
)


class TTNNMoveOp(TTNNOperation, moves=True, exact=True, passes_on="everything"):
    """An operation that returns the same tensor in another place, in other pages or of another type."""


class TTNNPlacementOp(TTNNMoveOp):
    """An operation that returns the same tensor in another place, or in other pages."""


class TTNNAllGatherOp(TTNNOperation, name="ttnn.all_gather", exact=True):
    """Gathers the parts of a tensor that lie on several chips.

    `num_links` is the number of links between chips that it uses. An extension: `cluster_axis` is the axis of the
    mesh along which chips gather; all chips where it is absent.
    """

    input = operand(takes=ON_DEVICE)
    dim = attribute(kinds.SI32)
    num_links = attribute(kinds.SI32, default=1)
    cluster_axis = optional(kinds.UI32)


class TTNNAllocOp(TTNNOperation, name="ttnn.alloc", flatbuffer=None):
    """Allocates a tensor at an address.

    `address` and `size` are in bytes. In memory of the host the address is zero.
    """

    address = attribute(kinds.I64)
    size = attribute(kinds.I64)
    buffer_type = attribute(kinds.BUFFER_TYPE)


class TTNNClampOp(
    TTNNOperation,
    name="ttnn.clamp",
    function="clamp",
    results=(ResultDefinition(name="result", kind=kinds.TENSOR, arity="variadic"),),
    flatbuffer=FlatbufferTable("EltwiseOp", "Clamp"),
    keeps_place=True,
    makes_shards=True,
    pages="tiles",
):
    """Limits elements to a range.

    Elements less than `min` become `min`, those greater than `max` become `max`.
    """

    inputs = operands(takes=IN_TILES_OR_SHARDS)
    min = attribute(kinds.F32)
    max = attribute(kinds.F32)


class TTNNConv2dOp(TTNNOperation, name="ttnn.conv2d", inits="output", pages="tiles", adds_up=True):
    """Convolution over height and width.

    The input is 1, 1, batch x height x width, channels; weight and bias are on the host.
    """

    input = operand(takes=OperandRequirement(memory="either", prefers_rows=True))
    weight = operand(takes=ON_HOST)
    bias = optional_operand(takes=ANYWHERE)
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


class TTNNCopyOp(
    TTNNOperation,
    name="ttnn.copy",
    inits="output",
    pages="of its type",
    exact=True,
    passes_on="everything",
    writes=True,
):
    """Writes the elements of a tensor into another one, which keeps its place and pages."""

    input = operand(takes=ON_DEVICE)
    output = operand()


class TTNNDeallocateOp(TTNNOperation, name="ttnn.deallocate", signature="tensor, /, force", results=()):
    """Frees the memory of a tensor.

    Without `force`, memory that another tensor shares stays.
    """

    input = operand(takes=WHEREVER_IT_IS)
    force = attribute(kinds.BOOL, default=False)


class TTNNEmbeddingOp(
    TTNNOperation,
    name="ttnn.embedding",
    inits="output",
    result_type_is_free=True,
    pages="of its type",
    exact=True,
    jumps=True,
):
    """Looks up rows of a table by their numbers.

    The result has the shape of the numbers, `input`, with the length of a row of `weight` as an additional last
    dimension.
    """

    input = operand(takes=OperandRequirement(prefers_rows=True, data_types=(*INTEGERS, DataType.BFloat16)))
    output = operand()
    weight = operand(takes=IN_ROWS_RATHER)


class TTNNEmptyOp(
    TTNNOperation, name="ttnn.empty", traits=("NoMemoryEffect",), pages="of its type", exact=True
):
    """A tensor for results.

    When it runs it holds zeros, on the host and, here, also on the device.
    """

    device = optional_operand(kinds.DEVICE)
    shape = attribute(kinds.SHAPE)
    dtype = optional(kinds.DATA_TYPE)
    layout = optional(kinds.PAGE_LAYOUT)
    memory_config = optional(kinds.MEMORY_CONFIG)


class TTNNFromDeviceOp(TTNNPlacementOp, name="ttnn.from_device", signature="tensor, /"):
    """Copies a tensor to the host."""

    input = operand(takes=ON_DEVICE_OR_IN_SHARDS)


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
    runs_kernels=True,
    pages="tiles",
):
    """Runs kernels that are written out.

    `program` has the kernels with their source, their circular buffers and the number of semaphores; kernels name
    tensors by their position among the operands. `ttnn-lower-tt-lang-to-generic` makes it. Every operand and result is
    in tiles.
    """

    inputs = operands(takes=IN_TILES_OR_SHARDS)
    outputs = operands()
    program = attribute(kinds.PROGRAM)


class TTNNGetDeviceOp(
    TTNNOperation, name="ttnn.get_device", results=(ResultDefinition(name="device", kind=kinds.DEVICE),)
):
    """The chips that the program runs on."""

    mesh_shape = optional(kinds.MESH_SHAPE)


class TTNNMaxPool2dOp(TTNNOperation, name="ttnn.max_pool2d", inits="output", pages="rows", exact=True):
    """Maximum of windows over height and width.

    The input is 1, 1, batch x height x width, channels.
    """

    input = operand(takes=OperandRequirement(prefers_rows=True, data_types=(DataType.BFloat16,)))
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


class TTNNReduceScatterOp(TTNNOperation, name="ttnn.reduce_scatter", adds_up=True):
    """Combines the tensors of several chips, and leaves one part of the result on each.

    `math_op` is the function: 0 sum, 1 mean, 2 max, 3 min, 4 standard deviation, 5 variance; there are kernels for 0, 2
    and 3. Extensions: files have the operation, and `cluster_axis`, the axis of the mesh along which chips are
    combined; all chips where it is absent.
    """

    input = operand(takes=ON_DEVICE)
    scatter_split_dim = attribute(kinds.SI32)
    math_op = attribute(kinds.REDUCE_OPERATION)
    num_links = attribute(kinds.SI32, default=1)
    cluster_axis = optional(kinds.UI32)


class TTNNToDeviceOp(TTNNPlacementOp, name="ttnn.to_device"):
    """Copies a tensor to the device."""

    input = operand(takes=ON_HOST)
    device = operand(kinds.DEVICE)
    memory_config = optional(kinds.MEMORY_CONFIG)


class TTNNToLayoutOp(TTNNPlacementOp, name="ttnn.to_layout", result_type_is_free=True):
    """The same elements in another layout.

    With a data type or a memory configuration it stands for several steps, into which `ttnn-decompose-layouts` splits
    it.
    """

    input = operand(takes=WHEREVER_IT_IS)
    device = optional_operand(kinds.DEVICE)
    layout = attribute(kinds.PAGE_LAYOUT)
    dtype = optional(kinds.DATA_TYPE)
    memory_config = optional(kinds.MEMORY_CONFIG)

    @property
    def stands_for_steps(self) -> bool:
        """Whether it changes more than the page layout, which no operation of a file does at once."""
        return self.device is not None or self.memory_config is not None or self.dtype is not None


class TTNNToMemoryConfigOp(TTNNPlacementOp, name="ttnn.to_memory_config"):
    """The same elements in another memory of the device, or with another distribution over its cores."""

    input = operand(takes=ON_DEVICE_OR_IN_SHARDS)
    memory_config = attribute(kinds.MEMORY_CONFIG)


class TTNNTypecastOp(
    TTNNMoveOp, name="ttnn.typecast", keeps_place=True, makes_shards=True, function="typecast", jumps=True
):
    """Conversion to another data type."""

    input = operand(takes=OperandRequirement(memory="either", pages="tiles", shards=True))
    dtype = attribute(kinds.DATA_TYPE)


TTNN = OperationTable("ttnn", vars(elementwise), vars(shared), globals())


def has_steps(module: Operation) -> bool:
    """Whether a ``ttnn.to_layout`` in a module stands for several steps, as before ``ttnn-decompose-layouts``."""
    return any(isinstance(op, TTNNToLayoutOp) and op.stands_for_steps for op in module.walk())
