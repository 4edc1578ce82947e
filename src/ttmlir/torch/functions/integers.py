"""Functions of ATen on integers, by the arithmetic of ``tt_model.integers``: they wrap, and have signs, as torch's do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tt_model.integers import arithmetic
from tt_model.integers.kinds import kind_of_dtype
from ttmlir.compositions.emitter import halved
from ttmlir.torch.emitter import GraphEmitter
from ttmlir.torch.functions.shapes import _part
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.node_builder import NodeEmitter
from ttmlir.torch.row import AtenValue, Rule, Scalar, common_type
from ttmlir.torch.spans import span_of

if TYPE_CHECKING:
    import torch


# Operands.


def _value(at: GraphLowering, one: Scalar, dtype: torch.dtype | None = None) -> AtenValue:
    return one if isinstance(one, AtenValue) else at.number(one, dtype or at.dtype)


def operands_of(
    at: GraphLowering, *given: Scalar, dtype: torch.dtype | None = None
) -> tuple[list[Any], bool]:
    """Operands of one type, and whether one of them may be negative."""
    wanted = at.dtype if dtype is None else dtype
    values = [_value(at, one, wanted) for one in given]
    negative = any(span_of(one)[0] < 0 for one in values)
    return [at.operand(one, wanted, small=True) for one in values], negative


def _in_shape(at: GraphLowering, operand: Any) -> Any:
    """Broadcast an operand to the result's shape, in case all operands were numbers or smaller tensors."""
    wanted = list(at.shape) or [1]
    if list(at.builder.get_shape(operand)) == wanted:
        return operand
    rank = len(at.builder.get_shape(operand))
    if rank < len(wanted):
        extents = [1] * (len(wanted) - rank) + list(at.builder.get_shape(operand))
        operand = at.builder.reshape(operand, extents)
    return operand if list(at.builder.get_shape(operand)) == wanted else at.builder.broadcast(operand, wanted)


def _known_number(one: Scalar) -> int | None:
    """Return the number that all elements are equal to; None if they are not known, or differ."""
    if not isinstance(one, AtenValue):
        return int(one)
    known = one.known
    if known is None or not known.numel():
        return None
    first = known.flatten()[0]
    return int(first) if bool((known == first).all()) else None


# Arithmetic.


def _plain(name: str) -> Rule:
    """Return the rule of a function that works on bits as on numbers: a sum, a difference or a product."""

    def rule(at: GraphLowering, left: Scalar, right: Scalar, alpha: float = 1) -> Any:
        operands, _ = operands_of(at, left, right)
        if alpha != 1:
            operands[1] = at.times(operands[1], int(alpha))
        return _in_shape(at, getattr(at.builder, name)(*operands))

    return rule


def _subtracted_from(at: GraphLowering, left: Scalar, right: Scalar, alpha: float = 1) -> Any:
    operands, _ = operands_of(at, left, right)
    return _in_shape(at, at.builder.subtract(operands[1], at.times(operands[0], int(alpha))))


def _neg(at: GraphLowering, value: AtenValue) -> Any:
    return at.builder.neg(at.operand(value, at.dtype))


def _signed(name: str) -> Rule:
    """A function of one operand that asks for the sign."""

    def rule(at: GraphLowering, value: AtenValue) -> Any:
        operand = at.operand(value, at.dtype)
        if span_of(value)[0] >= 0:
            return getattr(at.builder, name)(operand)
        function = arithmetic.absolute if name == "abs" else arithmetic.sign
        return function(operand, NodeEmitter(at.builder))

    return rule


def _same(at: GraphLowering, value: AtenValue, *_: Any) -> Any:
    return at.again(at.operand(value, at.dtype), at.shape)


def _relu(at: GraphLowering, value: AtenValue) -> Any:
    return _extreme("maximum")(at, value, 0)


def _extreme(name: str) -> Rule:
    def rule(at: GraphLowering, left: Scalar, right: Scalar) -> Any:
        operands, negative = operands_of(at, left, right)
        if not negative:
            return _in_shape(at, getattr(at.builder, name)(*operands))
        return _in_shape(at, arithmetic.extreme(name, operands[0], operands[1], NodeEmitter(at.builder)))

    return rule


