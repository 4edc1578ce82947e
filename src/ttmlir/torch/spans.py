"""The intervals of the integers in a graph, for several bounds of its arguments at once (``tt_model.integers.bounds``).

Floats are followed only in graphs that convert a float to int64. A bound is dropped if a result needs more than 32 bits
with it. The model takes the largest bound that remains; if no bound remains, the model is refused at the node that
dropped the last one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tt_model.integers import intervals
from tt_model.integers.bounds import EXPONENTS, limits_of, of_argument
from tt_model.integers.intervals import TRUTH, UNKNOWN, Interval
from tt_model.integers.kinds import WIDEST, IntegerKind, kind_of_dtype
from ttmlir.torch.nodes import flat, overload_of
from ttmlir.torch.row import AtenValue

if TYPE_CHECKING:
    import torch

# An interval for each of the bounds.
Spans = tuple[Interval, ...]
_LARGEST_LOOKED_AT = 1 << 20

Rule = Callable[..., Interval]


@dataclass
class Bounds:
    """The bounds of arguments that remain possible."""

    left: list[bool] = field(default_factory=lambda: [True] * len(EXPONENTS))
    # The value that excluded the last bound: its type and its interval.
    last: tuple[IntegerKind, Interval] | None = None
    # Float nodes from which an int64 is made.
    followed: frozenset[Any] = frozenset()

    def follow(self, graph: torch.fx.Graph) -> None:
        """Follow the floats that become an int64; narrower integer types need no bound of the float."""
        waiting = [node for node in graph.nodes if _is_wide(node)]
        followed: set[Any] = set()
        while waiting:
            for operand in waiting.pop().all_input_nodes:
                if operand not in followed and _is_float(operand):
                    followed.add(operand)
                    waiting.append(operand)
        self.followed = frozenset(followed)

    @property
    def exponent(self) -> int:
        """The exponent of the largest remaining bound, or of the first if none remains."""
        return EXPONENTS[next((at for at, is_left in enumerate(self.left) if is_left), 0)]

    def of_argument(self, node: Any, dtype: torch.dtype) -> Spans | None:
        """The spans of an argument."""
        kind = kind_of_dtype(dtype)
        if kind is None and node not in self.followed:
            return None
        return tuple(of_argument(kind, exponent) for exponent in EXPONENTS)

    def limits_of(self, value: AtenValue) -> Interval | None:
        """Return the limits of an argument where they are narrower than the device's range of its type; else None."""
        return None if value.spans is None else limits_of(kind_of_dtype(value.dtype), self.exponent)

    def of_node(self, node: Any, arguments: Sequence[Any], meta: torch.Tensor, index: int) -> Spans | None:
        """Return the spans of a result, and drop the bounds for which an int64 needs more than 32 bits.

        None for floats that are not followed.
        """
        kind = kind_of_dtype(meta.dtype)
        name = overload_of(node).partition(".")[0]
        if kind is None:
            if node not in self.followed:
                return None
            return tuple(_of_float(name, arguments, meta, at) for at in range(len(EXPONENTS)))
        spans = []
        for at in range(len(EXPONENTS)):
            exact = _of_result(name, arguments, meta, index, at)
            if kind.width > WIDEST and intervals.wrapped(exact, kind) != exact:
                self.left[at], self.last = False, (kind, exact)
            spans.append(intervals.wrapped(exact, kind))
        return tuple(spans)


def span_of(value: AtenValue, at: int = 0) -> Interval:
    """Return the interval of integers for one of the bounds: that of known elements; for floats that of truths."""
    if value.dtype.is_floating_point:
        return TRUTH
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
    """Whether float32 represents exactly all integers that a value may have."""
    low, high = span_of(value)
    return low >= -(1 << 24) and high <= 1 << 24


def _is_float(node: Any) -> bool:
    """Whether the first result of a node is a tensor of floats."""
    value = node.meta.get("val")
    first = value[0] if isinstance(value, list | tuple) and value else value
    return getattr(getattr(first, "dtype", None), "is_floating_point", False)


def _is_wide(node: Any) -> bool:
    """Whether a result of a node is an int64."""
    value = node.meta.get("val")
    kinds = [kind_of_dtype(getattr(one, "dtype", "")) for one in flat(value)]
    name = overload_of(node).partition(".")[0]
    return name not in _POSITIONS and any(kind is not None and kind.width > WIDEST for kind in kinds)


def _everything(kind: IntegerKind) -> Interval:
    """Return all numbers of a type; for 64-bit types also those that the device cannot hold."""
    return UNKNOWN if kind.width > WIDEST else kind.limits


