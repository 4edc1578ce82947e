"""What an operation computes: attributes and operands in, values out. A row names one of these functions (``Row.reference``).

A meaning takes the operation and a function that reads the value of an operand, and gives the value of each result.
Destinations are not read, but by what has no value of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, TensorType
from xdsl.ir import Attribute, SSAValue

from ttl.ir.dense import values_of
from ttmlir.operations.operation import RowOperation
from ttmlir.operations.row import Row
from ttmlir.reference import contractions, elementwise, reductions, shapes, windows
from ttmlir.reference.formats import FORMATS, NumberFormat, Values, converted, wrapped

Read = Callable[[SSAValue], Values]
Meaning = Callable[[RowOperation, Read], Sequence[Values]]


def tensor_type(type: Attribute) -> TensorType[Any]:
    """The type as that of a tensor of known shape. Raises ``ValueError`` for others."""
    if not isinstance(type, TensorType) or any(extent < 0 for extent in type.get_shape()):
        raise ValueError(f"'{type}' is not a tensor of known shape")
    return type


def format_of(type: Attribute) -> NumberFormat:
    """The element type of a tensor. Raises ``ValueError`` for one that the reference does not know."""
    name = str(tensor_type(type).element_type)
    if name not in FORMATS:
        raise ValueError(f"the reference does not compute on elements of type '{name}'")
    return FORMATS[name]


def stored_format(type: Attribute) -> NumberFormat:
    """How the elements of a tensor are stored: as its layout says, where it has one. The sign is the element type's."""
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


def _elementwise(op: RowOperation, read: Read) -> Sequence[Values]:
    group = "inputs" if "inputs" in op.ROW.group_index else "input"
    inputs = [read(operand) for operand in op.group(group)]
    params = [op.number(name) for name in ("min", "max", "parameter") if name in op.ROW.attribute_named]
    return [
        np.array(
            np.broadcast_to(
                elementwise.elementwise(op.ROW.mnemonic, inputs, format_of(result.type), params),
                result.type.get_shape(),
            )
        )
        for result in op.results
        if isinstance(result.type, TensorType)
    ]


def _typecast(op: RowOperation, read: Read) -> Sequence[Values]:
    (source,) = op.operands[:1]
    wanted = format_of(op.result.type)
    if "dtype" in op.ROW.attribute_named:
        named = FORMATS[op.value("dtype").keyword]
        wanted = wanted if wanted.is_integer and named.is_integer and wanted.bits == named.bits else named
    return [
        np.array(np.broadcast_to(converted(read(source), wanted), tensor_type(op.result.type).get_shape()))
    ]


def _to_layout(op: RowOperation, read: Read) -> Sequence[Values]:
    source = op.operand("input")
    before, after = stored_format(source.type), stored_format(op.result.type)
    if "dtype" in op.ROW.attribute_named:
        # What a later pass leaves of it moves values only: the conversion is an operation of its own then.
        if (dtype := op.value("dtype")) is None:
            return [read(source)]
        named = FORMATS[dtype.keyword]
        after = after if after.is_integer and named.is_integer and after.bits == named.bits else named
    return [read(source) if before == after else converted(read(source), after)]


def _same(op: RowOperation, read: Read) -> Sequence[Values]:
    return [read(op.operand("input"))]


def _on_one_device(op: RowOperation, read: Read) -> Sequence[Values]:
    source = op.operand("input")
    if tensor_type(source.type).get_shape() != tensor_type(op.result.type).get_shape():
        raise ValueError(
            "the parts of a tensor on several devices are not modelled: on one device its shape stays"
        )
    return [read(source)]


def _constant(op: RowOperation, read: Read) -> Sequence[Values]:
    value = op.attribute("value")
    assert value is not None
    return [elements(value)]


def _full(op: RowOperation, read: Read) -> Sequence[Values]:
    value = np.full(tensor_type(op.result.type).get_shape(), op.number("fillValue"))
    format = format_of(op.result.type)
    return [wrapped(value.astype(np.int64), format) if format.is_integer else value]


def _zeros(op: RowOperation, read: Read) -> Sequence[Values]:
    """A zero constant is lowered to ``ttnn.empty``, so that is zero everywhere (docs/ttmlir/differences.md)."""
    return [np.zeros(tensor_type(op.result.type).get_shape())]


def _dimension_size(op: RowOperation, read: Read) -> Sequence[Values]:
    extent = tensor_type(op.operand("operand").type).get_shape()[op.integer("dimension")]
    return [np.full(tensor_type(op.result.type).get_shape(), float(extent))]


