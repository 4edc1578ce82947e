"""Functions of ATen that rearrange elements: shapes, slices, concatenations, tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

from ttmlir.compositions.dimensions import MOST_DIMENSIONS, permuted
from ttmlir.torch.emitter import GraphEmitter
from ttmlir.torch.functions.caches import written_range
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.row import AtenValue, rows

if TYPE_CHECKING:
    import torch

# Up to this many ranges of positions become slices; more become a product with a 0/1 matrix.
_MOST_RANGES = 16
_LARGEST = (1 << 63) - 1


def _reshaped(at: GraphLowering, value: AtenValue, *_: Any) -> Any:
    """Reshape to the shape of the result, whatever the arguments that specify it."""
    return at.reshape(value, at.shape)


def _permuted(at: GraphLowering, value: AtenValue, dims: Sequence[int]) -> Any:
    order = [dim % value.rank for dim in dims]
    if order == list(range(value.rank)):
        return value
    if value.rank > MOST_DIMENSIONS:
        operand = permuted(at.operand(value), value.shape, order, GraphEmitter(at))
        return AtenValue(at.shape, value.dtype, operand=operand)
    return at.builder.permute(at.operand(value), dims)


def _transposed(at: GraphLowering, value: AtenValue, dim0: int = 0, dim1: int = 1) -> Any:
    if value.rank < 2 or dim0 % value.rank == dim1 % value.rank:
        return value
    if value.rank > MOST_DIMENSIONS:
        order = list(range(value.rank))
        order[dim0], order[dim1] = order[dim1], order[dim0]
        return _permuted(at, value, order)
    return at.builder.transpose(at.operand(value), dim0, dim1)


def _transposed_matrices(at: GraphLowering, value: AtenValue) -> Any:
    return _transposed(at, value, -2, -1)


def _reversed(at: GraphLowering, value: AtenValue) -> Any:
    return _permuted(at, value, range(value.rank)[::-1]) if value.rank > 2 else _transposed(at, value)


def _expanded(at: GraphLowering, value: AtenValue, *_: Any) -> Any:
    return at.spread(value, at.shape)


def _repeated(at: GraphLowering, value: AtenValue, repeats: Sequence[int]) -> Any:
    shape = [1] * (len(repeats) - value.rank) + list(value.shape)
    operand = at.operand(at.reshape(value, shape))
    for dim, count in enumerate(repeats):
        if count > 1:
            operand = at.builder.concat([operand] * count, dim)
    return at.again(operand, at.shape)


def _joined(at: GraphLowering, values: Sequence[AtenValue], dim: int = 0) -> Any:
    # An empty list is a tensor of shape (0,), which torch ignores.
    operands = [at.operand(one, at.dtype) for one in values if one.shape != (0,)]
    return at.again(operands[0], at.shape) if len(operands) == 1 else at.builder.concat(operands, dim)


def _stacked(at: GraphLowering, values: Sequence[AtenValue], dim: int = 0) -> Any:
    at_dim = dim % len(at.shape)
    apart = [at.reshape(one, [*one.shape[:at_dim], 1, *one.shape[at_dim:]]) for one in values]
    return _joined(at, apart, at_dim)


# Parts.


def _part(at: GraphLowering, value: AtenValue, dim: int, begin: int, end: int, step: int = 1) -> Any:
    """Slice one dimension."""
    if (begin, end, step) == (0, value.shape[dim], 1):
        return at.operand(value)
    begins, ends, steps = [0] * value.rank, list(value.shape), [1] * value.rank
    begins[dim], ends[dim], steps[dim] = begin, end, step
    return at.builder.slice(at.operand(value), begins, ends, steps)


def _sliced(
    at: GraphLowering,
    value: AtenValue,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Any:
    dim %= value.rank
    stop = None if end is None or end >= _LARGEST else end
    begin, last, by = slice(start, stop, step).indices(value.shape[dim])
    if begin >= last:
        raise at.refuse("its result has no elements", "a range that is not empty")
    if (begin, last, by) == (0, value.shape[dim], 1):
        return value
    return _part(at, value, dim, begin, last, by)


def _narrowed(at: GraphLowering, value: AtenValue, dim: int, start: int, length: int) -> Any:
    return _sliced(at, value, dim, start, start + length)


def _selected(at: GraphLowering, value: AtenValue, dim: int, index: int) -> Any:
    dim %= value.rank
    position = index % value.shape[dim]
    part = _part(at, value, dim, position, position + 1)
    return at.reshape(at.again(part, tuple(at.builder.get_shape(part))), at.shape)


def _split(at: GraphLowering, value: AtenValue, sizes: int | Sequence[int], dim: int = 0) -> Any:
    dim %= value.rank
    extent = value.shape[dim]
    if isinstance(sizes, int):
        sizes = [min(sizes, extent - begin) for begin in range(0, extent, sizes)]
    begins = [sum(sizes[:index]) for index in range(len(sizes))]
    return [_part(at, value, dim, begin, begin + size) for begin, size in zip(begins, sizes)]


def _in_chunks(at: GraphLowering, value: AtenValue, count: int, dim: int = 0) -> Any:
    return _split(at, value, -(-value.shape[dim] // count), dim)


def _unbound(at: GraphLowering, value: AtenValue, dim: int = 0) -> Any:
    return [_selected(at, value, dim, index) for index in range(value.shape[dim])]


def _put_slice(
    at: GraphLowering,
    value: AtenValue,
    source: AtenValue,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Any:
    """Replace a range of a tensor: join the elements before it, the new part, and the elements behind it.

    With a step, the elements between the new ones are kept.
    """
    dim %= value.rank
    stop = None if end is None or end >= _LARGEST else end
    begin, last, _ = slice(start, stop).indices(value.shape[dim])
    if begin >= last:
        return value
    in_place = written_range(at, value, source, dim, range(begin, last, step))
    if in_place is not None:
        return in_place
    parts = [at.operand(source, at.dtype)]
    if step != 1:
        parts = _with_what_is_between(at, value, source, dim, (begin, last, step))
    if begin:
        parts.insert(0, _part(at, value, dim, 0, begin))
    if last < value.shape[dim]:
        parts.append(_part(at, value, dim, last, value.shape[dim]))
    return at.builder.concat(parts, dim) if len(parts) > 1 else parts[0]


def _with_what_is_between(
    at: GraphLowering, value: AtenValue, source: AtenValue, dim: int, places: tuple[int, int, int]
) -> list[Any]:
    parts = []
    for number, position in enumerate(range(*places)):
        parts.append(_part(at, source, dim, number, number + 1))
        end = min(position + places[2], places[1])
        if position + 1 < end:
            parts.append(_part(at, value, dim, position + 1, end))
    return parts


def _put_selected(at: GraphLowering, value: AtenValue, source: AtenValue, dim: int, index: int) -> Any:
    dim %= value.rank
    position = index % value.shape[dim]
    shape = [*source.shape[:dim], 1, *source.shape[dim:]]
    return _put_slice(at, value, at.reshape(source, shape), dim, position, position + 1)


def _flipped(at: GraphLowering, value: AtenValue, dims: Sequence[int]) -> Any:
    import torch

    for dim in dims:
        extent = value.shape[dim]
        value = taken(at, value, dim % value.rank, torch.arange(extent - 1, -1, -1))
    return value


def _rolled(at: GraphLowering, value: AtenValue, shifts: Sequence[int], dims: Sequence[int] = ()) -> Any:
    if not dims:
        flat = at.reshape(value, (prod(value.shape),))
        return at.reshape(_rolled(at, flat, shifts, [0]), at.shape)
    for shift, dim in zip(shifts, dims):
        extent = value.shape[dim]
        first = -shift % extent
        if first:
            parts = [_part(at, value, dim % value.rank, *one) for one in ((first, extent), (0, first))]
            value = at.again(at.builder.concat(parts, dim % value.rank), value.shape)
    return value


def _diagonal(at: GraphLowering, value: AtenValue, offset: int = 0, first: int = 0, second: int = 1) -> Any:
    """Return a diagonal of two dimensions at an offset, as one dimension."""
    w, (first, second) = GraphEmitter(at), (first % value.rank, second % value.rank)
    others = [dim for dim in range(value.rank) if dim not in (first, second)]
    begin, _, step = _on_diagonal(value.shape[first], value.shape[second], offset)
    shape = [*at.shape[:-1], value.shape[first] * value.shape[second]]
    flat = w.reshape(w.rearrange(at.operand(value), [*others, first, second]), shape)
    last = begin + (at.shape[-1] - 1) * step + 1
    return w.range(flat, len(shape) - 1, begin, last, step)


def _on_diagonal(height: int, width: int, offset: int) -> tuple[int, int, int]:
    """Return the begin of a diagonal in a row-major matrix, the number of its elements, and their distance."""
    begin = offset if offset >= 0 else -offset * width
    count = min(height, width - offset) if offset >= 0 else min(height + offset, width)
    return begin, count, width + 1


def _put_diagonal(
    at: GraphLowering, value: AtenValue, source: AtenValue, offset: int = 0, first: int = 0, second: int = 1
) -> Any:
    """Write a diagonal: repeat it to a matrix, and choose it where a 0/1 mask of the diagonal holds."""
    import torch

    w, (first, second) = GraphEmitter(at), (first % value.rank, second % value.rank)
    order = [*(dim for dim in range(value.rank) if dim not in (first, second)), first, second]
    height, width = value.shape[first], value.shape[second]
    _, count, _ = _on_diagonal(height, width, offset)
    mask = torch.zeros(height, width)
    mask.diagonal(offset).fill_(1)
    own = w.rearrange(at.operand(value), order)
    column = w.reshape(at.operand(source, at.dtype), [*source.shape, 1])
    above, rank = max(0, -offset), len(order)
    for begin, missing in ((0, above), (1, height - above - count)):
        if missing:
            zeros = w.broadcast(w.splat(0, column), [*source.shape[:-1], missing, 1])
            column = w.concat([column, zeros] if begin else [zeros, column], rank - 2)
    truth = at.operand(AtenValue.of(mask.reshape([1] * (rank - 2) + [height, width])), at.dtype)
    new = w.choose(truth, column, own)
    return w.rearrange(new, [order.index(dim) for dim in range(rank)])


def _unfolded(at: GraphLowering, value: AtenValue, dim: int, size: int, step: int) -> Any:
    """Return windows of one dimension; the elements of a window are the last dimension of the result."""
    import torch

    dim %= max(1, value.rank)
    count = at.shape[dim]
    places = (torch.arange(count)[:, None] * step + torch.arange(size)).flatten()
    windows = at.operand(taken(at, value, dim, places))
    w, shape = GraphEmitter(at), value.shape
    apart = w.reshape(windows, [prod(shape[:dim]), count, size, prod(shape[dim + 1 :])])
    return w.reshape(w.rearrange(apart, [0, 1, 3, 2]), at.shape)


def _padded(at: GraphLowering, value: AtenValue, pads: Sequence[int], number: float = 0) -> Any:
    """Pad each dimension, the last one first, with a number in front and behind; negative amounts remove elements."""
    for index, (low, high) in enumerate(zip(pads[::2], pads[1::2])):
        value = pad(at, value, value.rank - 1 - index, low, high, number)
    return value


def pad(at: GraphLowering, value: AtenValue, dim: int, low: int, high: int, number: float) -> AtenValue:
    """Add ``low`` and ``high`` elements along a dimension; negative numbers remove elements."""
    extent = value.shape[dim]
    operand = _part(at, value, dim, max(0, -low), extent - max(0, -high))
    shape = list(at.builder.get_shape(operand))
    parts = [operand]
    for position, count in ((0, low), (len(parts), high)):
        if count > 0:
            edge = [*shape[:dim], count, *shape[dim + 1 :]]
            parts.insert(
                position if position == 0 else len(parts),
                at.builder.constant(number, edge, at.builder.element_of(operand)),
            )
    joined = at.builder.concat(parts, dim) if len(parts) > 1 else operand
    return at.again(joined, tuple(at.builder.get_shape(joined)))


def _triangle(name: str) -> Any:
    def rule(at: GraphLowering, value: AtenValue, diagonal: int = 0) -> Any:
        import torch

        mask = getattr(torch, name)(torch.ones(value.shape[-2:]), diagonal)
        return at.builder.multiply(at.operand(value), at.operand(AtenValue.of(mask), at.dtype))

    return rule


# Tables, and known positions.


def _embedded(
    at: GraphLowering,
    table: AtenValue,
    numbers: AtenValue,
    padding: int = -1,
    scaled: bool = False,
    sparse: bool = False,
) -> Any:
    # The row for padding and the scaling of gradients matter in training only.
    if numbers.known is not None:
        flat = numbers.known.flatten()
        return at.reshape(taken(at, table, 0, flat), at.shape)
    return looked_up(at, table, numbers)


def looked_up(at: GraphLowering, table: AtenValue, numbers: AtenValue) -> AtenValue:
    """Gather rows of a table by unknown numbers, to the shape of the numbers and the length of a row."""
    import math

    import torch

    if numbers.dtype.is_floating_point or str(numbers.dtype) == "torch.bool":
        raise at.refuse(f"the row numbers are of the type {numbers.dtype}", "whole numbers: tensor.long()")
    operand = at.operand(numbers, torch.int64)
    if numbers.rank > 2:
        operand = at.builder.reshape(operand, [math.prod(numbers.shape[:-1]), numbers.shape[-1]])
    rows_of = at.builder.embedding(operand, at.operand(table))
    shape = tuple(at.builder.get_shape(rows_of))
    return at.reshape(at.again(rows_of, shape), (*numbers.shape, table.shape[1]))


def taken(at: GraphLowering, value: AtenValue, dim: int, positions: torch.Tensor) -> AtenValue:
    """Return the elements at positions of one dimension: as ranges, or, if these are many, as a product with zeros and ones."""
    import torch

    extent = value.shape[dim]
    numbers = [int(one) % extent for one in positions.tolist()]
    ranges = _ranges(numbers)
    if len(ranges) <= _MOST_RANGES or not at.dtype.is_floating_point:
        parts = [_part(at, value, dim, begin, end, step) for begin, end, step in ranges]
        joined = parts[0] if len(parts) == 1 else at.builder.concat(parts, dim)
        return at.again(joined, (*value.shape[:dim], len(numbers), *value.shape[dim + 1 :]))
    chosen = torch.zeros(len(numbers), extent)
    chosen[torch.arange(len(numbers)), torch.tensor(numbers)] = 1
    return at.mixed(value, dim, chosen)


def _ranges(numbers: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return numbers as ascending ranges: (begin, end, step)."""
    ranges: list[tuple[int, int, int]] = []
    position = 0
    while position < len(numbers):
        begin = numbers[position]
        step = max(1, numbers[position + 1] - begin) if position + 1 < len(numbers) else 1
        last = position
        while last + 1 < len(numbers) and numbers[last + 1] - numbers[last] == step:
            last += 1
        if last == position:
            step = 1
        ranges.append((begin, numbers[last] + 1, step))
        position = last + 1
    return ranges


