"""Operations of later text that create and move elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from xdsl.ir import Operation, SSAValue

from tt_model.integers.bounds import WAY_OUT, is_held, known_beyond
from tt_model.integers.kinds import IntegerKind
from tt_model.stablehlo.numbers import array_of
from ttl.ir.refusals import Refused
from ttmlir.transforms.from_stablehlo.shapes import reversed_along
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer
from ttmlir.transforms.upgrade.reading import VALID, attribute, integer, integers, number


def dimension(op: Operation, name: str, rank: int) -> int:
    """An attribute that is a dimension, counted from 0. Raises ``Refused`` if there is no such dimension."""
    dim = integer(op, name)
    if not -rank <= dim < rank:
        raise Refused(f"{name} is {dim}, of {rank} dimensions", f"what works: {-rank} to {rank - 1}")
    return dim % rank


def _empty(op: Operation, w: Writer) -> Sequence[SSAValue]:
    return [w.empty(w.result(op))]


def _constant(op: Operation, w: Writer) -> Sequence[SSAValue]:
    type, values = w.result(op), array_of(attribute(op, "value"))
    if values is None:
        raise Refused("its value is not a table of elements", VALID)
    if values.dtype == np.int64:
        # The least and the greatest number of the type stand for values beyond all numbers.
        limits, ends = np.iinfo(np.int32), np.iinfo(np.int64)
        kind = IntegerKind(64, is_signed=True)
        own = values[(values != ends.min) & (values != ends.max)]
        if own.size and not is_held((int(own.min()), int(own.max())), kind):
            raise Refused(known_beyond(kind, (int(own.min()), int(own.max()))), f"what works: {WAY_OUT}")
        values = np.clip(values, limits.min, limits.max) if values.size else values
    return [w.constant(values.reshape(type.get_shape()) if values.size == 1 else values, type.element_type)]


def _filled(value: float | None) -> Rule:
    def rule(op: Operation, w: Writer) -> Sequence[SSAValue]:
        type = w.result(op)
        chosen = number(op, "fill_value") if value is None else value
        return [w.filled(chosen, type.get_shape(), type.element_type)]

    return rule


def _arange(op: Operation, w: Writer) -> Sequence[SSAValue]:
    type, start, step = w.result(op), integer(op, "start"), integer(op, "step")
    shape = type.get_shape()
    dim = dimension(op, "arange_dimension", len(shape))
    line = w.count(shape[dim], type.element_type)
    if step != 1:
        line = w.elementwise("multiply", line, w.splat(step, line))
    if start:
        line = w.elementwise("add", line, w.splat(start, line))
    return [w.broadcast(w.along(line, dim, len(shape)), shape)]


def _reshape(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    return [w.reshape(value, w.result(op).get_shape())]


def _transpose(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    rank = len(w.shape(value))
    dims = dimension(op, "dim0", rank), dimension(op, "dim1", rank)
    order = list(range(rank))
    order[dims[0]], order[dims[1]] = order[dims[1]], order[dims[0]]
    return [w.permute(value, order)]


def _permute(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    order = integers(op, "permutation")
    if sorted(order) != list(range(len(w.shape(value)))):
        raise Refused(f"permutation is {list(order)}, of {len(w.shape(value))} dimensions", VALID)
    return [w.permute(value, order)]


def _broadcast(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    return [w.broadcast(value, w.result(op).get_shape())]


def _concat(op: Operation, w: Writer) -> Sequence[SSAValue]:
    values = w.operands(op)
    return [w.concat(values, dimension(op, "dim", len(w.shape(values[0]))))]


def _slice(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    shape = w.shape(value)
    given = [integers(op, name) for name in ("begins", "ends", "step")]
    if any(len(one) != len(shape) for one in given):
        raise Refused(f"begins, ends and step are {given}, of {len(shape)} dimensions", VALID)
    steps = given[2]
    if min(steps) < 1:
        raise Refused(
            f"step is {list(steps)}",
            "what works: steps of at least one; ttir.reverse for the other direction",
        )
    begins, ends = (
        [min(max(at + extent if at < 0 else at, 0), extent) for at, extent in zip(one, shape, strict=True)]
        for one in given[:2]
    )
    return [w.slice(value, begins, ends, steps)]


def _index(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    shape = w.shape(value)
    dim = dimension(op, "dim", len(shape))
    begin, end, step = (integer(op, name) for name in ("begin", "end", "step"))
    begin, end = (at + shape[dim] if at < 0 else at for at in (begin, end))
    return [w.range(value, dim, begin, min(end, shape[dim]), step)]


def _index_select(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    shape = w.shape(value)
    dim = dimension(op, "dim", len(shape))
    begin, length = integer(op, "begin"), integer(op, "length")
    stride = integer(op, "stride", 0) or shape[dim]
    parts = [w.range(value, dim, at, min(at + length, shape[dim])) for at in range(begin, shape[dim], stride)]
    return [w.concat(parts, dim)]


def _pad(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    amounts, filling = integers(op, "padding"), number(op, "value", 0.0)
    return [padded(value, list(zip(amounts[::2], amounts[1::2], strict=True)), filling, w)]


def padded(value: SSAValue, amounts: Sequence[tuple[int, int]], filling: float, w: Writer) -> SSAValue:
    """Pad in front and behind of each dimension; negative amounts cut elements off."""
    for dim, (low, high) in enumerate(amounts):
        extent = w.shape(value)[dim]
        value = w.range(value, dim, max(-low, 0), extent - max(-high, 0))
        parts = []
        for amount in (low, None, high):
            if amount is None:
                parts.append(value)
            elif amount > 0:
                shape = [amount if at == dim else size for at, size in enumerate(w.shape(value))]
                parts.append(w.filled(filling, shape, w.element(value)))
        value = w.concat(parts, dim)
    return value


def _repeat(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    for dim, count in enumerate(integers(op, "repeat_dimensions")):
        value = w.concat([value] * count, dim)
    return [value]


def interleaved(value: SSAValue, count: int, dim: int, w: Writer) -> SSAValue:
    """Repeat each element of a dimension ``count`` times, one after another."""
    if count == 1:
        return value
    shape = w.shape(value)
    line = w.reshape(value, (*shape[: dim + 1], 1, *shape[dim + 1 :]))
    wide = w.concat([line] * count, dim + 1)
    return w.reshape(wide, (*shape[:dim], shape[dim] * count, *shape[dim + 1 :]))


def _repeat_interleave(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    return [interleaved(value, integer(op, "repeats"), dimension(op, "dim", len(w.shape(value))), w)]


def _reverse(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    for dim in integers(op, "dimensions"):
        value = reversed_along(value, dim % len(w.shape(value)), w)
    return [value]


def _dimension_size(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    return w.make("ttir.get_dimension_size", [value], [w.result(op)], dimension=integer(op, "dimension"))


def _embedding(op: Operation, w: Writer) -> Sequence[SSAValue]:
    indices, weight = w.operands(op)
    shape = w.shape(weight)
    return [w.into_empty("ttir.embedding", [indices, w.reshape(weight, shape[-2:])], w.result(op))]


def _itself(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Return the operands of an operation between chips as its results, on one chip, if their shapes are equal.

    Raises ``Refused`` otherwise.
    """
    values = w.operands(op)
    for result, value in zip(op.results, values, strict=True):
        if w.result(op, result.index).get_shape() != w.shape(value):
            raise Refused(
                "it combines the tensors of several chips, and its result and operand have different shapes",
                "what works: one chip; ttir.all_gather, ttir.all_reduce and ttir.reduce_scatter for several",
            )
    return values


