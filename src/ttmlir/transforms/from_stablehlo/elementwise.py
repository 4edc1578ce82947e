"""Elementwise operations. Most have an equivalent in TTIR; the others are composed of several operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from xdsl.dialects.builtin import Float16Type, IntegerType, TensorType, bf16, f16, f32
from xdsl.ir import Attribute, Operation, SSAValue

from tt_model.integers import arithmetic
from tt_model.stablehlo.numbers import converted_element, is_truth, tensor_type
from tt_model.stablehlo.reading import integer, word
from ttl.ir.refusals import Refused
from ttmlir.compositions import functions
from ttmlir.transforms.from_stablehlo import integers
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer

# Operations with the same meaning: their names in StableHLO and in TTIR.
_SAME: Mapping[str, str] = MappingProxyType(
    {
        "abs": "abs",
        "add": "add",
        "cbrt": "cbrt",
        "ceil": "ceil",
        "cosine": "cos",
        "divide": "div",
        "exponential": "exp",
        "exponential_minus_one": "expm1",
        "floor": "floor",
        "is_finite": "isfinite",
        "log": "log",
        "log_plus_one": "log1p",
        "logistic": "sigmoid",
        "maximum": "maximum",
        "minimum": "minimum",
        "multiply": "multiply",
        "negate": "neg",
        "remainder": "remainder",
        "rsqrt": "rsqrt",
        "select": "where",
        "sign": "sign",
        "sine": "sin",
        "sqrt": "sqrt",
        "subtract": "subtract",
    }
)
# Arithmetic of truth values is logic.
_OF_TRUTHS: Mapping[str, str] = MappingProxyType(
    {
        "add": "logical_or",
        "and": "logical_and",
        "multiply": "logical_and",
        "not": "logical_not",
        "or": "logical_or",
        "xor": "logical_xor",
    }
)
# Operations on integers whose results depend on signs, which the chip's integers do not have.
_SIGNED: Mapping[str, Callable[..., SSAValue]] = MappingProxyType(
    {
        "abs": lambda w, value: arithmetic.absolute(value, w),
        "maximum": lambda w, left, right: arithmetic.extreme("maximum", left, right, w),
        "minimum": lambda w, left, right: arithmetic.extreme("minimum", left, right, w),
        "sign": lambda w, value: arithmetic.sign(value, w),
    }
)
_DIVISIONS = ("divide", "remainder")
_LOGIC = ("and", "or", "xor", "not")
# Powers up to this exponent are products.
_LARGEST_POWER = 64


def _element(value: SSAValue) -> Attribute:
    element: Attribute = tensor_type(value).element_type
    return element


def _same(name: str) -> Rule:
    def rule(op: Operation, w: Writer) -> Sequence[SSAValue]:
        short = name
        if is_truth(_element(op.operands[-1])) and short in _OF_TRUTHS:
            return [_written(op, w, _OF_TRUTHS[short])]
        if short in _DIVISIONS and isinstance(_element(op.operands[0]), IntegerType):
            return [integers.divided(short, op, w)]
        if short in _SIGNED and integers.may_be_negative(op, w):
            return [_SIGNED[short](w, *w.operands(op))]
        return [_written(op, w, _SAME[short])]

    return rule


def _written(op: Operation, w: Writer, mnemonic: str) -> SSAValue:
    type = w.result(op)
    return w.elementwise(mnemonic, *w.operands(op), element=type.element_type, shape=type.get_shape())


def _logic(name: str) -> Rule:
    def rule(op: Operation, w: Writer) -> Sequence[SSAValue]:
        if is_truth(_element(op.operands[0])):
            return [_written(op, w, _OF_TRUTHS[name])]
        return [integers.logic(name, op, w)]

    return rule


_DIRECTIONS: Mapping[str, str] = MappingProxyType(
    {"EQ": "eq", "NE": "ne", "GE": "ge", "GT": "gt", "LE": "le", "LT": "lt"}
)


def compare(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a comparison, whose result is 1 or 0, in bf16."""
    direction = word(op, "comparison_direction")
    if direction not in ("EQ", "NE") and integers.may_be_negative(op, w):
        counted = integers.as_counted(op.operands, w)
        if counted is None:
            left, right = w.operands(op)
            return [arithmetic.compare(_DIRECTIONS[direction], left, right, w)]
        type = w.result(op)
        compared = w.elementwise(_DIRECTIONS[direction], *counted, element=type.element_type)
        return [w.broadcast(compared, type.get_shape())]
    return [_written(op, w, _DIRECTIONS[direction])]


