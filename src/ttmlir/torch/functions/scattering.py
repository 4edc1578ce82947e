"""Functions of ATen that write along one dimension at positions given as tensors: ``scatter`` and its variants.

Each of the other dimensions is by itself, a table of rows of one element (``ttmlir.compositions.rows``). Where updates meet, the last
one counts; torch says nothing of that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tt_model.integers import arithmetic
from ttmlir.compositions import rows as table_rows
from ttmlir.torch.emitter import GraphEmitter
from ttmlir.torch.functions.indexing import COMPARED, SUMS, TABLE, places_of
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.row import AtenValue, rows
from ttmlir.ttir_builder import Operand


@dataclass(frozen=True, kw_only=True)
class _Scattered:
    """The tensors of a scatter along one dimension: table, mask of the rows hit, and updates, as (batches, rows, 1)."""

    table: Operand
    here: Operand
    update: Operand
    shape: tuple[int, ...]
    order: list[int]

    @classmethod
    def of(
        cls,
        at: GraphLowering,
        value: AtenValue,
        dim: int,
        places: AtenValue,
        source: AtenValue,
        w: GraphEmitter,
    ) -> _Scattered:
        """Bring a scatter into this form.

        Batches without positions get row numbers that no row has, and keep their values.
        """
        if not value.rank:
            value, places, source = (at.reshape(one, (1,)) for one in (value, places, source))
        dim %= value.rank
        others = [axis for axis in range(value.rank) if axis != dim]
        order = [*others, dim]
        number = places_of(at, places, value.shape[dim], w)
        update = at.operand(source, at.dtype)
        for axis in range(source.rank):
            update = w.range(update, axis, 0, places.shape[axis])
        for axis in others:
            missing = value.shape[axis] - places.shape[axis]
            if missing:
                number, update = (
                    _longer(one, axis, missing, filling, w) for one, filling in ((number, -1), (update, 0))
                )
        batch, height, count = (
            math.prod(value.shape[axis] for axis in others),
            value.shape[dim],
            places.shape[dim],
        )
        table = w.reshape(w.rearrange(at.operand(value, at.dtype), order), [batch, height, 1])
        number = w.reshape(w.rearrange(number, order), [batch, count])
        update = w.reshape(w.rearrange(update, order), [batch, count, 1])
        return cls(
            table=table,
            here=table_rows.hits(number, height, w),
            update=update,
            shape=tuple(value.shape[axis] for axis in order),
            order=order,
        )

    def result(self, at: GraphLowering, table: Operand, w: GraphEmitter) -> AtenValue:
        """Return the table in the shape of the original tensor."""
        result = w.reshape(table, self.shape)
        return at.again(
            w.rearrange(result, [self.order.index(axis) for axis in range(len(self.order))]), at.shape
        )


def _longer(value: Operand, axis: int, missing: int, filling: float, w: GraphEmitter) -> Operand:
    shape = list(w.shape(value))
    shape[axis] = missing
    return w.concat([value, w.broadcast(w.splat(filling, value), shape)], axis)


def _scattered(
    at: GraphLowering, value: AtenValue, dim: int, places: AtenValue, source: AtenValue | float, *_: Any
) -> Any:
    w = GraphEmitter(at)
    how = _Scattered.of(at, value, dim, places, _of_places(at, places, source), w)
    return how.result(at, table_rows.last_written(how.table, how.here, how.update, w), w)


def _of_places(at: GraphLowering, places: AtenValue, source: AtenValue | float) -> AtenValue:
    if isinstance(source, AtenValue):
        return source
    return AtenValue.of(at.number(source).known.expand(places.shape))  # type: ignore[union-attr]


def _scatter_added(
    at: GraphLowering, value: AtenValue, dim: int, places: AtenValue, source: AtenValue
) -> Any:
    return _scatter_reduced(at, value, dim, places, source, "sum")


def _scatter_reduced(
    at: GraphLowering,
    value: AtenValue,
    dim: int,
    places: AtenValue,
    source: AtenValue | float,
    kind: str,
    include_self: bool = True,
) -> Any:
    """Reduce the updates (sum, product, mean, maximum, minimum), with or without the previous value of the element."""
    w = GraphEmitter(at)
    how = _Scattered.of(at, value, dim, places, _of_places(at, places, source), w)
    table = how.table
    name, neutral = _REDUCTIONS[kind]
    if not include_self:
        table = (
            table_rows.last_written(table, how.here, how.update, w)
            if neutral is None
            else w.choose(
                w.typecast(table_rows.is_hit(how.here, w), w.element(table)), w.splat(neutral, table), table
            )
        )
    if name == "add":
        result = table_rows.added(table, how.here, how.update, w)
    else:
        result = table_rows.combined(table, how.here, how.update, _combining(at, name, value, w), neutral, w)
    if kind == "mean":
        result = _divided_by_count(at, result, how.here, include_self, w)
    return how.result(at, result, w)


# The binary operation, and its neutral element.
_REDUCTIONS: dict[str, tuple[str, float | None]] = {
    "add": ("add", 0),
    "sum": ("add", 0),
    "mean": ("add", 0),
    "multiply": ("multiply", 1),
    "prod": ("multiply", 1),
    "amax": ("maximum", None),
    "amin": ("minimum", None),
}


def _combining(
    at: GraphLowering, name: str, value: AtenValue, w: GraphEmitter
) -> Callable[[Operand, Operand], Operand]:
    def combine(left: Operand, right: Operand) -> Operand:
        result: Operand = (
            w.elementwise(name, left, right)
            if at.dtype.is_floating_point or name == "multiply"
            else arithmetic.extreme(name, left, right, w)
        )
        return result

    return combine


def _divided_by_count(
    at: GraphLowering, total: Operand, here: Operand, include_self: bool, w: GraphEmitter
) -> Operand:
    count = table_rows.counted(here, w)
    count = (
        w.elementwise("add", count, w.splat(1, count))
        if include_self
        else w.elementwise("maximum", count, w.splat(1, count))
    )
    count = w.typecast(count, w.element(total))
    if at.dtype.is_floating_point:
        return w.elementwise("div", total, count)
    whole: Operand = arithmetic.rounded_down(total, count, w)
    return whole


_FOLDED = "ttir.eq, ttir.where, ttir.multiply, ttir.maximum or ttir.minimum of halves"
ROWS = rows(
    ("scatter.src scatter.value", _scattered, TABLE, COMPARED),
    ("scatter.reduce scatter.value_reduce scatter_reduce.two", _scatter_reduced, f"{SUMS}; {_FOLDED}", COMPARED),
    ("scatter_add.default", _scatter_added, SUMS, COMPARED),
)  # fmt: skip