def _embedding_bag(
    at: GraphLowering,
    table: AtenValue,
    numbers: AtenValue,
    offsets: AtenValue,
    scaled: bool = False,
    mode: int = 0,
    sparse: bool = False,
    weights: AtenValue | None = None,
    has_last: bool = False,
    padding: int = -1,
) -> Any:
    """Sums, means or maxima of rows by bags: a reduction for bags of equal length, else a product with a matrix."""
    import torch

    if offsets.known is None:
        raise at.refuse(
            "the beginnings of the bags are not known", "bags of one length: numbers of shape (bags, length)"
        )
    if padding is not None and padding >= 0:
        raise at.refuse(f"padding_idx is {padding}", "a row of zeros in the table, and mode 'sum'")
    (count,), bags = numbers.shape, at.shape[0]
    begins = [*offsets.known.tolist()[:bags], count]
    sizes = [end - begin for begin, end in pairwise(begins)]
    looked = looked_up(at, table, numbers)
    if weights is not None:
        column = at.reshape(weights, (count, 1))
        looked = at.again(at.builder.multiply(at.operand(looked), at.operand(column)), looked.shape)
    width = table.shape[1]
    others = [None, None, None]
    if len(set(sizes)) == 1:
        apart = at.operand(at.reshape(looked, (bags, sizes[0], width)))
        name = ("sum", "mean", "max")[mode]
        return [getattr(at.builder, name)(apart, [1], False), *others]
    if mode == 2:
        raise at.refuse("maxima of bags of several lengths", "bags of one length, or mode 'sum' or 'mean'")
    matrix = torch.zeros(bags, count)
    for bag, (begin, size) in enumerate(zip(begins, sizes)):
        matrix[bag, begin : begin + size] = 1 / size if mode == 1 and size else 1
    return [at.mixed(looked, 0, matrix), *others]


