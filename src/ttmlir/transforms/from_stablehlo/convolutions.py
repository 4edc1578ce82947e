"""``stablehlo.convolution``: becomes ``ttir.convolution`` if TTNN supports it, else one or several that TTNN supports.

A single spatial dimension gets a second one; of three, each position of the filter along the first one is a convolution
of its own, and these are summed; the elements between those of a dilated input, and padding that differs by side, are
inserted before; batch groups, and filters that are read backwards, are cut apart and joined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from tt_model.attributes.ttir import ConvolutionLayoutAttr
from tt_model.layouts.records import ConvolutionLayout
from tt_model.operations.result_shapes import window_positions
from tt_model.stablehlo.attributes import ConvAttr
from tt_model.stablehlo.numbers import shape_of
from tt_model.stablehlo.reading import expected, integer, integers, pairs
from ttl.ir.refusals import Refused
from ttmlir.transforms.from_stablehlo.shapes import padded, reversed_along
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer, tensor

# Batch and features first, then the spatial dimensions.
_FIRST = ("b", "f")
_FILTER = ("o", "i")


@dataclass(frozen=True, kw_only=True)
class _Convolution:
    """A convolution of batch, features, spatial dimensions, with filters of outputs, inputs, spatial dimensions."""

    strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    dilation: tuple[int, ...]
    groups: int


def _spatial(labels: Sequence[str]) -> list[str]:
    return sorted((label for label in labels if label.isdigit()), key=int)


def _order(labels: Sequence[str], first: Sequence[str]) -> list[int]:
    """The positions of the dimensions, in the order of ``_Convolution``."""
    return [labels.index(label) for label in (*first, *_spatial(labels))]


def convolution(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a convolution to one that meets the conditions of TTNN's."""
    data, kernel, result = expected(op, "dimension_numbers", ConvAttr).data
    rank = len(_spatial(data))
    ones = (1,) * rank
    reversal = integers(op, "window_reversal", (0,) * rank)
    base = integers(op, "lhs_dilation", ones)
    batch_groups = integer(op, "batch_group_count")
    how = _Convolution(
        strides=integers(op, "window_strides", ones),
        padding=tuple(pairs(op, "padding", rank)),
        dilation=integers(op, "rhs_dilation", ones),
        groups=integer(op, "feature_group_count"),
    )
    type = w.result(op)
    value, weight = w.operands(op)
    if w.element(value) != type.element_type:
        value, weight = w.typecast(value, type.element_type), w.typecast(weight, type.element_type)
    if isinstance(w.element(value), IntegerType):
        raise Refused(
            f"it convolves whole numbers, {op.operands[0].type}",
            "what works: floats; convert before and after",
        )
    plain = not any(reversal) and set(base) <= {1} and batch_groups == 1
    if plain and rank == 2 and all(low == high >= 0 for low, high in how.padding):
        return [_as_it_is(op, (value, weight), (data, kernel, result), how, w)]
    value = w.rearrange(value, _order(data, _FIRST))
    weight = w.rearrange(weight, _order(kernel, _FILTER))
    for dim, backwards in enumerate(reversal):
        if backwards:
            weight = reversed_along(weight, 2 + dim, w)
    amounts = [(0, 0, 0), (0, 0, 0)]
    for (low, high), dilated in zip(how.padding, base, strict=True):
        same = low == high >= 0 and dilated == 1
        amounts.append((0, 0, 0) if same else (low, high, dilated - 1))
    kept = tuple(
        pair if amount == (0, 0, 0) else (0, 0) for pair, amount in zip(how.padding, amounts[2:], strict=True)
    )
    value = padded(value, amounts, 0, w)
    how = replace(how, padding=kept)
    made_of = [
        _convolved(part, filters, how, w)
        for part, filters in zip(
            _parts(value, 0, batch_groups, w), _parts(weight, 0, batch_groups, w), strict=True
        )
    ]
    joined = w.concat(made_of, 1)
    wanted = _order(result, _FIRST)
    return [w.rearrange(joined, [wanted.index(dim) for dim in range(len(wanted))])]


def _parts(value: SSAValue, dim: int, count: int, w: Writer) -> list[SSAValue]:
    """Cut a dimension into equal parts."""
    size = w.shape(value)[dim] // count
    return [w.range(value, dim, at * size, (at + 1) * size) for at in range(count)]


