"""The shapes of results, from the shapes of operands and from numbers, for verifiers, passes and the runtime."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

EntryT = TypeVar("EntryT")
Shape = tuple[int, ...]
Pair = tuple[int, int]


def broadcast_shapes(first: Shape, second: Shape) -> Shape | None:
    """The shape that both shapes can be repeated to, by NumPy's rule, or None."""
    if first == second:
        return first
    longer, shorter = (first, second) if len(first) >= len(second) else (second, first)
    shape = list(longer)
    offset = len(longer) - len(shorter)
    for index, extent in enumerate(shorter):
        other = longer[offset + index]
        if extent == other or extent == 1:
            continue
        if other != 1:
            return None
        shape[offset + index] = extent
    return tuple(shape)


def window_positions(
    extent: int, size: int, stride: int, padding: Pair = (0, 0), dilation: int = 1, *, ceil_mode: bool = False
) -> int:
    """Return the number of positions of a window along a dimension; 0 if it does not fit.

    With ``ceil_mode`` the last window may reach beyond the padding after the tensor, if it begins within the tensor or
    the padding before it.
    """
    low, high = padding
    room = extent + low + high - (size - 1) * dilation - 1
    if room < 0:
        return 0
    if not ceil_mode:
        return room // stride + 1
    last = -(-room // stride)
    return last + (last * stride < extent + low)


def spread(extent: int, factor: int) -> int:
    """The extent of a dimension with ``factor - 1`` fillers between neighbours."""
    return (extent - 1) * factor + 1 if extent else 0


def joined(shapes: Sequence[Shape], dim: int) -> Shape:
    """Return the shape of tensors joined along ``dim``, counted from the front; other extents must be equal."""
    first = shapes[0]
    return (*first[:dim], sum(shape[dim] for shape in shapes), *first[dim + 1 :])


def exchanged(dims: Sequence[EntryT], *exchanges: Pair) -> tuple[EntryT, ...]:
    """Return a sequence with an entry per dimension, such as extents, after exchanging dimensions, pair after pair."""
    result = list(dims)
    for first, second in exchanges:
        result[first], result[second] = result[second], result[first]
    return tuple(result)


def exchanges_of(current: Sequence[object], wanted: Sequence[object]) -> list[Pair]:
    """The smallest list of exchanges of two dimensions that brings the labels of dimensions into another order."""
    order, pairs = tuple(current), list[Pair]()
    for position, label in enumerate(wanted):
        other = order.index(label)
        if other != position:
            pairs.append((position, other))
            order = exchanged(order, pairs[-1])
    return pairs


def reduced(shape: Shape, dims: Iterable[int] | None, *, keep: bool, kept: int = 1) -> Shape:
    """Return the shape of a reduction along ``dims``, or along all dimensions if None.

    With ``keep``, reduced dimensions stay, with the extent ``kept``. Dimensions may count from the end. There are no
    tensors without dimensions: if no dimension is left, the shape is ``(1,)``.
    """
    rank = len(shape)
    gone = set(range(rank)) if dims is None else {dim % rank for dim in dims}
    if keep:
        return tuple(kept if dim in gone else extent for dim, extent in enumerate(shape))
    return tuple(extent for dim, extent in enumerate(shape) if dim not in gone) or (1,)


def gathered(numbers: Shape, sizes: Shape, taken: Iterable[int], offset_dims: Sequence[int]) -> Shape:
    """Return the shape of slices of ``sizes``, without the dimensions ``taken``, one for each of ``numbers``.

    The dimensions of a slice are at ``offset_dims``.
    """
    absent = set(taken)
    kept = dict(
        zip(
            sorted(offset_dims),
            (size for dim, size in enumerate(sizes) if dim not in absent),
            strict=True,
        )
    )
    others = iter(numbers)
    return tuple(kept[dim] if dim in kept else next(others) for dim in range(len(numbers) + len(offset_dims)))
