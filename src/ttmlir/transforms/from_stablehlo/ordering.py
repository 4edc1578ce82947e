"""``stablehlo.sort`` and ``chlo.top_k``: by ranks, since TTIR has no operation that sorts.

The rank of an element is the number of elements before it, from a table of all pairs: that is right for the lengths
that models sort (``MOST_SORTED``), but not for long ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from xdsl.dialects.builtin import Float32Type, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tt_model.integers import arithmetic
from tt_model.stablehlo.known import Known
from tt_model.stablehlo.numbers import dtype_of, shape_of, tensor_type
from tt_model.stablehlo.reading import attribute, integer
from ttl.ir.refusals import Refused
from ttl.rows.dtypes import Array
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer

MOST_SORTED = 2048
_WAY_OUT = (
    f"what works: at most {MOST_SORTED} elements in a row, ordered by one of the tensors, up or down, as jnp.sort, "
    "jnp.argsort and lax.top_k write it"
)


def sort(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Sort any number of tensors by the order of one of them; equal elements keep their order."""
    rank = len(shape_of(op.operands[0]))
    dim = integer(op, "dimension") % rank if attribute(op, "dimension") is not None else rank - 1
    order = _order(op.regions[0].block)
    if order is None:
        raise Refused("its body is not a comparison of two elements of one tensor", _WAY_OUT)
    key, ascending = order
    values = w.operands(op)
    ranks = _ranks(_Key.of(op, key, w), dim, ascending, w)
    return [_picked(value, ranks, dim, w.shape(value)[dim], w) for value in values]


def top_k(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert to the largest elements and their positions."""
    (value,) = w.operands(op)
    dim = len(w.shape(value)) - 1
    count = integer(op, "k")
    ranks = _ranks(_Key.of(op, 0, w), dim, False, w)
    element = w.result(op, 1).element_type
    places = w.broadcast(w.along(w.count(w.shape(value)[dim], element), dim, dim + 1), w.shape(value))
    return [_picked(one, ranks, dim, count, w) for one in (value, places)]


@dataclass(frozen=True)
class _Key:
    """A key of the order, and whether it has integers that may be negative."""

    value: SSAValue
    is_signed: bool

    @classmethod
    def of(cls, op: Operation, number: int, w: Writer) -> _Key:
        return cls(w[op.operands[number]], w.signs.may_be_negative(op.operands[number]))

    def stands_before(self, ascending: bool, other: SSAValue, own: SSAValue, w: Writer) -> SSAValue:
        """Return 1 where the key ``other`` is ordered before the key ``own``, else 0."""
        direction = "lt" if ascending else "gt"
        if not self.is_signed:
            return w.elementwise(direction, other, own, element=Float32Type())
        before: SSAValue = arithmetic.compare(direction, other, own, w)
        return w.typecast(before, Float32Type())


def _ranks(key: _Key, dim: int, ascending: bool, w: Writer) -> SSAValue:
    """Return the number of elements before each element; the axis of the compared elements has extent 1."""
    value = key.value
    shape = w.shape(value)
    extent = shape[dim]
    if extent > MOST_SORTED:
        raise Refused(f"it orders {extent} elements", _WAY_OUT)
    single: Attribute = Float32Type()
    # The dimension of the elements themselves, then that of the elements they are compared with.
    own = w.reshape(value, [*shape[: dim + 1], 1, *shape[dim + 1 :]])
    other = w.reshape(value, [*shape[:dim], 1, *shape[dim:]])
    before = key.stands_before(ascending, other, own, w)
    same = w.elementwise("eq", other, own, element=single)
    counted = w.count(extent, single)
    rank = len(shape) + 1
    earlier = w.elementwise(
        "lt", w.along(counted, dim + 1, rank), w.along(counted, dim, rank), element=single
    )
    ahead = w.elementwise("add", before, w.elementwise("multiply", same, earlier))
    return w.reduce("sum", ahead, [dim + 1], keep=True)


def _picked(value: SSAValue, ranks: SSAValue, dim: int, count: int, w: Writer) -> SSAValue:
    """Return the first ``count`` elements by rank: for each rank a sum of all elements, of which all others are 0."""
    shape = w.shape(value)
    own = w.reshape(value, [*shape[: dim + 1], 1, *shape[dim + 1 :]])
    single: Attribute = Float32Type()
    wanted = w.along(w.count(count, single), dim + 1, len(shape) + 1)
    here = w.elementwise("eq", ranks, wanted, element=single)
    table = [*shape[: dim + 1], count, *shape[dim + 1 :]]
    chosen = w.elementwise("where", here, own, w.splat(0, own), shape=table, element=w.element(value))
    return w.reduce("sum", chosen, [dim])


def _order(body: Block) -> tuple[int, bool] | None:
    """Return the operand that a body compares, and whether the lesser comes first; None for other bodies.

    They are found by evaluating the body on numbers.
    """
    count = len(body.args) // 2
    for key in range(count):
        answers = [
            _answer(body, key, first, second, others)
            for others in ((3, 5), (5, 3), (4, 4))
            for first, second in ((1, 2), (2, 1), (2, 2))
        ]
        if answers == [True, False, False] * 3:
            return key, True
        if answers == [False, True, False] * 3:
            return key, False
    return None


def _answer(body: Block, key: int, first: int, second: int, others: tuple[int, int]) -> bool | None:
    given: dict[SSAValue, Array] = {}
    for number, argument in enumerate(body.args):
        element = tensor_type(argument).element_type
        dtype = dtype_of(element)
        if dtype is None or (isinstance(element, IntegerType) and element.width.data < 8):
            return None
        pair = (first, second) if number // 2 == key else others
        given[argument] = np.asarray(pair[number % 2], dtype)
    last = body.last_op
    answer = None if last is None else Known(given).number(last.operands[0])
    return None if answer is None else bool(answer)


ORDERING: Mapping[str, Rule] = MappingProxyType({"stablehlo.sort": sort, "chlo.top_k": top_k})