def _reduction(op: RowOperation, read: Read) -> Sequence[Values]:
    format, x = format_of(op.result.type), read(op.operand("input"))
    # A sum of whole numbers is that modulo their width, and exact.
    modular = format.is_integer and op.ROW.mnemonic == "sum"
    value = reductions.reduced(
        x.astype(np.int64) if modular else x,
        reductions.KINDS[op.ROW.mnemonic],
        op.optional_integers("dim_arg"),
        keep=op.flag("keep_dim"),
    )
    # There are no tensors of rank 0: of all dimensions one of extent 1 is left.
    value = value.reshape(value.shape or (1,) * len(tensor_type(op.result.type).get_shape()))
    if modular:
        return [wrapped(value, format)]
    return [converted(value, format) if format.is_integer else value]


def _softmax(op: RowOperation, read: Read) -> Sequence[Values]:
    return [reductions.softmax(read(op.operand("input")), op.integer("dimension"))]


def _matmul(op: RowOperation, read: Read) -> Sequence[Values]:
    a, b, format = read(op.operand("a")), read(op.operand("b")), format_of(op.result.type)
    if format.is_integer:
        return [wrapped(contractions.matmul(a.astype(np.int64), b.astype(np.int64)), format)]
    return [contractions.matmul(a, b)]


def _transpose(op: RowOperation, read: Read) -> Sequence[Values]:
    return [shapes.transposed(read(op.operand("input")), op.integer("dim0"), op.integer("dim1"))]


def _reshape(op: RowOperation, read: Read) -> Sequence[Values]:
    return [read(op.operand("input")).reshape(tensor_type(op.result.type).get_shape())]


def _broadcast(op: RowOperation, read: Read) -> Sequence[Values]:
    return [np.array(np.broadcast_to(read(op.operand("input")), tensor_type(op.result.type).get_shape()))]


def _concat(op: RowOperation, read: Read) -> Sequence[Values]:
    return [np.concatenate([read(operand) for operand in op.group("inputs")], axis=op.integer("dim"))]


def _slice(op: RowOperation, read: Read) -> Sequence[Values]:
    return [
        shapes.sliced(
            read(op.operand("input")), op.integers("begins"), op.integers("ends"), op.integers("step")
        )
    ]


def _index(op: RowOperation, read: Read) -> Sequence[Values]:
    x = read(op.operand("input"))
    begins, ends, steps = [0] * x.ndim, list(x.shape), [1] * x.ndim
    dim = op.integer("dim")
    begins[dim], ends[dim], steps[dim] = op.integer("begin"), op.integer("end"), op.integer("step")
    return [shapes.sliced(x, begins, ends, steps)]


def _embedding(op: RowOperation, read: Read) -> Sequence[Values]:
    return [shapes.embedded(read(op.operand("input")), read(op.operand("weight")))]


def _gather(op: RowOperation, read: Read) -> Sequence[Values]:
    lists = ("offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims")
    return [
        shapes.gathered(
            read(op.operand("input")),
            read(op.operand("start_indices")),
            **{name: op.integers(name) for name in (*lists, "start_index_map", "slice_sizes")},
            index_vector_dim=op.integer("index_vector_dim"),
        )
    ]


def _sides(op: RowOperation) -> tuple[tuple[int, int], tuple[int, int]]:
    return (
        (op.integer("padding_top"), op.integer("padding_bottom")),
        (op.integer("padding_left"), op.integer("padding_right")),
    )


def _both_sides(op: RowOperation) -> tuple[tuple[int, int], tuple[int, int]]:
    height, width = _pair(op, "padding")
    return (height, height), (width, width)


def _pair(op: RowOperation, name: str) -> tuple[int, int]:
    return op.integer(f"{name}_height"), op.integer(f"{name}_width")


def _bias(op: RowOperation, read: Read) -> Values | None:
    bias = op.optional_operand("bias")
    return None if bias is None else read(bias)


