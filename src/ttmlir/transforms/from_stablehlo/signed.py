"""Whole numbers that may be negative, on a chip whose whole numbers have no sign.

Sums, differences and products are the same modulo the width. What asks for the sign is written so that it is right for
numbers with a sign, as TTIR reads them, and without, as the chip has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import Float32Type, IntegerType, bf16
from xdsl.ir import Attribute, Operation, SSAValue

from ttmlir.stablehlo.numbers import Array
from ttmlir.transforms.from_stablehlo.writer import Writer

# Whole numbers up to this one are exact in float32.
_EXACT = 1 << 24


def may_be_negative(op: Operation, w: Writer) -> bool:
    """Whether an operand of an operation may be negative where it has no sign on the chip."""
    return any(w.signs.may_be_negative(operand) for operand in op.operands)


def is_negative(value: SSAValue, w: Writer) -> SSAValue:
    """In bf16: less than zero, or with the highest bit."""
    element = w.element(value)
    assert isinstance(element, IntegerType)
    single: Attribute = Float32Type()
    size = w.typecast(value, single)
    high = w.elementwise("ge", size, w.splat(float(1 << (element.width.data - 1)), size), element=bf16)
    low = w.elementwise("lt", value, w.splat(0, value), element=bf16)
    return w.elementwise("logical_or", high, low)


def negated_where(condition: SSAValue, value: SSAValue, w: Writer) -> SSAValue:
    """With the other sign where the condition holds."""
    return w.elementwise("where", condition, w.elementwise("neg", value), value)


def absolute(value: SSAValue, w: Writer) -> SSAValue:
    """Without a sign."""
    return negated_where(is_negative(value, w), value, w)


def sign(value: SSAValue, w: Writer) -> SSAValue:
    """-1, 0 or 1."""
    positive = w.elementwise("ne", value, w.splat(0, value), element=w.element(value))
    return w.elementwise("where", is_negative(value, w), w.splat(-1, value), positive)


def less(left: SSAValue, right: SSAValue, w: Writer) -> SSAValue:
    """Whether the first is less, in bf16: of one sign as they are, else the negative one."""
    first, second = is_negative(left, w), is_negative(right, w)
    same = w.elementwise("eq", first, second, element=bf16)
    plain = w.elementwise("lt", left, right, element=bf16)
    return w.elementwise("where", same, plain, first)


def compare(direction: str, left: SSAValue, right: SSAValue, w: Writer) -> SSAValue:
    """``LT``, ``LE``, ``GT`` or ``GE``."""
    if direction in ("GT", "LE"):
        left, right = right, left
    is_less = less(left, right, w)
    return is_less if direction in ("LT", "GT") else w.elementwise("logical_not", is_less)


def extreme(mnemonic: str, left: SSAValue, right: SSAValue, w: Writer) -> SSAValue:
    """``maximum`` or ``minimum``."""
    is_less = less(left, right, w)
    chosen = (right, left) if mnemonic == "maximum" else (left, right)
    return w.elementwise("where", is_less, *chosen)


def quotient(mnemonic: str, left: SSAValue, right: SSAValue, w: Writer) -> SSAValue:
    """``div`` or ``remainder``, which has the sign of the dividend."""
    first, second = is_negative(left, w), is_negative(right, w)
    value = w.elementwise(mnemonic, negated_where(first, left, w), negated_where(second, right, w))
    turned = first if mnemonic == "remainder" else w.elementwise("ne", first, second, element=bf16)
    return negated_where(turned, value, w)


def as_float(value: SSAValue, element: Attribute, w: Writer) -> SSAValue:
    """As a float."""
    negative = is_negative(value, w)
    size = w.typecast(negated_where(negative, value, w), element)
    return negated_where(negative, size, w)


def from_float(value: SSAValue, element: Attribute, w: Writer) -> SSAValue:
    """A float without its fraction."""
    size = w.elementwise("typecast", w.elementwise("abs", value), element=element)
    negative = w.elementwise("lt", value, w.splat(0, value), element=bf16)
    return negated_where(negative, size, w)


# Known numbers.


def as_counted(operands: Sequence[SSAValue], w: Writer) -> list[SSAValue] | None:
    """Known whole numbers that grow evenly along dimensions, such as positions with an offset, as float32; None for others."""
    written: list[Callable[[], SSAValue]] = []
    for operand in operands:
        values = w.known[operand]
        steps = None if values is None or not values.ndim else _steps(values)
        if values is None or steps is None:
            return None
        written.append(lambda values=values, steps=steps: _even(values, steps, w))  # type: ignore[misc]
    return [write() for write in written]


def _steps(values: Array) -> list[int] | None:
    """How much the numbers grow along each dimension, where that is the same everywhere and float32 has them all."""
    if not values.size or values.dtype.kind not in "iu" or np.abs(values).max() > _EXACT:
        return None
    steps, expected = [], np.full((), int(values[(0,) * values.ndim]), np.int64)
    for dim, extent in enumerate(values.shape):
        line = values[tuple(slice(None) if at == dim else 0 for at in range(values.ndim))].astype(np.int64)
        steps.append(int(line[1] - line[0]) if extent > 1 else 0)
        shape = [-1 if at == dim else 1 for at in range(values.ndim)]
        expected = expected + (np.arange(extent) * steps[-1]).reshape(shape)
    return steps if np.array_equal(expected, values) else None


def _even(values: Array, steps: Sequence[int], w: Writer) -> SSAValue:
    single: Attribute = Float32Type()
    rank = values.ndim
    total: SSAValue | None = None
    for dim, step in enumerate(steps):
        if step:
            line = w.along(w.count(values.shape[dim], single), dim, rank)
            line = line if step == 1 else w.elementwise("multiply", line, w.splat(step, line))
            total = line if total is None else w.elementwise("add", total, line)
    first = int(values[(0,) * rank])
    if total is None:
        return w.filled(first, (1,) * rank, single)
    return total if not first else w.elementwise("add", total, w.splat(first, total))
