"""``stablehlo.reduce`` and ``stablehlo.reduce_window``: sums, products, extremes, and the positions of extremes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float32Type, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tt_model.attributes.ttir import PoolingMethodAttr
from tt_model.integers import arithmetic
from tt_model.layouts.enums import PoolingMethod
from tt_model.operations.elementwise import TTIRMaximumOp, TTIRMinimumOp
from tt_model.operations.emission import constraints_of_tiles
from tt_model.stablehlo.dialect import (
    HLOAdd,
    HLOAnd,
    HLOMaximum,
    HLOMinimum,
    HLOMultiply,
    HLOOr,
    HLOReturn,
    HLOXor,
)
from tt_model.stablehlo.known import Known
from tt_model.stablehlo.numbers import dtype_of, is_truth, shape_of, tensor_type
from tt_model.stablehlo.reading import integers, pairs
from ttl.ir.refusals import Refused
from ttl.rows.dtypes import Array
from ttmlir.compositions import bits
from ttmlir.compositions.emitter import halved
from ttmlir.transforms.from_stablehlo.shapes import padded, spread
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer

_EXTREMES = (TTIRMaximumOp.ROW.mnemonic, TTIRMinimumOp.ROW.mnemonic)

_KINDS = "add, multiply, maximum, minimum, and, or; of values with their positions: the first or last largest or least"
_WAY_OUT = f"what works: a body of one of these: {_KINDS}"


@dataclass(frozen=True)
class ReductionKind:
    """A function that combines two numbers to one. ``neutral`` is its neutral element."""

    name: str
    mnemonic: str
    neutral: float | int | bool
    # Whether the numbers are integers that may be negative.
    signed: bool = False

    @property
    def is_extreme(self) -> bool:
        """Whether the result is one of the elements, the greatest or the least."""
        return self.mnemonic in _EXTREMES

    def combine(self, w: Writer, left: SSAValue, right: SSAValue) -> SSAValue:
        """Combine two tensors, or a tensor and a number."""
        if self.name.startswith("bits of "):
            width = arithmetic.kind(left, w).held_width
            result: SSAValue = bits.logic(self.mnemonic, left, right, width, w)
            return result
        if self.signed and self.is_extreme:
            chosen: SSAValue = arithmetic.extreme(self.mnemonic, left, right, w)
            return chosen
        return w.elementwise(self.mnemonic, left, right, element=w.element(left))


def _limits(element: Attribute) -> tuple[float | int | bool, float | int | bool]:
    """The least and the greatest number."""
    if is_truth(element):
        return False, True
    if isinstance(element, IntegerType):
        dtype = dtype_of(element)
        assert dtype is not None
        limits = np.iinfo(dtype)
        return int(limits.min), int(limits.max)
    return -np.inf, np.inf


def kind_of(body: Block, element: Attribute) -> ReductionKind | None:
    """Return the reduction that a body of two arguments computes; None if it is not one of the known functions."""
    operations = list(body.ops)
    if (
        len(operations) != 2
        or len(operations[0].operands) != 2
        or set(operations[0].operands) != set(body.args)
    ):
        return None
    if tuple(operations[1].operands) != tuple(operations[0].results):
        return None
    low, high = _limits(element)
    truth = is_truth(element)
    whole = isinstance(element, IntegerType) and not truth
    any_of, all_of = ReductionKind("or", "maximum", False), ReductionKind("and", "minimum", True)
    kinds: dict[type[Operation], ReductionKind] = {
        HLOAdd: any_of if truth else ReductionKind("add", "add", 0),
        HLOMultiply: all_of if truth else ReductionKind("multiply", "multiply", 1),
        HLOMaximum: ReductionKind("maximum", "maximum", low),
        HLOMinimum: ReductionKind("minimum", "minimum", high),
        HLOAnd: ReductionKind("bits of and", "and", -1) if whole else all_of,
        HLOOr: ReductionKind("bits of or", "or", 0) if whole else any_of,
        **({HLOXor: ReductionKind("bits of xor", "xor", 0)} if whole else {}),
    }
    return kinds.get(type(operations[0]))


def _kind(op: Operation, w: Writer) -> ReductionKind:
    body = op.regions[0].block
    kind = kind_of(body, tensor_type(op.operands[0]).element_type)
    if kind is None:
        names = ", ".join(inner.name for inner in body.ops if not isinstance(inner, HLOReturn))
        raise Refused(f"its body is {names or 'empty'}", _WAY_OUT)
    source, first = op.operands[0], op.operands[len(op.operands) // 2]
    first_counts = w.known.number(first) != kind.neutral and w.signs.may_be_negative(first)
    return replace(kind, signed=w.signs.may_be_negative(source) or first_counts)


def reduce(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a reduction over any number of dimensions; the initial value is combined unless it is neutral."""
    count = len(op.operands) // 2
    dims = integers(op, "dimensions")
    if count == 2:
        return reduce_with_positions(op, w)
    if count != 1:
        raise Refused(f"it reduces {count} tensors together", _WAY_OUT)
    kind, value = _kind(op, w), w[op.operands[0]]
    if 0 in shape_of(op.operands[0]):
        raise Refused(f"{op.operands[0].type} has no elements", "what works: tensors with elements")
    if shape_of(op.operands[0]):
        value = reduced(value, dims, kind, w)
    if w.known.number(op.operands[1]) != kind.neutral:
        value = kind.combine(w, value, w[op.operands[1]])
    return [value]