def _clamped(
    at: GraphLowering, value: AtenValue, least: Scalar | None = None, most: Scalar | None = None
) -> Any:
    limited = value
    for name, limit in (("maximum", least), ("minimum", most)):
        if limit is not None:
            limited = at.again(_extreme(name)(at, limited, limit), at.shape)
    return limited


def _compared(name: str) -> Rule:
    def rule(at: GraphLowering, left: AtenValue, right: Scalar) -> Any:
        dtype = common_type(left, right)
        operands, negative = operands_of(at, left, right, dtype=dtype)
        if name in ("eq", "ne") or not negative or kind_of_dtype(dtype) is None:
            return _in_shape(at, getattr(at.builder, name)(*operands))
        return _in_shape(at, arithmetic.compare(name, operands[0], operands[1], NodeEmitter(at.builder)))

    return rule


# Division. For a zero divisor torch raises an error, so the result does not matter.


def _divided(at: GraphLowering, left: Scalar, right: Scalar, rounding: str | None = None) -> Any:
    if at.dtype.is_floating_point:
        operands, _ = operands_of(at, left, right)
        return _in_shape(at, at.builder.div(*operands))
    operands, negative = operands_of(at, left, right)
    if not negative:
        return _in_shape(at, at.builder.div(*operands))
    function = arithmetic.rounded_down if rounding == "floor" else arithmetic.quotient
    return _in_shape(at, function(operands[0], operands[1], NodeEmitter(at.builder)))


def _floor_divided(at: GraphLowering, left: Scalar, right: Scalar) -> Any:
    return _divided(at, left, right, "floor")


def _rest(function: Callable[..., Any]) -> Rule:
    def rule(at: GraphLowering, left: Scalar, right: Scalar) -> Any:
        operands, negative = operands_of(at, left, right)
        if not negative:
            return _in_shape(at, at.builder.remainder(*operands))
        return _in_shape(at, function(operands[0], operands[1], NodeEmitter(at.builder)))

    return rule


# Bits.


def _bits(name: str) -> Rule:
    def rule(at: GraphLowering, left: Scalar, right: Scalar) -> Any:
        kind, w = kind_of_dtype(at.dtype), NodeEmitter(at.builder)
        assert kind is not None
        for number, other in ((_known_number(right), left), (_known_number(left), right)):
            if number is not None:
                (operand,), _ = operands_of(at, other)
                mask = number % (1 << kind.held_width)
                return _in_shape(at, arithmetic.logic_with(name, operand, mask, w))
        operands, negative = operands_of(at, left, right)
        count = kind.held_width
        if not negative:
            count = max(1, min(span_of(_value(at, one))[1].bit_length() for one in (left, right)))
        return _in_shape(at, arithmetic.logic(name, operands[0], operands[1], count, w))

    return rule


def _complement(at: GraphLowering, value: AtenValue) -> Any:
    return arithmetic.complement(at.operand(value, at.dtype), NodeEmitter(at.builder))


def _shifted(name: Any) -> Rule:
    def rule(at: GraphLowering, left: Scalar, right: Scalar) -> Any:
        kind, w = kind_of_dtype(at.dtype), NodeEmitter(at.builder)
        assert kind is not None
        value = _value(at, left)
        number, negative = _known_number(right), span_of(value)[0] < 0
        if number is None:
            (operand, by), _ = operands_of(at, value, right)
            return _in_shape(at, arithmetic.shifted_by_values(name, operand, by, negative, w))
        (operand,), _ = operands_of(at, value)
        by = number if 0 <= number < kind.held_width else kind.held_width
        if name == "left":
            return _in_shape(at, arithmetic.shifted_left(operand, by, w))
        return _in_shape(at, arithmetic.shifted_right(operand, by, negative, w))

    return rule


# Over dimensions.


def _dims(value: AtenValue, given: Any) -> list[int]:
    if given is None or (not isinstance(given, int) and not len(given)):
        return list(range(value.rank))
    several = [given] if isinstance(given, int) else list(given)
    return [dim % max(1, value.rank) for dim in several]


