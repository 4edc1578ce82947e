"""Which whole numbers of a program may be negative: the chip's have no sign, and where one counts it has to be looked at.

Arguments count as not negative: whoever runs the program checks them. Overflow is not thought of.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Operation, OpResult, SSAValue

from ttmlir.stablehlo.known import Known
from ttmlir.stablehlo.numbers import is_truth, is_unsigned

# Of these the result is not negative where no operand is.
_KEEP = frozenset(
    f"stablehlo.{name}"
    for name in [
        "add",
        "and",
        "broadcast_in_dim",
        "clamp",
        "concatenate",
        "convert",
        "divide",
        "dynamic_slice",
        "dynamic_update_slice",
        "gather",
        "maximum",
        "minimum",
        "multiply",
        "optimization_barrier",
        "or",
        "pad",
        "power",
        "reduce",
        "reduce_window",
        "remainder",
        "reshape",
        "reverse",
        "scatter",
        "select",
        "shift_right_arithmetic",
        "shift_right_logical",
        "slice",
        "sort",
        "transpose",
        "xor",
    ]
)
_NEVER = frozenset(("stablehlo.iota", "stablehlo.abs", "stablehlo.get_dimension_size", "chlo.top_k"))
# Known tables with more elements are not looked through.
_LOOKED_THROUGH = 1 << 16


class Signs:
    """Answers for the values of one function."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._answers: dict[SSAValue, bool] = {}

    def may_be_negative(self, value: SSAValue) -> bool:
        """Whether a value may have negative whole numbers in it; of what are no whole numbers, no."""
        waiting = [value]
        while waiting:
            current = waiting[-1]
            if current in self._answers:
                waiting.pop()
                continue
            asked = self._asked(current)
            missing = [one for one in asked or () if one not in self._answers]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            self._answers[current] = asked is None or any(self._answers[one] for one in asked)
        return self._answers[value]

    def _asked(self, value: SSAValue) -> list[SSAValue] | None:
        """The values of which one has to be negative for this one to be; None where it may be by itself."""
        if not has_sign(value):
            return []
        op = value.owner
        if not isinstance(value, OpResult) or not isinstance(op, Operation) or op.name in _NEVER:
            return []
        number = self._known.number(value)
        if number is not None:
            return None if number < 0 else []
        if op.name == "stablehlo.constant":
            table = self._known[value]
            return None if table is None or (table.size < _LOOKED_THROUGH and np.any(table < 0)) else []
        match op.name:
            case "stablehlo.maximum":
                if any(
                    (self._known.number(one) or -1) >= 0 or self._known.number(one) == 0
                    for one in op.operands
                ):
                    return []
            case "stablehlo.clamp":
                low = self._known.number(op.operands[0])
                if low is not None and low >= 0:
                    return []
            case "stablehlo.convert":
                # Fractions may be less than zero; truth values and what has no sign are not.
                source = op.operands[0]
                type = source.type
                if isinstance(type, TensorType) and not isinstance(type.element_type, IntegerType):
                    return None
            case "stablehlo.reduce" if value.index == 1:
                return []  # a position
        return [one for one in op.operands if has_sign(one)] if op.name in _KEEP else None


def has_sign(value: SSAValue) -> bool:
    """Whether a value has whole numbers with a sign."""
    type = value.type
    if not isinstance(type, TensorType):
        return False
    element = type.element_type
    return isinstance(element, IntegerType) and not is_truth(element) and not is_unsigned(element)
