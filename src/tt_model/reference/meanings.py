"""The meaning of operations: a function from attributes and operands to values. ``MEANINGS`` has one for each class.

A meaning takes the operation and a function that reads the value of an operand, and returns the value of each result.
Destinations are read only by operations that have no value of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, TensorType
from xdsl.ir import Attribute, SSAValue

from tt_model.operations import elementwise as eltwise
from tt_model.operations import shared, ttir, ttmetal, ttnn
from tt_model.operations.conditions.verify_common import OnInput
from tt_model.operations.dialects import operation_class
from tt_model.operations.operation import RowOperation
from tt_model.operations.row import Row
from tt_model.operations.stages import Stage, on, on_both
from tt_model.reference import contractions, elementwise, reductions, shapes, windows
from tt_model.reference.formats import FORMATS, NumberFormat, Values, converted, wrapped
from tt_model.reference.metal.generic import values_of_work
from ttl.ir.dense import values_of

Read = Callable[[SSAValue], Values]

_MEMORY = "addresses are those of a simulated machine (``tt_model.reference.metal``); here a tensor is there when it is written"
_METAL = "``tt_model.reference.metal`` runs it, on a simulated machine"


def tensor_type(type: Attribute) -> TensorType[Any]:
    """Return the type if it is a tensor of known shape. Raises ``ValueError`` for other types."""
    if not isinstance(type, TensorType) or any(extent < 0 for extent in type.get_shape()):
        raise ValueError(f"'{type}' is not a tensor of known shape")
    return type


def format_of(type: Attribute) -> NumberFormat:
    """The element type of a tensor. Raises ``ValueError`` for a type that the reference does not know."""
    name = str(tensor_type(type).element_type)
    if name not in FORMATS:
        raise ValueError(f"the reference does not compute on elements of type '{name}'")
    return FORMATS[name]


def stored_format(type: Attribute) -> NumberFormat:
    """Return the type in which elements are stored: that of the layout, if any, with the element type's sign."""
    declared = format_of(type)
    layout = getattr(tensor_type(type).encoding, "data", None)
    keyword = getattr(getattr(layout, "data_type", None), "keyword", None)
    if keyword is None:
        return declared
    stored = FORMATS[keyword]
    return declared if stored.is_integer and declared.is_integer and stored.bits == declared.bits else stored


def elements(attribute: Attribute) -> Values:
    """The values of ``dense<...>`` or ``dense_resource<...>``, in the shape of its type."""
    if isinstance(attribute, DenseResourceAttr):
        raise ValueError("the values of a 'dense_resource' constant are not in the text")
    if not isinstance(attribute, DenseIntOrFPElementsAttr):
        raise ValueError(f"'{attribute}' is not a constant that the reference can read")
    shape = attribute.type.get_shape()
    values = np.asarray(values_of(attribute), np.float64)
    if str(attribute.get_element_type()) == "i1":
        values = (values != 0).astype(np.float64)
    return np.array(np.broadcast_to(values, shape) if values.size == 1 else values.reshape(shape))


def _elementwise(op: eltwise.TTIRElementwiseOp | eltwise.TTNNElementwiseOp, read: Read) -> Sequence[Values]:
    return _computed(op, [read(operand) for operand in op.inputs], _parameters(op))


def _parameters(op: eltwise.TTIRElementwiseOp | eltwise.TTNNElementwiseOp) -> list[float]:
    return [op.parameter] if isinstance(op, eltwise.LeakyReluOperation) else []


def _clamp(op: ttir.TTIRClampOp | ttnn.TTNNClampOp, read: Read) -> Sequence[Values]:
    inputs = [op.input] if isinstance(op, ttir.TTIRClampOp) else op.inputs
    return _computed(op, [read(operand) for operand in inputs], [op.min, op.max])


def _computed(op: RowOperation, inputs: list[Values], params: list[float]) -> Sequence[Values]:
    return [
        np.array(
            np.broadcast_to(
                elementwise.elementwise(type(op), inputs, format_of(result.type), params),
                result.type.get_shape(),
            )
        )
        for result in op.results
        if isinstance(result.type, TensorType)
    ]