def _convolved(value: SSAValue, weight: SSAValue, how: _Convolution, w: Writer) -> SSAValue:
    """Convolve a value of batch, features, and spatial dimensions. Raises ``Refused`` for more than three of these."""
    rank = len(how.strides)
    if rank == 2:
        return _of_two(value, weight, how, w)
    if rank < 2:
        missing = 2 - rank
        more = (1,) * missing
        two = _Convolution(
            strides=(*more, *how.strides),
            padding=(*((0, 0),) * missing, *how.padding),
            dilation=(*more, *how.dilation),
            groups=how.groups,
        )
        shapes = [[*w.shape(one)[:2], *more, *w.shape(one)[2:]] for one in (value, weight)]
        result = _of_two(w.reshape(value, shapes[0]), w.reshape(weight, shapes[1]), two, w)
        shape = w.shape(result)
        return w.reshape(result, [*shape[:2], *shape[2 + missing :]])
    if rank > 3:
        raise Refused(
            f"it has {rank} spatial dimensions", "what works: at most three; batches may take the others"
        )
    return _of_three(value, weight, how, w)


def _of_three(value: SSAValue, weight: SSAValue, how: _Convolution, w: Writer) -> SSAValue:
    """Convolve three spatial dimensions: the sum of a convolution for each position of the filter along the first."""
    value = padded(value, [(0, 0, 0), (0, 0, 0), (*how.padding[0], 0)], 0, w)
    depth, taps = w.shape(value)[2], w.shape(weight)[2]
    count = window_positions(depth, taps, how.strides[0], dilation=how.dilation[0])
    flat = replace(how, strides=how.strides[1:], padding=how.padding[1:], dilation=how.dilation[1:])
    total: SSAValue | None = None
    for tap in range(taps):
        begin = tap * how.dilation[0]
        end = begin + (count - 1) * how.strides[0] + 1
        slab = w.range(value, 2, begin, end, how.strides[0])
        batch, features, _, height, width = w.shape(slab)
        # Positions along the first dimension are part of the batch.
        slab = w.reshape(w.rearrange(slab, [0, 2, 1, 3, 4]), [batch * count, features, height, width])
        filters = w.range(weight, 2, tap, tap + 1)
        shape = w.shape(filters)
        part = _of_two(slab, w.reshape(filters, [*shape[:2], *shape[3:]]), flat, w)
        total = part if total is None else w.elementwise("add", total, part)
    assert total is not None
    _, features, height, width = w.shape(total)
    return w.rearrange(w.reshape(total, [batch, count, features, height, width]), [0, 2, 1, 3, 4])


def _of_two(value: SSAValue, weight: SSAValue, how: _Convolution, w: Writer) -> SSAValue:
    """Convolve two spatial dimensions, in the order of ``_Convolution``."""
    extents = [
        window_positions(*numbers)
        for numbers in zip(
            w.shape(value)[2:], w.shape(weight)[2:], how.strides, how.padding, how.dilation, strict=True
        )
    ]
    shape = (w.shape(value)[0], w.shape(weight)[0], *extents)
    layout = ConvolutionLayout(0, 1, (2, 3), 0, 1, (2, 3), 0, 1, (2, 3))
    return _made(value, weight, layout, shape, how, w)


def _as_it_is(
    op: Operation,
    operands: tuple[SSAValue, SSAValue],
    labels: tuple[Sequence[str], Sequence[str], Sequence[str]],
    how: _Convolution,
    w: Writer,
) -> SSAValue:
    data, kernel, result = labels
    numbers: list[int | tuple[int, ...]] = []
    for one, first in ((data, _FIRST), (kernel, _FILTER), (result, _FIRST)):
        order = _order(one, first)
        numbers += [order[0], order[1], tuple(order[2:])]
    layout = ConvolutionLayout(*numbers)  # type: ignore[arg-type]
    return _made(*operands, layout, shape_of(op.results[0]), how, w)


def _made(
    value: SSAValue,
    weight: SSAValue,
    layout: ConvolutionLayout,
    shape: Sequence[int],
    how: _Convolution,
    w: Writer,
) -> SSAValue:
    return w.into_empty(
        "ttir.convolution",
        [value, weight, None],
        tensor(tuple(shape), w.element(value)),
        window_strides=how.strides,
        padding=tuple(amount for pair in how.padding for amount in pair),
        input_dilation=(1,) * len(how.strides),
        weight_dilation=how.dilation,
        window_reversal=(False,) * len(how.strides),
        convolution_layout=ConvolutionLayoutAttr(layout),
        feature_group_count=how.groups,
        batch_group_count=1,
    )


CONVOLUTIONS: Mapping[str, Rule] = MappingProxyType({"stablehlo.convolution": convolution})
