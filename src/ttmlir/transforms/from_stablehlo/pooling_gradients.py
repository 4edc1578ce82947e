"""``stablehlo.select_and_scatter``: the gradient of a pooling by maxima, window by window.

Each number of the source is added to the result at the place of the largest (or smallest) element of its window: of
several, that is the first one for a comparison by GE or LE, the last one for GT or LT. For each place in a window there
is a tensor of the elements at that place, and a mask of the chosen ones; the numbers of the source under the mask are
spread to the positions of the windows, and the results for all places are summed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from math import inf
from types import MappingProxyType

from xdsl.ir import Block, Operation, SSAValue

from tt_model.stablehlo.dialect import HLOAdd, HLOCompare, HLOReturn
from tt_model.stablehlo.numbers import shape_of
from tt_model.stablehlo.reading import integers, pairs, word
from ttl.ir.refusals import Refused
from ttmlir.transforms.from_stablehlo.reductions import ReductionKind, Window, windowed
from ttmlir.transforms.from_stablehlo.shapes import padded
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer

# The most places of a window, each of which takes some ten operations; a larger window is not one of a pooling.
MOST_PLACES = 256
_WAY_OUT = (
    "what works: gradients of maxima and minima in windows: select compares by GE, GT, LE or LT, scatter adds"
)


def select_and_scatter(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert the gradient of a pooling of one tensor by the largest or the smallest elements of windows."""
    select, scatter = (region.block for region in op.regions)
    extreme, takes_first = _selection(select)
    if [type(inner) for inner in scatter.ops] != [HLOAdd, HLOReturn]:
        names = " and ".join(inner.name for inner in scatter.ops if inner is not scatter.last_op)
        raise Refused(f"scattered values are combined by {names}, not added", _WAY_OUT)
    value, source = w[op.operands[0]], w[op.operands[1]]
    if w.is_integer(value):
        raise Refused("its elements are whole numbers", _WAY_OUT)
    rank = len(shape_of(op.operands[0]))
    ones = (1,) * rank
    sizes, strides = integers(op, "window_dimensions", ones), integers(op, "window_strides", ones)
    padding = pairs(op, "padding", rank)
    kind = ReductionKind(extreme, extreme, -inf if extreme == "maximum" else inf)
    extents = w.shape(value)
    value = padded(value, [(low, high, 0) for low, high in padding], kind.neutral, w)
    wide, counts = w.shape(value), w.shape(source)
    best = value
    for dim in range(rank):
        window = Window(size=sizes[dim], stride=strides[dim], dilation=1)
        if window.size > 1 or window.stride > 1:
            best = windowed(best, dim, window, partial(kind.combine, w), w)
    places = list(product(*map(range, sizes)))
    if len(places) > MOST_PLACES:
        raise Refused(
            f"its windows have {len(places)} elements", f"what works: windows of at most {MOST_PLACES}"
        )
    total: SSAValue | None = None
    free: SSAValue | None = None
    for place in places if takes_first else reversed(places):
        ends = [
            begin + (count - 1) * step + 1 for begin, count, step in zip(place, counts, strides, strict=True)
        ]
        here = w.slice(value, place, ends, strides)
        chosen = w.elementwise("eq", here, best, element=w.element(value))
        if free is not None:
            chosen = w.elementwise("multiply", chosen, free)
        free = w.elementwise("subtract", w.splat(1, chosen) if free is None else free, chosen)
        amounts = [
            (begin, extent - end, step - 1)
            for begin, end, extent, step in zip(place, ends, wide, strides, strict=True)
        ]
        spread = padded(w.elementwise("multiply", source, chosen), amounts, 0, w)
        total = spread if total is None else w.elementwise("add", total, spread)
    assert total is not None
    for dim, ((low, _), extent) in enumerate(zip(padding, extents, strict=True)):
        total = w.range(total, dim, low, low + extent)
    if w.known.number(op.operands[2]) != 0:
        total = w.elementwise("add", total, w.reshape(w[op.operands[2]], (1,) * rank))
    return [total]


def _selection(body: Block) -> tuple[str, bool]:
    """Return which element of a window a comparison selects, and whether it is the first one of several."""
    inner = list(body.ops)
    if len(inner) != 2 or not isinstance(inner[0], HLOCompare) or list(inner[0].operands) != list(body.args):
        names = " and ".join(op.name for op in inner[:-1]) or "nothing"
        raise Refused(f"an element is selected by {names}", _WAY_OUT)
    direction = word(inner[0], "comparison_direction")
    if direction not in ("GE", "GT", "LE", "LT"):
        raise Refused(f"an element is selected by {direction}", _WAY_OUT)
    return "maximum" if direction[0] == "G" else "minimum", direction[1] == "E"


POOLING_GRADIENTS: Mapping[str, Rule] = MappingProxyType({"stablehlo.select_and_scatter": select_and_scatter})
