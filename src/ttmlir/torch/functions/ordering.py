"""Functions of ATen that find elements: positions of extremes, sort orders, elements at positions.

TTNN of 2024-11-21 has comparisons and maxima, and no positions. A position is the greatest of numbers of which all but those at
equal elements are zero; an order is the count of the elements that come before each. All of it is in float32, in which positions
below 2**24 are exact, and so are elements: they are chosen, never added.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from tt_model.integers import arithmetic
from tt_model.integers.kinds import kind_of
from ttmlir.compositions.emitter import SINGLE
from ttmlir.torch.emitter import GraphEmitter
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.row import AtenValue, Rule, rows
from ttmlir.torch.spans import is_exact_in_float
from ttmlir.ttir_builder import Operand

if TYPE_CHECKING:
    import torch

# The most elements of a tensor in which each element is compared with every other one of its row.
_MOST_ELEMENTS = 1 << 24
# Up to this many elements are found one after the other.
_ONE_BY_ONE = 8


class _Rows:
    """A tensor as a matrix whose rows lie along one dimension: in float32 unless a type is given."""

    def __init__(
        self, at: GraphLowering, value: AtenValue, dim: int, dtype: torch.dtype | None = None
    ) -> None:
        import torch

        self._at = at
        self.dim = dim % max(1, value.rank)
        self.others = [extent for axis, extent in enumerate(value.shape) if axis != self.dim]
        self.length = value.shape[self.dim] if value.rank else 1
        self.count = prod(self.others)
        operand = at.operand(value, dtype or torch.float32)
        self._order = [*(axis for axis in range(value.rank) if axis != self.dim), self.dim]
        if value.rank > 1:
            operand = at.builder.permute(operand, self._order)
        self.operand: Operand = at.builder.reshape(operand, [self.count, self.length])

    def positions(self) -> Operand:
        """Return 0, 1, 2 ... as one row."""
        return self._at.numbers(range(self.length), (1, self.length))

    def back(self, operand: Operand, *, keeps: bool = True) -> Operand:
        """Convert a matrix with the same rows back to a tensor; ``keeps=False`` removes the dimension of the rows."""
        build = self._at.builder
        columns = list(build.get_shape(operand))[1]
        shape = [*self.others, columns] if keeps else self.others
        operand = build.reshape(operand, shape or [1])
        if keeps and len(shape) > 1:
            operand = build.permute(operand, [self._order.index(axis) for axis in range(len(shape))])
        return operand


def _first_greatest(
    at: GraphLowering, matrix: Operand, positions: Operand, length: int
) -> tuple[Operand, Operand]:
    """Return the greatest element of each row and its first position, as columns."""
    build = at.builder
    greatest = build.max(matrix, [1], True)
    # The first position is the one from which the most elements of the row remain.
    left = build.subtract(build.number_like(length, positions), positions)
    most = build.max(build.multiply(build.eq(matrix, greatest), left), [1], True)
    return greatest, build.subtract(build.number_like(length, most), most)


def _whole(at: GraphLowering, operand: Operand) -> Operand:
    """Return positions as whole numbers."""
    return at.counted(operand)


def _opposite(at: GraphLowering, matrix: Operand, is_opposite: bool) -> Operand:
    return at.builder.neg(matrix) if is_opposite else matrix


def _position(is_least: bool) -> Rule:
    def rule(at: GraphLowering, value: AtenValue, dim: int | None = None, keepdim: bool = False) -> Any:
        if dim is None:
            value = at.reshape(value, (prod(value.shape),))
        given = _Rows(at, value, -1 if dim is None else dim)
        matrix = _opposite(at, given.operand, is_least)
        _, first = _first_greatest(at, matrix, given.positions(), given.length)
        keeps = keepdim and dim is not None
        return at.builder.reshape(_whole(at, given.back(first, keeps=keeps)), list(at.shape) or [1])

    return rule


def extreme_with_position(is_least: bool, without: Rule) -> Rule:
    """Return the rule of the greatest or the least along a dimension, with its position if that is used."""

    def rule(at: GraphLowering, value: AtenValue, dim: int, keepdim: bool = False) -> Any:
        if not at.is_used(1):
            return [without(at, value, dim, keepdim), None]
        given = _Rows(at, value, dim)
        matrix = _opposite(at, given.operand, is_least)
        greatest, first = _first_greatest(at, matrix, given.positions(), given.length)
        extreme = at.narrow(given.back(_opposite(at, greatest, is_least), keeps=keepdim))
        shape = list(at.shape) or [1]
        position = _whole(at, given.back(first, keeps=keepdim))
        return [at.builder.reshape(extreme, shape), at.builder.reshape(position, shape)]

    return rule


def _largest(
    at: GraphLowering, value: AtenValue, count: int, dim: int = -1, largest: bool = True, *_: Any
) -> Any:
    return _ordered(at, value, count, dim, is_least=not largest)


def _sorted(at: GraphLowering, value: AtenValue, dim: int = -1, descending: bool = False) -> Any:
    return _ordered(at, value, value.shape[dim] if value.rank else 1, dim, is_least=not descending)


def _sorted_stably(
    at: GraphLowering, value: AtenValue, stable: bool | None = None, dim: int = -1, descending: bool = False
) -> Any:
    """Sort stably: equal elements keep their order in either direction."""
    return _sorted(at, value, dim, descending)


def _ordered(at: GraphLowering, value: AtenValue, count: int, dim: int, *, is_least: bool) -> Any:
    """Return the first ``count`` elements of each row in sorted order, and their positions; None for an unused one."""
    values, positions, given = _in_order(at, value, count, dim, is_least=is_least)
    return [
        at.narrow(given.back(values)) if at.is_used(0) else None,
        _whole(at, given.back(positions)) if at.is_used(1) else None,
    ]


def _in_order(
    at: GraphLowering, value: AtenValue, count: int, dim: int, *, is_least: bool
) -> tuple[Operand, Operand, _Rows]:
    """Return the first elements of each row in sorted order, and their positions, as matrices."""
    if not is_exact_in_float(value):
        given = _Rows(at, value, dim, at.dtype)
        before = GraphEmitter(at)

        def stands_before(other: Operand, own: Operand) -> Operand:
            earlier = arithmetic.compare("lt" if is_least else "gt", other, own, before)
            single: Operand = before.typecast(earlier, SINGLE)
            return single

        return *_by_counting(at, given, given.operand, count, stands_before), given
    given = _Rows(at, value, dim)
    matrix = _opposite(at, given.operand, is_least)
    values, positions = (_one_by_one if count <= _ONE_BY_ONE else _by_counting)(at, given, matrix, count)
    return _opposite(at, values, is_least), positions, given


def _kth(at: GraphLowering, value: AtenValue, count: int, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the k-th smallest element of each row, and its position."""
    values, positions, given = _in_order(at, value, count, dim, is_least=True)
    w = GraphEmitter(at)
    one, where = (
        given.back(w.range(all_of, 1, count - 1, count), keeps=keepdim) for all_of in (values, positions)
    )
    return [
        at.narrow(w.reshape(one, at.shape)),
        _whole(at, w.reshape(where, at.shape)) if at.is_used(1) else None,
    ]