def _typecast(op: eltwise.TTIRTypecastOp | ttnn.TTNNTypecastOp, read: Read) -> Sequence[Values]:
    (source,) = op.operands[:1]
    wanted = format_of(op.result.type)
    if isinstance(op, ttnn.TTNNTypecastOp):
        named = FORMATS[op.dtype.keyword]
        wanted = wanted if wanted.is_integer and named.is_integer and wanted.bits == named.bits else named
    return [
        np.array(np.broadcast_to(converted(read(source), wanted), tensor_type(op.result.type).get_shape()))
    ]


def _to_layout(op: ttir.TTIRToLayoutOp | ttnn.TTNNToLayoutOp, read: Read) -> Sequence[Values]:
    source = op.input
    before, after = stored_format(source.type), stored_format(op.result.type)
    if isinstance(op, ttnn.TTNNToLayoutOp):
        # After a later pass it only moves values; the conversion is then an operation of its own.
        if (dtype := op.dtype) is None:
            return [read(source)]
        named = FORMATS[dtype.keyword]
        after = after if after.is_integer and named.is_integer and after.bits == named.bits else named
    return [read(source) if before == after else converted(read(source), after)]


def _same(
    op: ttnn.TTNNCopyOp | ttnn.TTNNFromDeviceOp | ttnn.TTNNToDeviceOp | ttnn.TTNNToMemoryConfigOp, read: Read
) -> Sequence[Values]:
    return [read(op.input)]


def _on_one_device(op: OnInput, read: Read) -> Sequence[Values]:
    source = op.input
    if tensor_type(source.type).get_shape() != tensor_type(op.result.type).get_shape():
        raise ValueError(
            "the parts of a tensor on several devices are not modelled: on one device its shape must stay the same"
        )
    return [read(source)]


def _constant(op: ttir.TTIRConstantOp | ttir.TTIRFillOp, read: Read) -> Sequence[Values]:
    return [elements(op.value)]


def _full(op: ttnn.TTNNFullOp, read: Read) -> Sequence[Values]:
    value = np.full(tensor_type(op.result.type).get_shape(), op.fill_value)
    format = format_of(op.result.type)
    return [wrapped(value.astype(np.int64), format) if format.is_integer else value]


def _zeros(op: ttnn.TTNNEmptyOp, read: Read) -> Sequence[Values]:
    """A zero constant is lowered to ``ttnn.empty``, which is therefore zero everywhere (docs/ttmlir/differences.md)."""
    return [np.zeros(tensor_type(op.result.type).get_shape())]


def _dimension_size(op: ttir.TTIRGetDimensionSizeOp, read: Read) -> Sequence[Values]:
    extent = tensor_type(op.operand.type).get_shape()[op.dimension]
    return [np.full(tensor_type(op.result.type).get_shape(), float(extent))]


def _reduction(op: shared.ReductionOperation, read: Read, *, kind: reductions.Kind) -> Sequence[Values]:
    format, x = format_of(op.result.type), read(op.input)
    # A sum of whole numbers is exact, and taken modulo their width.
    modular = format.is_integer and kind == "sum"
    value = reductions.reduced(
        x.astype(np.int64) if modular else x,
        kind,
        op.dim_arg,
        keep=op.keep_dim,
    )
    # There are no tensors of rank 0, and modules of 2024-11-21 ask to keep dimensions that their result does not have.
    value = value.reshape(tensor_type(op.result.type).get_shape())
    if modular:
        return [wrapped(value, format)]
    return [converted(value, format) if format.is_integer else value]


def _softmax(op: shared.SoftmaxOperation, read: Read) -> Sequence[Values]:
    return [reductions.softmax(read(op.input), op.dimension)]