def reduced(value: SSAValue, dims: Sequence[int], kind: ReductionKind, w: Writer) -> SSAValue:
    """Reduce a value along dimensions, which are removed."""
    match kind.name:
        case "add":
            return w.reduce("sum", value, dims)
        case "maximum" | "or" if not kind.signed:
            return w.reduce("max", value, dims)
        case "minimum" | "and" if not w.is_integer(value):
            return w.elementwise("neg", w.reduce("max", w.elementwise("neg", value), dims))
    for dim in dims:
        value = halved(value, dim, partial(kind.combine, w), w)
    return w.reshape(value, [extent for dim, extent in enumerate(w.shape(value)) if dim not in dims])


# Windows.


@dataclass(frozen=True, kw_only=True)
class Window:
    """A window along one dimension."""

    size: int
    stride: int
    dilation: int


def reduce_window(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert windows: to ``ttir.pooling`` if TTNN supports it, else by slices along one dimension after another."""
    count = len(op.operands) // 2
    if count != 1:
        raise Refused(f"it reduces windows of {count} tensors together", "what works: one tensor")
    kind, value = _kind(op, w), w[op.operands[0]]
    rank = len(shape_of(op.operands[0]))
    ones = (1,) * rank
    sizes = integers(op, "window_dimensions")
    strides, dilations = (integers(op, name, ones) for name in ("window_strides", "window_dilations"))
    base, padding = integers(op, "base_dilations", ones), pairs(op, "padding", rank)
    first = w.known.number(op.operands[1])
    if first is None and any(any(one) for one in padding):
        raise Refused(
            "the initial value of its windows is not known when the model is compiled",
            "what works: a constant, such as -inf for a maximum and 0 for a sum",
        )
    spatial = [dim for dim in range(rank) if sizes[dim] > 1]
    if (
        kind.name == "maximum"
        and first == kind.neutral
        and _is_pooled(w.element(value), sizes, strides, dilations, base, padding)
    ):
        type = w.result(op)
        empty = w.empty(type)

        return w.make(
            "ttir.pooling",
            [(value,), (empty,)],
            [type],
            pooling_method=_method("Max"),
            window_dimensions=sizes,
            window_strides=strides,
            base_dilations=base,
            window_dilations=dilations,
            padding=tuple(amount for pair in padding for amount in pair),
            operand_constraints=constraints_of_tiles(2),
        )
    neutral = _held_neutral(kind, value, w)
    for dim in range(rank):
        if base[dim] > 1:
            value = spread(value, dim, base[dim] - 1, neutral, w)
    value = padded(value, [(low, high, 0) for low, high in padding], neutral, w)
    for dim in range(rank):
        window = Window(size=sizes[dim], stride=strides[dim], dilation=dilations[dim])
        if dim in spatial or window.stride > 1:
            value = windowed(value, dim, window, partial(kind.combine, w), w)
    if first != kind.neutral:
        value = kind.combine(w, value, w[op.operands[1]])
    return [value]


def _held_neutral(kind: ReductionKind, value: SSAValue, w: Writer) -> float:
    """Return the neutral number of a reduction, within the device's range of the type: 32 bits for integers of 64."""
    if not kind.is_extreme or not w.is_integer(value):
        return kind.neutral
    held = arithmetic.kind(value, w)
    return min(max(int(kind.neutral), held.least), held.most)


def _method(keyword: str) -> Attribute:
    return PoolingMethodAttr(PoolingMethod[keyword])


def _is_pooled(
    element: Attribute,
    sizes: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    base: Sequence[int],
    padding: Sequence[tuple[int, int]],
) -> bool:
    """Whether TTNN's pooling supports windows: bf16, two dimensions of four, strided, equal padding on both sides."""
    spatial = [dim for dim, size in enumerate(sizes) if size > 1]
    return (
        isinstance(element, BFloat16Type)
        and len(sizes) == 4
        and len(spatial) == 2
        and [dim for dim, stride in enumerate(strides) if stride > 1] == spatial
        and all(extent == 1 for extent in base)
        and all(low == high and (low == 0 or dim in spatial) for dim, (low, high) in enumerate(padding))
        and all(2 * padding[dim][0] <= sizes[dim] for dim in spatial)
    )


def windowed(
    value: SSAValue, dim: int, window: Window, combine: Callable[[SSAValue, SSAValue], SSAValue], w: Writer
) -> SSAValue:
    """Combine windows along a dimension, in as many steps as the size has bits, from windows of 1, 2, 4, ..."""
    count = w.shape(value)[dim] - (window.size - 1) * window.dilation
    assert count > 0
    size, doubled, offset, total = 1, value, 0, None
    while True:
        if window.size & size:
            begin = offset * window.dilation
            part = w.range(doubled, dim, begin, begin + count)
            total = part if total is None else combine(total, part)
            offset += size
        if size * 2 > window.size:
            break
        shift = size * window.dilation
        extent = w.shape(doubled)[dim]
        doubled = combine(w.range(doubled, dim, 0, extent - shift), w.range(doubled, dim, shift, extent))
        size *= 2
    assert total is not None
    return w.range(total, dim, 0, count, window.stride)


REDUCTIONS: Mapping[str, Rule] = MappingProxyType(
    {"stablehlo.reduce": reduce, "stablehlo.reduce_window": reduce_window}
)


# Values together with their positions: the position of the largest or the least.

_POSITIONS = (
    "what works: two tensors, of values and of their positions along one dimension, of which the body keeps the largest or "
    "the least, as jnp.argmax and jnp.argmin write it"
)
# The number up to which float32 counts exactly; it is also beyond every position.
_MOST_COUNTED = 1 << 24


@dataclass(frozen=True)
class _Extreme:
    largest: bool
    first: bool


def reduce_with_positions(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a reduction to the extreme values and their first or last positions."""
    (dim, *others), value = integers(op, "dimensions"), w[op.operands[0]]
    positions = w.known[op.operands[1]]
    choice = _extreme_of(op.regions[0].block)
    extent = shape_of(op.operands[0])[dim]
    if others or positions is None or choice is None or extent > _MOST_COUNTED:
        raise Refused(
            "it reduces two tensors together by a body that does not find the position of a maximum or minimum",
            _POSITIONS,
        )
    line = np.moveaxis(positions, dim, 0).reshape(extent, -1)[:, 0]
    if not np.array_equal(
        np.moveaxis(positions, dim, -1), np.broadcast_to(line, _moved_last(positions.shape, dim))
    ):
        raise Refused("its second tensor has no positions along the dimension", _POSITIONS)
    if not np.array_equal(line, np.arange(extent)):
        raise Refused("its second tensor does not count from 0", _POSITIONS)
    mnemonic = "maximum" if choice.largest else "minimum"
    extreme = reduced(
        value, [dim], ReductionKind(mnemonic, mnemonic, 0, w.signs.may_be_negative(op.operands[0])), w
    )
    kept = [1 if at == dim else one for at, one in enumerate(w.shape(value))]
    single: Attribute = Float32Type()
    is_extreme = w.elementwise("eq", value, w.reshape(extreme, kept), element=single)
    counted = w.along(w.count(extent, single), dim, len(kept))
    # The first position is the largest of the negated ones.
    signed = w.elementwise("neg", counted) if choice.first else counted
    beyond = w.filled(-_MOST_COUNTED, (1,) * len(kept), single)
    candidates = w.elementwise("where", is_extreme, signed, beyond, shape=w.shape(value), element=single)
    best = w.reduce("max", candidates, [dim])
    position = w.elementwise("neg", best) if choice.first else best
    return [extreme, w.typecast(position, w.result(op, 1).element_type)]


def _moved_last(shape: Sequence[int], dim: int) -> tuple[int, ...]:
    return (*(extent for at, extent in enumerate(shape) if at != dim), shape[dim])


def _extreme_of(body: Block) -> _Extreme | None:
    """Return the extreme that a body keeps, found by evaluating the body on numbers; None if it keeps neither."""
    answers = [
        _answer(body, *case)
        for case in ((2, 0, 1, 1), (1, 0, 2, 1), (1, 1, 2, 0), (1, 0, 1, 1), (1, 1, 1, 0))
    ]
    for largest, value in ((True, 2), (False, 1)):
        for first in (True, False):
            tie = 0 if first else 1
            kept = [value, value, value, 1, 1]
            where = [0 if largest else 1, 1 if largest else 0, 0 if largest else 1, tie, tie]
            if answers == list(zip(kept, where, strict=True)):
                return _Extreme(largest, first)
    return None


def _answer(body: Block, value: int, position: int, other: int, its_position: int) -> tuple[int, int] | None:
    # Values and positions of one side, then those of the other.
    given: dict[SSAValue, Array] = {}
    for argument, number in zip(body.args, (value, position, other, its_position), strict=True):
        dtype = dtype_of(tensor_type(argument).element_type)
        if dtype is None:
            return None
        given[argument] = np.asarray(number, dtype)
    known = Known(given)
    last = body.last_op
    results = [known[operand] for operand in last.operands] if last is not None else []
    if len(results) != 2 or results[0] is None or results[1] is None:
        return None
    return int(results[0].item()), int(results[1].item())