def _all_gather(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    axis = attribute(op, "cluster_axis")
    more = {} if axis is None else {"cluster_axis": integer(op, "cluster_axis")}
    dim = dimension(op, "all_gather_dim", len(w.shape(value)))
    return [w.into_empty("ttir.all_gather", [value], w.result(op), dim=dim, **more)]


SHAPES: Mapping[str, Rule] = MappingProxyType(
    {
        "empty": _empty,
        "constant": _constant,
        "full": _filled(None),
        "zeros": _filled(0),
        "ones": _filled(1),
        "arange": _arange,
        "reshape": _reshape,
        "squeeze": _reshape,
        "unsqueeze": _reshape,
        "transpose": _transpose,
        "permute": _permute,
        "broadcast": _broadcast,
        "concat": _concat,
        "slice_static": _slice,
        "index": _index,
        "index_select": _index_select,
        "select": _index_select,
        "pad": _pad,
        "repeat": _repeat,
        "repeat_interleave": _repeat_interleave,
        "reverse": _reverse,
        "get_dimension_size": _dimension_size,
        "embedding": _embedding,
        "all_gather": _all_gather,
        "mesh_shard": _itself,
        "mesh_partition": _itself,
        "all_reduce": _itself,
        "reduce_scatter": _itself,
    }
)