def convert(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert elements: to truth values by comparison with 0, integers by ``tt_model.integers``, else by typecast."""
    (value,) = w.operands(op)
    source, target = _element(op.operands[0]), _element(op.results[0])
    type = w.result(op)
    if is_truth(target) and not is_truth(source):
        return [w.as_truth(value, type.element_type)]
    whole = integers.convert(op, w)
    return [w.elementwise("typecast", value, element=type.element_type) if whole is None else whole]


def clamp(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a clamp: to an operation with attributes for known numbers, else to a maximum and a minimum."""
    low, value, high = w.operands(op)
    numbers = w.known.number(op.operands[0]), w.known.number(op.operands[2])
    type = w.result(op)
    if None not in numbers and all(_is_exact(number) for number in numbers):
        first, last = (float(number) for number in numbers if number is not None)
        if first <= last and not w.is_integer(value):
            return [w.into_empty("ttir.clamp", [value], type, count=4, min=first, max=last)]
    shape = type.get_shape()
    if w.is_integer(value) and integers.may_be_negative(op, w):
        at_least = arithmetic.extreme("maximum", low, value, w)
        return [w.broadcast(arithmetic.extreme("minimum", at_least, high, w), shape)]
    atleast = w.elementwise("maximum", low, value, shape=shape, element=type.element_type)
    return [w.elementwise("minimum", atleast, high, shape=shape, element=type.element_type)]


def _is_exact(number: float | None) -> bool:
    """Whether an attribute of 32 bits may have a number: not NaN, which has no order, nor an integer that it rounds."""
    if number is None or number != number:
        return False
    with np.errstate(over="ignore"):
        return not isinstance(number, int) or float(np.float32(number)) == number


# Operations without a counterpart in TTIR.


def tanh(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """The hyperbolic tangent as expm1(2x) / (expm1(2x) + 2), exact near zero; beyond the clamp its magnitude is 1."""
    (value,) = w.operands(op)
    limit = 5.0 if isinstance(w.element(value), Float16Type) else 16.0
    limited = w.into_empty("ttir.clamp", [value], w.type(value), min=-limit, max=limit)
    grown = w.elementwise("expm1", w.elementwise("multiply", limited, w.splat(2, value)))
    return [w.elementwise("div", grown, w.elementwise("add", grown, w.splat(2, value)))]


def round_afz(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Round to the nearest whole number, halves away from zero."""
    (value,) = w.operands(op)
    size = w.elementwise("abs", value)
    below = w.elementwise("floor", size)
    up = w.elementwise("ge", w.elementwise("subtract", size, below), w.splat(0.5, value))
    return [w.elementwise("multiply", w.elementwise("sign", value), w.elementwise("add", below, up))]


def round_even(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Round to the nearest whole number, halves to the even one."""
    (value,) = w.operands(op)
    below = w.elementwise("floor", value)
    rest = w.elementwise("subtract", value, below)
    half = w.splat(0.5, value)
    is_odd = w.elementwise("ne", w.elementwise("remainder", below, w.splat(2, value)), w.splat(0, value))
    up = w.elementwise("gt", rest, half)
    tie = w.elementwise("multiply", w.elementwise("eq", rest, half), is_odd)
    return [w.elementwise("add", w.elementwise("add", below, up), tie)]


def power(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a power: by products for known integer exponents up to 64, by roots for 0.5 and -0.5, else by logarithms.

    Powers of negative numbers exist for integer exponents only. Raises ``Refused`` for powers of integers that would
    need logarithms.
    """
    value, exponent = w.operands(op)
    number = w.known.number(op.operands[1])
    if number is not None and (by_products := _known_power(value, number, w)) is not None:
        return [by_products]
    if w.is_integer(value):
        condition = (
            "its exponents are integers that are not known when the model is compiled"
            if number is None
            else f"its exponent is {number:g}, and integers have powers from 0 to {_LARGEST_POWER}"
        )
        raise Refused(condition, f"what works: floats, or one known exponent from 0 to {_LARGEST_POWER}")
    raw = _exp_log(value, exponent, w)
    size = _exp_log(w.elementwise("abs", value), exponent, w)
    zero, one = w.splat(0, value), w.splat(1, value)
    size = w.elementwise("where", w.elementwise("eq", exponent, zero), one, size, element=w.element(value))
    whole = w.elementwise("eq", w.elementwise("floor", exponent), exponent)
    odd = w.elementwise("ne", w.elementwise("remainder", exponent, w.splat(2, value)), zero)
    signed = w.elementwise("where", odd, w.elementwise("neg", size), size)
    negative = w.elementwise("where", whole, signed, raw)
    return [w.elementwise("where", w.elementwise("lt", value, zero), negative, size)]


def _exp_log(value: SSAValue, exponent: SSAValue, w: Writer) -> SSAValue:
    return w.elementwise("exp", w.elementwise("multiply", exponent, w.elementwise("log", value)))


def _known_power(value: SSAValue, number: float, w: Writer) -> SSAValue | None:
    if number == 0.5:
        return w.elementwise("sqrt", value)
    if number == -0.5:
        return w.elementwise("rsqrt", value)
    if number != math.floor(number) or abs(number) > _LARGEST_POWER or (w.is_integer(value) and number < 0):
        return None
    if number == 0:
        return w.broadcast(w.splat(1, value), w.shape(value))
    left, square, product = abs(int(number)), value, None
    while True:
        if left & 1:
            product = square if product is None else w.elementwise("multiply", product, square)
        left >>= 1
        if not left:
            break
        square = w.elementwise("multiply", square, square)
    assert product is not None
    return w.elementwise("reciprocal", product) if number < 0 else product


def reduce_precision(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Reduce the precision by a typecast to a type of that precision and back."""
    (value,) = w.operands(op)
    precision = integer(op, "exponent_bits"), integer(op, "mantissa_bits")
    if precision[0] >= 8 and precision[1] >= 23:
        return [value]
    through = {(8, 7): bf16, (5, 10): f16}.get(precision)
    if through is None:
        raise Refused(
            f"there is no type of {precision[0]} bits of exponent and {precision[1]} of mantissa",
            "what works: those of bf16 (8 and 7), f16 (5 and 10) and f32 (8 and 23)",
        )
    return [w.typecast(w.typecast(value, through), w.element(value))]


# Functions of CHLO.


def square(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a square to a product."""
    (value,) = w.operands(op)
    return [w.elementwise("multiply", value, value)]


def _hyperbolic(sign: str) -> Rule:
    def rule(op: Operation, w: Writer) -> Sequence[SSAValue]:
        (value,) = w.operands(op)
        grown = w.elementwise("exp", value)
        shrunk = w.elementwise("exp", w.elementwise("neg", value))
        return [w.elementwise("multiply", w.elementwise(sign, grown, shrunk), w.splat(0.5, value))]

    return rule


def _is_infinite(keep: str) -> Rule:
    """Return the rule of a test for infinities: values that are neither finite nor NaN.

    ``keep`` is the comparison with zero that tests the sign; empty for both signs.
    """

    def rule(op: Operation, w: Writer) -> Sequence[SSAValue]:
        (value,) = w.operands(op)
        number = w.elementwise("eq", value, value, element=bf16)
        infinite = w.elementwise("logical_not", w.elementwise("isfinite", value, element=bf16))
        result = w.elementwise("logical_and", number, infinite)
        if keep:
            result = w.elementwise(
                "logical_and", result, w.elementwise(keep, value, w.splat(0, value), element=bf16)
            )
        return [result]

    return rule


def constant(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a constant to a table of the converted type; one value repeated is kept once."""
    values = w.known[op.results[0]]
    type = op.results[0].type
    if isinstance(type, TensorType):
        converted_element(type.element_type)
    if values is None or not isinstance(type, TensorType):
        raise Refused(
            f"its elements, {type}, are not in the text or not numbers that TTIR has",
            "what works: dense<...> of i1, integers, bf16, f16, f32 and f64",
        )
    return [w.constant(values, converted_element(type.element_type))]


ELEMENTWISE: Mapping[str, Rule] = MappingProxyType(
    {
        **{f"stablehlo.{name}": _same(name) for name in _SAME},
        **{f"stablehlo.{name}": _logic(name) for name in _LOGIC},
        **integers.SHIFTS,
        "chlo.cosh": _hyperbolic("add"),
        "chlo.is_inf": _is_infinite(""),
        "chlo.is_neg_inf": _is_infinite("lt"),
        "chlo.is_pos_inf": _is_infinite("gt"),
        "chlo.sinh": _hyperbolic("subtract"),
        "chlo.square": square,
        "stablehlo.bitcast_convert": integers.bitcast_convert,
        "stablehlo.clamp": clamp,
        "stablehlo.compare": compare,
        "stablehlo.constant": constant,
        "stablehlo.convert": convert,
        "stablehlo.power": power,
        "stablehlo.reduce_precision": reduce_precision,
        "stablehlo.round_nearest_afz": round_afz,
        "stablehlo.round_nearest_even": round_even,
        "stablehlo.tanh": tanh,
    }
)


def _composed(function: Callable[..., Any]) -> Rule:
    return lambda op, w: [function(*w.operands(op), w)]


def erf_inv(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Compute the inverse error function in float32: its polynomials have more digits than other types."""
    (value,) = w.operands(op)
    return [w.typecast(functions.erf_inv(w.typecast(value, f32), w), w.element(value))]


_ANGLES = (functions.acos, functions.acosh, functions.asin, functions.asinh, functions.atan, functions.atanh)
TRIGONOMETRY: Mapping[str, Rule] = MappingProxyType(
    {
        "stablehlo.atan2": _composed(functions.atan2),
        **dict.fromkeys(("chlo.tan", "stablehlo.tan"), _composed(functions.tan)),
        "chlo.erf": _composed(functions.erf),
        "chlo.erfc": _composed(functions.erfc),
        "chlo.erf_inv": erf_inv,
        **{f"chlo.{rule.__name__}": _composed(rule) for rule in _ANGLES},
    }
)
