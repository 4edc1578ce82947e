"""Where an element of a tensor lies, as linear functions of its position in the blocks of a region.

An operation that only moves elements (reshape, transpose, slice, broadcast) need not run if the readers of its result
read its operand at other places instead. A view describes these places: for each dimension of a tensor, an offset and a
multiple of the position along each axis of the region. Axes are numbered: those of the region's domain, then the inner
axis of a product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from tt_model.operations.operation import TTIROperation
from tt_model.operations.result_shapes import exchanged
from tt_model.operations.shared import TTIRReshapeOp, TTIRSliceOp, TTIRTransposeOp
from tt_model.operations.ttir import TTIRBroadcastOp, TTIRSqueezeOp, TTIRUnsqueezeOp

Shape = tuple[int, ...]

MOVEMENTS = (
    TTIRBroadcastOp,
    TTIRReshapeOp,
    TTIRSliceOp,
    TTIRSqueezeOp,
    TTIRTransposeOp,
    TTIRUnsqueezeOp,
)
"""Operations whose result has the elements of their first operand at other places."""


@dataclass(frozen=True, slots=True)
class ElementPlace:
    """A position along one dimension: ``offset`` plus, for each term, the position along an axis times a factor.

    A term is the number of the axis and the factor.
    """

    offset: int = 0
    terms: tuple[tuple[int, int], ...] = ()

    @property
    def axis(self) -> int | None:
        """The axis whose position this is, without an offset, a factor or a second axis; else None."""
        if self.offset == 0 and len(self.terms) == 1 and self.terms[0][1] == 1:
            return self.terms[0][0]
        return None


View = tuple[ElementPlace, ...]


def along(axis: int, extent: int) -> ElementPlace:
    """The position along an axis of that extent. Along one element it is always 0."""
    return ElementPlace(0, ((axis, 1),)) if extent != 1 else ElementPlace()


def axes_of(view: View) -> set[int]:
    """The axes that a view depends on."""
    return {axis for place in view for axis, _ in place.terms}


def is_plain(view: View, shape: Shape, extents: Sequence[int]) -> bool:
    """Whether each dimension of a tensor is one whole axis, or one element."""
    axes = [place.axis for place in view]
    used = [axis for axis in axes if axis is not None]
    return len(used) == len(set(used)) and all(
        extent == (extents[axis] if axis is not None else 1) and (axis is not None or place == ElementPlace())
        for place, axis, extent in zip(view, axes, shape, strict=True)
    )


def before(
    op: TTIROperation, view: View, operand: Shape, result: Shape, extents: Sequence[int]
) -> View | None:
    """Return the view of a movement's operand for a reader that sees its result as ``view``; None if not linear."""
    match op:
        case TTIRTransposeOp():
            return exchanged(view, (op.dim0, op.dim1))
        case TTIRSliceOp():
            ranges = (
                slice(begin, end, step).indices(extent)
                for begin, end, step, extent in zip(op.begins, op.ends, op.step, operand, strict=True)
            )
            return tuple(
                _sum(start + step * place.offset, {axis: step * stride for axis, stride in place.terms})
                for place, (start, _, step) in zip(view, ranges, strict=True)
            )
        case TTIRBroadcastOp():
            pairs = zip(view, operand, result, strict=True)
            return tuple(ElementPlace() if extent == 1 else place for place, extent, _ in pairs)
    return reshaped(view, result, operand, extents)


def after(
    op: TTIROperation, view: View, operand: Shape, result: Shape, extents: Sequence[int]
) -> View | None:
    """Return the view in a movement's result of the elements that are at ``view`` in its operand.

    None if the movement drops or repeats elements, or splits an axis between dimensions.
    """
    match op:
        case TTIRTransposeOp():
            return exchanged(view, (op.dim0, op.dim1))
        case TTIRSliceOp() | TTIRBroadcastOp():
            return None
    return reshaped(view, operand, result, extents)


def reshaped(view: View, old: Shape, new: Shape, extents: Sequence[int]) -> View | None:
    """Return a view of the same elements in another shape; None if an axis would be split between dimensions."""
    terms: Counter[int] = Counter()
    offset = 0
    for place, stride in zip(view, _strides(old), strict=True):
        offset += place.offset * stride
        for axis, times in place.terms:
            terms[axis] += times * stride
    places = []
    for stride in _strides(new):
        here = {axis: times // stride for axis, times in terms.items() if times % stride == 0}
        terms = Counter({axis: times for axis, times in terms.items() if axis not in here})
        steps, offset = divmod(offset, stride)
        ends = [times * (extents[axis] - 1) for axis, times in terms.items()]
        lowest, highest = (offset + sum(bound(0, end) for end in ends) for bound in (min, max))
        if lowest < 0 or highest >= stride:
            return None
        places.append(_sum(steps, here))
    return tuple(places)


def _strides(shape: Shape) -> list[int]:
    return [prod(shape[dim + 1 :]) for dim in range(len(shape))]


def _sum(offset: int, terms: Mapping[int, int]) -> ElementPlace:
    return ElementPlace(offset, tuple(sorted(terms.items(), key=lambda term: (-term[1], term[0]))))
