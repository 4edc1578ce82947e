"""The strategy of a result's shards, derived from the strategies of the tensors it is computed from.

Each chip computes by itself. If each chip computes its part of the whole tensors' result, the shards make up one tensor
along a known dimension; otherwise (a sum over the dimension that is cut) the strategy is None: not known. Dimensions
are counted from the last one, which operands are aligned by. A rule is applied to each axis of a mesh as if there were
no other.
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
# A rule: from the strategies of the inputs, including replicated ones, and their shapes on one chip, to the strategy of
# the result, whose shape on one chip is the last argument.
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
    """The dimensions that are cut, as negative numbers; None if they are not known."""
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
    """The rule for results of one element of each operand.

    An operand that is repeated must be the same on each chip.
    """
    cuts = [_cut(strategy, len(shape)) for strategy, shape in zip(inputs, shapes, strict=True)]
    if any(one is None for one in cuts):
        return None
    wanted = frozenset().union(*(one for one in cuts if one))
    for one, shape in zip(cuts, shapes, strict=True):
        for dim in wanted:
            extent = shape[dim] if len(shape) >= -dim else 1
            # An operand is either cut where the result is, or repeated there.
            if extent != (out[dim] if one is not None and dim in one else 1):
                return None
    return _along(next(iter(wanted)), len(out)) if len(wanted) == 1 else None


def same(inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape) -> AxisStrategy | None:
    """The rule for an elementwise operation on one tensor."""
    return inputs[0]


def within(dims: Sequence[int]) -> Follows:
    """Return the rule for an operation on one tensor along dimensions that keep their extents or become 1.

    Examples are softmax, and reductions that keep dimensions.
    """

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
    """Return the rule for a reduction along dimensions that are removed."""

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
    """Return the rule for a transposition."""

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
    """Return the rule for a concatenation, whose operands must all be cut along the same other dimension."""

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
    """The rule for another shape: the result is cut along a dimension with the same number of elements before it."""
    strategy, shape = inputs[0], shapes[0]
    if not isinstance(strategy, ShardAlong):
        return None
    before = prod(shape[: strategy.dim % len(shape)])
    fitting = [dim for dim in range(len(out)) if prod(out[:dim]) == before]
    larger = [dim for dim in fitting if out[dim] > 1]
    return ShardAlong((larger or fitting)[0]) if fitting else None


def kept(untouched: Callable[[int], bool]) -> Follows:
    """Return the rule for an operation on one tensor that leaves some dimensions (numbered from 0) unchanged."""

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
    """The rule for a matrix product, cut by rows of the first operand, columns of the second, or matrices of both."""
    if any(len(shape) < 2 for shape in shapes):
        return None
    first, second = (_cut(strategy, len(shape)) for strategy, shape in zip(inputs, shapes, strict=True))
    if first is None or second is None:
        return None
    if not second and len(first) == 1 and first != frozenset({-1}):
        dim = next(iter(first))
        # A whole second operand with several matrices along the cut dimension would belong to the whole first operand.
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
    """The rule for rows of a table by indices: the indices may be cut, or the columns of the table."""
    indices, table = (_cut(strategy, len(shape)) for strategy, shape in zip(inputs, shapes, strict=True))
    strategy = inputs[0]
    if table == frozenset() and isinstance(strategy, ShardAlong):
        return ShardAlong(strategy.dim % len(shapes[0]))
    if indices == frozenset() and table == frozenset({-1}):
        return ShardAlong(len(out) - 1)
    return None


def images(inputs: Sequence[AxisStrategy | None], shapes: Sequence[Shape], out: Shape) -> AxisStrategy | None:
    """The rule for windows over images flattened to ``1, 1, NHW, C``: each chip has whole images and all filters."""
    strategy = inputs[0]
    others = inputs[1:]
    if not isinstance(strategy, ShardAlong) or any(not isinstance(other, Replicate) for other in others):
        return None
    return ShardAlong(2) if prod(shapes[0][: strategy.dim % len(shapes[0])]) == 1 else None
