"""Functions of ATen that read and write at positions given as tensors: ``index``, ``index_put``, ``scatter``, ...

All of them are rows of a table by their numbers (``ttmlir.compositions.rows``). Where updates meet, the last one counts; torch
says nothing of that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tt_model.integers import arithmetic
from ttmlir.compositions import rows as table_rows
from ttmlir.compositions.emitter import SINGLE
from ttmlir.torch.emitter import GraphEmitter
from ttmlir.torch.functions.caches import is_cache, written_position
from ttmlir.torch.functions.shapes import looked_up, taken
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.row import AtenValue, rows
from ttmlir.torch.spans import span_of
from ttmlir.ttir_builder import Operand

Indices = Sequence[AtenValue | None]


def _is_truth(index: AtenValue) -> bool:
    return str(index.dtype) == "torch.bool"


def places_of(at: GraphLowering, index: AtenValue, extent: int, w: GraphEmitter) -> Operand:
    """Return positions as 32-bit integers; negative ones count from the end."""
    import torch

    if index.dtype.is_floating_point:
        raise at.refuse(f"places are of {index.dtype}", "whole numbers: index.long()")
    if index.known is not None:
        return at.operand(AtenValue.of((index.known % extent).to(torch.int32)))
    operand: Operand = at.operand(index, torch.int32)
    if span_of(index)[0] >= 0:
        return operand
    ends: Operand = arithmetic.from_the_end(operand, extent, w)
    return ends


@dataclass(frozen=True, kw_only=True)
class _Indexed:
    """A tensor with index tensors for some of its dimensions; the index tensors broadcast to the shape ``batch``."""

    shape: tuple[int, ...]
    dims: tuple[int, ...]
    indices: tuple[AtenValue, ...]
    batch: tuple[int, ...]

    @classmethod
    def of(cls, at: GraphLowering, value: AtenValue, indices: Indices) -> _Indexed:
        import torch

        dims = tuple(dim for dim, index in enumerate(indices) if index is not None)
        given = tuple(index for index in indices if index is not None)
        if any(map(_is_truth, given)):
            raise at.refuse(
                "the number of elements that a mask selects is not known", "torch.where(mask, x, 0)"
            )
        batch = tuple(torch.broadcast_shapes(*(index.shape for index in given)))  # type: ignore[no-untyped-call]
        return cls(shape=value.shape, dims=dims, indices=given, batch=batch)

    @property
    def free(self) -> list[int]:
        """The dimensions without index tensors."""
        return [dim for dim in range(len(self.shape)) if dim not in self.dims]

    @property
    def front(self) -> list[int]:
        """All dimensions, those with index tensors first."""
        return [*self.dims, *self.free]

    @property
    def height(self) -> int:
        """The number of rows of the table."""
        return math.prod(self.shape[dim] for dim in self.dims)

    @property
    def width(self) -> int:
        """The number of elements of a row."""
        return math.prod(self.shape[dim] for dim in self.free)

    @property
    def order(self) -> list[int]:
        """The position of each dimension of a result whose index dimensions come first.

        The index dimensions take the place of the first indexed one, or come first if indexed ones are not adjacent.
        """
        rank = len(self.batch)
        together = self.dims == tuple(range(self.dims[0], self.dims[0] + len(self.dims)))
        before = self.dims[0] if together else 0
        return [
            *range(before, before + rank),
            *range(before),
            *range(before + rank, rank + len(self.free)),
        ]

    def table(self, operand: Operand, w: GraphEmitter) -> Operand:
        """Return the tensor as a table (rows, width)."""
        return w.reshape(w.rearrange(operand, self.front), [self.height, self.width])

    def numbers(self, at: GraphLowering, w: GraphEmitter) -> Operand:
        """Return the row numbers, in one dimension."""
        rank = max(1, len(self.batch))
        places = []
        for dim, index in zip(self.dims, self.indices, strict=True):
            place = places_of(at, index, self.shape[dim], w)
            places.append(w.reshape(place, [*(1 for _ in range(rank - index.rank)), *index.shape][:rank]))
        number = table_rows.numbered(places, [self.shape[dim] for dim in self.dims], w)
        return w.reshape(w.broadcast(number, self.batch or [1]), [math.prod(self.batch)])


def _indexed(at: GraphLowering, value: AtenValue, indices: Indices) -> Any:
    """Read at positions: known positions that apply dimension by dimension are slices, others are rows of a table."""
    given = [(dim, index) for dim, index in enumerate(indices) if index is not None]
    if any(_is_truth(index) for _, index in given):
        raise at.refuse("the number of elements that a mask selects is not known", "torch.where(mask, x, 0)")
    if _are_apart([index for _, index in given], [dim for dim, _ in given]):
        for dim, index in given:
            assert index.known is not None
            value = taken(at, value, dim, index.known.flatten())
        return at.reshape(value, at.shape)
    how, w = _Indexed.of(at, value, indices), GraphEmitter(at)
    if how.dims == (0,) and value.rank == 2 and span_of(how.indices[0])[0] >= 0:
        return looked_up(at, value, how.indices[0])
    result = w.rows(how.table(at.operand(value), w), how.numbers(at, w))
    result = w.reshape(result, [*how.batch, *(how.shape[dim] for dim in how.free)])
    if not at.shape:
        return at.again(result, ())
    return at.again(w.rearrange(result, [how.order.index(dim) for dim in range(len(at.shape))]), at.shape)


def _are_apart(indices: Sequence[AtenValue], dims: Sequence[int]) -> bool:
    """Whether all positions are known and apply dimension by dimension.

    Several indexed dimensions must be adjacent, and each must have a result dimension of its own, in the same order.
    """
    if any(index.known is None for index in indices):
        return False
    if len(indices) == 1:
        return True
    if list(dims) != list(range(dims[0], dims[0] + len(dims))):
        return False
    rank = max(index.rank for index in indices)
    wide = [[1] * (rank - index.rank) + list(index.shape) for index in indices]
    return rank == len(indices) and all(
        extent == 1 for at, shape in enumerate(wide) for dim, extent in enumerate(shape) if dim != at
    )


def _index_selected(at: GraphLowering, value: AtenValue, dim: int, index: AtenValue) -> Any:
    if not value.rank:
        return value
    return _indexed(at, value, [None] * (dim % value.rank) + [index])


def _taken(at: GraphLowering, value: AtenValue, index: AtenValue) -> Any:
    return _indexed(at, at.reshape(value, (math.prod(value.shape),)), [index])


def _put(
    at: GraphLowering,
    value: AtenValue,
    indices: Indices,
    source: AtenValue,
    accumulate: bool = False,
    *_: Any,
) -> Any:
    """Write at positions: a mask becomes a choice between values; other positions write, or add to, rows of a table."""
    given = [index for index in indices if index is not None]
    if any(map(_is_truth, given)):
        return _put_by_mask(at, value, indices, source, accumulate)
    how, w = _Indexed.of(at, value, indices), GraphEmitter(at)
    count = math.prod(how.batch)
    shape = [*how.batch, *(how.shape[dim] for dim in how.free)]
    stands = [shape[at_] for at_ in (how.order.index(dim) for dim in range(len(shape)))]
    if count == 1 and how.dims == (2,) and not accumulate and is_cache(at, value):
        new = at.reshape(at.spread(source, stands), (*value.shape[:2], 1, value.shape[3]))
        return written_position(at, value, new, w.reshape(how.numbers(at, w), [1]))
    update = at.operand(at.spread(source, stands), at.dtype)
    if stands:
        update = w.rearrange(update, how.order)
    table = w.reshape(how.table(at.operand(value, at.dtype), w), [1, how.height, how.width])
    here = table_rows.hits(w.reshape(how.numbers(at, w), [1, count]), how.height, w)
    write = table_rows.added if accumulate else table_rows.last_written
    result = write(table, here, w.reshape(update, [1, count, how.width]), w)
    result = w.reshape(result, [how.shape[dim] for dim in how.front])
    back = [how.front.index(dim) for dim in range(value.rank)]
    return at.again(w.rearrange(result, back), at.shape)


def _put_by_mask(
    at: GraphLowering, value: AtenValue, indices: Indices, source: AtenValue, accumulate: bool
) -> Any:
    """Write one value, or one row, wherever a mask of the first dimensions holds."""
    mask = indices[0]
    if mask is None or len([one for one in indices if one is not None]) > 1:
        raise at.refuse(
            "a mask is combined with other indices", "torch.where(mask, new, x) with a mask of the shape of x"
        )
    rest = value.rank - mask.rank
    if source.rank > rest and source.shape[: source.rank - rest] != (1,) * (source.rank - rest):
        raise at.refuse(
            f"it writes one value for each element that the mask selects, {source.shape[0]} of them",
            "x.masked_scatter(mask, values), or torch.where(mask, new, x)",
        )
    row = at.reshape(source, source.shape[max(0, source.rank - rest) :])
    if accumulate:
        total = at.builder.add(at.operand(value, at.dtype), at.operand(at.spread(row, value.shape), at.dtype))
        row = at.again(total, value.shape)
    return at.choice(at.reshape(mask, (*mask.shape, *[1] * rest)), row, value)


def _put_flat(
    at: GraphLowering, value: AtenValue, index: AtenValue, source: AtenValue, accumulate: bool = False
) -> Any:
    flat = at.reshape(value, (math.prod(value.shape),))
    written = _put(at, flat, [index], at.reshape(source, index.shape), accumulate)
    return at.reshape(at.again(written.operand, flat.shape), at.shape)


def _masked_scattered(at: GraphLowering, value: AtenValue, mask: AtenValue, source: AtenValue) -> Any:
    """Write the elements of the source in order: the n-th one to the n-th place where a mask holds.

    A mask that is constant along each row, as ``mask.unsqueeze(-1).expand_as(x)``, takes whole rows of the source.
    """
    w = GraphEmitter(at)
    width = value.shape[-1] if value.rank > 1 and _is_of_rows(at, value) else 1
    count = math.prod(value.shape) // width
    held = at.reshape(at.spread(mask, value.shape), (count, width))
    column = w.range(_single(at, held, w), 1, 0, 1)
    number = w.elementwise("subtract", _counted_to(at, column, count, w), w.splat(1, column))
    number = at.counted(w.elementwise("maximum", number, w.splat(0, number)))
    height = math.prod(source.shape) // width
    flat = w.reshape(at.operand(source, at.dtype), [math.prod(source.shape)])
    rows_of = w.reshape(w.range(flat, 0, 0, height * width), [height, width])
    new = w.reshape(w.rows(rows_of, w.reshape(number, [count])), at.shape)
    return at.choice(mask, at.again(new, at.shape), value)


def _is_of_rows(at: GraphLowering, value: AtenValue) -> bool:
    """Whether the mask of the current node is repeated along the last dimension."""
    given = at.node.args[1]
    while "expand" in str(given.target) and given.meta["val"].shape == value.shape:
        given = given.args[0]
    shape = given.meta["val"].shape
    return len(shape) > 0 and shape[-1] == 1


def _single(at: GraphLowering, mask: AtenValue, w: GraphEmitter) -> Operand:
    import torch

    return w.typecast(at.operand(mask, torch.bool), SINGLE)


def _counted_to(at: GraphLowering, column: Operand, count: int, w: GraphEmitter) -> Operand:
    """Return the running sum of a column (count, 1), by two triangular matrices of about the root of the count."""
    import torch

    width = math.isqrt(count - 1) + 1 if count > 1 else 1
    height = -(-count // width)
    if height * width > count:
        column = w.concat([column, at.builder.constant(0, [height * width - count, 1])], 0)
    square = w.reshape(column, [height, width])
    inner = w.product(square, at.constant_of(torch.ones(width, width).triu()))
    totals = w.range(inner, 1, width - 1, width)
    before = w.product(at.constant_of(torch.ones(height, height).tril(-1)), totals)
    return w.range(w.reshape(w.elementwise("add", inner, before), [height * width, 1]), 0, 0, count)


_ROWS = "ttir.embedding"
TABLE = "ttir.eq, ttir.where, ttir.max, ttir.embedding"
SUMS = "ttir.eq, ttir.matmul, ttir.add"
_PARTS = "ttir.slice, ttir.concat, or ttir.matmul with zeros and ones"
COMPARED = "more than 2**27 comparisons of updates and rows"
ROWS = rows(
    ("index.Tensor _unsafe_index.Tensor", _indexed, f"{_PARTS} for known places; else {_ROWS}", "masks"),
    ("index_select.default", _index_selected, f"{_PARTS} for known places; else {_ROWS}"),
    ("take.default", _taken, f"{_PARTS} for known places; else {_ROWS}"),
    ("index_put.default index_put_.default _unsafe_index_put.default", _put, f"{TABLE}; {SUMS} with accumulate; ttir.where for masks", f"{COMPARED}, one value for each element that a mask selects"),
    ("put.default", _put_flat, f"{TABLE}; {SUMS} with accumulate", COMPARED),
    ("masked_scatter.default", _masked_scattered, "ttir.matmul with triangles of ones, ttir.embedding, ttir.where"),
)  # fmt: skip