def _reduced(
    at: GraphLowering, value: AtenValue, dims: Sequence[int], combine: Callable[[Any, Any], Any]
) -> Any:
    """Reduce integers along dimensions, which keep an extent of one."""
    operand = at.operand(value, at.dtype)
    for dim in dims:
        operand = halved(operand, dim, combine, GraphEmitter(at))
    return operand


def _extreme_over(name: str) -> Rule:
    def rule(at: GraphLowering, value: AtenValue, dim: Any = None, keepdim: bool = False) -> Any:
        return at.builder.reshape(_most(at, value, _dims(value, dim), name), list(at.shape) or [1])

    return rule


def _most(at: GraphLowering, value: AtenValue, dims: Sequence[int], name: str) -> Any:
    """Return the greatest or least element over dimensions, which are kept, in the type of the tensor."""
    operand = at.operand(value)
    if not dims:
        return operand
    w, negative = NodeEmitter(at.builder), span_of(value)[0] < 0
    if name == "maximum" and not negative:
        return at.builder.max(operand, list(dims), True)

    def combine(left: Any, right: Any) -> Any:
        return arithmetic.extreme(name, left, right, w) if negative else w.elementwise(name, left, right)

    for dim in dims:
        operand = halved(operand, dim, combine, GraphEmitter(at))
    return operand


def _extreme_and_position(name: str) -> Rule:
    def rule(at: GraphLowering, value: AtenValue, dim: int, keepdim: bool = False) -> Any:
        shape = list(at.shape) or [1]
        most = _most(at, value, _dims(value, dim), name)
        where = _position_of(at, value, most, dim % max(1, value.rank)) if at.is_used(1) else None
        return [
            at.builder.reshape(most, shape),
            None if where is None else at.builder.reshape(where, shape),
        ]

    return rule


def _position(name: str) -> Rule:
    def rule(at: GraphLowering, value: AtenValue, dim: int | None = None, keepdim: bool = False) -> Any:
        import math

        if dim is None:
            value = at.reshape(value, (math.prod(value.shape),))
        axis = (dim or 0) % max(1, value.rank)
        most = _most(at, value, [axis], name)
        return at.builder.reshape(_position_of(at, value, most, axis), list(at.shape) or [1])

    return rule


def _position_of(at: GraphLowering, value: AtenValue, most: Any, dim: int) -> Any:
    """Return the first position of an element: the one from which most of the row remains.

    Positions are exact floats.
    """
    import torch

    build, extent = at.builder, value.shape[dim] if value.rank else 1
    shape = [extent if axis == dim else 1 for axis in range(max(1, value.rank))]
    left = at.numbers([extent - one for one in range(extent)], shape)
    here = at.cast(build.eq(at.operand(value), most), torch.bool, torch.float32)
    longest = build.max(build.multiply(here, left), [dim], True)
    position = build.subtract(build.number_like(extent, longest), longest)
    return at.counted(position)


def _product_over(
    at: GraphLowering, value: AtenValue, dim: Any = None, keepdim: bool = False, *_: Any
) -> Any:
    dims = _dims(value, dim if isinstance(dim, int) and not isinstance(dim, bool) else None)
    product = _reduced(at, value, dims, lambda left, right: at.builder.multiply(left, right))
    return at.builder.reshape(product, list(at.shape) or [1])


def _cumulative_sum(at: GraphLowering, value: AtenValue, dim: int, *_: Any) -> Any:
    import torch

    if not value.rank:
        return _same(at, value)
    extent = value.shape[dim]
    return at.mixed(value, dim % value.rank, torch.ones(extent, extent, dtype=at.dtype).tril())


# Products, elements, choices.


def _product(at: GraphLowering, left: AtenValue, right: AtenValue) -> Any:
    return at.builder.matmul(at.operand(left, at.dtype), at.operand(right, at.dtype))


