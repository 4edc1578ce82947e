"""Elementwise functions of ATen: arithmetic, comparisons, truth values, activations, conversions of type."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.row import AtenValue, Rule, Scalar, common_type, rows

if TYPE_CHECKING:
    import torch

Number = float

# The largest whole exponent for which a power is computed by products.
_MOST_PRODUCTS = 64
_FLOATS = "floats: tensor.float()"


def _is_truth(dtype: torch.dtype) -> bool:
    import torch

    return dtype is torch.bool


def _as_value(at: GraphLowering, one: Scalar, dtype: torch.dtype | None = None) -> AtenValue:
    return one if isinstance(one, AtenValue) else at.number(one, dtype)


# One operand.


def _unary(name: str) -> Rule:
    """Return the rule of a builder method with one operand, computed in the type of the result."""

    def rule(at: GraphLowering, value: AtenValue) -> Any:
        return at.joint(name, value)

    return rule


def _same(at: GraphLowering, value: AtenValue, *_: Any) -> Any:
    return value


def _nothing(at: GraphLowering, *_: Any) -> Any:
    return None


def _square(at: GraphLowering, value: AtenValue) -> Any:
    return at.joint("multiply", value, value)


def _scaled(name: str, factor: float) -> Rule:
    """Return the rule of a function of the operand times a number, such as exp(x ln 2)."""

    def rule(at: GraphLowering, value: AtenValue) -> Any:
        operand = at.operand(value, at.dtype)
        return getattr(at.builder, name)(at.times(operand, factor))

    return rule


def _then_scaled(name: str, factor: float) -> Rule:
    """Return the rule of a function of the operand whose result is multiplied by a number, such as ln(x) / ln 2."""

    def rule(at: GraphLowering, value: AtenValue) -> Any:
        return at.times(at.joint(name, value), factor)

    return rule


def _rounded(at: GraphLowering, value: AtenValue) -> Any:
    """Round to the nearest whole number; ties go to the even one, as in torch."""
    return at.narrow(rounded(at, at.wide(value)))


def rounded(at: GraphLowering, operand: Any) -> Any:
    """Round a float32 value to the nearest whole numbers; ties go to the even one."""
    build = at.builder
    below = build.floor(operand)
    rest, half = build.subtract(operand, below), build.number_like(0.5, operand)
    odd = build.subtract(below, at.times(build.floor(at.times(below, 0.5)), 2.0))
    tie = build.multiply(build.eq(rest, half), odd)
    return build.add(below, build.add(build.gt(rest, half), tie))


def _hyperbolic(is_odd: bool) -> Rule:
    """Return the rule of sinh or cosh, by exponentials minus one, which are exact near zero."""

    def rule(at: GraphLowering, value: AtenValue) -> Any:
        build, operand = at.builder, at.wide(value)
        there, back = build.expm1(operand), build.expm1(build.neg(operand))
        if is_odd:
            return at.narrow(at.times(build.subtract(there, back), 0.5))
        total = at.times(build.add(there, back), 0.5)
        return at.narrow(build.add(total, build.number_like(1.0, total)))

    return rule


def _trunc(at: GraphLowering, value: AtenValue) -> Any:
    build, operand = at.builder, at.operand(value)
    is_positive = build.ge(operand, build.number_like(0, operand))
    return build.where(is_positive, build.floor(operand), build.ceil(operand))


def _is_nan(at: GraphLowering, value: AtenValue) -> Any:
    operand = at.operand(value)
    return at.builder.ne(operand, operand)


def _is_finite(at: GraphLowering, value: AtenValue) -> Any:
    return at.builder.isfinite(at.operand(value))


def _is_infinite(at: GraphLowering, value: AtenValue) -> Any:
    build, operand = at.builder, at.operand(value)
    return build.logical_and(build.eq(operand, operand), build.logical_not(build.isfinite(operand)))


# Two operands.


def _arithmetic(name: str) -> Rule:
    def rule(at: GraphLowering, left: AtenValue, right: Scalar, alpha: Number = 1) -> Any:
        other = _as_value(at, right)
        if _is_truth(at.dtype):
            return at.joint("logical_and" if name == "multiply" else "logical_or", left, other)
        if alpha != 1:
            other = at.again(at.times(at.operand(other, at.dtype), alpha), other.shape)
        return at.joint(name, left, other)

    return rule


def _subtracted_from(at: GraphLowering, left: AtenValue, right: Scalar, alpha: Number = 1) -> Any:
    if alpha != 1:
        raise at.refuse(f"alpha is {alpha}", "the product written out")
    return at.joint("subtract", _as_value(at, right), left)


def _divided(at: GraphLowering, left: AtenValue, right: Scalar, rounding: str | None = None) -> Any:
    quotient = at.joint("div", left, _as_value(at, right))
    if rounding == "floor":
        return at.builder.floor(quotient)
    if rounding == "trunc":
        return _trunc(at, at.again(quotient, at.shape))
    return quotient


def _floor_divided(at: GraphLowering, left: AtenValue, right: Scalar) -> Any:
    return _divided(at, left, right, "floor")


def _modulo(at: GraphLowering, left: AtenValue, right: Scalar) -> Any:
    """Return the remainder with the sign of the divisor."""
    other = _as_value(at, right)
    whole = at.again(at.builder.floor(at.joint("div", left, other)), at.shape)
    return at.joint("subtract", left, at.again(at.joint("multiply", whole, other), at.shape))


def _of_two(name: str) -> Rule:
    def rule(at: GraphLowering, left: AtenValue, right: Scalar) -> Any:
        return at.joint(name, left, _as_value(at, right))

    return rule


def _compared(name: str) -> Rule:
    def rule(at: GraphLowering, left: AtenValue, right: Scalar) -> Any:
        dtype = common_type(left, right)
        return at.joint(name, left, _as_value(at, right, dtype), dtype=dtype)

    return rule


def _logical(name: str) -> Rule:
    def rule(at: GraphLowering, *operands: AtenValue) -> Any:
        import torch

        return at.joint(name, *operands, dtype=torch.bool)

    return rule


def _bitwise(name: str) -> Rule:
    def rule(at: GraphLowering, *operands: Scalar) -> Any:
        import torch

        return at.joint(name, *(_as_value(at, one) for one in operands), dtype=torch.bool)

    return rule


def _power(at: GraphLowering, base: AtenValue, exponent: Number) -> Any:
    """Raise to a power: by products, roots and reciprocals, or by exponentials, which have no value for negative numbers either."""
    build, operand = at.builder, at.operand(base, at.dtype)
    if exponent == 0:
        return at.filled(1)
    if exponent < 0 and not at.dtype.is_floating_point:
        raise at.refuse("integers have no negative powers", _FLOATS)
    size = abs(exponent)
    whole, rest = int(size), size - int(size)
    if rest not in (0, 0.5) or whole > _MOST_PRODUCTS:
        return build.exp(at.times(build.log(operand), exponent))
    if exponent == -0.5:
        return build.rsqrt(operand)
    power = at.operand(base, at.dtype) if whole else None
    if whole > 1:
        power = _product_of(at, operand, whole)
    if rest:
        root = build.sqrt(operand)
        power = root if power is None else build.multiply(power, root)
    assert power is not None
    return build.reciprocal(power) if exponent < 0 else power


def _product_of(at: GraphLowering, operand: Any, count: int) -> Any:
    """Raise ``operand`` to a whole power, by squaring."""
    product, square = None, operand
    while count:
        if count & 1:
            product = square if product is None else at.builder.multiply(product, square)
        count >>= 1
        if count:
            square = at.builder.multiply(square, square)
    return product


def _power_of_tensors(at: GraphLowering, base: AtenValue, exponent: AtenValue) -> Any:
    if exponent.known is not None and exponent.known.numel() == 1:
        return _power(at, base, exponent.known.item())
    raise at.refuse(
        "the exponent is a tensor of unknown values, and a power of a negative number depends on whether the exponent is an integer",
        "a number as exponent, or torch.exp(y * torch.log(x)) if x is positive",
    )


def _power_of_number(at: GraphLowering, base: Number, exponent: AtenValue) -> Any:
    if base <= 0:
        raise at.refuse(f"the base {base} is not positive", "a positive base")
    return at.builder.exp(at.times(at.operand(exponent, at.dtype), math.log(base)))


# Choices and limits.


def _where(at: GraphLowering, condition: AtenValue, chosen: Scalar, other: Scalar) -> Any:
    first, second = (_as_value(at, one) for one in (chosen, other))
    return at.choice(condition, first, second)


def _masked(at: GraphLowering, value: AtenValue, mask: AtenValue, number: Scalar) -> Any:
    return at.choice(mask, _as_value(at, number), value)


def _clamped(
    at: GraphLowering, value: AtenValue, least: Scalar | None = None, most: Scalar | None = None
) -> Any:
    if isinstance(least, float | int) and isinstance(most, float | int) and at.dtype.is_floating_point:
        # If the lower limit is greater than the upper one, torch returns the upper one everywhere.
        return at.builder.clamp(at.operand(value, at.dtype), float(min(least, most)), float(most))
    limited = value
    for name, limit in (("maximum", least), ("minimum", most)):
        if limit is not None:
            limited = at.again(at.joint(name, limited, _as_value(at, limit)), at.shape)
    return limited


def _between(least: float, most: float) -> Rule:
    return lambda at, value: _clamped(at, value, least, most)


# Activations.


def _gelu(at: GraphLowering, value: AtenValue, approximate: str = "none") -> Any:
    build, operand = at.builder, at.operand(value)
    if approximate == "none":
        return build.gelu(operand)
    # 0.5 x (1 + tanh(u)) is x sigmoid(2 u).
    cube = build.multiply(build.multiply(operand, operand), operand)
    inner = build.add(operand, at.times(cube, 0.044715))
    return build.multiply(operand, build.sigmoid(at.times(inner, 2 * math.sqrt(2 / math.pi))))


def _tanh(at: GraphLowering, value: AtenValue) -> Any:
    # Near zero this is a difference of numbers near one, for which bf16 has too few digits.
    return at.narrow(at.builder.tanh(at.wide(value)))


def _leaky_relu(at: GraphLowering, value: AtenValue, slope: Number = 0.01) -> Any:
    return at.builder.leaky_relu(at.operand(value), slope)


def _prelu(at: GraphLowering, value: AtenValue, weight: AtenValue) -> Any:
    build, operand = at.builder, at.operand(value)
    product = at.joint("multiply", value, weight)
    return build.where(build.gt(operand, build.number_like(0, operand)), operand, product)


def _elu(at: GraphLowering, value: AtenValue, alpha: Number = 1, scale: Number = 1, inner: Number = 1) -> Any:
    build, operand = at.builder, at.operand(value)
    negative = at.times(build.expm1(at.times(operand, inner)), alpha * scale)
    is_positive = build.gt(operand, build.number_like(0, operand))
    return build.where(is_positive, at.times(operand, scale), negative)


def _hard_sigmoid(at: GraphLowering, value: AtenValue) -> Any:
    build, operand = at.builder, at.operand(value)
    return at.times(build.clamp(build.add(operand, build.number_like(3, operand)), 0.0, 6.0), 1 / 6)


def _hard_swish(at: GraphLowering, value: AtenValue) -> Any:
    return at.builder.multiply(at.operand(value), _hard_sigmoid(at, value))


def _dropout(at: GraphLowering, value: AtenValue, probability: Number, training: bool) -> Any:
    if training and probability:
        raise at.refuse("it draws random numbers: the module is in training mode", "module.eval()")
    return value


# Type conversions, and tensors filled with one number.


def _converted(at: GraphLowering, value: AtenValue, *_: Any) -> Any:
    """Convert to the type of the result."""
    return at.again(at.operand(value, at.dtype), at.shape)


def _of_one_number(number: float | None) -> Rule:
    """Return the rule of a tensor filled with ``number``, or with the first number among the arguments."""

    def rule(at: GraphLowering, *arguments: Any) -> Any:
        value = number
        if value is None:
            value = next(one for one in arguments if isinstance(one, int | float))
        return at.filled(value)

    return rule


def _copied(at: GraphLowering, value: AtenValue, source: AtenValue, *_: Any) -> Any:
    return at.spread(at.again(at.operand(source, at.dtype), source.shape), at.shape)


_UNARY = "abs ceil cos exp expm1 floor log log1p reciprocal relu rsqrt sigmoid sign sin sqrt silu"
_COMPARISONS = {"eq": "eq", "ne": "ne", "ge": "ge", "gt": "gt", "le": "le", "lt": "lt"}
_POWERS = "ttir.multiply, ttir.sqrt, ttir.rsqrt, ttir.reciprocal, or ttir.log and ttir.exp"
_LIKE = (
    "zeros_like ones_like full_like empty_like new_zeros new_ones new_full new_empty",
    {"zeros": 0, "ones": 1, "empty": 0},
)


ROWS = rows(
    *((f"{name}.default", _unary(name), "ttir.sigmoid, ttir.multiply" if name == "silu" else f"ttir.{name}") for name in _UNARY.split()),
    ("neg.default", _unary("neg"), "ttir.neg"),
    ("square.default", _square, "ttir.multiply"),
    ("exp2.default", _scaled("exp", math.log(2)), "ttir.multiply, ttir.exp"),
    ("log2.default", _then_scaled("log", 1 / math.log(2)), "ttir.log, ttir.multiply"),
    ("log10.default", _then_scaled("log", 1 / math.log(10)), "ttir.log, ttir.multiply"),
    ("round.default", _rounded, "ttir.floor, ttir.subtract, ttir.multiply, ttir.eq, ttir.gt, ttir.add"),
    ("sinh.default", _hyperbolic(is_odd=True), "ttir.expm1, ttir.neg, ttir.subtract, ttir.multiply"),
    ("cosh.default", _hyperbolic(is_odd=False), "ttir.expm1, ttir.neg, ttir.add, ttir.multiply"),
    ("trunc.default", _trunc, "ttir.ge, ttir.floor, ttir.ceil, ttir.where"),
    ("isfinite.default", _is_finite, "ttir.isfinite"),
    ("isnan.default", _is_nan, "ttir.ne"),
    ("isinf.default", _is_infinite, "ttir.isfinite, ttir.logical_not, ttir.eq, ttir.logical_and"),
    ("add.Tensor add.Scalar", _arithmetic("add"), "ttir.add, with alpha ttir.multiply; for truth values ttir.logical_or"),
    ("sub.Tensor sub.Scalar", _arithmetic("subtract"), "ttir.subtract, with alpha ttir.multiply"),
    ("mul.Tensor mul.Scalar", _arithmetic("multiply"), "ttir.multiply; for truth values ttir.logical_and"),
    ("rsub.Tensor rsub.Scalar", _subtracted_from, "ttir.subtract"),
    ("div.Tensor div.Scalar div.Tensor_mode div.Scalar_mode", _divided, "ttir.div; with rounding ttir.floor, ttir.ge, ttir.ceil, ttir.where"),
    ("floor_divide.default", _floor_divided, "ttir.div, ttir.floor"),
    ("fmod.Tensor fmod.Scalar", _of_two("remainder"), "ttir.remainder"),
    ("remainder.Tensor remainder.Scalar", _modulo, "ttir.div, ttir.floor, ttir.multiply, ttir.subtract"),
    ("maximum.default", _of_two("maximum"), "ttir.maximum"),
    ("minimum.default", _of_two("minimum"), "ttir.minimum"),
    *((f"{name}.Tensor {name}.Scalar", _compared(full), f"ttir.{full}") for name, full in _COMPARISONS.items()),
    *((f"logical_{name}.default", _logical(f"logical_{name}"), f"ttir.logical_{name}") for name in ("and", "or", "xor", "not")),
    *((f"bitwise_{name}.Tensor bitwise_{name}.Scalar", _bitwise(f"logical_{name}"), f"ttir.logical_{name} of truth values") for name in ("and", "or", "xor")),
    ("bitwise_not.default", _bitwise("logical_not"), "ttir.logical_not of truth values"),
    ("pow.Tensor_Scalar", _power, _POWERS),
    ("pow.Tensor_Tensor", _power_of_tensors, _POWERS, "an exponent that is not known"),
    ("pow.Scalar", _power_of_number, "ttir.multiply, ttir.exp", "a base that is not positive"),
    ("where.self where.ScalarOther where.ScalarSelf where.Scalar", _where, "ttir.where"),
    ("masked_fill.Scalar masked_fill.Tensor", _masked, "ttir.where"),
    ("clamp.default clamp.Tensor hardtanh.default", _clamped, "ttir.clamp, ttir.maximum, ttir.minimum"),
    ("clamp_min.default clamp_min.Tensor", _of_two("maximum"), "ttir.maximum"),
    ("clamp_max.default clamp_max.Tensor", _of_two("minimum"), "ttir.minimum"),
    ("relu6.default", _between(0, 6), "ttir.clamp"),
    ("gelu.default", _gelu, "ttir.gelu; with approximate='tanh' ttir.multiply, ttir.add, ttir.sigmoid"),
    ("tanh.default", _tanh, "ttir.sigmoid, ttir.multiply, ttir.subtract, in float32"),
    ("leaky_relu.default", _leaky_relu, "ttir.leaky_relu"),
    ("_prelu_kernel.default", _prelu, "ttir.multiply, ttir.gt, ttir.where"),
    ("elu.default", _elu, "ttir.expm1, ttir.multiply, ttir.gt, ttir.where"),
    ("hardsigmoid.default", _hard_sigmoid, "ttir.add, ttir.clamp, ttir.multiply"),
    ("hardswish.default", _hard_swish, "ttir.add, ttir.clamp, ttir.multiply"),
    ("dropout.default feature_dropout.default", _dropout, "nothing", "training"),
    ("alias.default clone.default contiguous.default detach.default lift_fresh_copy.default lift.default", _same, "nothing"),
    ("_assert_tensor_metadata.default _assert_async.msg", _nothing, "nothing"),
    ("to.dtype to.dtype_layout to.device to.other _to_copy.default type_as.default", _converted, "ttir.typecast, or ttir.ne for truth values; of integers with a sign ttir.abs, ttir.lt, ttir.neg and ttir.where around it"),
    ("copy.default", _copied, "ttir.typecast, ttir.broadcast"),
    *((f"{name}.default", _of_one_number(_LIKE[1].get(name.replace("new_", "").replace("_like", ""))), "ttir.constant") for name in _LIKE[0].split()),
    ("fill.Scalar", _of_one_number(None), "ttir.constant"),
)  # fmt: skip
