"""The intervals of a program's integers: whether one may be negative, and whether a divisor may be zero.

Arguments may be any number of their type, or within a bound; a result that may overflow may be any number of its type.
For integers of 64 bits, of which the device has 32, it is recorded which may need more bits. For an integer that is
converted from a float, the interval of the float is computed, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping
from types import MappingProxyType

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from tt_model.integers import bounds, intervals
from tt_model.integers.intervals import TRUTH, UNKNOWN, Interval
from tt_model.integers.kinds import WIDEST, IntegerKind, kind_of
from tt_model.stablehlo.dialect import (
    HLOAdd,
    HLOBarrier,
    HLOConstant,
    HLOMaximum,
    HLOMinimum,
    HLOReduce,
    HLOSort,
)
from tt_model.stablehlo.known import Known
from tt_model.stablehlo.numbers import is_truth
from tt_model.stablehlo.reading import fields, integer, integers

# Known tables with more elements are not searched.
_LOOKED_THROUGH = 1 << 16
# Operations whose results have elements of some of their operands, which the slices select.
_ELEMENTS_OF: Mapping[str, slice] = MappingProxyType(
    {
        "all_gather": slice(None),
        "all_to_all": slice(None),
        "broadcast_in_dim": slice(1),
        "collective_permute": slice(1),
        "concatenate": slice(None),
        "dynamic_slice": slice(1),
        "dynamic_update_slice": slice(2),
        "gather": slice(1),
        "pad": slice(2),
        "reshape": slice(1),
        "reverse": slice(1),
        "select": slice(1, 3),
        "slice": slice(1),
        "transpose": slice(1),
    }
)
# Operations with as many results as operands, each with the elements of its own operand.
_EACH_OF_ITS_OWN = (HLOSort, HLOBarrier)
# Reductions with these functions return an element of the operand, or the initial value.
_CHOOSING = MappingProxyType({HLOMaximum: intervals.maximum, HLOMinimum: intervals.minimum})

Rule = Callable[[Operation, list[Interval]], Interval]


class Signs:
    """Intervals of the values of one function.

    ``exponent``: arguments are from -2**exponent to 2**exponent - 1; with ``bounded``, only these arguments.
    ``too_wide`` are the queried results of 64 bits that may need more than 32, with their intervals; ``asked`` are all
    values that were analysed.
    """

    def __init__(
        self,
        known: Known,
        exponent: int = bounds.EXPONENTS[0],
        bounded: Container[SSAValue] | None = None,
    ) -> None:
        self._known = known
        self._exponent = exponent
        self._bounded = bounded
        self._answers: dict[SSAValue, Interval] = {}
        self.too_wide: dict[SSAValue, Interval] = {}

    @property
    def asked(self) -> Mapping[SSAValue, Interval]:
        """The intervals of the values analysed so far."""
        return MappingProxyType(self._answers)

    def may_be_negative(self, value: SSAValue) -> bool:
        """Whether a value may have negative integers; false for values that are not integers."""
        return has_sign(value) and self.interval(value)[0] < 0

    def may_be_zero(self, value: SSAValue) -> bool:
        """Whether an integer may be zero."""
        low, high = self.interval(value)
        return low <= 0 <= high

    def interval(self, value: SSAValue) -> Interval:
        """The smallest and the largest number that a value may have."""
        waiting = [value]
        while waiting:
            current = waiting[-1]
            if current in self._answers:
                waiting.pop()
                continue
            answer = self._of_itself(current)
            operands: list[SSAValue] = []
            if answer is None:
                assert isinstance(current, OpResult)
                operands = _asked(current)
                missing = [one for one in operands if one not in self._answers]
                if missing:
                    waiting += missing
                    continue
                answer = self._held(current, _computed(current, [self._answers[one] for one in operands]))
            waiting.pop()
            self._answers[current] = answer
        return self._answers[value]

    def _held(self, value: SSAValue, exact: Interval) -> Interval:
        """Return the interval of the value on the device, and record the value if it may be too wide for the device."""
        kind = _kind(value)
        if kind is None:
            return exact
        if kind.width > WIDEST and not bounds.is_held(exact, kind):
            self.too_wide[value] = exact
        return intervals.wrapped(exact, kind)

    def _of_itself(self, value: SSAValue) -> Interval | None:
        """Return an interval that depends on no other value; None if the interval depends on other values."""
        element = _element(value)
        if element is None or is_truth(element):
            return TRUTH
        number = self._known.number(value)
        if number is not None:
            return (
                (int(number), int(number))
                if isinstance(element, IntegerType)
                else intervals.around(number, number)
            )
        if not isinstance(value, OpResult) or not isinstance(value.owner, Operation):
            return self._of_argument(value)
        table = self._known[value]
        if table is None or not 0 < table.size < _LOOKED_THROUGH:
            return _all_of(value) if isinstance(value.op, HLOConstant) else None
        if table.dtype.kind == "f":
            return intervals.around(np.min(table), np.max(table))
        return int(np.min(table)), int(np.max(table))

    def _of_argument(self, value: SSAValue) -> Interval:
        element = _element(value)
        if element is None or (_kind(value) is None and isinstance(element, IntegerType)):
            return UNKNOWN
        is_bounded = self._bounded is None or value in self._bounded
        return bounds.of_argument(_kind(value), self._exponent if is_bounded else bounds.EXPONENTS[0])


def _element(value: SSAValue) -> Attribute | None:
    return value.type.element_type if isinstance(value.type, TensorType) else None


def _kind(value: SSAValue) -> IntegerKind | None:
    element = _element(value)
    return None if element is None else kind_of(element)


def _all_of(value: SSAValue) -> Interval:
    """All numbers of a value's type; for floats, and for integers of 64 bits, more than the device holds."""
    kind = _kind(value)
    return UNKNOWN if kind is None or kind.width > WIDEST else kind.limits


