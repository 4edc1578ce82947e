"""Elementwise operations and reductions of later text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from tt_model.operations.elementwise import TTIRElementwiseOp
from tt_model.operations.ttir import TTIR
from tt_model.stablehlo.numbers import array_of
from ttl.ir.refusals import Refused
from ttmlir.compositions.emitter import halved
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer
from ttmlir.transforms.upgrade.reading import attribute, flag, integer, integers, name_of, number

# The largest integer exponent for which a power is computed by multiplications.
_MOST_FACTORS = 16


def mnemonic(op: Operation) -> str:
    """The name without its dialect."""
    return name_of(op).partition(".")[2]


def _same(op: Operation, w: Writer) -> Sequence[SSAValue]:
    type = w.result(op)
    return [w.elementwise(mnemonic(op), *w.operands(op), element=type.element_type, shape=type.get_shape())]


def _leaky(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    return [w.into_empty("ttir.leaky_relu", [(value,)], w.result(op), parameter=number(op, "parameter"))]


def _typecast(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    return [w.typecast(value, w.result(op).element_type)]


def _of_one(compose: Callable[[SSAValue, Writer], SSAValue]) -> Rule:
    def rule(op: Operation, w: Writer) -> Sequence[SSAValue]:
        (value,) = w.operands(op)
        return [compose(value, w)]

    return rule


def tanh(x: SSAValue, w: Writer) -> SSAValue:
    """The hyperbolic tangent as 2 sigmoid(2x) - 1."""
    twice = w.elementwise("multiply", x, w.splat(2, x))
    doubled = w.elementwise("multiply", w.elementwise("sigmoid", twice), w.splat(2, x))
    return w.elementwise("subtract", doubled, w.splat(1, x))


def clamped(x: SSAValue, low: float, high: float, w: Writer) -> SSAValue:
    """Clamp a value between two numbers."""
    return w.into_empty("ttir.clamp", [x], w.type(x), min=low, max=high)


def _silu(x: SSAValue, w: Writer) -> SSAValue:
    return w.elementwise("multiply", x, w.elementwise("sigmoid", x))


def _mish(x: SSAValue, w: Writer) -> SSAValue:
    return w.elementwise("multiply", x, tanh(w.elementwise("log1p", w.elementwise("exp", x)), w))


def _hardsigmoid(x: SSAValue, w: Writer) -> SSAValue:
    moved = w.elementwise("add", x, w.splat(3, x))
    return clamped(w.elementwise("multiply", moved, w.splat(1 / 6, x)), 0, 1, w)


def _softsign(x: SSAValue, w: Writer) -> SSAValue:
    return w.elementwise("div", x, w.elementwise("add", w.elementwise("abs", x), w.splat(1, x)))


def _trunc(x: SSAValue, w: Writer) -> SSAValue:
    positive = w.elementwise("ge", x, w.splat(0, x))
    return w.elementwise("where", positive, w.elementwise("floor", x), w.elementwise("ceil", x))


def _frac(x: SSAValue, w: Writer) -> SSAValue:
    return w.elementwise("subtract", x, _trunc(x, w))


def _selu(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (x,) = w.operands(op)
    scale, alpha = number(op, "scale", 1.0507009873554805), number(op, "alpha", 1.6732632423543772)
    below = w.elementwise("multiply", w.elementwise("expm1", x), w.splat(alpha, x))
    chosen = w.elementwise("where", w.elementwise("gt", x, w.splat(0, x)), x, below)
    return [w.elementwise("multiply", chosen, w.splat(scale, x))]


def _power(op: Operation, w: Writer) -> Sequence[SSAValue]:
    base, _exponent = w.operands(op)
    known = splat_of(op.operands[1])
    type = w.result(op)
    if known == 0.5:
        return [w.elementwise("sqrt", base)]
    if known == -0.5:
        return [w.elementwise("rsqrt", base)]
    if known == 0:
        return [w.filled(1, type.get_shape(), type.element_type)]
    if known is not None and known == int(known) and abs(known) <= _MOST_FACTORS:
        product, factor, left = None, base, abs(int(known))
        while left:
            if left & 1:
                product = factor if product is None else w.elementwise("multiply", product, factor)
            left >>= 1
            if left:
                factor = w.elementwise("multiply", factor, factor)
        assert product is not None
        return [w.elementwise("reciprocal", product) if known < 0 else product]
    raise Refused(
        f"the exponent is {'not known' if known is None else known}: exp(y log x) is right for positive numbers only",
        f"what works: a constant exponent of 0.5, -0.5, or a whole number up to {_MOST_FACTORS}",
    )


def splat_of(value: SSAValue) -> float | None:
    """The number that a constant repeats; None if it is not known."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return None
    kind = mnemonic(owner)
    if kind in ("zeros", "ones"):
        return 0.0 if kind == "zeros" else 1.0
    if kind == "full":
        return number(owner, "fill_value")
    if kind in ("reshape", "broadcast", "typecast") and owner.operands:
        return splat_of(owner.operands[0])
    if kind == "constant":
        values = array_of(attribute(owner, "value"))
        if values is not None and values.size and (values == values.reshape(-1)[0]).all():
            return float(values.reshape(-1)[0])
    return None


