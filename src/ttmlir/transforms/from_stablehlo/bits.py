"""Bits of whole numbers, which TTIR has no operations for: by division and remainders.

What is written is right for numbers with a sign and for the chip's, which have none: sums and products are taken modulo the
width, and a bit is the absolute remainder by two.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from ttmlir.stablehlo.numbers import is_unsigned, tensor_type
from ttmlir.stablehlo.problems import Unsupported
from ttmlir.transforms.from_stablehlo import signed
from ttmlir.transforms.from_stablehlo.writer import Writer

_NARROW = "what works: whole numbers of at most 32 bits; in JAX, without jax_enable_x64"
_KNOWN_SHIFT = "what works: a shift by one number that is known when the model is compiled"


def _width(op: Operation) -> int:
    element = tensor_type(op.results[0]).element_type
    assert isinstance(element, IntegerType)
    width: int = element.width.data
    if width > 32:
        raise Unsupported(f"its numbers have {width} bits, and those of TTIR 32", _NARROW)
    return width


def _power(exponent: int, width: int) -> int:
    """A power of two as a number of so many bits with a sign."""
    return 1 << exponent if exponent < width - 1 else -(1 << (width - 1))


def modulo(value: SSAValue, exponent: int, w: Writer) -> SSAValue:
    """The remainder by a power of two, not negative."""
    by = w.splat(1 << exponent, value)
    rest = w.elementwise("remainder", value, by)
    return w.elementwise("remainder", w.elementwise("add", rest, by), by)


def wrapped(value: SSAValue, element: IntegerType, w: Writer) -> SSAValue:
    """A whole number as a type of fewer bits holds it: the highest bit comes to the others, which are a number without sign."""
    width: int = element.width.data
    if is_unsigned(element):
        return w.typecast(modulo(value, width, w), element)
    low = w.typecast(modulo(value, width - 1, w), element)
    is_high = w.elementwise("ge", modulo(value, width, w), w.splat(1 << (width - 1), value), element=element)
    return w.elementwise("add", low, w.elementwise("multiply", is_high, w.splat(-(1 << (width - 1)), low)))


def _bits(value: SSAValue, count: int, w: Writer) -> list[SSAValue]:
    """The lowest bits, from the first."""
    two = w.splat(2, value)
    lowest: list[SSAValue] = []
    for position in range(count):
        bit = w.elementwise("abs", w.elementwise("remainder", value, two))
        lowest.append(bit)
        if position < count - 1:
            value = w.elementwise("div", w.elementwise("subtract", value, bit), two)
    return lowest


def _joined(parts: Sequence[tuple[int, SSAValue]], width: int, w: Writer) -> SSAValue | None:
    total = None
    for position, bit in parts:
        part = w.elementwise("multiply", bit, w.splat(_power(position, width), bit)) if position else bit
        total = part if total is None else w.elementwise("add", total, part)
    return total


def logic(name: str, op: Operation, w: Writer) -> SSAValue:
    """And, or, xor and not of the bits of whole numbers."""
    width = _width(op)
    operands = w.operands(op)
    if name == "not":
        return w.elementwise("subtract", w.elementwise("neg", operands[0]), w.splat(1, operands[0]))
    for index in (1, 0):
        number = w.known.number(op.operands[index])
        if number is not None:
            return _with_known(name, operands[1 - index], int(number) % (1 << width), width, w)
    left, right = (_bits(operand, width, w) for operand in operands)
    mnemonic = {"and": "multiply", "or": "maximum", "xor": "ne"}[name]
    parts = [(at, w.elementwise(mnemonic, *pair)) for at, pair in enumerate(zip(left, right, strict=True))]
    result = _joined(parts, width, w)
    assert result is not None
    return result


def _with_known(name: str, value: SSAValue, mask: int, width: int, w: Writer) -> SSAValue:
    if not mask:
        return value if name != "and" else w.broadcast(w.splat(0, value), w.shape(value))
    count = mask.bit_length()
    if name == "and" and mask == (1 << count) - 1 and count < width:
        return modulo(value, count, w) if count < 31 else _low_31(value, w)
    if name == "and" and mask == (1 << width) - 1:
        return value
    bits = _bits(value, count, w)
    one = w.splat(1, value)
    chosen: list[tuple[int, SSAValue]] = []
    for position in range(count):
        if not mask >> position & 1:
            continue
        bit = bits[position]
        if name == "or":  # what is missing is added
            bit = w.elementwise("subtract", one, bit)
        elif name == "xor":  # a bit that is set goes, another comes
            bit = w.elementwise("subtract", one, w.elementwise("add", bit, bit))
        chosen.append((position, bit))
    result = _joined(chosen, width, w)
    assert result is not None
    return result if name == "and" else w.elementwise("add", value, result)


def _low_31(value: SSAValue, w: Writer) -> SSAValue:
    """Without the highest of 32 bits: 2**31, which has no positive number, is added where there is one."""
    pieces = _bits(value, 31, w)
    result = _joined(list(enumerate(pieces)), 32, w)
    assert result is not None
    return result


def _known_shift(op: Operation, w: Writer) -> int:
    number = w.known.number(op.operands[1])
    if number is None:
        raise Unsupported("it shifts by numbers that are not known when the model is compiled", _KNOWN_SHIFT)
    width = _width(op)
    return width if not 0 <= int(number) < width else int(number)


def shift_left(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """A product with a power of two, modulo the width."""
    value, by, width = w.operands(op)[0], _known_shift(op, w), _width(op)
    if by == width:
        return [w.broadcast(w.splat(0, value), w.shape(value))]
    return [value if not by else w.elementwise("multiply", value, w.splat(_power(by, width), value))]


def shift_right_arithmetic(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """A quotient by a power of two, rounded down."""
    value, by, width = w.operands(op)[0], _known_shift(op, w), _width(op)
    by = min(by, width - 1)
    if not by or not w.signs.may_be_negative(op.operands[0]):
        return [_rounded_down(value, by, w)]
    # Of a negative number, that of what is missing to -1, from -1.
    negative = signed.is_negative(value, w)
    less_one = w.splat(-1, value)
    flipped = w.elementwise("where", negative, w.elementwise("subtract", less_one, value), value)
    down = _rounded_down(flipped, by, w)
    return [w.elementwise("where", negative, w.elementwise("subtract", less_one, down), down)]


def _rounded_down(value: SSAValue, by: int, w: Writer) -> SSAValue:
    # One after another where the power is no number with a sign.
    while by:
        step = min(by, 30)
        rest = w.elementwise("subtract", value, modulo(value, step, w))
        value = w.elementwise("div", rest, w.splat(1 << step, value))
        by -= step
    return value


def shift_right_logical(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """As if there were no sign: what was negative gets the bits that the sign was."""
    value, by, width = w.operands(op)[0], _known_shift(op, w), _width(op)
    if by == width:
        return [w.broadcast(w.splat(0, value), w.shape(value))]
    if not by:
        return [value]
    down = _rounded_down(value, by, w)
    whole = w.elementwise("add", down, w.splat(_power(width - by, width), value))
    return [w.elementwise("where", w.elementwise("lt", value, w.splat(0, value)), whole, down)]
