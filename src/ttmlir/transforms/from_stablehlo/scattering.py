"""``stablehlo.scatter``: replaced blocks if places are known, else rows of a table (``ttmlir.compositions.rows``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np
from xdsl.dialects.builtin import bf16
from xdsl.ir import Operation, SSAValue

from tt_model.stablehlo.attributes import FieldsAttr
from tt_model.stablehlo.numbers import shape_of, tensor_type
from tt_model.stablehlo.reading import fields
from ttl.ir.refusals import Refused
from ttl.rows.dtypes import Array
from ttmlir.compositions import rows
from ttmlir.compositions.emitter import WHOLE
from ttmlir.transforms.from_stablehlo.caches import written_block
from ttmlir.transforms.from_stablehlo.indexing import MOST_SLICES, as_places, replaced
from ttmlir.transforms.from_stablehlo.reductions import ReductionKind, kind_of
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer, volume

_SCATTERS = (
    "what works: one tensor, and a body that keeps the update, adds, multiplies, or takes the largest or least; in JAX: "
    "x.at[i].set(y), .add(y), .multiply(y), .max(y), .min(y)"
)


@dataclass(frozen=True, kw_only=True)
class _Scatter:
    """A scatter by the roles of dimensions. ``sizes`` are the extents of the block that is written at a place."""

    windows: tuple[int, ...]
    batching: tuple[int, ...]
    index_batching: tuple[int, ...]
    indexed: tuple[int, ...]
    vector: int
    shape: tuple[int, ...]
    updated: tuple[int, ...]
    places: tuple[int, ...]
    sizes: tuple[int, ...]
    kept: tuple[int, ...]

    @classmethod
    def of(cls, op: Operation) -> _Scatter:
        numbers: FieldsAttr = fields(op, "scatter_dimension_numbers")
        shape, places, updated = (shape_of(operand) for operand in op.operands)
        windows, batching = numbers.numbers("update_window_dims"), numbers.numbers("input_batching_dims")
        gone = (*numbers.numbers("inserted_window_dims"), *batching)
        kept = tuple(dim for dim in range(len(shape)) if dim not in gone)
        sizes = [1] * len(shape)
        for at, dim in zip(windows, kept, strict=True):
            sizes[dim] = updated[at]
        return cls(
            windows=windows,
            batching=batching,
            index_batching=numbers.numbers("scatter_indices_batching_dims"),
            indexed=numbers.numbers("scatter_dims_to_operand_dims"),
            vector=numbers.number("index_vector_dim"),
            shape=shape,
            updated=updated,
            places=places,
            sizes=tuple(sizes),
            kept=kept,
        )

    @property
    def batches(self) -> list[int]:
        """The batch dimensions of places without the vector, in the order of those of the operand."""
        return [dim - (dim > self.vector) for dim in self.index_batching]

    @property
    def others(self) -> list[int]:
        """The other dimensions of places without the vector."""
        rank = len(self.updated) - len(self.windows)
        return [dim for dim in range(rank) if dim not in self.batches]

    @property
    def rows(self) -> list[int]:
        """The dimensions of the operand that number the rows of the table: not covered by a block, or of extent 1."""
        return [
            dim
            for dim in range(len(self.shape))
            if dim not in self.batching and (self.sizes[dim] != self.shape[dim] or self.shape[dim] == 1)
        ]

    @property
    def count(self) -> int:
        """The number of places in a batch."""
        extents = [extent for dim, extent in enumerate(self.updated) if dim not in self.windows]
        return volume([extents[dim] for dim in self.others])

    def arranged(self, update: SSAValue, w: Writer) -> SSAValue:
        """Permute an update to batches, then places, then the dimensions of blocks in the order of the operand."""
        apart = [dim for dim in range(len(self.updated)) if dim not in self.windows]
        front = [apart[dim] for dim in (*self.batches, *self.others)]
        return w.rearrange(update, [*front, *self.windows]) if self.updated else update


def scatter(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert known places to blocks that are replaced, and others to rows of a table."""
    if len(op.operands) != 3:
        raise Refused(f"it writes to {len(op.operands) // 2} tensors at once", _SCATTERS)
    how, kind = _Scatter.of(op), _kind_of_update(op)
    value, _, update = w.operands(op)
    update = how.arranged(update, w)
    places = w.known[op.operands[1]]
    if places is not None and not how.batching and how.count <= MOST_SLICES:
        update = w.reshape(update, [how.count, *(how.sizes[dim] for dim in how.kept)])
        vectors = places[..., None] if how.vector == places.ndim else places
        vectors = np.moveaxis(vectors, how.vector, -1).reshape(how.count, -1)
        return [_at_known_places(op, (value, update), vectors, how, kind, w)]
    return [_at_places(op, how, (value, update), kind, w)]


