"""The operations of TTIR: the computation of a model on tensors, before their places are known.

Names, operands and attributes are those of the operation reference of 2024-11-21; lowerings follow the TTNN pipeline of
that date. Those that work element by element are in ``tt_model.operations.elementwise``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tt_model.operations import elementwise, kinds, shared
from tt_model.operations.conditions.verify_common import keeps_the_shape, output_type
from tt_model.operations.fields import (
    ONE_TENSOR,
    TENSORS,
    attribute,
    operand,
    operands,
    optional,
    optional_operand,
)
from tt_model.operations.operation import OperationTable, TTIRDestinationOp, TTIROperation, TTIRTensorOp
from tt_model.operations.row import NoLowering, ResultDefinition
from tt_model.operations.shared import TTIRTTLangOp
from tt_model.operations.tensors import shape_of
from ttl.ir.dense import dense

if TYPE_CHECKING:
    from xdsl.ir import Attribute


def value_of_constant(op: TTIRConstantOp) -> Attribute | None:
    """The value of a constant: its attribute ``value``."""
    return op.value


def dimension_size(op: TTIRGetDimensionSizeOp) -> Attribute | None:
    """An extent of the operand, repeated in the type of the result.

    None if the extent is not known, or is more than the result's element type holds.
    """
    extent = shape_of(op.operand)[op.dimension]
    if extent < 0:
        return None
    type: Any = output_type(op)
    try:
        return dense(type, [extent])
    except ValueError:  # more than the element type holds
        return None


_METAL_ONLY = NoLowering("TTNN has no such operation: it belongs to the TTMetal pipeline")


class TTIRAllGatherOp(TTIRDestinationOp, name="ttir.all_gather"):
    """Gathers the parts of a tensor that lie on several chips.

    `dim` is the dimension along which the parts are joined; it may count from the end. An extension: `cluster_axis`
    is the axis of the mesh along which chips gather, 0 down its rows or 1 along its columns; all chips where it is
    absent.
    """

    input = operand()
    dim = attribute(kinds.SI32)
    cluster_axis = optional(kinds.UI32)


class TTIRAllReduceOp(TTIRDestinationOp, name="ttir.all_reduce"):
    """Combines the tensors of several chips; all of them get the result.

    An extension, in the words of later versions. `reduce_type` is the function: 0 sum, 2 max, 3 min. `cluster_axis` is
    the axis of the mesh along which chips are combined; all chips where it is absent. In TTNN it is a `reduce_scatter`
    and an `all_gather`, so that one dimension must divide into a part for each chip.
    """

    input = operand()
    reduce_type = attribute(kinds.REDUCE_OPERATION)
    cluster_axis = optional(kinds.UI32)


class TTIRAllocOp(TTIROperation, name="ttir.alloc", results=ONE_TENSOR, lowering=_METAL_ONLY):
    """Allocates a tensor at an address.

    `address` and `size` are in bytes. In memory of the host the address is zero.
    """

    address = attribute(kinds.I64)
    size = attribute(kinds.I64)
    memory_space = attribute(kinds.MEMORY_SPACE)


class TTIRBroadcastOp(TTIRDestinationOp, name="ttir.broadcast"):
    """Repeats a tensor along dimensions.

    The conversion to TTNN removes it: operations of TTNN repeat their operands themselves.
    """

    input = operand()
    dimension = attribute(kinds.I64_ARRAY)


class TTIRClampOp(TTIRDestinationOp, name="ttir.clamp", function="clamp"):
    """Limits elements to a range.

    Elements less than `min` become `min`, those greater than `max` become `max`.
    """

    input = operand()
    min = attribute(kinds.F32)
    max = attribute(kinds.F32)


class TTIRConstantOp(
    TTIROperation, name="ttir.constant", results=ONE_TENSOR, traits=("ConstantLike",), fold=value_of_constant
):
    """A tensor of known values.

    TTNN fills a tensor with one number only: a constant of several numbers is put together from such tensors, if they
    are not too many.
    """

    value = attribute(kinds.ELEMENTS)


class TTIRConv2dOp(TTIRDestinationOp, name="ttir.conv2d", layout="inits"):
    """Convolution over height and width.

    The input is batch, height, width, channels; the weight is channels out, channels in by group, height, width;
    the bias is 1, 1, 1, channels out.
    """

    input = operand()
    weight = operand()
    bias = optional_operand()
    stride_height = attribute(kinds.SI32)
    stride_width = attribute(kinds.SI32)
    dilation_height = attribute(kinds.SI32)
    dilation_width = attribute(kinds.SI32)
    groups = attribute(kinds.SI32)
    padding_left = attribute(kinds.SI32)
    padding_right = attribute(kinds.SI32)
    padding_top = attribute(kinds.SI32)
    padding_bottom = attribute(kinds.SI32)


class TTIRConvolutionOp(TTIRDestinationOp, name="ttir.convolution"):
    """Convolution over any number of dimensions, in any order of them.

    `convolution_layout` has the role of each dimension. `padding` is a pair for each spatial dimension, before and
    after. With two spatial dimensions, it is expanded to `ttir.conv2d` and transpositions.
    """

    input = operand()
    weight = operand()
    bias = optional_operand()
    window_strides = attribute(kinds.DENSE_I64)
    padding = attribute(kinds.DENSE_I64)
    input_dilation = attribute(kinds.DENSE_I64)
    weight_dilation = attribute(kinds.DENSE_I64)
    window_reversal = attribute(kinds.DENSE_BOOL)
    convolution_layout = attribute(kinds.CONVOLUTION_LAYOUT)
    feature_group_count = attribute(kinds.POSITIVE_I64)
    batch_group_count = attribute(kinds.POSITIVE_I64)


class TTIRDeallocOp(TTIROperation, name="ttir.dealloc", lowering=_METAL_ONLY):
    """Ends an allocation."""

    result = operand()


class TTIREmbeddingOp(TTIRDestinationOp, name="ttir.embedding"):
    """Looks up rows of a table by their numbers.

    The result has the shape of the numbers, `input`, with the length of a row of `weight` as an additional last
    dimension.
    """

    input = operand()
    weight = operand()


class TTIRFillOp(TTIRDestinationOp, name="ttir.fill"):
    """Fills a tensor with known values."""

    value = attribute(kinds.ELEMENTS)


class TTIRGatherOp(TTIRDestinationOp, name="ttir.gather"):
    """Collects slices that begin at given places.

    It is the gather of StableHLO. If it looks up rows of a table, it is expanded to `ttir.embedding`.
    """

    input = operand()
    start_indices = operand()
    offset_dims = attribute(kinds.DENSE_I64)
    collapsed_slice_dims = attribute(kinds.DENSE_I64)
    operand_batching_dims = attribute(kinds.DENSE_I64)
    start_indices_batching_dims = attribute(kinds.DENSE_I64)
    start_index_map = attribute(kinds.DENSE_I64)
    index_vector_dim = attribute(kinds.SI64)
    slice_sizes = attribute(kinds.DENSE_I64)
    indices_are_sorted = attribute(kinds.BOOL)


class TTIRGenericOp(
    TTIROperation,
    name="ttir.generic",
    results=TENSORS,
    regions=1,
    inits="outputs",
    lowering=_METAL_ONLY,
    layout="all",
):
    """Runs its region on every core of a grid.

    The region has an argument for each input and output. `operand_cb_mapping` has, for each operand, the circular
    buffer that it is streamed through, or -1.
    """

    inputs = operands()
    cbs = operands()
    outputs = operands()
    grid = attribute(kinds.GRID)
    indexing_maps = attribute(kinds.AFFINE_MAPS)
    iterator_types = attribute(kinds.ITERATOR_TYPES)
    operand_constraints = attribute(kinds.OPERAND_CONSTRAINTS)
    operand_cb_mapping = attribute(kinds.DENSE_I64, default=())


class TTIRGetDimensionSizeOp(
    TTIROperation, name="ttir.get_dimension_size", results=ONE_TENSOR, fold=dimension_size
):
    """The extent of a dimension, as a tensor."""

    operand = operand()
    dimension = attribute(kinds.I32)


class TTIRIndexOp(TTIRDestinationOp, name="ttir.index"):
    """A range of one dimension.

    `begin`, `end` and `step` are those of a Python slice; negative ones count from the end.
    """

    input = operand()
    dim = attribute(kinds.I32)
    begin = attribute(kinds.I32)
    end = attribute(kinds.I32)
    step = attribute(kinds.I32)


class TTIRKernelOp(
    TTIRTensorOp,
    name="ttir.kernel",
    results=(ResultDefinition(name="results", kind=kinds.TENSOR_OR_MEMREF, arity="variadic"),),
    inits="outputs",
    lowering=_METAL_ONLY,
):
    """Calls a kernel by its name.

    `op` is the name, `kind` the kind of kernel; the pass that lowers it knows both.
    """

    inputs = operands(kinds.TENSOR_OR_MEMREF)
    outputs = operands(kinds.TENSOR_OR_MEMREF)
    op = attribute(kinds.SYMBOL)
    kind = attribute(kinds.SYMBOL)


class TTIRMaxPool2dOp(TTIRDestinationOp, name="ttir.max_pool2d"):
    """Maximum of windows over height and width.

    The input is batch, height, width, channels.
    """

    input = operand()
    kernel_height = attribute(kinds.SI32)
    kernel_width = attribute(kinds.SI32)
    stride_height = attribute(kinds.SI32)
    stride_width = attribute(kinds.SI32)
    dilation_height = attribute(kinds.SI32)
    dilation_width = attribute(kinds.SI32)
    ceil_mode = attribute(kinds.BOOL)
    padding_left = attribute(kinds.SI32)
    padding_right = attribute(kinds.SI32)
    padding_top = attribute(kinds.SI32)
    padding_bottom = attribute(kinds.SI32)


class TTIRPoolingOp(TTIRTensorOp, name="ttir.pooling", results=TENSORS, inits="outputs"):
    """Maximum or mean of windows over any dimensions.

    A maximum over two dimensions is expanded to `ttir.max_pool2d` and transpositions.
    """

    inputs = operands()
    outputs = operands()
    pooling_method = attribute(kinds.POOLING_METHOD)
    window_dimensions = attribute(kinds.DENSE_I64)
    window_strides = attribute(kinds.DENSE_I64)
    base_dilations = attribute(kinds.DENSE_I64)
    window_dilations = attribute(kinds.DENSE_I64)
    padding = attribute(kinds.DENSE_I64)


class TTIRReduceScatterOp(TTIRDestinationOp, name="ttir.reduce_scatter"):
    """Combines the tensors of several chips, and leaves one part of the result on each.

    An extension, in the words of later versions. `reduce_type` is the function: 0 sum, 2 max, 3 min. `scatter_dim` is
    the dimension of which each chip gets a part; it may count from the end. `cluster_axis` is the axis of the mesh
    along which chips are combined, all chips where it is absent.
    """

    input = operand()
    scatter_dim = attribute(kinds.SI32)
    reduce_type = attribute(kinds.REDUCE_OPERATION)
    cluster_axis = optional(kinds.UI32)


class TTIRSqueezeOp(TTIRDestinationOp, name="ttir.squeeze"):
    """Removes a dimension of extent one."""

    input = operand()
    dim = attribute(kinds.SI32)


class TTIRToLayoutOp(
    TTIROperation,
    name="ttir.to_layout",
    results=ONE_TENSOR,
    inits="output",
    verify=(keeps_the_shape,),
    layout="none",
):
    """The same elements in another layout.

    The layout is in the types: another memory, another data type, tiles or rows, or another distribution over cores.
    """

    input = operand()
    output = operand()


class TTIRUnsqueezeOp(TTIRDestinationOp, name="ttir.unsqueeze"):
    """Inserts a dimension of extent one.

    It is at `dim` in the result, which may count from the result's end.
    """

    input = operand()
    dim = attribute(kinds.SI32)


class TTIRYieldOp(
    TTIROperation,
    name="ttir.yield",
    traits=(
        "Pure",
        "ReturnLike",
        "Terminator",
    ),
    lowering=_METAL_ONLY,
):
    """Ends a region and returns its values."""

    values = operands(kinds.TENSOR_OR_MEMREF)


# Operations with constraints on the place and the form of each operand.
ConstrainedOp: TypeAlias = TTIRTensorOp | TTIRGenericOp | TTIRTTLangOp
TTIR = OperationTable("ttir", vars(elementwise), vars(shared), globals())
