"""Operations on integers by the arithmetic of ``tt_model.integers``, if numbers may be negative or bits matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

import numpy as np
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Attribute, Operation, SSAValue

from tt_model.integers import arithmetic
from tt_model.integers.kinds import kind_of
from tt_model.stablehlo.dialect import HLOOr, HLOShiftLeft, HLOShiftRight
from tt_model.stablehlo.numbers import is_truth, tensor_type
from ttl.ir.refusals import Refused
from ttl.rows.dtypes import Array
from ttmlir.compositions import bits
from ttmlir.transforms.from_stablehlo.writer import Writer


def may_be_negative(op: Operation, w: Writer) -> bool:
    """Whether an operand of an operation may be negative."""
    return any(w.signs.may_be_negative(operand) for operand in op.operands)


def _width(op: Operation) -> int:
    """The number of bits that the device has for a result. For a wider type, the lowest bits hold the number."""
    kind = kind_of(tensor_type(op.results[0]).element_type)
    assert kind is not None
    return kind.held_width


# Bits as numbers.

# The bits of float32 with the exponent zero, to which the bits of a fraction are joined.
_ONE = 0x3F800000
_FRACTION = 23


def bitcast_convert(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert the bits of a number from 1 to 2, as for random numbers from a key. Raises ``Refused`` for others."""
    joined = op.operands[0].owner
    if isinstance(joined, HLOOr):
        for one, other in (joined.operands, joined.operands[::-1]):
            is_fraction = w.signs.interval(one)[0] >= 0 and w.signs.interval(one)[1] < 1 << _FRACTION
            if w.known.number(other) == _ONE and is_fraction and w.result(op).element_type == Float32Type():
                part = w.typecast(w[one], Float32Type())
                part = w.elementwise("multiply", part, w.splat(2.0**-_FRACTION, part))
                w.has_tables = True
                return [w.elementwise("add", part, w.splat(1, part))]
    raise Refused(
        "TTIR has no operation that reads the bits of a number as those of another type",
        "what works: a conversion of the value; random numbers from a key, as jax.random.uniform, normal and bernoulli "
        "make them in float32",
    )


# Arithmetic.


def divided(name: str, op: Operation, w: Writer) -> SSAValue:
    """Convert ``divide`` or ``remainder``; by zero, the results are those of XLA: all bits set, or the dividend."""
    left, right = w.operands(op)
    if may_be_negative(op, w):
        function = arithmetic.quotient if name == "divide" else arithmetic.remainder
        value: SSAValue = function(left, right, w)
    else:
        value = w.elementwise("div" if name == "divide" else "remainder", left, right)
    if not w.signs.may_be_zero(op.operands[1]):
        return value
    by_zero = w.splat(-1, left) if name == "divide" else left
    result: SSAValue = arithmetic.where_divided(value, by_zero, right, w)
    return result


def convert(op: Operation, w: Writer) -> SSAValue | None:
    """Convert to or from integers; return None if neither type is an integer, or if one is a truth value."""
    (value,) = w.operands(op)
    source, target = (tensor_type(one).element_type for one in (op.operands[0], op.results[0]))
    if is_truth(source) or is_truth(target):
        return None
    before, after = kind_of(source), kind_of(target)
    negative = w.signs.may_be_negative(op.operands[0])
    result: SSAValue | None = None
    if before is not None and after is not None:
        low, high = w.signs.interval(op.operands[0])
        if before.element == after.element or (low >= 0 and high <= after.most):
            return w.elementwise("typecast", value, element=after.element)
        result = arithmetic.to_integer(value, after, negative, w)
    elif before is not None:
        result = arithmetic.to_float(value, w.result(op).element_type, negative, w)
    elif after is not None:
        result = arithmetic.from_float(value, after, "nearest", w)
    return result


# Bits.


def _is_turned(op: Operation, width: int, w: Writer) -> bool:
    """Whether the operands are the two shifts of a rotation, as in ``jax.random``: no bit is set in both."""
    by: dict[type[Operation], int] = {}
    for operand in op.operands:
        shift = operand.owner
        if isinstance(shift, (HLOShiftLeft, HLOShiftRight)):
            number = w.known.number(shift.operands[1])
            if number is not None:
                by[type(shift)] = int(number)
    return len(by) == 2 and sum(by.values()) >= width


def logic(name: str, op: Operation, w: Writer) -> SSAValue:
    """Convert and, or, xor and not of the bits of integers."""
    width = _width(op)
    operands = w.operands(op)
    result: SSAValue
    if name == "not":
        result = arithmetic.complement(operands[0], w)
        return result
    for index in (1, 0):
        number = w.known.number(op.operands[index])
        if number is not None:
            mask = int(number) % (1 << width)
            result = arithmetic.logic_with(name, operands[1 - index], mask, w)
            return w.broadcast(result, w.result(op).get_shape())
    limits = [w.signs.interval(operand) for operand in op.operands]
    count = width
    if all(low >= 0 for low, _ in limits):
        # A bit that is set in both operands is one of the lesser operand.
        count = max(1, min(high.bit_length() for _, high in limits))
    if name == "or" and _is_turned(op, width, w):
        return w.elementwise("add", *operands)
    result = bits.logic(name, operands[0], operands[1], count, w)
    return result


_Shift = Literal["left", "right", "right with zeros"]


def _shift(name: _Shift) -> Callable[[Operation, Writer], Sequence[SSAValue]]:
    def rule(op: Operation, w: Writer) -> Sequence[SSAValue]:
        value, width = w[op.operands[0]], _width(op)
        negative = w.signs.may_be_negative(op.operands[0])
        number = w.known.number(op.operands[1])
        if number is None:
            by = w[op.operands[1]]
            return [arithmetic.shifted_by_values(name, value, by, negative, w)]
        count = int(number) if 0 <= int(number) < width else width
        if name == "left":
            return [arithmetic.shifted_left(value, count, w)]
        if name == "right":
            return [arithmetic.shifted_right(value, count, negative, w)]
        return [arithmetic.shifted_right_with_zeros(value, count, w)]

    return rule


SHIFTS: Mapping[str, Callable[[Operation, Writer], Sequence[SSAValue]]] = MappingProxyType(
    {
        "stablehlo.shift_left": _shift("left"),
        "stablehlo.shift_right_arithmetic": _shift("right"),
        "stablehlo.shift_right_logical": _shift("right with zeros"),
    }
)


# Known numbers.
def as_counted(operands: Sequence[SSAValue], w: Writer) -> list[SSAValue] | None:
    """Return known integers that grow evenly along dimensions as float32; None for others.

    Positions with an offset are an example.
    """
    written: list[Callable[[], SSAValue]] = []
    for operand in operands:
        values = w.known[operand]
        steps = None if values is None or not values.ndim else _steps(values)
        if values is None or steps is None:
            return None
        written.append(lambda values=values, steps=steps: _even(values, steps, w))  # type: ignore[misc]
    return [write() for write in written]


def _steps(values: Array) -> list[int] | None:
    """Return the step of numbers along each dimension; None if steps vary, or if float32 does not have all numbers."""
    if not values.size or values.dtype.kind not in "iu" or np.abs(values).max() > arithmetic.EXACT:
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
