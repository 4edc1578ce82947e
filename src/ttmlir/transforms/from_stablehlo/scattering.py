"""``stablehlo.scatter``: blocks that are replaced where places are known, else rows that are chosen by a mask of the places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from xdsl.dialects.builtin import Float32Type, bf16, i32
from xdsl.ir import Attribute, Operation, SSAValue

from ttl.ir.refusals import Refused
from ttmlir.stablehlo.numbers import Array, shape_of, tensor_type
from ttmlir.stablehlo.reading import fields
from ttmlir.transforms.from_stablehlo.indexing import MOST_SLICES, added, as_places, replaced, rows
from ttmlir.transforms.from_stablehlo.reductions import ReductionKind, kind_of
from ttmlir.transforms.from_stablehlo.writer import Writer, tensor, volume

Rule = Callable[[Operation, Writer], Sequence[SSAValue]]

_SCATTERS = (
    "what works: one tensor, whole slices in dimensions that no place is given of, and a body that keeps the update, adds, or "
    "takes the largest or least; in JAX: x.at[i].set(y), .add(y)"
)


def scatter(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Known places as blocks that are replaced; others by a mask of the rows that are written."""
    if len(op.operands) != 3:
        raise Refused(f"it writes to {len(op.operands) // 2} tensors together", _SCATTERS)
    value, _, update = w.operands(op)
    numbers = fields(op, "scatter_dimension_numbers")
    windows = numbers.numbers("update_window_dims")
    inserted = numbers.numbers("inserted_window_dims")
    indexed = numbers.numbers("scatter_dims_to_operand_dims")
    vector = numbers.number("index_vector_dim")
    shape, updated = shape_of(op.operands[0]), shape_of(op.operands[2])
    if numbers.numbers("input_batching_dims"):
        raise Refused("it has batches of places", _SCATTERS)
    kind = _kind_of_update(op)
    batch = [dim for dim in range(len(updated)) if dim not in windows]
    window_dims = [dim for dim in range(len(shape)) if dim not in inserted]
    sizes = [1] * len(shape)
    for at, dim in zip(windows, window_dims, strict=True):
        sizes[dim] = updated[at]
    # Places first, then the slice as the operand has it.
    count = volume([updated[dim] for dim in batch])
    update = w.rearrange(update, [*batch, *windows]) if updated else update
    update = w.reshape(update, [count, *(sizes[dim] for dim in window_dims)])
    places = w.known[op.operands[1]]
    if places is not None and count <= MOST_SLICES:
        vectors = places[..., None] if vector == places.ndim else places
        vectors = np.moveaxis(vectors, vector, -1).reshape(count, -1)
        return [_at_known_places(value, update, vectors, (sizes, indexed), kind, w)]
    if any(sizes[dim] != (1 if dim in indexed else shape[dim]) for dim in range(len(shape))):
        raise Refused(
            "its slices are larger than one where places are given, or less than whole elsewhere", _SCATTERS
        )
    return [_at_places(op, (value, update), indexed, vector, kind, w)]


def _kind_of_update(op: Operation) -> ReductionKind | None:
    """None where the update is what is left."""
    body = op.regions[0].block
    last = body.last_op
    if last is not None and last is body.first_op and tuple(last.operands) == (body.args[1],):
        return None
    kind = kind_of(body, tensor_type(op.operands[0]).element_type)
    if kind is None:
        raise Refused("its body is none of the known ones", _SCATTERS)
    return kind


def _at_known_places(
    value: SSAValue,
    update: SSAValue,
    vectors: Array,
    slices: tuple[Sequence[int], Sequence[int]],
    kind: ReductionKind | None,
    w: Writer,
) -> SSAValue:
    sizes, indexed = slices
    shape = w.shape(value)
    for number, vector in enumerate(vectors):
        starts = [0] * len(shape)
        for dim, place in zip(indexed, vector.tolist(), strict=True):
            starts[dim] = int(place)
        ends = [start + size for start, size in zip(starts, sizes, strict=True)]
        if min(starts) < 0 or any(end > extent for end, extent in zip(ends, shape, strict=True)):
            continue  # what is not wholly inside is not written
        part = w.reshape(w.range(update, 0, number, number + 1), sizes)
        if kind is not None:
            part = kind.combine(w, w.slice(value, starts, ends), part)
        value = replaced(value, part, starts, w)
    return value


def _at_places(
    op: Operation,
    tensors: tuple[SSAValue, SSAValue],
    indexed: Sequence[int],
    vector: int,
    kind: ReductionKind | None,
    w: Writer,
) -> SSAValue:
    value, update = tensors
    shape, count = w.shape(value), w.shape(update)[0]
    free = [dim for dim in range(len(shape)) if dim not in indexed]
    front = [*indexed, *free]
    height, width = volume([shape[dim] for dim in indexed]), volume([shape[dim] for dim in free])
    table = w.reshape(w.rearrange(value, front), [height, width])
    update = w.reshape(update, [count, width])
    hits = _hits(op, [shape[dim] for dim in indexed], vector, count, w)
    match kind:
        case None:
            result = _last_written(table, update, hits, w)
        case ReductionKind(name="add"):
            element = w.element(table)
            product = w.matmul(
                w.permute(w.typecast(hits, element), [1, 0]), update, tensor((height, width), element)
            )
            result = w.elementwise("add", table, product)
        case _:
            raise Refused(
                f"its places are not known when the model is compiled, and its body is {kind.name}", _SCATTERS
            )
    back = [front.index(dim) for dim in range(len(shape))]
    return w.rearrange(w.reshape(result, [shape[dim] for dim in front]), back)


def _hits(op: Operation, extents: Sequence[int], vector: int, count: int, w: Writer) -> SSAValue:
    """One where an update, in rows, goes to a row of the table, in columns."""
    places = as_places(op.operands[1], w)
    known = shape_of(op.operands[1])
    hits: SSAValue | None = None
    number: SSAValue | None = None
    stride = 1
    for position in range(len(extents) - 1, -1, -1):
        one = w.range(places, vector, position, position + 1) if vector < len(known) else places
        one = w.reshape(one, [count, 1])
        inside = w.elementwise(
            "logical_and",
            w.elementwise("ge", one, w.splat(0, one), element=bf16),
            w.elementwise("lt", one, w.splat(extents[position], one), element=bf16),
        )
        hits = inside if hits is None else w.elementwise("logical_and", hits, inside)
        number = added(number, one, stride, w)
        stride *= extents[position]
    assert hits is not None and number is not None
    here = w.elementwise("eq", number, w.reshape(w.count(stride, i32), [1, stride]), element=bf16)
    return w.elementwise("logical_and", here, hits)


def _last_written(table: SSAValue, update: SSAValue, hits: SSAValue, w: Writer) -> SSAValue:
    """Of each row the last update that goes there; without one, the row as it was."""
    count = w.shape(update)[0]
    single: Attribute = Float32Type()
    counted = w.reshape(w.count(count, single), [count, 1])
    writers = w.elementwise(
        "where", hits, counted, w.filled(-1, (1, 1), single), shape=w.shape(hits), element=single
    )
    last = w.reduce("max", writers, [0])
    is_written = w.reshape(w.elementwise("ge", last, w.splat(0, last), element=bf16), [w.shape(table)[0], 1])
    if count == 1:
        chosen = update
    else:
        limited = w.elementwise("maximum", last, w.splat(0, last))
        chosen = rows(update, w.typecast(limited, i32), w)
    return w.elementwise("where", is_written, chosen, table, shape=w.shape(table), element=w.element(table))


SCATTERING: Mapping[str, Rule] = MappingProxyType({"stablehlo.scatter": scatter})
