"""Operations that move elements: reshapes, transposes, broadcasts, slices, padding, and positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.ir import Operation, SSAValue

from tt_model.operations.result_shapes import broadcast_shapes
from tt_model.stablehlo.numbers import converted_element, shape_of, tensor_type
from tt_model.stablehlo.reading import expected, integer, integers
from ttl.ir.refusals import Refused
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer, volume


def reshape(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a reshape; one that changes nothing stays, as in the real project."""
    (value,) = w.operands(op)
    type = w.result(op)
    if type.get_shape() == w.shape(value):
        return [w.into_empty("ttir.reshape", [value], type, shape=type.get_shape())]
    return [w.reshape(value, type.get_shape())]


def transpose(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a transpose to exchanges of two dimensions, one after another."""
    return [w.permute(w.operands(op)[0], integers(op, "permutation"))]


def broadcast_in_dim(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a broadcast, with a reshape before unless the dimensions are the last ones, as in NumPy."""
    (value,) = w.operands(op)
    dims, type = integers(op, "broadcast_dimensions"), w.result(op)
    source, target = shape_of(op.operands[0]), type.get_shape()
    aligned = tuple(range(len(target) - len(source), len(target)))
    if not source or (dims == aligned and source != target and broadcast_shapes(source, target) == target):
        if not source and target == (1,):
            return [w.reshape(value, target)]
        return [w.into_empty("ttir.broadcast", [value], type, dimension=dims)]
    order = sorted(range(len(dims)), key=lambda at: dims[at])
    value = w.rearrange(value, order)
    wide = [1] * len(target)
    for at in order:
        wide[dims[at]] = source[at]
    return [w.broadcast(w.reshape(value, wide), target)]


def slice(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a slice; one of the whole tensor stays, as in the real project."""
    (value,) = w.operands(op)
    begins, ends, steps = (integers(op, name) for name in ("start_indices", "limit_indices", "strides"))
    if not begins:
        return [value]
    type = w.result(op)
    if 0 in type.get_shape():
        raise _empty(op)
    return [w.into_empty("ttir.slice", [value], type, begins=begins, ends=ends, step=steps)]


def _empty(op: Operation) -> Refused:
    return Refused(f"its result, {op.results[0].type}, has no elements", "what works: tensors with elements")


def concatenate(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a concatenation, without operands that have no elements."""
    dim = integer(op, "dimension")
    rank = len(shape_of(op.results[0]))
    if not op.operands or not 0 <= dim < rank:
        raise Refused(
            f"dimension is {dim}, and there are {len(op.operands)} operands of {rank} dimensions",
            "what works: at least one operand, and one of its dimensions",
        )
    values = [w[operand] for operand in op.operands if 0 not in shape_of(operand)]
    type = w.result(op)
    if len(values) == 1 and len(op.operands) > 1:
        return values
    return [w.into_empty("ttir.concat", [tuple(values)], type, dim=dim)]


def reverse(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a reversal, one dimension after another."""
    (value,) = w.operands(op)
    for dim in integers(op, "dimensions"):
        value = reversed_along(value, dim, w)
    return [value]


def reversed_along(value: SSAValue, dim: int, w: Writer) -> SSAValue:
    """Reverse a dimension: if its extent is a power of two by exchanging halves, recursively; else by single slices."""
    extent = w.shape(value)[dim]
    if extent == 1:
        return value
    if extent & (extent - 1):
        return w.concat([w.range(value, dim, at, at + 1) for at in range(extent - 1, -1, -1)], dim)
    half = extent // 2
    parts = [w.range(value, dim, half, extent), w.range(value, dim, 0, half)]
    return w.concat([reversed_along(part, dim, w) for part in parts], dim)


def get_dimension_size(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a query of the extent of a dimension."""
    (value,) = w.operands(op)
    return w.make("ttir.get_dimension_size", [value], [w.result(op)], dimension=integer(op, "dimension"))


def iota(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert positions along a dimension."""
    shape, dim = shape_of(op.results[0]), integer(op, "iota_dimension")
    if not shape:
        raise Refused("it has no dimension", "what works: at least one dimension")
    if 0 in shape:
        raise _empty(op)
    element = converted_element(tensor_type(op.results[0]).element_type)
    return [w.broadcast(w.along(w.count(shape[dim], element), dim, len(shape)), shape)]


def pad(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert padding to concatenations; negative amounts are cut off."""
    value, filling = w.operands(op)
    if not shape_of(op.operands[0]):
        return [value]
    amounts = zip(
        *(integers(op, name) for name in ("edge_padding_low", "edge_padding_high", "interior_padding")),
        strict=True,
    )
    number = w.known.number(op.operands[1])
    return [padded(value, list(amounts), filling if number is None else number, w)]


def padded(
    value: SSAValue, amounts: Sequence[tuple[int, int, int]], filling: SSAValue | float, w: Writer
) -> SSAValue:
    """Pad before, behind and between the elements of each dimension. ``filling`` is a number, or a tensor of one."""
    for dim, (low, high, between) in enumerate(amounts):
        if between:
            value = spread(value, dim, between, filling, w)
        extent = w.shape(value)[dim]
        if low < 0 or high < 0:
            value = w.range(value, dim, max(-low, 0), extent - max(-high, 0))
        parts = [
            _block(value, dim, max(low, 0), filling, w),
            value,
            _block(value, dim, max(high, 0), filling, w),
        ]
        value = w.concat([part for part in parts if part is not None], dim)
    return value


def _block(value: SSAValue, dim: int, extent: int, filling: SSAValue | float, w: Writer) -> SSAValue | None:
    if not extent:
        return None
    shape = list(w.shape(value))
    shape[dim] = extent
    if not isinstance(filling, SSAValue):
        return w.splat(filling, value, shape)
    return w.broadcast(w.reshape(filling, [1] * len(shape)), shape)


def spread(value: SSAValue, dim: int, between: int, filling: SSAValue | float, w: Writer) -> SSAValue:
    """Insert ``between`` elements after each element of a dimension except the last."""
    shape = w.shape(value)
    # The dimensions before and behind this one are joined: there may be as many dimensions as TTNN supports.
    apart = w.reshape(value, [volume(shape[:dim]), shape[dim], 1, volume(shape[dim + 1 :])])
    block = _block(apart, 2, between, filling, w)
    assert block is not None
    whole = shape[dim] * (between + 1)
    joined = w.reshape(w.concat([apart, block], 2), [*shape[:dim], whole, *shape[dim + 1 :]])
    return w.range(joined, dim, 0, whole - between)


def optimization_barrier(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Replace the barrier by its operands: nothing is moved across it here."""
    return w.operands(op)


def batch_norm_inference(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """(x - mean) * rsqrt(variance + epsilon) * scale + offset, along one dimension."""
    from xdsl.dialects.builtin import FloatAttr

    value, *vectors = w.operands(op)
    dim, rank = integer(op, "feature_index"), len(w.shape(value))
    epsilon = expected(op, "epsilon", FloatAttr).value.data
    scale, offset, mean, variance = (w.along(vector, dim, rank) for vector in vectors)
    deviation = w.elementwise("rsqrt", w.elementwise("add", variance, w.splat(epsilon, variance)))
    centred = w.elementwise("subtract", value, mean)
    normal = w.elementwise("multiply", centred, w.elementwise("multiply", deviation, scale))
    return [w.elementwise("add", normal, offset)]


def broadcast(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert the older broadcast, which adds dimensions in front."""
    (value,) = w.operands(op)
    type = w.result(op)
    source = shape_of(op.operands[0])
    wide = [1] * (len(type.get_shape()) - len(source)) + list(source)
    return [w.broadcast(w.reshape(value, wide), type.get_shape())]


SHAPES: Mapping[str, Rule] = MappingProxyType(
    {
        f"stablehlo.{rule.__name__}": rule
        for rule in (
            batch_norm_inference,
            broadcast,
            broadcast_in_dim,
            concatenate,
            get_dimension_size,
            iota,
            optimization_barrier,
            pad,
            reshape,
            reverse,
            slice,
            transpose,
        )
    }
)
