"""Gathers and slices at computed places: rows of a table if the places are not known.

``ttir.embedding`` takes rows of a table by their numbers. All reads at unknown places are brought into that form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, bf16, i32
from xdsl.ir import Operation, SSAValue

from tt_model.integers import arithmetic
from tt_model.integers.kinds import IntegerKind
from tt_model.stablehlo.attributes import FieldsAttr
from tt_model.stablehlo.numbers import shape_of, tensor_type
from tt_model.stablehlo.reading import fields, integers
from ttl.rows.dtypes import Array
from ttmlir.transforms.from_stablehlo.caches import is_position, written_block, written_position
from ttmlir.transforms.from_stablehlo.collectives import part_by_number
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer, volume

# Up to this number, known places are slices; more are rows of a table, like unknown places.
MOST_SLICES = 32


# Rows.


def along(value: SSAValue, dim: int, numbers: SSAValue, w: Writer) -> SSAValue:
    """Take elements along a dimension by their numbers, a tensor of one dimension."""
    shape, count = w.shape(value), w.shape(numbers)[0]
    front = [dim, *(at for at in range(len(shape)) if at != dim)]
    table = w.reshape(w.rearrange(value, front), [shape[dim], max(volume(shape) // shape[dim], 1)])
    taken = w.reshape(w.rows(table, numbers), [count, *(shape[at] for at in front[1:])])
    back = [front.index(at) for at in range(len(shape))]
    return w.rearrange(taken, back)


def as_places(operand: SSAValue, w: Writer) -> SSAValue:
    """Convert a value of StableHLO that is a place to 32 bits."""
    wide: SSAValue = arithmetic.to_integer(
        w[operand], IntegerKind(32, True), w.signs.may_be_negative(operand), w
    )
    return wide


def limited(value: SSAValue, largest: int, w: Writer, *, is_signed: bool = True) -> SSAValue:
    """Clamp a place between 0 and ``largest``. ``is_signed``: it may be negative."""
    if is_signed:
        result: SSAValue = arithmetic.limited(value, largest, w)
        return result
    return w.elementwise("minimum", value, w.splat(largest, value))


# Slices at one place.


@dataclass(frozen=True)
class _Start:
    """The start of a slice along a dimension: a known number, or a tensor of one number."""

    known: int | None
    operand: SSAValue
    last: int

    @classmethod
    def of(cls, operand: SSAValue, extent: int, size: int, w: Writer) -> _Start:
        """Return the start of a slice, within the dimension, as StableHLO moves it."""
        last = extent - size
        number = 0 if not last else w.known.number(operand)
        return cls(None if number is None else min(max(int(number), 0), last), operand, last)

    def place(self, w: Writer) -> SSAValue:
        """Return the value of an unknown start, within the dimension, too."""
        is_signed = w.signs.may_be_negative(self.operand)
        return limited(as_places(self.operand, w), self.last, w, is_signed=is_signed)


def dynamic_slice(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert to a slice along dimensions whose start is known, and to consecutive rows of a table along others."""
    value = w[op.operands[0]]
    shape, sizes = shape_of(op.operands[0]), integers(op, "slice_sizes")
    starts = [_Start.of(*one, w) for one in zip(op.operands[1:], shape, sizes, strict=True)]
    if any(start.known is None for start in starts) and (part := part_by_number(op, w)) is not None:
        return [part]
    for dim, start in enumerate(starts):
        if start.known is not None:
            value = w.range(value, dim, start.known, start.known + sizes[dim])
    for dim, start in enumerate(starts):
        if start.known is None:
            first = start.place(w)
            value = along(value, dim, w.elementwise("add", w.count(sizes[dim], i32), first), w)
    return [value]


