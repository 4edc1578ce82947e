"""Reading and writing at positions that are not known: rows of tables by their numbers.

Every gather and scatter of the frameworks is brought into this form. A table has (batch, height, width) elements, where only
writing knows batches; numbers of rows are (batch, count) whole numbers. Writing makes a table of truth values that says
which row gets which update: quick for the counts in models, but unfit for millions of rows at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from ttl.ir.refusals import Refused
from ttmlir.compositions.emitter import SINGLE, WHOLE, Combine, TensorEmitter, Value, halved

# The limit for comparisons of updates with rows.
MOST_COMPARED = 1 << 27


def numbered(places: Sequence[Value], extents: Sequence[int], w: TensorEmitter) -> Value:
    """Return row numbers from positions in each dimension, which broadcast to one shape."""
    total: Value | None = None
    stride = 1
    for place, extent in zip(reversed(places), reversed(extents), strict=True):
        part = place if stride == 1 else w.elementwise("multiply", place, w.splat(stride, place))
        total = part if total is None else w.elementwise("add", total, part)
        stride *= extent
    assert total is not None
    return total


def hits(numbers: Value, height: int, w: TensorEmitter) -> Value:
    """Return for each update and row, (batch, count, height), whether the update goes to the row.

    An update whose number no row has, such as -1, goes nowhere.
    """
    batch, count = w.shape(numbers)
    if batch * count * height > MOST_COMPARED:
        raise Refused(
            f"{batch * count:,} updates, each compared with the numbers of {height:,} rows",
            f"at most {MOST_COMPARED:,} comparisons, such as fewer updates at once",
        )
    rows = w.reshape(w.count(height, WHOLE), [1, 1, height])
    return w.truth("eq", w.reshape(numbers, [batch, count, 1]), rows)


def is_hit(here: Value, w: TensorEmitter) -> Value:
    """Return for each row, (batch, height, 1), whether an update goes to it."""
    return w.truth("ge", counted(here, w), w.splat(1, w.typecast(here, SINGLE)))


def counted(here: Value, w: TensorEmitter) -> Value:
    """Return for each row, (batch, height, 1), the number of updates that go to it, in float32."""
    batch, _, height = w.shape(here)
    return w.reshape(w.reduce("sum", w.typecast(here, SINGLE), [1], keep=True), [batch, height, 1])


def last_written(table: Value, here: Value, update: Value, w: TensorEmitter) -> Value:
    """Replace each row by the last of its updates (batch, count, width); rows without an update are unchanged."""
    batch, count, width = w.shape(update)
    height = w.shape(table)[1]
    if count == 1:
        return _chosen(w.reshape(here, [batch, height, 1]), update, table, w)
    order = w.reshape(w.count(count, SINGLE), [1, count, 1])
    writers = w.choose(w.typecast(here, SINGLE), order, w.splat(-1, order))
    last = w.reshape(w.reduce("max", writers, [1], keep=True), [batch, height])
    number = w.typecast(w.elementwise("maximum", last, w.splat(0, last)), WHOLE)
    if batch > 1:
        number = numbered([w.reshape(w.count(batch, WHOLE), [batch, 1]), number], [batch, count], w)
    taken = w.rows(w.reshape(update, [batch * count, width]), w.reshape(number, [batch * height]))
    is_written = w.reshape(w.truth("ge", last, w.splat(0, last)), [batch, height, 1])
    return _chosen(is_written, w.reshape(taken, [batch, height, width]), table, w)


def added(table: Value, here: Value, update: Value, w: TensorEmitter) -> Value:
    """Add to each row the sum of its updates, by a product with the truth values."""
    across = w.rearrange(w.typecast(here, w.element(table)), [0, 2, 1])
    return w.elementwise("add", table, w.product(across, update))


def combined(
    table: Value, here: Value, update: Value, combine: Combine, neutral: float | None, w: TensorEmitter
) -> Value:
    """Combine each row with all of its updates.

    ``neutral`` is the neutral element; without one, as for maximum and minimum, the row itself serves as one.
    """
    batch, count, width = w.shape(update)
    height = w.shape(table)[1]
    if batch * count * height * width > MOST_COMPARED:
        raise Refused(
            f"{batch * count:,} updates of {width:,} elements, each compared with {height:,} rows",
            f"at most {MOST_COMPARED:,} elements compared, such as fewer updates at once, or sums, which are a product",
        )
    own = w.reshape(table, [batch, 1, height, width])
    spread = _chosen(
        w.reshape(here, [batch, count, height, 1]),
        w.reshape(update, [batch, count, 1, width]),
        own if neutral is None else w.splat(neutral, own),
        w,
    )
    total = w.reshape(halved(spread, 1, combine, w), [batch, height, width])
    return combine(table, total)


def _chosen(condition: Value, chosen: Value, other: Value, w: TensorEmitter) -> Value:
    """Choose by a condition; the truth values get the element type of the chosen value."""
    return w.choose(w.typecast(condition, w.element(chosen)), chosen, other)