def _short(value: OpResult) -> str:
    return value.op.name.partition(".")[2]


def _asked(value: OpResult) -> list[SSAValue]:
    """The operands that a result's interval depends on."""
    op, short = value.op, _short(value)
    if isinstance(op, _EACH_OF_ITS_OWN) or (short == "top_k" and not value.index):
        return [op.operands[value.index]]
    if short in _ELEMENTS_OF:
        return list(op.operands[_ELEMENTS_OF[short]])
    if short in ("reduce", "reduce_window"):
        count = len(op.operands) // 2
        return [op.operands[value.index], op.operands[count + value.index]]
    if short == "scatter" and len(op.operands) == 3:
        return [op.operands[0], op.operands[2]]
    kind = _kind(value)
    if short == "convert" and kind is not None and kind.width <= WIDEST and not is_integer(op.operands[0]):
        return []  # for any value of the float
    known = _OTHERS if is_integer(value) else _OTHERS_OF_FLOATS
    if short in known or short in intervals.OF_ONE or short in intervals.OF_TWO:
        return list(op.operands)
    return []


def is_integer(value: SSAValue) -> bool:
    """Whether the elements of a value are integers."""
    return isinstance(_element(value), IntegerType)


def _computed(value: OpResult, given: list[Interval]) -> Interval:
    op, short = value.op, _short(value)
    if not given and short not in _OTHERS and short not in _OTHERS_OF_FLOATS:
        return _all_of(value)
    if isinstance(op, _EACH_OF_ITS_OWN) or short in _ELEMENTS_OF or (short == "top_k" and not value.index):
        return intervals.hull(*given)
    if not is_integer(value):
        return intervals.rounded(_of_float_operation(op, short, given))
    if _kind(value) is None:
        return _all_of(value)
    if short in intervals.OF_ONE:
        return intervals.OF_ONE[short](*given)
    if short in intervals.OF_TWO:
        return intervals.OF_TWO[short](*given)
    return _OTHERS[short](op, given) if short in _OTHERS else _all_of(value)


def _of_float_operation(op: Operation, short: str, given: list[Interval]) -> Interval:
    if short in _OTHERS_OF_FLOATS:
        return _OTHERS_OF_FLOATS[short](op, given)
    if short == "divide":
        return intervals.divided(*given)
    if short in ("abs", "negate", "sign"):
        return intervals.OF_ONE[short](*given)
    if short in ("add", "maximum", "minimum", "multiply", "subtract"):
        return intervals.OF_TWO[short](*given)
    return UNKNOWN