def _gathered(
    at: GraphLowering, value: AtenValue, dim: int, index: AtenValue, sparse_grad: bool = False
) -> Any:
    """Gather the elements at positions of each row: others are set to zero and the row is summed, which is exact."""
    import torch

    build, rank = at.builder, max(1, value.rank)
    dim = dim % rank
    for axis, count in enumerate(index.shape):
        if axis != dim and value.shape[axis] != count:
            part = _part(at, value, axis, 0, count)
            value = AtenValue(tuple(build.get_shape(part)), value.dtype, operand=part, spans=value.spans)
    if rank >= 5:
        raise at.refuse("elements by their positions, of five dimensions", "at most four dimensions")
    shape, wanted = list(value.shape) or [1], list(index.shape) or [1]
    elements = build.reshape(at.operand(value), [*shape[:dim], 1, *shape[dim:]])
    places = build.reshape(at.operand(index, torch.int32), [*wanted[: dim + 1], 1, *wanted[dim + 1 :]])
    extent = shape[dim]
    row = torch.arange(extent, dtype=torch.int32).reshape(
        [extent if axis == dim + 1 else 1 for axis in range(rank + 1)]
    )
    here = build.eq(places, at.operand(AtenValue.of(row), small=True))
    chosen = build.where(here, elements, build.number_like(0, elements))
    return build.reshape(build.sum(chosen, [dim + 1], False), list(at.shape) or [1])


_UNARY_SAME = "ceil floor round trunc"
_ROWS: tuple[tuple[str, Rule], ...] = (
    ("neg.default", _neg),
    ("abs.default", _signed("abs")),
    ("sign.default", _signed("sign")),
    (" ".join(f"{name}.default" for name in _UNARY_SAME.split()), _same),
    ("relu.default", _relu),
    ("bitwise_not.default", _complement),
    ("add.Tensor add.Scalar", _plain("add")),
    ("sub.Tensor sub.Scalar", _plain("subtract")),
    ("mul.Tensor mul.Scalar", _plain("multiply")),
    ("rsub.Tensor rsub.Scalar", _subtracted_from),
    ("div.Tensor_mode div.Scalar_mode", _divided),
    ("floor_divide.default", _floor_divided),
    ("fmod.Tensor fmod.Scalar", _rest(arithmetic.remainder)),
    ("remainder.Tensor remainder.Scalar", _rest(arithmetic.modulo)),
    ("maximum.default clamp_min.default clamp_min.Tensor", _extreme("maximum")),
    ("minimum.default clamp_max.default clamp_max.Tensor", _extreme("minimum")),
    ("clamp.default clamp.Tensor", _clamped),
    *((f"{name}.Tensor {name}.Scalar", _compared(name)) for name in ("eq", "ne", "ge", "gt", "le", "lt")),
    *((f"bitwise_{name}.Tensor bitwise_{name}.Scalar", _bits(name)) for name in ("and", "or", "xor")),
    ("bitwise_left_shift.Tensor bitwise_left_shift.Tensor_Scalar __lshift__.Tensor __lshift__.Scalar", _shifted("left")),
    ("bitwise_right_shift.Tensor bitwise_right_shift.Tensor_Scalar __rshift__.Tensor __rshift__.Scalar", _shifted("right")),
    ("amax.default max.default", _extreme_over("maximum")),
    ("amin.default min.default", _extreme_over("minimum")),
    ("max.dim", _extreme_and_position("maximum")),
    ("min.dim", _extreme_and_position("minimum")),
    ("argmax.default", _position("maximum")),
    ("argmin.default", _position("minimum")),
    ("prod.default prod.dim_int", _product_over),
    ("cumsum.default", _cumulative_sum),
    ("mm.default bmm.default matmul.default mv.default dot.default", _product),
    ("gather.default", _gathered),
)  # fmt: skip
INTEGER_RULES: Mapping[str, Rule] = MappingProxyType(
    {overload: rule for overloads, rule in _ROWS for overload in overloads.split()}
)
"""The rules of functions where an operand or the result is an integer."""


def rule_for(overload: str, arguments: Sequence[Any]) -> Rule | None:
    """The rule of a function of integers; None if it has no rule, or neither its operands nor its result are integers."""
    rule = INTEGER_RULES.get(overload)
    if rule is None:
        return None
    types = [one.dtype for one in arguments if isinstance(one, AtenValue)]
    if any(one.is_floating_point for one in types) or any(isinstance(one, float) for one in arguments):
        return None
    return rule if any(kind_of_dtype(one) is not None for one in types) else None