def _median(at: GraphLowering, value: AtenValue, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the median of each row and its position; of two elements in the middle, the lower one is the median."""
    return _kth(at, value, (value.shape[dim] + 1) // 2 if value.rank else 1, dim, keepdim)


def _median_of_all(at: GraphLowering, value: AtenValue) -> Any:
    count = prod(value.shape)
    values, _, _ = _in_order(at, at.reshape(value, (count,)), (count + 1) // 2, 0, is_least=True)
    w = GraphEmitter(at)
    return at.again(at.narrow(w.reshape(w.range(values, 1, (count + 1) // 2 - 1, (count + 1) // 2), [1])), ())


_Chosen = tuple[Operand, Operand]


def _one_by_one(at: GraphLowering, given: _Rows, matrix: Operand, count: int) -> _Chosen:
    """Find the greatest element of each row, then the greatest of the rest, and so on."""
    build, positions = at.builder, given.positions()
    values, firsts = [], []
    for number in range(count):
        greatest, first = _first_greatest(at, matrix, positions, given.length)
        values.append(greatest)
        firsts.append(first)
        if number + 1 < count:
            gone = build.eq(build.broadcast(positions, [given.count, given.length]), first)
            matrix = build.where(gone, build.number_like(float("-inf"), matrix), matrix)
    return tuple(one[0] if count == 1 else build.concat(one, 1) for one in (values, firsts))  # type: ignore[return-value]


def _by_counting(
    at: GraphLowering,
    given: _Rows,
    matrix: Operand,
    count: int,
    stands_before: Callable[[Operand, Operand], Operand] | None = None,
) -> _Chosen:
    """Sort by counting: the position of an element is the number of greater elements, and of equal ones to its left."""
    import torch

    build, length = at.builder, given.length
    if given.count * length * length > _MOST_ELEMENTS:
        raise at.refuse(
            f"sorting {given.count:,} x {length:,} elements compares each with each other of its row",
            f"at most {_MOST_ELEMENTS:,} pairs in all rows, or up to {_ONE_BY_ONE} elements: torch.topk(x, {_ONE_BY_ONE})",
        )
    own = build.reshape(matrix, [given.count, length, 1])
    other = build.reshape(matrix, [given.count, 1, length])
    to_the_left = at.operand(AtenValue.of(torch.ones(length, length).tril(-1)[None]), torch.float32)
    further = build.gt(other, own) if stands_before is None else stands_before(other, own)
    same = GraphEmitter(at).typecast(build.eq(other, own), SINGLE)
    before = build.add(further, build.multiply(same, to_the_left))
    place = build.reshape(build.sum(before, [2], True), [given.count, 1, length])
    is_there = build.eq(place, at.numbers(range(count), (1, count, 1)))
    positions = at.numbers(range(length), (1, 1, length))
    where = build.max(build.multiply(is_there, positions), [2], True)
    shape = (given.count, count)
    return _chosen(at, is_there, other, shape), build.reshape(where, list(shape))


def _chosen(at: GraphLowering, is_there: Operand, elements: Operand, shape: tuple[int, int]) -> Operand:
    """Return, for each row of truth values (rows, k, elements), the element at the true position."""
    build = at.builder
    if kind_of(build.element_of(elements).xdsl) is not None:
        there = GraphEmitter(at).typecast(is_there, build.element_of(elements).xdsl)
        alone = build.where(there, elements, build.number_like(0, elements))
        return build.reshape(build.sum(alone, [2], True), list(shape))  # type: ignore[no-any-return]
    least = build.number_like(float("-inf"), elements)
    return build.reshape(build.max(build.where(is_there, elements, least), [2], True), list(shape))  # type: ignore[no-any-return]


def _gathered(
    at: GraphLowering, value: AtenValue, dim: int, index: AtenValue, sparse_grad: bool = False
) -> Any:
    """Gather the elements at positions of each row, by comparing positions only."""
    dim = dim % max(1, value.rank)
    for axis, (extent, wanted) in enumerate(zip(value.shape, index.shape)):
        if axis != dim and extent != wanted:
            value = _shortened(at, value, axis, wanted)
    given, numbers = _Rows(at, value, dim), _Rows(at, index, dim)
    build, count, wanted = at.builder, given.count, numbers.length
    if count * wanted * given.length > _MOST_ELEMENTS:
        raise at.refuse(
            f"{count:,} x {wanted:,} positions, each searched in {given.length:,}",
            f"at most {_MOST_ELEMENTS:,} comparisons; torch.nn.functional.embedding for rows of a table",
        )
    place = build.reshape(numbers.operand, [count, wanted, 1])
    is_there = build.eq(
        build.broadcast(place, [count, wanted, given.length]),
        at.numbers(range(given.length), (1, 1, given.length)),
    )
    elements = build.reshape(given.operand, [count, 1, given.length])
    values = _chosen(at, is_there, elements, (count, wanted))
    import torch

    return at.cast(given.back(values), torch.float32, at.dtype)


def _shortened(at: GraphLowering, value: AtenValue, axis: int, extent: int) -> AtenValue:
    ends = [extent if dim == axis else one for dim, one in enumerate(value.shape)]
    part = at.builder.slice(at.operand(value), [0] * value.rank, ends, [1] * value.rank)
    return AtenValue(tuple(ends), value.dtype, operand=part)


POSITIONS = "ttir.transpose, ttir.max, ttir.eq, ttir.multiply, ttir.subtract"
_ORDER = (
    f"{POSITIONS}, ttir.neg, ttir.broadcast, ttir.where, ttir.concat one by one for up to {_ONE_BY_ONE} elements; else "
    "ttir.gt, ttir.add, ttir.sum of all pairs of a row"
)
_LOOKED_FOR = "ttir.transpose, ttir.slice, ttir.broadcast, ttir.eq, ttir.where, ttir.max"
ROWS = rows(
    ("argmax.default", _position(is_least=False), POSITIONS),
    ("argmin.default", _position(is_least=True), f"{POSITIONS}, ttir.neg"),
    ("topk.default", _largest, _ORDER, "more than 2**24 pairs"),
    ("sort.default", _sorted, _ORDER, "more than 2**24 pairs"),
    ("sort.stable", _sorted_stably, _ORDER, "more than 2**24 pairs"),
    ("kthvalue.default", _kth, _ORDER, "more than 2**24 pairs"),
    ("median.dim", _median, _ORDER, "more than 2**24 pairs"),
    ("median.default", _median_of_all, _ORDER, "more than 2**24 pairs"),
    ("gather.default", _gathered, f"{_LOOKED_FOR}; of integers ttir.sum", "more than 2**24 comparisons"),
)
