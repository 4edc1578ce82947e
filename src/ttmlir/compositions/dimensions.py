"""Tensors of more dimensions than TTNN has: operations on them use fewer, by joining dimensions that are treated alike.

Reshapes to many dimensions leave the elements as they are in memory: only the shape is recorded, until an operation
needs the elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import prod

from ttmlir.compositions.emitter import TensorEmitter, Value

# The limit of TTNN's reshape.
MOST_DIMENSIONS = 5

Shape = tuple[int, ...]


def program_shape(shape: Sequence[int]) -> Shape:
    """The shape of a framework's tensor as an argument of a program, which has one to five dimensions."""
    leading = len(shape) - MOST_DIMENSIONS + 1
    return (prod(shape[:leading]), *shape[leading:]) if leading > 1 else tuple(shape) or (1,)


def joined(shapes: Sequence[Sequence[int]]) -> list[range]:
    """Group adjacent dimensions so that each tensor broadcasts along all dimensions of a group, or along none.

    All shapes have the rank of the common shape, which is the last. The last dimension stays apart where it may: tiles
    are of the last two.
    """
    *_, whole = shapes
    groups: list[range] = []
    before: tuple[bool, ...] | None = None
    for dim, extent in enumerate(whole):
        repeated = tuple(shape[dim] != extent for shape in shapes)
        if groups and (extent == 1 or repeated == before or before is None):
            groups[-1] = range(groups[-1].start, dim + 1)
        else:
            groups.append(range(dim, dim + 1))
        before = before if extent == 1 else repeated
    last = groups[-1]
    if len(last) > 1 and len(groups) < MOST_DIMENSIONS:
        groups[-1:] = [last[:-1], last[-1:]]
    return groups


def split_at(rank: int, dims: Sequence[int]) -> list[range]:
    """Group all dimensions so that each group lies entirely within the given dimensions, or entirely outside."""
    groups = []
    for _, run in groupby(range(rank), lambda dim: dim in dims):
        several = list(run)
        groups.append(range(several[0], several[-1] + 1))
    return groups


def kept_apart(rank: int, dims: Sequence[int]) -> list[range]:
    """Group all dimensions: each of the given ones by itself, and those between them together."""
    return [
        one
        for group in split_at(rank, dims)
        for one in ([range(dim, dim + 1) for dim in group] if group.start in dims else [group])
    ]


def shape_by(shape: Sequence[int], groups: Sequence[range]) -> Shape:
    """The extents of groups of dimensions."""
    return tuple(prod(shape[dim] for dim in group) for group in groups)


def permuted(value: Value, shape: Sequence[int], permutation: Sequence[int], w: TensorEmitter) -> Value:
    """Permute a tensor of any number of dimensions, in a shape of fewer; if these are too many, in several steps."""
    groups: list[list[int]] = []
    for dim in permutation:
        if groups and groups[-1][-1] == dim - 1:
            groups[-1].append(dim)
        else:
            groups.append([dim])
    before = sorted(groups)
    extents = [prod(shape[dim] for dim in group) for group in before]
    order = [before.index(group) for group in groups]
    if len(order) <= MOST_DIMENSIONS:
        return w.rearrange(w.reshape(value, extents), order)
    now = list(range(len(order)))
    for place, wanted in enumerate(order):
        at = now.index(wanted)
        if at == place:
            continue
        sizes = [extents[group] for group in now]
        parts = [sizes[:place], sizes[place:at], sizes[at : at + 1], sizes[at + 1 :]]
        value = w.rearrange(w.reshape(value, [prod(part) for part in parts]), [0, 2, 1, 3])
        now.insert(place, now.pop(at))
    return value