def _clamp_scalar(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    return [clamped(value, float(number(op, "min")), float(number(op, "max")), w)]


def _clamp_tensor(op: Operation, w: Writer) -> Sequence[SSAValue]:
    value, low, high = w.operands(op)
    return [w.elementwise("minimum", w.elementwise("maximum", value, low), high)]


def dims_of(op: Operation, rank: int) -> tuple[int, ...]:
    """The dimensions of a reduction, counted from 0; all of them without ``dim_arg``. Raises ``Refused``."""
    dims = integers(op, "dim_arg", tuple(range(rank)))
    if any(not -rank <= dim < rank for dim in dims):
        raise Refused(f"dim_arg is {list(dims)}, of {rank} dimensions", f"what works: 0 to {rank - 1}")
    return tuple(sorted({dim % rank for dim in dims}))


def reduction(
    op: Operation, w: Writer, reduce: Callable[[SSAValue, tuple[int, ...]], SSAValue]
) -> Sequence[SSAValue]:
    """Convert a reduction by ``reduce``, which keeps dimensions, and reshape it to the shape of the result."""
    (value,) = w.operands(op)
    return [w.reshape(reduce(value, dims_of(op, len(w.shape(value)))), w.result(op).get_shape())]


def _reduced(kind: str) -> Rule:
    def rule(op: Operation, w: Writer) -> Sequence[SSAValue]:
        (value,) = w.operands(op)
        type, keep = w.result(op), flag(op, "keep_dim")
        dims = dims_of(op, len(w.shape(value)))
        if not dims:
            return [w.reshape(value, type.get_shape())]
        return [w.into_empty(f"ttir.{kind}", [value], type, keep_dim=keep, dim_arg=dims)]

    return rule


def _minimum(op: Operation, w: Writer) -> Sequence[SSAValue]:
    def reduce(value: SSAValue, dims: tuple[int, ...]) -> SSAValue:
        if isinstance(w.element(value), IntegerType):
            raise Refused(
                "it is the minimum of whole numbers, which have no sign in TTIR", "what works: floats"
            )
        return w.elementwise("neg", w.reduce("max", w.elementwise("neg", value), dims, keep=True))

    return reduction(op, w, reduce)


def _any(op: Operation, w: Writer) -> Sequence[SSAValue]:
    return reduction(
        op, w, lambda value, dims: w.reduce("max", w.as_truth(value, w.element(value)), dims, keep=True)
    )


def _all(op: Operation, w: Writer) -> Sequence[SSAValue]:
    def reduce(value: SSAValue, dims: tuple[int, ...]) -> SSAValue:
        false = w.elementwise("logical_not", w.as_truth(value, w.element(value)))
        return w.elementwise("logical_not", w.reduce("max", false, dims, keep=True))

    return reduction(op, w, reduce)


def _product(op: Operation, w: Writer) -> Sequence[SSAValue]:
    def reduce(value: SSAValue, dims: tuple[int, ...]) -> SSAValue:
        for dim in dims:
            value = halved(value, dim, lambda a, b: w.elementwise("multiply", a, b), w)
        return value

    return reduction(op, w, reduce)


def _cumulated(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a cumulative sum: each step adds the elements from twice as many positions before."""
    (value,) = w.operands(op)
    rank = len(w.shape(value))
    dim = integer(op, "dim") % rank
    extent, step = w.shape(value)[dim], 1
    while step < extent:
        begin = w.range(value, dim, 0, step)
        added = w.elementwise("add", w.range(value, dim, step, extent), w.range(value, dim, 0, extent - step))
        value = w.concat([begin, added], dim)
        step *= 2
    return [value]


ARITHMETIC: Mapping[str, Rule] = MappingProxyType(
    {
        # Operations that have the same names at both dates.
        **{kind.ROW.mnemonic: _same for kind in TTIR.classes.values() if issubclass(kind, TTIRElementwiseOp)},
        "leaky_relu": _leaky,
        "typecast": _typecast,
        "silu": _of_one(_silu),
        "square": _of_one(lambda x, w: w.elementwise("multiply", x, x)),
        "tanh": _of_one(tanh),
        "mish": _of_one(_mish),
        "relu6": _of_one(lambda x, w: clamped(x, 0, 6, w)),
        "hardsigmoid": _of_one(_hardsigmoid),
        "softsign": _of_one(_softsign),
        "exp2": _of_one(
            lambda x, w: w.elementwise("exp", w.elementwise("multiply", x, w.splat(math.log(2), x)))
        ),
        "tan": _of_one(lambda x, w: w.elementwise("div", w.elementwise("sin", x), w.elementwise("cos", x))),
        "trunc": _of_one(_trunc),
        "frac": _of_one(_frac),
        "signbit": _of_one(lambda x, w: w.elementwise("lt", x, w.splat(0, x))),
        "selu": _selu,
        "pow": _power,
        "clamp_scalar": _clamp_scalar,
        "clamp_tensor": _clamp_tensor,
        "sum": _reduced("sum"),
        "mean": _reduced("mean"),
        "max": _reduced("max"),
        "min": _minimum,
        "reduce_or": _any,
        "reduce_and": _all,
        "prod": _product,
        "cumsum": _cumulated,
    }
)