def _of_float(name: str, arguments: Sequence[Any], meta: torch.Tensor, at: int) -> Interval:
    values = [one for argument in arguments for one in flat(argument) if isinstance(one, AtenValue)]
    given = [_float_given(one, at) for one in arguments]
    if name in _ELEMENTS or name in ("mean", "getitem"):
        return intervals.rounded(intervals.hull((0, 0), *(_float_given(one, at) for one in values)))
    if name in _CONVERSIONS or name in _WHOLE:
        return intervals.rounded(given[0])
    if name in _WITHIN_ONE:
        return -1, 1
    if name == "div":
        return intervals.rounded(_quotient(given[0], arguments[1], given[1]))
    if name not in _OF_FLOATS_TOO or not values:
        return UNKNOWN
    more = {
        "count": math.prod(values[0].shape) // max(1, math.prod(meta.shape)),
        "arguments": arguments,
        "at": at,
    }
    return intervals.rounded(_RULES[name](*given[: _COUNTS.get(name, 2)], **more))


def _quotient(a: Interval, divisor: Any, b: Interval) -> Interval:
    """Return the interval of a quotient of floats; ``b`` are the integers around the divisor."""
    known = divisor.known if isinstance(divisor, AtenValue) else divisor
    least = (
        None if known is None else float(abs(known).min() if isinstance(divisor, AtenValue) else abs(known))
    )
    if not least:
        return intervals.divided(a, b)
    size = max(abs(a[0]), abs(a[1])) / least
    return intervals.around(-size, size)


def _float_given(argument: Any, at: int) -> Interval:
    """Return an interval that contains a tensor or number, with integers as its ends; else ``UNKNOWN``."""
    if not isinstance(argument, AtenValue):
        is_number = isinstance(argument, int | float)
        return intervals.around(argument, argument) if is_number else UNKNOWN
    if not argument.dtype.is_floating_point:
        return span_of(argument, at)
    known = argument.known
    if known is not None and known.device.type != "meta" and 0 < known.numel() <= _LARGEST_LOOKED_AT:
        return intervals.around(float(known.min()), float(known.max()))
    return UNKNOWN if argument.spans is None else argument.spans[at]


def _of_result(name: str, arguments: Sequence[Any], meta: torch.Tensor, index: int, at: int) -> Interval:
    kind = kind_of_dtype(meta.dtype)
    assert kind is not None
    values = [one for argument in arguments for one in flat(argument) if isinstance(one, AtenValue)]
    if name in _CONVERSIONS and values:
        return _converted(values[0], kind, at)
    if name in _POSITIONS and (index or len(values) == 1):
        return 0, max([1, *(extent for one in values for extent in one.shape)]) - 1
    if name in _FILLED:
        filled = [one for one in (_given(argument, at) for argument in arguments[1:]) if one is not None]
        return intervals.hull(*filled) if name in ("fill", "full_like", "new_full") else (0, 1)
    if name in _COUNTED or (index and name in _POOLS):
        return 0, max(math.prod(one.shape) for one in values)
    rule = _RULES.get(name)
    if rule is None:
        integers = [span_of(one, at) for one in values if not one.dtype.is_floating_point]
        return intervals.hull(*integers, (0, 0)) if name in _ELEMENTS and integers else _everything(kind)
    given = [_given(one, at) for one in arguments]
    if any(one is None for one in given[: _COUNTS.get(name, 2)]):
        return _everything(kind)
    more = {
        "count": math.prod(values[0].shape) // max(1, math.prod(meta.shape)),
        "arguments": arguments,
        "at": at,
    }
    return rule(*given[: _COUNTS.get(name, 2)], **more)


def _given(argument: Any, at: int) -> Interval | None:
    """Return a tensor or number as an interval; None for floats."""
    if isinstance(argument, AtenValue):
        return None if argument.dtype.is_floating_point else span_of(argument, at)
    if isinstance(argument, bool | int):
        return int(argument), int(argument)
    return None


def _converted(value: AtenValue, kind: IntegerKind, at: int) -> Interval:
    if not value.dtype.is_floating_point:
        return span_of(value, at)
    # For narrower types C++ leaves the conversion of floats out of range undefined.
    return _float_given(value, at) if kind.width > WIDEST else kind.limits


def _of_two(function: Callable[[Interval, Interval], Interval]) -> Rule:
    return lambda a, b, **more: function(a, b)


