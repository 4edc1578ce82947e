"""Bits of integers: and, or, exclusive or, for a device that has only arithmetic.

All bits of a tensor are computed at once, as one more dimension of up to 31; the highest of a whole number with a sign goes by
itself, so that the others are right for both readings of it, with a sign and without (``tt_model.integers.arithmetic``).
"""

from __future__ import annotations

import math
from typing import Protocol

from xdsl.ir import Attribute

from tt_model.integers import arithmetic
from ttmlir.compositions.emitter import TensorEmitter, Value

# With more elements, the bits are computed one after another, each in a tensor of its own.
MOST_AT_ONCE = 1 << 20


class PowerEmitter(TensorEmitter, Protocol):
    """An emitter that can make powers of two."""

    def powers(self, extent: int, element: Attribute) -> Value:
        """Return 1, 2, 4, ..., ``extent`` numbers in one dimension."""


def logic(name: str, left: Value, right: Value, bits_of_both: int, w: PowerEmitter) -> Value:
    """Emit ``and``, ``or`` or ``xor`` of two values of one type.

    ``bits_of_both`` is the number of lowest bits that can be set in both.
    """
    shape = tuple(max(pair) for pair in zip(w.shape(left), w.shape(right), strict=True))
    count = math.prod(shape)
    if bits_of_both < 8 or count > MOST_AT_ONCE:
        result: Value = arithmetic.logic(name, left, right, bits_of_both, w)
        return result
    width = arithmetic.kind(left, w).held_width
    values = [w.broadcast(one, shape) for one in (left, right)]
    both = _both(values, min(bits_of_both, width - 1), width == bits_of_both, w)
    both = w.reshape(both, shape)
    if name == "and":
        return both
    less_both = w.elementwise("subtract", w.elementwise("add", *values), both)
    return less_both if name == "or" else w.elementwise("subtract", less_both, both)


def _both(values: list[Value], bits: int, has_highest: bool, w: PowerEmitter) -> Value:
    """Return the bits that are set in both values, as a number, in one dimension."""
    count = math.prod(w.shape(values[0]))
    values = [w.reshape(one, [count, 1]) for one in values]
    powers = w.reshape(w.powers(bits, w.element(values[0])), [1, bits])
    low, highest = values, []
    least = None
    if has_highest:
        least = w.splat(-(1 << bits), values[0])
        highest = [arithmetic.is_negative(one, w) for one in values]
        low = [
            w.choose(is_set, w.elementwise("subtract", one, least), one)
            for is_set, one in zip(highest, values, strict=True)
        ]
    split = [w.elementwise("remainder", w.elementwise("div", one, powers), w.splat(2, one)) for one in low]
    joined = w.elementwise("multiply", w.elementwise("multiply", *split), powers)
    total = w.reduce("sum", joined, [1], keep=True)
    if least is None:
        return total
    return w.choose(w.truth("logical_and", *highest), w.elementwise("add", total, least), total)