def _conv2d(op: RowOperation, read: Read) -> Sequence[Values]:
    """Images are ``(N, H, W, C)`` in TTIR; in TTNN they are ``(1, 1, N * H * W, C)`` and the sizes are attributes."""
    x, weight = read(op.operand("input")), read(op.operand("weight"))
    flat = "batch_size" in op.ROW.attribute_named
    if flat:
        sizes = tuple(map(op.integer, ("batch_size", "input_height", "input_width", "in_channels")))
        x = x.reshape(sizes)
        expected = (op.integer("out_channels"), sizes[3] // op.integer("groups"), *_pair(op, "kernel"))
        if weight.shape != expected:
            raise ValueError(f"the attributes say that the weight is {expected}, it is {weight.shape}")
    value = contractions.conv2d(
        x,
        weight,
        _bias(op, read),
        stride=_pair(op, "stride"),
        padding=_both_sides(op) if flat else _sides(op),
        dilation=_pair(op, "dilation"),
        groups=op.integer("groups"),
    )
    return [value.reshape(1, 1, -1, value.shape[-1]) if flat else value]


def _max_pool2d(op: RowOperation, read: Read) -> Sequence[Values]:
    x = read(op.operand("input"))
    flat = "batch_size" in op.ROW.attribute_named
    if flat:
        x = x.reshape(tuple(map(op.integer, ("batch_size", "input_height", "input_width", "channels"))))
    value = windows.max_pool2d(
        x,
        kernel=_pair(op, "kernel"),
        stride=_pair(op, "stride"),
        padding=_both_sides(op) if flat else _sides(op),
        dilation=_pair(op, "dilation"),
        ceil_mode=op.flag("ceil_mode"),
    )
    return [value.reshape(1, 1, -1, value.shape[-1]) if flat else value]


def _pairs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _convolution(op: RowOperation, read: Read) -> Sequence[Values]:
    layout = op.value("convolution_layout")
    x, weight = read(op.operand("input")), read(op.operand("weight"))
    value = contractions.convolved(
        x.transpose(layout.input_batch, layout.input_feature, *layout.input_spatial_dimensions),
        weight.transpose(
            layout.kernel_output_feature, layout.kernel_input_feature, *layout.kernel_spatial_dimensions
        ),
        strides=op.integers("window_strides"),
        padding=_pairs(op.integers("padding")),
        input_dilation=op.integers("input_dilation"),
        weight_dilation=op.integers("weight_dilation"),
        reversal=tuple(map(bool, op.value("window_reversal"))),
        feature_groups=op.integer("feature_group_count"),
        batch_groups=op.integer("batch_group_count"),
    )
    if (bias := _bias(op, read)) is not None:
        value = value + bias.reshape(-1, *(1,) * (value.ndim - 2))
    wanted = (layout.output_batch, layout.output_feature, *layout.output_spatial_dimensions)
    return [np.moveaxis(value, range(value.ndim), wanted)]


def _pooling(op: RowOperation, read: Read) -> Sequence[Values]:
    return [
        windows.pooled(
            read(source),
            op.value("pooling_method").keyword,
            size=op.integers("window_dimensions"),
            strides=op.integers("window_strides"),
            base_dilation=op.integers("base_dilations"),
            dilation=op.integers("window_dilations"),
            padding=_pairs(op.integers("padding")),
        )
        for source in op.group("inputs")
    ]


def _tt_lang(op: RowOperation, read: Read) -> Sequence[Values]:
    from ttmlir.tt_lang.running import values_of

    return values_of(op, [read(operand) for operand in op.group("inputs")])


def _generic(op: RowOperation, read: Read) -> Sequence[Values]:
    from ttmlir.tt_lang.running import values_of_generic

    return values_of_generic(op, [read(operand) for operand in op.group("inputs")])


def _work(op: RowOperation, read: Read) -> Sequence[Values]:
    from ttmlir.reference.metal.generic import values_of_work

    return values_of_work(op, [read(operand) for operand in op.group("inputs")])


MEANINGS: Mapping[str, Meaning] = MappingProxyType(
    {
        "broadcast": _broadcast,
        "concat": _concat,
        "constant": _constant,
        "conv2d": _conv2d,
        "convolution": _convolution,
        "dimension_size": _dimension_size,
        "elementwise": _elementwise,
        "embedding": _embedding,
        "full": _full,
        "gather": _gather,
        "generic": _generic,
        "index": _index,
        "matmul": _matmul,
        "max_pool2d": _max_pool2d,
        "on_one_device": _on_one_device,
        "pooling": _pooling,
        "reduction": _reduction,
        "reshape": _reshape,
        "same": _same,
        "slice": _slice,
        "softmax": _softmax,
        "to_layout": _to_layout,
        "transpose": _transpose,
        "tt_lang": _tt_lang,
        "typecast": _typecast,
        "work": _work,
        "zeros": _zeros,
    }
)


def meaning_of(row: Row) -> Meaning | None:
    """What operations of a row compute; None where they have no value in the reference."""
    return MEANINGS.get(row.reference or "")
