"""The strategy of a result's shards, derived from the strategies of the tensors it is computed from.

Chips compute for themselves. Where each chip computes its part of the result of the whole tensors, the shards make up one tensor
along a known dimension; otherwise (a sum over the dimension that is cut) the strategy is None: not known. Dimensions are counted
from the last one, by which operands are aligned. A rule is applied to each axis of a mesh as if there were no other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from tt_model.runtime.distribution import (
    NOT_KNOWN,
    AxisCut,
    Replicate,
    ShardAlong,
    ShardGrid,
    Strategy,
    axes_of,
    on_axes,
)

Shape = tuple[int, ...]
# From the strategies of the inputs, replicated ones included, and the shapes that one chip has of them, to that of the
# result, whose shape on one chip is the last argument.
AxisStrategy = Replicate | ShardAlong
Follows = Callable[[Sequence[AxisStrategy | None], Sequence[Shape], Shape], AxisStrategy | None]


def followed(
    follows: Follows, inputs: Sequence[Strategy | None], shapes: Sequence[Shape], out: Shape, chips: int
) -> Strategy | None:
    """The strategy of a result on a mesh of chips, by the rule of its operation."""
    meshes = {(one.rows, one.columns) for one in inputs if isinstance(one, ShardGrid)} or {(1, chips)}
    if len(meshes) > 1:
        return None
    (mesh,) = meshes
    cuts = [axes_of(one, chips, mesh) for one in inputs]

    def along(axis: int) -> AxisCut:
        if mesh[axis] == 1:
            return None
        own = [_of_axis(axes[axis][1], len(shape)) for axes, shape in zip(cuts, shapes, strict=True)]
        if all(isinstance(one, Replicate) for one in own):
            return None
        strategy = follows(own, shapes, out)
        return NOT_KNOWN if strategy is None else strategy.dim if isinstance(strategy, ShardAlong) else None

    return on_axes(mesh, (along(0), along(1)))


def _of_axis(cut: AxisCut, rank: int) -> AxisStrategy | None:
    if cut is NOT_KNOWN:
        return None
    return Replicate() if cut is None else ShardAlong(cut % rank)


def _cut(strategy: AxisStrategy | None, rank: int) -> frozenset[int] | None:
    """The dimensions that are cut, below zero; None where they are not known."""
    match strategy:
        case Replicate():
            return frozenset()
        case ShardAlong(dim):
            return frozenset({dim % rank - rank})
    return None


def _along(dim: int, rank: int) -> AxisStrategy | None:
    return ShardAlong(dim + rank) if -rank <= dim < 0 else None


def elementwise(
    inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape
) -> AxisStrategy | None:
    """Results of one element of each operand. An operand that is repeated must be the same on each chip."""
    cuts = [_cut(strategy, len(shape)) for strategy, shape in zip(inputs, shapes, strict=True)]
    if any(one is None for one in cuts):
        return None
    wanted = frozenset().union(*(one for one in cuts if one))
    for one, shape in zip(cuts, shapes, strict=True):
        for dim in wanted:
            extent = shape[dim] if len(shape) >= -dim else 1
            # An operand is cut where the result is, or repeated there; what is cut is not repeated as well.
            if extent != (out[dim] if one is not None and dim in one else 1):
                return None
    return _along(next(iter(wanted)), len(out)) if len(wanted) == 1 else None


def same(inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape) -> AxisStrategy | None:
    """The strategies of an element-wise operation on one tensor."""
    return inputs[0]


def within(dims: Sequence[int]) -> Follows:
    """Return the rule for one tensor, along dimensions that keep their extents or become 1 (softmax, reductions that keep them)."""

    def follow(
        inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape
    ) -> AxisStrategy | None:
        rank = len(shapes[0])
        cut = _cut(inputs[0], rank)
        if cut is None or cut & {dim % rank - rank for dim in dims}:
            return None
        return inputs[0]

    return follow


def reduced(dims: Sequence[int]) -> Follows:
    """A reduction along dimensions that are gone after it."""

    def follow(
        inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape
    ) -> AxisStrategy | None:
        rank = len(shapes[0])
        gone = {dim % rank for dim in dims}
        strategy = inputs[0]
        if not isinstance(strategy, ShardAlong) or strategy.dim % rank in gone:
            return None
        dim = strategy.dim % rank
        return ShardAlong(dim - sum(one < dim for one in gone))

    return follow


def swapped(first: int, second: int) -> Follows:
    """A transposition."""

    def follow(
        inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape
    ) -> AxisStrategy | None:
        rank = len(out)
        places = {first % rank: second % rank, second % rank: first % rank}
        strategy = inputs[0]
        if not isinstance(strategy, ShardAlong):
            return None
        dim = strategy.dim % rank
        return ShardAlong(places.get(dim, dim))

    return follow


def concatenated(along: int) -> Follows:
    """A concatenation, right where all operands are cut alike along another dimension."""

    def follow(
        inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape
    ) -> AxisStrategy | None:
        first = inputs[0]
        if any(other != first for other in inputs):
            return None
        return within([along])(inputs, shapes, out)

    return follow


def reshaped(
    inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape
) -> AxisStrategy | None:
    """Another shape: the dimension before which there are as many elements as before the one that is cut."""
    strategy, shape = inputs[0], shapes[0]
    if not isinstance(strategy, ShardAlong):
        return None
    before = prod(shape[: strategy.dim % len(shape)])
    fitting = [dim for dim in range(len(out)) if prod(out[:dim]) == before]
    larger = [dim for dim in fitting if out[dim] > 1]
    return ShardAlong((larger or fitting)[0]) if fitting else None


def kept(untouched: Callable[[int], bool]) -> Follows:
    """An operation of one tensor that leaves dimensions, by their numbers from 0, as they are."""

    def follow(
        inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape
    ) -> AxisStrategy | None:
        strategy = inputs[0]
        rank = len(shapes[0])
        if isinstance(strategy, ShardAlong) and untouched(strategy.dim % rank):
            return ShardAlong(strategy.dim % rank)
        return None

    return follow


def product(
    inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape
) -> AxisStrategy | None:
    """A matrix product: rows of the first, columns of the second, or matrices of both."""
    if any(len(shape) < 2 for shape in shapes):
        return None
    first, second = (_cut(strategy, len(shape)) for strategy, shape in zip(inputs, shapes, strict=True))
    if first is None or second is None:
        return None
    if not second and len(first) == 1 and first != frozenset({-1}):
        dim = next(iter(first))
        # A whole second operand with matrices of its own for what is cut would be that of the whole tensor.
        repeated = dim == -2 or len(shapes[1]) < -dim or shapes[1][dim] == 1
        return _along(dim, len(out)) if repeated else None
    if not first and len(second) == 1 and second != frozenset({-2}):
        dim = next(iter(second))
        repeated = dim == -1 or len(shapes[0]) < -dim or shapes[0][dim] == 1
        return _along(dim, len(out)) if repeated else None
    if first == second and len(first) == 1 and next(iter(first)) < -2:
        return _along(next(iter(first)), len(out))
    return None


def looked_up(
    inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape
) -> AxisStrategy | None:
    """Rows of a table by indices: the indices are cut, or the columns of the table."""
    indices, table = (_cut(strategy, len(shape)) for strategy, shape in zip(inputs, shapes, strict=True))
    strategy = inputs[0]
    if table == frozenset() and isinstance(strategy, ShardAlong):
        return ShardAlong(strategy.dim % len(shapes[0]))
    if indices == frozenset() and table == frozenset({-1}):
        return ShardAlong(len(out) - 1)
    return None


def images(inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape) -> AxisStrategy | None:
    """Windows over images that are flattened to ``1, 1, NHW, C``: whole images are on each chip, the filters on all."""
    strategy = inputs[0]
    others = inputs[1:]
    if not isinstance(strategy, ShardAlong) or any(not isinstance(other, Replicate) for other in others):
        return None
    return ShardAlong(2) if prod(shapes[0][: strategy.dim % len(shapes[0])]) == 1 else None
