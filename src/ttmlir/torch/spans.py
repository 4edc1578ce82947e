"""Between which numbers the integers of a graph lie, and how large its arguments may be so that 64 bits are never needed.

Integers of 64 bits have 32 on the device. Sums of them may need more, which depends on the arguments: so intervals are
computed for several bounds of those at once, the largest first, and a bound falls where a result needs more than 32 bits. The
largest that is left is what the model takes; where none is, the model is refused at the node that took the last one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ttmlir.integers import intervals
from ttmlir.integers.intervals import TRUTH, Interval
from ttmlir.integers.kinds import IntegerKind, kind_of_dtype
from ttmlir.torch.nodes import flat, overload_of
from ttmlir.torch.row import AtenValue

if TYPE_CHECKING:
    import torch

# An interval for each of the bounds.
Spans = tuple[Interval, ...]
# Arguments are from -2**n to 2**n - 1.
_EXPONENTS = (31, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8)
_LARGEST_LOOKED_AT = 1 << 20

Rule = Callable[..., Interval]


@dataclass
class Bounds:
    """Which bounds of arguments are left."""

    left: list[bool] = field(default_factory=lambda: [True] * len(_EXPONENTS))

    @property
    def largest(self) -> int | None:
        """Arguments are from minus this to this, less one; None where the model needs no bound, or has none."""
        first = next((at for at, is_left in enumerate(self.left) if is_left), 0)
        return 1 << _EXPONENTS[first] if first else None

    def of_argument(self, dtype: torch.dtype) -> Spans | None:
        """The spans of an argument."""
        kind = kind_of_dtype(dtype)
        if kind is None:
            return None
        within = [(-(1 << exponent), (1 << exponent) - 1) for exponent in _EXPONENTS]
        return tuple((max(low, kind.least), min(high, kind.most)) for low, high in within)

    def of_node(self, node: Any, arguments: Sequence[Any], meta: torch.Tensor, index: int) -> Spans | None:
        """The spans of a result. Takes away the bounds for which it needs more than 32 bits."""
        kind = kind_of_dtype(meta.dtype)
        if kind is None:
            return None
        name = overload_of(node).partition(".")[0]
        spans = []
        for at, exponent in enumerate(_EXPONENTS):
            exact = _of_result(name, arguments, meta, index, (at, exponent))
            if kind.width > 32 and intervals.wrapped(exact, kind) != exact:
                self.left[at] = False
            spans.append(intervals.wrapped(exact, kind))
        return tuple(spans)


def span_of(value: AtenValue, at: int = 0) -> Interval:
    """The interval of a value for one of the bounds: that of its numbers, where they are known."""
    known = value.known
    if known is not None and _is_looked_at(known):
        return int(known.min()), int(known.max())
    if value.spans is not None:
        return value.spans[at]
    kind = kind_of_dtype(value.dtype)
    return TRUTH if kind is None else kind.limits


def _is_looked_at(known: torch.Tensor) -> bool:
    is_integer = not known.dtype.is_floating_point and known.device.type != "meta"
    return is_integer and 0 < known.numel() <= _LARGEST_LOOKED_AT


def is_exact_in_float(value: AtenValue) -> bool:
    """Whether float32 has all integers that a value may have."""
    low, high = span_of(value)
    return low >= -(1 << 24) and high <= 1 << 24


def _of_result(
    name: str, arguments: Sequence[Any], meta: torch.Tensor, index: int, bound: tuple[int, int]
) -> Interval:
    at, exponent = bound
    kind = kind_of_dtype(meta.dtype)
    assert kind is not None
    values = [one for argument in arguments for one in flat(argument) if isinstance(one, AtenValue)]
    if name in _CONVERSIONS and values:
        return _converted(values[0], kind, at, exponent)
    if name in _POSITIONS and (index or len(values) == 1):
        return 0, max([1, *(extent for one in values for extent in one.shape)]) - 1
    rule = _RULES.get(name)
    if rule is None:
        integers = [span_of(one, at) for one in values if not one.dtype.is_floating_point]
        return intervals.hull(*integers, (0, 0)) if name in _ELEMENTS and integers else kind.limits
    given = [_given(one, at) for one in arguments]
    if any(one is None for one in given[: _COUNTS.get(name, 2)]):
        return kind.limits
    more = {
        "count": math.prod(values[0].shape) // max(1, math.prod(meta.shape)),
        "arguments": arguments,
        "at": at,
    }
    return rule(*given[: _COUNTS.get(name, 2)], **more)


def _given(argument: Any, at: int) -> Interval | None:
    """A tensor or a number as an interval; None for floats."""
    if isinstance(argument, AtenValue):
        return None if argument.dtype.is_floating_point else span_of(argument, at)
    if isinstance(argument, bool | int):
        return int(argument), int(argument)
    return None


def _converted(value: AtenValue, kind: IntegerKind, at: int, exponent: int) -> Interval:
    if not value.dtype.is_floating_point:
        return span_of(value, at)
    # Floats are bounded as arguments are: a type of 64 bits holds more of them than the device.
    return max(kind.least, -(1 << exponent)), min(kind.most, (1 << exponent) - 1)


def _of_two(function: Callable[[Interval, Interval], Interval]) -> Rule:
    return lambda a, b, **more: function(a, b)


def _of_one(function: Callable[[Interval], Interval]) -> Rule:
    return lambda a, **more: function(a)


def _alpha(arguments: Sequence[Any]) -> Interval:
    """The factor of the second operand, which comes third."""
    number = arguments[2] if len(arguments) > 2 and isinstance(arguments[2], int) else 1
    return number, number


def _sum(a: Interval, b: Interval, *, arguments: Sequence[Any], **more: Any) -> Interval:
    return intervals.add(a, intervals.multiply(b, _alpha(arguments)))


def _difference(a: Interval, b: Interval, *, arguments: Sequence[Any], **more: Any) -> Interval:
    return intervals.subtract(a, intervals.multiply(b, _alpha(arguments)))


def _subtracted_from(a: Interval, b: Interval, **more: Any) -> Interval:
    return intervals.subtract(b, a)


def _total(a: Interval, *, count: int, arguments: Sequence[Any], **more: Any) -> Interval:
    return min(a[0] * count, a[0]), max(a[1] * count, a[1])


def _running(a: Interval, *, arguments: Sequence[Any], **more: Any) -> Interval:
    count = math.prod(arguments[0].shape)
    return min(a[0] * count, a[0]), max(a[1] * count, a[1])


def _factors(a: Interval, *, count: int, **more: Any) -> Interval:
    size = max(abs(a[0]), abs(a[1]), 1)
    largest = size ** min(count, 64)
    return -largest, largest


def _power(a: Interval, b: Interval, **more: Any) -> Interval:
    size = max(abs(a[0]), abs(a[1]), 1) ** min(max(b[1], 0), 64)
    return (0 if a[0] >= 0 else -size), size


def _product(a: Interval, b: Interval, *, arguments: Sequence[Any], **more: Any) -> Interval:
    depth = arguments[0].shape[-1]
    one = intervals.multiply(a, b)
    return min(one[0] * depth, one[0]), max(one[1] * depth, one[1])


def _linear(a: Interval, b: Interval, *, arguments: Sequence[Any], **more: Any) -> Interval:
    product = _product(a, b, arguments=arguments)
    return (
        product
        if len(arguments) < 3 or arguments[2] is None
        else intervals.add(product, span_of(arguments[2]))
    )


def _put(a: Interval, *, arguments: Sequence[Any], at: int, **more: Any) -> Interval:
    """Of ``index_put`` and ``put``: what is written, or added as often as there are updates."""
    return _written(a, arguments[2], "sum" if arguments[3] else "", arguments, at)


def _scattered(a: Interval, *, arguments: Sequence[Any], at: int, **more: Any) -> Interval:
    kind = next((one for one in arguments if isinstance(one, str)), "")
    return _written(a, arguments[3], kind, arguments, at)


def _scatter_added(a: Interval, *, arguments: Sequence[Any], at: int, **more: Any) -> Interval:
    return _written(a, arguments[3], "sum", arguments, at)


def _written(a: Interval, update: Any, kind: str, arguments: Sequence[Any], at: int) -> Interval:
    given = _given(update, at)
    if given is None:
        return a
    tensors = [one for argument in arguments[1:] for one in flat(argument) if isinstance(one, AtenValue)]
    count = max(math.prod(one.shape) for one in tensors)
    match kind:
        case "sum" | "add" | "mean":
            return a[0] + min(0, given[0] * count), a[1] + max(0, given[1] * count)
        case "prod" | "multiply":
            return _factors(intervals.hull(a, given), count=count + 1)
    return intervals.hull(a, given)


def _running_factors(a: Interval, *, arguments: Sequence[Any], **more: Any) -> Interval:
    return _factors(a, count=math.prod(arguments[0].shape))


def _clamped(a: Interval, *, arguments: Sequence[Any], **more: Any) -> Interval:
    low, high = (_given(one, 0) for one in (*arguments, None, None)[1:3])
    a = intervals.maximum(a, low) if low is not None else a
    return intervals.minimum(a, high) if high is not None else a


_CONVERSIONS = frozenset(("to", "_to_copy", "type_as"))
_POSITIONS = frozenset(
    ("argmax", "argmin", "sort", "topk", "max", "min", "kthvalue", "median", "cummax", "cummin")
)
# Of these each element is one of an operand, or zero.
_ELEMENTS = frozenset(
    [
        "alias",
        "amax",
        "amin",
        "cat",
        "chunk",
        "clone",
        "constant_pad_nd",
        "contiguous",
        "copy",
        "cummax",
        "cummin",
        "detach",
        "embedding",
        "diagonal",
        "diagonal_copy",
        "diagonal_scatter",
        "expand",
        "flatten",
        "flip",
        "gather",
        "im2col",
        "index",
        "index_select",
        "kthvalue",
        "lift",
        "lift_fresh_copy",
        "max",
        "min",
        "masked_fill",
        "masked_scatter",
        "median",
        "narrow",
        "permute",
        "relu",
        "repeat",
        "reshape",
        "roll",
        "select",
        "select_scatter",
        "slice",
        "slice_scatter",
        "sort",
        "split",
        "split_with_sizes",
        "squeeze",
        "stack",
        "t",
        "take",
        "topk",
        "transpose",
        "tril",
        "triu",
        "unbind",
        "unflatten",
        "unsqueeze",
        "unfold",
        "unfold_copy",
        "view",
        "where",
        "_unsafe_index",
        "_unsafe_view",
    ]
)
_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "__and__": _of_two(intervals.bits_of_both),
        "__lshift__": _of_two(intervals.shifted_left),
        "__or__": _of_two(intervals.bits),
        "__rshift__": _of_two(intervals.shifted_right),
        "__xor__": _of_two(intervals.bits),
        "abs": _of_one(intervals.absolute),
        "add": _sum,
        "bitwise_and": _of_two(intervals.bits_of_both),
        "bitwise_left_shift": _of_two(intervals.shifted_left),
        "bitwise_not": _of_one(intervals.complement),
        "bitwise_or": _of_two(intervals.bits),
        "bitwise_right_shift": _of_two(intervals.shifted_right),
        "bitwise_xor": _of_two(intervals.bits),
        "bmm": _product,
        "clamp": _clamped,
        "clamp_max": _of_two(intervals.minimum),
        "clamp_min": _of_two(intervals.maximum),
        "col2im": _running,
        "cumprod": _running_factors,
        "cumsum": _running,
        "div": _of_two(intervals.divide),
        "dot": _product,
        "floor_divide": _of_two(intervals.divide),
        "index_put": _put,
        "_unsafe_index_put": _put,
        "put": _put,
        "scatter": _scattered,
        "scatter_add": _scatter_added,
        "scatter_reduce": _scattered,
        "fmod": _of_two(intervals.remainder),
        "linear": _linear,
        "matmul": _product,
        "maximum": _of_two(intervals.maximum),
        "minimum": _of_two(intervals.minimum),
        "mm": _product,
        "mul": _of_two(intervals.multiply),
        "mv": _product,
        "neg": _of_one(intervals.negate),
        "pow": _power,
        "prod": _factors,
        "remainder": _of_two(intervals.modulo),
        "rsub": _subtracted_from,
        "sign": _of_one(intervals.sign),
        "square": lambda a, **more: intervals.multiply(intervals.absolute(a), intervals.absolute(a)),
        "sub": _difference,
        "sum": _total,
    }
)
# How many operands these have; the others have two.
_COUNTS: Mapping[str, int] = MappingProxyType(
    dict.fromkeys(
        [
            "abs",
            "bitwise_not",
            "clamp",
            "col2im",
            "cumprod",
            "cumsum",
            "index_put",
            "_unsafe_index_put",
            "neg",
            "prod",
            "put",
            "scatter",
            "scatter_add",
            "scatter_reduce",
            "sign",
            "square",
            "sum",
        ],
        1,
    )
)