def _matmul(op: shared.MatmulOperation, read: Read) -> Sequence[Values]:
    a, b, format = read(op.a), read(op.b), format_of(op.result.type)
    if format.is_integer:
        return [wrapped(contractions.matmul(a.astype(np.int64), b.astype(np.int64)), format)]
    return [contractions.matmul(a, b)]


def _transpose(op: shared.TransposeOperation, read: Read) -> Sequence[Values]:
    return [shapes.transposed(read(op.input), op.dim0, op.dim1)]


def _reshape(op: OnInput, read: Read) -> Sequence[Values]:
    return [read(op.input).reshape(tensor_type(op.result.type).get_shape())]


def _broadcast(op: ttir.TTIRBroadcastOp, read: Read) -> Sequence[Values]:
    return [np.array(np.broadcast_to(read(op.input), tensor_type(op.result.type).get_shape()))]


def _concat(op: shared.ConcatOperation, read: Read) -> Sequence[Values]:
    return [np.concatenate([read(operand) for operand in op.inputs], axis=op.dim)]


def _update_cache(op: shared.UpdateCacheOperation, read: Read) -> Sequence[Values]:
    cache, index = read(op.cache).copy(), int(read(op.update_index).item())
    if not 0 <= index < cache.shape[2]:
        raise ValueError(f"position {index} is written to a cache of {cache.shape[2]} positions")
    users = slice(op.batch_offset, op.batch_offset + cache.shape[0])
    cache[:, :, index] = read(op.input)[0, :, users].swapaxes(0, 1)
    return [cache]


def _fill_cache(op: shared.FillCacheOperation, read: Read) -> Sequence[Values]:
    cache, given = read(op.cache).copy(), read(op.input)
    cache[op.batch_offset, :, : given.shape[2]] = given[0]
    return [cache]


def _slice(op: shared.SliceOperation, read: Read) -> Sequence[Values]:
    return [shapes.sliced(read(op.input), op.begins, op.ends, op.step)]


def _index(op: ttir.TTIRIndexOp, read: Read) -> Sequence[Values]:
    x = read(op.input)
    begins, ends, steps = [0] * x.ndim, list(x.shape), [1] * x.ndim
    dim = op.dim
    begins[dim], ends[dim], steps[dim] = op.begin, op.end, op.step
    return [shapes.sliced(x, begins, ends, steps)]


def _embedding(op: ttir.TTIREmbeddingOp | ttnn.TTNNEmbeddingOp, read: Read) -> Sequence[Values]:
    return [shapes.embedded(read(op.input), read(op.weight))]


def _gather(op: ttir.TTIRGatherOp, read: Read) -> Sequence[Values]:
    return [
        shapes.gathered(
            read(op.input),
            read(op.start_indices),
            offset_dims=op.offset_dims,
            collapsed_slice_dims=op.collapsed_slice_dims,
            operand_batching_dims=op.operand_batching_dims,
            start_indices_batching_dims=op.start_indices_batching_dims,
            start_index_map=op.start_index_map,
            slice_sizes=op.slice_sizes,
            index_vector_dim=op.index_vector_dim,
        )
    ]


def _sides(op: ttir.TTIRConv2dOp | ttir.TTIRMaxPool2dOp) -> tuple[tuple[int, int], tuple[int, int]]:
    return (
        (op.padding_top, op.padding_bottom),
        (op.padding_left, op.padding_right),
    )


def _both_sides(op: ttnn.TTNNConv2dOp | ttnn.TTNNMaxPool2dOp) -> tuple[tuple[int, int], tuple[int, int]]:
    height, width = op.padding_height, op.padding_width
    return (height, height), (width, width)


def _bias(op: ttir.TTIRConv2dOp | ttir.TTIRConvolutionOp | ttnn.TTNNConv2dOp, read: Read) -> Values | None:
    bias = op.bias
    return None if bias is None else read(bias)