def dynamic_update_slice(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert to a concatenation with the elements around the update if its start is known, else to a masked choice."""
    value, update = w.operands(op)[:2]
    shape, sizes = shape_of(op.operands[0]), shape_of(op.operands[1])
    starts = [_Start.of(*one, w) for one in zip(op.operands[2:], shape, sizes, strict=True)]
    known = [start.known for start in starts]
    if None not in known and (block := written_block(op, value, update, [start or 0 for start in known], w)):
        return [block]
    if is_position(op, sizes, w):
        return [written_position(op, value, update, starts[2].place(w), w)]
    place = _along_one_dimension(op, w)
    if place is not None:
        return [_written_in_turn(op, *place, w)]
    if None not in known:
        return [replaced(value, update, [start or 0 for start in known], w)]
    mask: SSAValue | None = None
    for dim, start in enumerate(starts):
        if sizes[dim] == shape[dim]:
            continue
        first = w.filled(start.known, (1,), i32) if start.known is not None else start.place(w)
        counted = w.count(shape[dim], i32)
        after = w.elementwise("ge", counted, first, element=bf16)
        before = w.elementwise(
            "lt", counted, w.elementwise("add", first, w.filled(sizes[dim], (1,), i32)), element=bf16
        )
        here = w.along(w.elementwise("logical_and", after, before), dim, len(shape))
        mask = here if mask is None else w.elementwise("logical_and", mask, here)
        if sizes[dim] > 1:
            # An element outside of the slice gets some row of it, and is not chosen.
            offset = w.elementwise("subtract", counted, first)
            update = along(update, dim, limited(offset, sizes[dim] - 1, w), w)
    assert mask is not None
    return [w.elementwise("where", mask, update, value, element=w.element(value))]


# The most parts of a concatenation.
_MOST_PARTS = 64


def _along_one_dimension(op: Operation, w: Writer) -> tuple[int, int] | None:
    """Return the only dimension that an update does not cover, and its known start there; None for other updates."""
    shape, sizes = shape_of(op.operands[0]), shape_of(op.operands[1])
    cut = [dim for dim, (extent, size) in enumerate(zip(shape, sizes, strict=True)) if extent != size]
    if len(cut) != 1:
        return None
    (dim,) = cut
    start = w.known.number(op.operands[2 + dim])
    return None if start is None else (dim, min(max(int(start), 0), shape[dim] - sizes[dim]))


def _written_in_turn(op: Operation, dim: int, start: int, w: Writer) -> SSAValue:
    """Collect updates that follow each other, as loops write their results, and join them once, behind the last one.

    Until then, a result stands for the tensor that the first update changes, and only the next update reads it.
    """
    base, (result,) = op.operands[0], op.results
    before, parts = w.updates.pop(base, (dim, {}))
    value = w[base]
    size = shape_of(op.operands[1])[dim]
    apart = all(
        (begin == start and w.shape(part)[dim] == size)
        or begin >= start + size
        or begin + w.shape(part)[dim] <= start
        for begin, part in parts.items()
    )
    if before != dim or not apart:
        value, parts = _joined(value, before, parts, w), {}
    parts = {**parts, start: w[op.operands[1]]}
    use = result.get_user_of_unique_use()
    follows = (
        use is not None
        and use.name == op.name
        and use.operands[0] is result
        and (following := _along_one_dimension(use, w)) is not None
        and following[0] == dim
    )
    if follows:
        w.updates[result] = dim, parts
        return value
    return _joined(value, dim, parts, w)


def _joined(value: SSAValue, dim: int, parts: Mapping[int, SSAValue], w: Writer) -> SSAValue:
    """Replace parts of a tensor along a dimension. ``parts``: the new parts by their starts."""
    listed, at = [], 0
    for start, part in sorted(parts.items(), key=lambda entry: entry[0]):
        listed += [w.range(value, dim, at, start), part] if start > at else [part]
        at = start + w.shape(part)[dim]
    if at < w.shape(value)[dim]:
        listed.append(w.range(value, dim, at, w.shape(value)[dim]))
    while len(listed) > 1:
        listed = [
            w.concat(listed[begin : begin + _MOST_PARTS], dim) for begin in range(0, len(listed), _MOST_PARTS)
        ]
    return listed[0]


def replaced(value: SSAValue, update: SSAValue, starts: Sequence[int], w: Writer, dim: int = 0) -> SSAValue:
    """Replace a block of a tensor that starts at a known place."""
    shape, sizes = w.shape(value), w.shape(update)
    while dim < len(shape) and sizes[dim] == shape[dim]:
        dim += 1
    if dim == len(shape):
        return update
    begin, end = starts[dim], starts[dim] + sizes[dim]
    inner = replaced(w.range(value, dim, begin, end), update, starts, w, dim + 1)
    parts = [w.range(value, dim, 0, begin)] if begin else []
    parts.append(inner)
    parts += [w.range(value, dim, end, shape[dim])] if end < shape[dim] else []
    return w.concat(parts, dim)


# Gather.


@dataclass(frozen=True, kw_only=True)
class _Gather:
    """A gather by the roles of dimensions. ``batch`` is the shape of the places."""

    offsets: tuple[int, ...]
    collapsed: tuple[int, ...]
    batching: tuple[int, ...]
    index_batching: tuple[int, ...]
    indexed: tuple[int, ...]
    vector: int
    sizes: tuple[int, ...]
    shape: tuple[int, ...]
    batch: tuple[int, ...]

    @classmethod
    def of(cls, op: Operation) -> _Gather:
        numbers: FieldsAttr = fields(op, "dimension_numbers")
        places, vector = shape_of(op.operands[1]), numbers.number("index_vector_dim")
        return cls(
            offsets=numbers.numbers("offset_dims"),
            collapsed=numbers.numbers("collapsed_slice_dims"),
            batching=numbers.numbers("operand_batching_dims"),
            index_batching=numbers.numbers("start_indices_batching_dims"),
            indexed=numbers.numbers("start_index_map"),
            vector=vector,
            sizes=integers(op, "slice_sizes"),
            shape=shape_of(op.operands[0]),
            batch=tuple(extent for at, extent in enumerate(places) if at != vector),
        )

    @property
    def free(self) -> tuple[int, ...]:
        """The dimensions of the operand that places do not index."""
        return tuple(
            dim for dim in range(len(self.shape)) if dim not in self.indexed and dim not in self.batching
        )

    def arranged(self, value: SSAValue, dims: Sequence[int], w: Writer) -> SSAValue:
        """Give a value of places, then dimensions ``dims`` of slices, the order of the result's dimensions."""
        rank = len(self.batch) + len(self.offsets)
        kept = [
            dim for dim in range(len(self.shape)) if dim not in self.collapsed and dim not in self.batching
        ]
        value = w.reshape(value, [*self.batch, *(self.sizes[dim] for dim in dims if dim in kept)])
        order = [dim for dim in dims if dim in kept]
        result, at_batch = [], 0
        for dim in range(rank):
            if dim in self.offsets:
                result.append(len(self.batch) + order.index(kept[self.offsets.index(dim)]))
            else:
                result.append(at_batch)
                at_batch += 1
        return w.rearrange(value, result) if result else value


def gather(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert whole rows of a bf16 table to ``ttir.gather``, known places to slices, and others to rows of a table."""
    if _is_embedding(op, w):
        return [_as_it_is(op, w)]
    how = _Gather.of(op)
    places = w.known[op.operands[1]]
    if places is not None and not how.batching and volume(how.batch) <= MOST_SLICES:
        return [_as_slices(w[op.operands[0]], np.moveaxis(_with_vector(places, how), how.vector, -1), how, w)]
    return [_as_rows(op, how, w)]


def _is_embedding(op: Operation, w: Writer) -> bool:
    """Whether the decomposition of ``ttir.gather`` takes a gather, by the conditions of the real project."""
    how = _Gather.of(op)
    table, result = how.shape, shape_of(op.results[0])
    places = shape_of(op.operands[1])
    return (
        isinstance(tensor_type(op.operands[0]).element_type, BFloat16Type)
        and w.known[op.operands[1]] is None
        and len(table) == 2
        and len(result) == 3
        and how.sizes == (1, table[1])
        and how.offsets == (2,)
        and how.collapsed == (0,)
        and how.indexed == (0,)
        and not how.batching
        and (len(places) == 2 or places[-1] == 1)
    )


def _as_it_is(op: Operation, w: Writer) -> SSAValue:
    numbers = fields(op, "dimension_numbers")
    lists = (
        "offset_dims",
        "collapsed_slice_dims",
        "operand_batching_dims",
        "start_indices_batching_dims",
        "start_index_map",
    )
    named: dict[str, Any] = {name: numbers.numbers(name) for name in lists}
    return w.into_empty(
        "ttir.gather",
        w.operands(op),
        w.result(op),
        **named,
        index_vector_dim=numbers.number("index_vector_dim"),
        slice_sizes=integers(op, "slice_sizes"),
        indices_are_sorted=False,
    )


def _with_vector(places: Array, how: _Gather) -> Array:
    return places[..., None] if how.vector == places.ndim else places


def _as_slices(value: SSAValue, places: Array, how: _Gather, w: Writer) -> SSAValue:
    vectors = places.reshape(-1, places.shape[-1])
    strided = _strided(vectors, how)
    if strided is not None:
        dim, begin, step, count = strided
        begins = [0] * len(how.shape)
        ends = [size if at != dim else begin + step * (count - 1) + 1 for at, size in enumerate(how.sizes)]
        begins[dim] = begin
        taken = w.slice(value, begins, ends, [step if at == dim else 1 for at in range(len(begins))])
        front = [dim, *(at for at in range(len(how.shape)) if at != dim)]
        taken = w.rearrange(taken, front)
        return how.arranged(w.reshape(taken, [count, *(how.sizes[at] for at in front[1:])]), front[1:], w)
    parts = []
    for vector in vectors:
        begins = [0] * len(how.shape)
        for dim, place in zip(how.indexed, vector.tolist(), strict=True):
            begins[dim] = min(max(int(place), 0), how.shape[dim] - how.sizes[dim])
        part = w.slice(value, begins, [begin + size for begin, size in zip(begins, how.sizes, strict=True)])
        parts.append(w.reshape(part, [1, volume(how.sizes)]))
    dims = [dim for dim in range(len(how.shape)) if dim not in how.collapsed]
    return how.arranged(w.concat(parts, 0), dims, w)


def _strided(vectors: Array, how: _Gather) -> tuple[int, int, int, int] | None:
    """Return the dimension, start, step and number of elements that are taken with one step; None for others."""
    if len(how.indexed) != 1 or len(vectors) < 2 or how.indexed[0] not in how.collapsed:
        return None
    dim = how.indexed[0]
    line = np.clip(vectors[:, 0].astype(np.int64), 0, how.shape[dim] - 1)
    steps = np.diff(line)
    if steps[0] < 1 or np.any(steps != steps[0]):
        return None
    return dim, int(line[0]), int(steps[0]), len(line)


def _as_rows(op: Operation, how: _Gather, w: Writer) -> SSAValue:
    """Convert a gather to rows of a table that has a row for each position along batch and indexed dimensions."""
    value = w[op.operands[0]]
    free = how.free
    value = w.slice(
        value,
        [0] * len(how.shape),
        [how.sizes[dim] if dim in free else extent for dim, extent in enumerate(how.shape)],
    )
    front = (*how.batching, *how.indexed)
    value = w.rearrange(value, (*front, *free))
    width = volume([how.sizes[dim] for dim in free])
    table = w.reshape(value, [volume([how.shape[dim] for dim in front]), width])
    windows = [how.sizes[dim] for dim in how.indexed]
    numbers = _numbers(op, how, windows, w)
    taken = w.rows(table, w.reshape(numbers, [volume(w.shape(numbers))]))
    return how.arranged(taken, (*how.indexed, *free), w)


def _numbers(op: Operation, how: _Gather, windows: Sequence[int], w: Writer) -> SSAValue:
    """Return the numbers of the rows, for each place and each position of a slice along the indexed dimensions."""
    places, is_signed = as_places(op.operands[1], w), w.signs.may_be_negative(op.operands[1])
    wide = [extent for extent in windows if extent > 1]
    rank = len(how.batch) + len(wide)
    vector = how.vector if how.vector < len(shape_of(op.operands[1])) else None
    total: SSAValue | None = None
    stride = 1
    for position in range(len(how.indexed) - 1, -1, -1):
        dim = how.indexed[position]
        one = places if vector is None else w.range(places, vector, position, position + 1)
        one = w.reshape(one, [*how.batch, *(1 for _ in wide)])
        one = limited(one, how.shape[dim] - how.sizes[dim], w, is_signed=is_signed)
        if windows[position] > 1:
            at = len(how.batch) + sum(extent > 1 for extent in windows[:position])
            one = w.elementwise("add", one, w.along(w.count(windows[position], i32), at, rank))
        total = added(total, one, stride, w)
        stride *= how.shape[dim]
    for dim, at in zip(how.batching[::-1], how.index_batching[::-1], strict=True):
        where = at - (vector is not None and at > vector)
        counted = w.along(w.count(how.shape[dim], i32), where, rank)
        total = added(total, counted, stride, w)
        stride *= how.shape[dim]
    assert total is not None
    return w.broadcast(total, [*how.batch, *wide] or [1])


def added(total: SSAValue | None, part: SSAValue, stride: int, w: Writer) -> SSAValue:
    if stride > 1:
        part = w.elementwise("multiply", part, w.splat(stride, part))
    return part if total is None else w.elementwise("add", total, part)


INDEXING: Mapping[str, Rule] = MappingProxyType(
    {f"stablehlo.{rule.__name__}": rule for rule in (dynamic_slice, dynamic_update_slice, gather)}
)