def _convert(op: Operation, given: list[Interval]) -> Interval:
    """Return the interval of a conversion: the operand's, but for a float to at most 32 bits that of the type."""
    kind = _kind(op.results[0])
    if kind is None or is_integer(op.operands[0]) or kind.width > WIDEST:
        return given[0]
    return kind.limits


def _clamp(op: Operation, given: list[Interval]) -> Interval:
    low, value, high = given
    return intervals.minimum(intervals.maximum(value, low), high)


def _elements_for_one(op: Operation) -> int:
    """Return the largest number of elements that are combined into one element of the result."""
    source, result = (value.type for value in (op.operands[0], op.results[0]))
    assert isinstance(source, TensorType) and isinstance(result, TensorType)
    if isinstance(op, HLOReduce):
        return math.prod(source.get_shape()) // max(1, math.prod(result.get_shape()))
    return math.prod(integers(op, "window_dimensions"))


def _reduce(op: Operation, given: list[Interval]) -> Interval:
    if len(op.operands) == 4 and len(op.results) == 2:  # values with their positions, of at least one element
        return given[0]
    body = list(op.regions[0].block.ops)
    if len(body) == 2 and type(body[0]) in _CHOOSING:
        return _CHOOSING[type(body[0])](*given)
    if len(body) == 2 and isinstance(body[0], HLOAdd):
        # The sum of all elements and the initial value; windows may contain fewer elements.
        count = _elements_for_one(op)
        low, high = intervals.hull((0, 0), given[0])
        return intervals.add((low * count, high * count), given[1])
    return _all_of(op.results[0])


def _scatter(op: Operation, given: list[Interval]) -> Interval:
    body = list(op.regions[0].block.ops)
    updates = op.operands[-1].type
    assert isinstance(updates, TensorType)
    old, new = given
    if len(body) == 1 or (len(body) == 2 and type(body[0]) in _CHOOSING):
        return intervals.hull(old, new)
    if len(body) == 2 and isinstance(body[0], HLOAdd):
        count = math.prod(updates.get_shape())
        return intervals.add(old, (min(0, new[0] * count), max(0, new[1] * count)))
    return _all_of(op.results[0])


def _dot(op: Operation, given: list[Interval]) -> Interval:
    left = op.operands[0].type
    assert isinstance(left, TensorType)
    summed = fields(op, "dot_dimension_numbers").numbers("lhs_contracting_dimensions")
    count = math.prod(left.get_shape()[dim] for dim in summed)
    low, high = intervals.hull((0, 0), intervals.multiply(*given))
    return low * count, high * count


def _iota(op: Operation, given: list[Interval]) -> Interval:
    type = op.results[0].type
    assert isinstance(type, TensorType)
    return 0, max(type.get_shape()[integer(op, "iota_dimension")] - 1, 0)


def _position(op: Operation, given: list[Interval]) -> Interval:
    return 0, (1 << 31) - 1


def _first(op: Operation, given: list[Interval]) -> Interval:
    return given[0]


def _within_one(op: Operation, given: list[Interval]) -> Interval:
    return -1, 1


_OF_BOTH: Mapping[str, Rule] = MappingProxyType(
    {
        "clamp": _clamp,
        "convert": _convert,
        "dot_general": _dot,
        "iota": _iota,
        "reduce": _reduce,
        "reduce_window": _reduce,
        "scatter": _scatter,
    }
)
_OTHERS: Mapping[str, Rule] = MappingProxyType(
    {**_OF_BOTH, "get_dimension_size": _position, "partition_id": _position, "top_k": _position}
)
_OTHERS_OF_FLOATS: Mapping[str, Rule] = MappingProxyType(
    {
        **_OF_BOTH,
        **dict.fromkeys(["ceil", "floor", "round_nearest_afz", "round_nearest_even"], _first),
        **dict.fromkeys(["cosine", "logistic", "sine", "tanh"], _within_one),
    }
)


def is_end_of_type(value: SSAValue, known: Known) -> bool:
    """Whether a value is known to be the smallest or the largest number of an integer type, in its full width."""
    kind, number = _kind(value), known.number(value)
    if kind is None or number is None:
        return False
    most = (1 << (kind.width - kind.is_signed)) - 1
    return number in (most, -most - 1 if kind.is_signed else 0)


def has_sign(value: SSAValue) -> bool:
    """Whether a value has integers with a sign."""
    kind = _kind(value)
    return kind is not None and kind.is_signed
