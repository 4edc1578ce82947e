"""Between which numbers the integers of a program lie: whether one may be negative, and whether a divisor may be zero.

Arguments are whatever their type holds, and what may overflow is whatever its type holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Operation, OpResult, SSAValue

from ttmlir.integers import intervals
from ttmlir.integers.intervals import TRUTH, Interval
from ttmlir.integers.kinds import kind_of
from ttmlir.stablehlo.dialect import HLOAdd, HLOBarrier, HLOConstant, HLOMaximum, HLOMinimum, HLOSort
from ttmlir.stablehlo.known import Known
from ttmlir.stablehlo.numbers import is_truth
from ttmlir.stablehlo.reading import integer

# Known tables with more elements are not looked through.
_LOOKED_THROUGH = 1 << 16
# The elements of these are elements of their operands, those of which the number is given here.
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
# These have as many results as operands, each of the elements of its own.
_EACH_OF_ITS_OWN = (HLOSort, HLOBarrier)
# Reductions by these give an element of the operand or of the first value.
_CHOOSING = MappingProxyType({HLOMaximum: intervals.maximum, HLOMinimum: intervals.minimum})

Rule = Callable[[Operation, list[Interval]], Interval]


class Signs:
    """Answers for the values of one function."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._answers: dict[SSAValue, Interval] = {}

    def may_be_negative(self, value: SSAValue) -> bool:
        """Whether a value may have negative integers in it; of what are no integers, no."""
        return has_sign(value) and self.interval(value)[0] < 0

    def may_be_zero(self, value: SSAValue) -> bool:
        """Whether an integer may be zero."""
        low, high = self.interval(value)
        return low <= 0 <= high

    def interval(self, value: SSAValue) -> Interval:
        """The least and the greatest integer that a value may have; of floats nothing that counts."""
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
                answer = _computed(current, [self._answers[one] for one in operands])
            waiting.pop()
            self._answers[current] = answer
        return self._answers[value]

    def _of_itself(self, value: SSAValue) -> Interval | None:
        """What no other value has to be known for; None where some has."""
        type = value.type
        if not isinstance(type, TensorType) or not isinstance(type.element_type, IntegerType):
            return TRUTH
        if is_truth(type.element_type):
            return TRUTH
        number = self._known.number(value)
        if number is not None:
            return int(number), int(number)
        if not isinstance(value, OpResult) or not isinstance(value.owner, Operation):
            return _all_of(value)
        if isinstance(value.op, HLOConstant):
            table = self._known[value]
            if table is None or not 0 < table.size < _LOOKED_THROUGH:
                return _all_of(value)
            return int(np.min(table)), int(np.max(table))
        return None


def _all_of(value: SSAValue) -> Interval:
    """All that the type of a value holds."""
    type = value.type
    assert isinstance(type, TensorType)
    kind = kind_of(type.element_type)
    return (-(1 << 63), 1 << 63) if kind is None else kind.limits


def _short(value: OpResult) -> str:
    return value.op.name.partition(".")[2]


def _asked(value: OpResult) -> list[SSAValue]:
    """The operands that a result's interval is made of."""
    op, short = value.op, _short(value)
    if isinstance(op, _EACH_OF_ITS_OWN) or (short == "top_k" and not value.index):
        return [op.operands[value.index]]
    if short in _ELEMENTS_OF:
        return list(op.operands[_ELEMENTS_OF[short]])
    if short in ("reduce", "reduce_window"):
        count = len(op.operands) // 2
        return [op.operands[value.index], op.operands[count + value.index]]
    if short in ("convert", "clamp") or short in intervals.OF_ONE or short in intervals.OF_TWO:
        return list(op.operands)
    return []


def _computed(value: OpResult, given: list[Interval]) -> Interval:
    op, short = value.op, _short(value)
    everything = _all_of(value)
    type = value.type
    assert isinstance(type, TensorType)
    kind = kind_of(type.element_type)
    if kind is None:
        return everything
    if isinstance(op, _EACH_OF_ITS_OWN) or short in _ELEMENTS_OF or (short == "top_k" and not value.index):
        answer = intervals.hull(*given)
    elif short in intervals.OF_ONE:
        answer = intervals.OF_ONE[short](*given)
    elif short in intervals.OF_TWO:
        answer = intervals.OF_TWO[short](*given)
    else:
        answer = _OTHERS[short](op, given) if short in _OTHERS else everything
    return intervals.wrapped(answer, kind)


def _convert(op: Operation, given: list[Interval]) -> Interval:
    source = op.operands[0].type
    assert isinstance(source, TensorType)
    # Of floats everything may come.
    return given[0] if isinstance(source.element_type, IntegerType) else _all_of(op.results[0])


def _clamp(op: Operation, given: list[Interval]) -> Interval:
    low, value, high = given
    return intervals.minimum(intervals.maximum(value, low), high)


def _reduce(op: Operation, given: list[Interval]) -> Interval:
    if len(op.operands) == 4 and len(op.results) == 2:  # values with their positions
        return intervals.hull(*given)
    body = list(op.regions[0].block.ops)
    if len(body) == 2 and type(body[0]) in _CHOOSING:
        return _CHOOSING[type(body[0])](*given)
    if len(body) == 2 and isinstance(body[0], HLOAdd):
        # As many as there are, and the first value, each perhaps not at all.
        source = op.operands[0].type
        assert isinstance(source, TensorType)
        count = math.prod(source.get_shape())
        low, high = intervals.hull((0, 0), given[0])
        return intervals.add((low * count, high * count), given[1])
    return _all_of(op.results[0])


def _iota(op: Operation, given: list[Interval]) -> Interval:
    type = op.results[0].type
    assert isinstance(type, TensorType)
    return 0, max(type.get_shape()[integer(op, "iota_dimension")] - 1, 0)


def _position(op: Operation, given: list[Interval]) -> Interval:
    return 0, (1 << 31) - 1


_OTHERS: Mapping[str, Rule] = MappingProxyType(
    {
        "clamp": _clamp,
        "convert": _convert,
        "get_dimension_size": _position,
        "iota": _iota,
        "partition_id": _position,
        "reduce": _reduce,
        "reduce_window": _reduce,
        "top_k": _position,
    }
)


def has_sign(value: SSAValue) -> bool:
    """Whether a value has integers with a sign."""
    type = value.type
    if not isinstance(type, TensorType):
        return False
    kind = kind_of(type.element_type)
    return kind is not None and kind.is_signed