def _kind_of_update(op: Operation) -> ReductionKind | None:
    """Return the reduction that combines an update with the old value; None if the update replaces it."""
    body = op.regions[0].block
    last = body.last_op
    if last is not None and last is body.first_op and tuple(last.operands) == (body.args[1],):
        return None
    kind = kind_of(body, tensor_type(op.operands[0]).element_type)
    if kind is None:
        raise Refused("its body is not one of the known functions", _SCATTERS)
    return kind


def _at_known_places(
    op: Operation,
    tensors: tuple[SSAValue, SSAValue],
    vectors: Array,
    how: _Scatter,
    kind: ReductionKind | None,
    w: Writer,
) -> SSAValue:
    value, update = tensors
    sizes, shape = how.sizes, how.shape
    for number, vector in enumerate(vectors):
        starts = [0] * len(shape)
        for dim, place in zip(how.indexed, vector.tolist(), strict=True):
            starts[dim] = int(place)
        ends = [start + size for start, size in zip(starts, sizes, strict=True)]
        if min(starts) < 0 or any(end > extent for end, extent in zip(ends, shape, strict=True)):
            continue  # a block that is not wholly inside is not written
        part = w.reshape(w.range(update, 0, number, number + 1), sizes)
        if kind is not None:
            part = kind.combine(w, w.slice(value, starts, ends), part)
        in_place = written_block(op, value, part, starts, w) if len(vectors) == 1 else None
        value = replaced(value, part, starts, w) if in_place is None else in_place
    return value


def _at_places(
    op: Operation, how: _Scatter, tensors: tuple[SSAValue, SSAValue], kind: ReductionKind | None, w: Writer
) -> SSAValue:
    value, update = tensors
    free = [dim for dim in how.kept if dim not in how.rows]
    front = [*how.batching, *how.rows, *free]
    batch = volume([how.shape[dim] for dim in how.batching])
    height, width = volume([how.shape[dim] for dim in how.rows]), volume([how.shape[dim] for dim in free])
    table = w.reshape(w.rearrange(value, front), [batch, height, width])
    # The update at one place is a block, which may have several rows.
    blocks = [dim for dim in how.kept if dim in how.rows]
    size = volume([how.sizes[dim] for dim in blocks])
    update = w.reshape(update, [batch * how.count, *(how.sizes[dim] for dim in how.kept)])
    order = [0, *(how.kept.index(dim) + 1 for dim in (*blocks, *free))]
    update = w.reshape(w.rearrange(update, order), [batch, how.count * size, width])
    here = rows.hits(w.reshape(_numbers(op, how, blocks, w), [batch, how.count * size]), height, w)
    result: SSAValue
    match kind:
        case None:
            result = rows.last_written(table, here, update, w)
        case ReductionKind(name="add"):
            result = rows.added(table, here, update, w)
        case _:
            neutral = None if kind.is_extreme else kind.neutral
            result = rows.combined(table, here, update, partial(kind.combine, w), neutral, w)
    back = [front.index(dim) for dim in range(len(how.shape))]
    return w.rearrange(w.reshape(result, [how.shape[dim] for dim in front]), back)


def _numbers(op: Operation, how: _Scatter, blocks: Sequence[int], w: Writer) -> SSAValue:
    """Return the numbers of the written rows (batches, places, block); -1 if a block is not wholly inside."""
    places = as_places(op.operands[1], w)
    order = [*how.batches, *how.others]
    extents = [extent for dim, extent in enumerate(how.places) if dim != how.vector]
    shape = [volume(extents), *(1 for _ in blocks)]
    inside: SSAValue | None = None
    given: dict[int, SSAValue] = {}
    for position, dim in enumerate(how.indexed):
        has_vector = how.vector < len(how.places)
        one = w.range(places, how.vector, position, position + 1) if has_vector else places
        one = w.reshape(w.rearrange(w.reshape(one, extents or [1]), order or [0]), shape)
        largest = how.shape[dim] - how.sizes[dim]
        for name, limit in (("ge", 0), ("le", largest)):
            within = w.elementwise(name, one, w.splat(limit, one), element=bf16)
            inside = within if inside is None else w.elementwise("logical_and", inside, within)
        given[dim] = one
    parts = []
    for dim in how.rows:
        one = given.get(dim, w.filled(0, [1] * len(shape), WHOLE))
        if dim in blocks and how.sizes[dim] > 1:
            offsets = w.along(w.count(how.sizes[dim], WHOLE), 1 + blocks.index(dim), len(shape))
            one = w.elementwise("add", one, offsets)
        parts.append(one)
    if not parts:
        parts, extent = [w.filled(0, [1] * len(shape), WHOLE)], [1]
    else:
        extent = [how.shape[dim] for dim in how.rows]
    number: SSAValue = rows.numbered(parts, extent, w)
    wide = [shape[0], *(how.sizes[dim] for dim in blocks)]
    number = w.broadcast(number, wide)
    return number if inside is None else w.choose(inside, number, w.splat(-1, number))


SCATTERING: Mapping[str, Rule] = MappingProxyType({"stablehlo.scatter": scatter})