def _conv2d(op: ttir.TTIRConv2dOp | ttnn.TTNNConv2dOp, read: Read) -> Sequence[Values]:
    """Images are ``(N, H, W, C)`` in TTIR; in TTNN they are ``(1, 1, N * H * W, C)``, and the sizes are attributes."""
    x, weight = read(op.input), read(op.weight)
    if isinstance(op, ttnn.TTNNConv2dOp):
        x = x.reshape(op.batch_size, op.input_height, op.input_width, op.in_channels)
        expected = (op.out_channels, op.in_channels // op.groups, op.kernel_height, op.kernel_width)
        if weight.shape != expected:
            raise ValueError(f"the attributes say that the weight is {expected}, it is {weight.shape}")
    value = contractions.conv2d(
        x,
        weight,
        _bias(op, read),
        stride=(op.stride_height, op.stride_width),
        padding=_both_sides(op) if isinstance(op, ttnn.TTNNConv2dOp) else _sides(op),
        dilation=(op.dilation_height, op.dilation_width),
        groups=op.groups,
    )
    return [value.reshape(1, 1, -1, value.shape[-1]) if isinstance(op, ttnn.TTNNConv2dOp) else value]


def _max_pool2d(op: ttir.TTIRMaxPool2dOp | ttnn.TTNNMaxPool2dOp, read: Read) -> Sequence[Values]:
    x = read(op.input)
    if isinstance(op, ttnn.TTNNMaxPool2dOp):
        x = x.reshape(op.batch_size, op.input_height, op.input_width, op.channels)
    value = windows.max_pool2d(
        x,
        kernel=(op.kernel_height, op.kernel_width),
        stride=(op.stride_height, op.stride_width),
        padding=_both_sides(op) if isinstance(op, ttnn.TTNNMaxPool2dOp) else _sides(op),
        dilation=(op.dilation_height, op.dilation_width),
        ceil_mode=op.ceil_mode,
    )
    return [value.reshape(1, 1, -1, value.shape[-1]) if isinstance(op, ttnn.TTNNMaxPool2dOp) else value]


def _pairs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _convolution(op: ttir.TTIRConvolutionOp, read: Read) -> Sequence[Values]:
    layout = op.convolution_layout
    x, weight = read(op.input), read(op.weight)
    value = contractions.convolved(
        x.transpose(layout.input_batch, layout.input_feature, *layout.input_spatial_dimensions),
        weight.transpose(
            layout.kernel_output_feature, layout.kernel_input_feature, *layout.kernel_spatial_dimensions
        ),
        strides=op.window_strides,
        padding=_pairs(op.padding),
        input_dilation=op.input_dilation,
        weight_dilation=op.weight_dilation,
        reversal=tuple(map(bool, op.window_reversal)),
        feature_groups=op.feature_group_count,
        batch_groups=op.batch_group_count,
    )
    if (bias := _bias(op, read)) is not None:
        value = value + bias.reshape(-1, *(1,) * (value.ndim - 2))
    wanted = (layout.output_batch, layout.output_feature, *layout.output_spatial_dimensions)
    return [np.moveaxis(value, range(value.ndim), wanted)]


def _pooling(op: ttir.TTIRPoolingOp, read: Read) -> Sequence[Values]:
    return [
        windows.pooled(
            read(source),
            op.pooling_method.keyword,
            size=op.window_dimensions,
            strides=op.window_strides,
            base_dilation=op.base_dilations,
            dilation=op.window_dilations,
            padding=_pairs(op.padding),
        )
        for source in op.inputs
    ]


def _tt_lang(op: shared.TTLangOperation, read: Read) -> Sequence[Values]:
    from tt_model.tt_lang.running import values_of

    return values_of(op, [read(operand) for operand in op.inputs])


def _generic(op: ttnn.TTNNGenericOp, read: Read) -> Sequence[Values]:
    from tt_model.tt_lang.running import values_of_generic

    return values_of_generic(op, [read(operand) for operand in op.inputs])


def _work(op: ttir.TTIRGenericOp, read: Read) -> Sequence[Values]:
    return values_of_work(op, [read(operand) for operand in op.inputs])


MEANINGS = Stage(
    on_both(eltwise.TTIRElementwiseOp, eltwise.TTNNElementwiseOp, _elementwise),
    on_both(ttir.TTIRAllGatherOp, ttnn.TTNNAllGatherOp, _on_one_device),
    on(ttir.TTIRAllReduceOp, _on_one_device),
    on(ttir.TTIRBroadcastOp, _broadcast),
    on_both(ttir.TTIRClampOp, ttnn.TTNNClampOp, _clamp),
    on(shared.ConcatOperation, _concat),
    on(ttir.TTIRConstantOp, _constant),
    on_both(ttir.TTIRConv2dOp, ttnn.TTNNConv2dOp, _conv2d),
    on(ttir.TTIRConvolutionOp, _convolution),
    on_both(ttir.TTIREmbeddingOp, ttnn.TTNNEmbeddingOp, _embedding),
    on(ttir.TTIRFillOp, _constant),
    on(ttir.TTIRGatherOp, _gather),
    on(ttir.TTIRGenericOp, _work),
    on(ttir.TTIRGetDimensionSizeOp, _dimension_size),
    on(ttir.TTIRIndexOp, _index),
    on(shared.FillCacheOperation, _fill_cache),
    on(shared.MatmulOperation, _matmul),
    on(shared.MaxOperation, partial(_reduction, kind="max")),
    on(shared.MeanOperation, partial(_reduction, kind="mean")),
    on(shared.SumOperation, partial(_reduction, kind="sum")),
    on_both(ttir.TTIRMaxPool2dOp, ttnn.TTNNMaxPool2dOp, _max_pool2d),
    on(shared.MeshShardOperation, _on_one_device),
    on(ttir.TTIRPoolingOp, _pooling),
    on_both(ttir.TTIRReduceScatterOp, ttnn.TTNNReduceScatterOp, _on_one_device),
    on(shared.ReshapeOperation, _reshape),
    on(shared.SliceOperation, _slice),
    on(shared.SoftmaxOperation, _softmax),
    on(ttir.TTIRSqueezeOp, _reshape),
    on_both(ttir.TTIRToLayoutOp, ttnn.TTNNToLayoutOp, _to_layout),
    on(shared.TransposeOperation, _transpose),
    on(shared.TTLangOperation, _tt_lang),
    on(shared.UpdateCacheOperation, _update_cache),
    on_both(eltwise.TTIRTypecastOp, ttnn.TTNNTypecastOp, _typecast),
    on(ttir.TTIRUnsqueezeOp, _reshape),
    on(ttnn.TTNNCopyOp, _same),
    on(ttnn.TTNNEmptyOp, _zeros),
    on(ttnn.TTNNFromDeviceOp, _same),
    on(ttnn.TTNNFullOp, _full),
    on(ttnn.TTNNGenericOp, _generic),
    on(ttnn.TTNNToDeviceOp, _same),
    on(ttnn.TTNNToMemoryConfigOp, _same),
    absent={
        **dict.fromkeys(
            (
                ttir.TTIRAllocOp,
                ttir.TTIRDeallocOp,
                ttmetal.TTMetalAllocOp,
                ttmetal.TTMetalDeallocOp,
                ttnn.TTNNAllocOp,
            ),
            _MEMORY,
        ),
        **dict.fromkeys((ttnn.TTNNDeallocateOp, ttnn.TTNNGetDeviceOp), "the interpreter does it itself"),
        **dict.fromkeys(
            (ttmetal.TTMetalDispatchOp, ttmetal.TTMetalHostReadOp, ttmetal.TTMetalHostWriteOp), _METAL
        ),
        ttir.TTIRKernelOp: "it is part of a ttir.generic, which has a meaning",
        ttir.TTIRYieldOp: "it ends a region, and the interpreter of the region reads it",
    },
)


def meaning_of(row: Row) -> Callable[[Any, Read], Sequence[Values]] | None:
    """Return the function that computes the operations of a row; None if they have no value in the reference."""
    return MEANINGS.of(operation_class(row.name))