_RESHAPE = "ttir.reshape"
_SLICE = "ttir.slice"
_PARTS = "ttir.slice, ttir.concat, or ttir.matmul with zeros and ones"
ROWS = rows(
    ("view.default reshape.default _unsafe_view.default flatten.using_ints unflatten.int", _reshaped, _RESHAPE),
    ("squeeze.default squeeze.dim squeeze.dims unsqueeze.default", _reshaped, _RESHAPE),
    ("permute.default", _permuted, "ttir.reshape, ttir.transpose"),
    ("transpose.int t.default", _transposed, "ttir.transpose"),
    ("mT.default", _transposed_matrices, "ttir.transpose"),
    ("numpy_T.default", _reversed, "ttir.reshape, ttir.transpose"),
    ("expand.default", _expanded, "ttir.reshape, ttir.broadcast"),
    ("repeat.default", _repeated, "ttir.concat"),
    ("cat.default", _joined, "ttir.concat"),
    ("stack.default", _stacked, "ttir.reshape, ttir.concat"),
    ("slice.Tensor", _sliced, _SLICE, "an empty range"),
    ("narrow.default", _narrowed, _SLICE),
    ("select.int", _selected, "ttir.slice, ttir.reshape"),
    ("split.Tensor split_with_sizes.default", _split, _SLICE),
    ("chunk.default", _in_chunks, _SLICE),
    ("unbind.int", _unbound, "ttir.slice, ttir.reshape"),
    ("slice_scatter.default", _put_slice, "ttir.slice, ttir.concat"),
    ("select_scatter.default", _put_selected, "ttir.slice, ttir.concat"),
    ("flip.default", _flipped, _PARTS),
    ("roll.default", _rolled, "ttir.slice, ttir.concat"),
    ("diagonal.default diagonal_copy.default", _diagonal, "ttir.transpose, ttir.reshape, ttir.slice"),
    ("diagonal_scatter.default", _put_diagonal, "ttir.transpose, ttir.concat, ttir.broadcast, ttir.where with zeros and ones"),
    ("unfold.default unfold_copy.default", _unfolded, f"{_PARTS}, ttir.reshape, ttir.transpose"),
    ("constant_pad_nd.default", _padded, "ttir.slice, ttir.concat"),
    ("tril.default", _triangle("tril"), "ttir.multiply with zeros and ones"),
    ("triu.default", _triangle("triu"), "ttir.multiply with zeros and ones"),
    ("embedding.default", _embedded, f"ttir.embedding; for numbers that are known {_PARTS}"),
    ("embedding_bag.padding_idx _embedding_bag.default _embedding_bag_forward_only.default", _embedding_bag, "ttir.embedding, ttir.multiply for weights, ttir.sum, ttir.mean or ttir.max, or ttir.matmul", "bags whose begin is not known, padding_idx"),
)  # fmt: skip