def _of_one(function: Callable[[Interval], Interval]) -> Rule:
    return lambda a, **more: function(a)


def _alpha(arguments: Sequence[Any]) -> Interval:
    """Return the factor, which is the third argument; it is 1 by default."""
    number = arguments[2] if len(arguments) > 2 else 1
    return intervals.around(number, number) if isinstance(number, int | float) else UNKNOWN


def _sum(a: Interval, b: Interval, *, arguments: Sequence[Any], **more: Any) -> Interval:
    return intervals.add(a, intervals.multiply(b, _alpha(arguments)))


def _difference(a: Interval, b: Interval, *, arguments: Sequence[Any], **more: Any) -> Interval:
    return intervals.subtract(a, intervals.multiply(b, _alpha(arguments)))


def _subtracted_from(a: Interval, b: Interval, *, arguments: Sequence[Any], **more: Any) -> Interval:
    return intervals.subtract(b, intervals.multiply(a, _alpha(arguments)))


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


def _linear(a: Interval, b: Interval, *, arguments: Sequence[Any], at: int, **more: Any) -> Interval:
    product = _product(a, b, arguments=arguments)
    return (
        product
        if len(arguments) < 3 or arguments[2] is None
        else intervals.add(product, span_of(arguments[2], at))
    )


def _added_product(
    a: Interval, b: Interval, c: Interval, *, arguments: Sequence[Any], **more: Any
) -> Interval:
    """Return the interval of ``addmm`` and similar functions, with their factors."""
    if not all(isinstance(one, int | float) for one in arguments[3:]):
        return UNKNOWN
    factors = [max(map(abs, intervals.around(one, one))) for one in arguments[3:]] or [1]
    product = _product(b, c, arguments=arguments[1:])
    total = intervals.add(intervals.hull((0, 0), a), intervals.hull((0, 0), product))
    most = max(-total[0], total[1]) * max(factors)
    return -most, most


def _put(a: Interval, *, arguments: Sequence[Any], at: int, **more: Any) -> Interval:
    """Return the interval of ``index_put`` and ``put``: of the written values, or of the sum of all added ones."""
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


def _clamped(a: Interval, *, arguments: Sequence[Any], at: int, **more: Any) -> Interval:
    low, high = (None if one is None else _float_given(one, at) for one in (*arguments, None, None)[1:3])
    a = intervals.maximum(a, low) if low is not None else a
    return intervals.minimum(a, high) if high is not None else a


# Results filled with one number: an argument, zero, or one.
_FILLED = frozenset(
    (
        "empty_like",
        "fill",
        "full_like",
        "new_empty",
        "new_full",
        "new_ones",
        "new_zeros",
        "ones_like",
        "zeros_like",
    )
)
# Positions among sorted numbers.
_COUNTED = frozenset(("bucketize", "searchsorted"))
# Functions of maxima of windows; those with several results return positions, too.
_POOLS = frozenset(
    f"{kind}max_pool{rank}d{more}"
    for kind in ("", "adaptive_")
    for rank in "23"
    for more in ("", "_with_indices")
)
# Functions of floats whose results are the operand's numbers or the integers around them.
_WHOLE = frozenset(("ceil", "floor", "round", "trunc", "fix"))
_WITHIN_ONE = frozenset(("_softmax", "softmax", "sigmoid", "tanh", "sin", "cos", "erf", "frac", "sign"))
_OF_FLOATS_TOO = frozenset(
    (
        "abs",
        "add",
        "clamp",
        "clamp_max",
        "clamp_min",
        "maximum",
        "minimum",
        "mul",
        "neg",
        "rsub",
        "square",
        "sub",
        "sum",
    )
)
_CONVERSIONS = frozenset(("to", "_to_copy", "type_as"))
_POSITIONS = frozenset(
    ("argmax", "argmin", "sort", "topk", "max", "min", "kthvalue", "median", "cummax", "cummin")
)
# Functions whose results are elements of an operand, or zero.
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
        "mT",
        "median",
        "narrow",
        "numpy_T",
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
        "addmm": _added_product,
        "addmv": _added_product,
        "baddbmm": _added_product,
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
        "index_put_": _put,
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
# The number of operands; functions that are not listed have two.
_COUNTS: Mapping[str, int] = MappingProxyType(
    dict.fromkeys(["addmm", "addmv", "baddbmm"], 3)
    | dict.fromkeys(
        [
            "abs",
            "bitwise_not",
            "clamp",
            "col2im",
            "cumprod",
            "cumsum",
            "index_put",
            "index_put_",
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
