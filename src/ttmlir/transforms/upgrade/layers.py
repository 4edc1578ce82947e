"""Products, norms, attention and heads of later text."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import IntegerType, f32
from xdsl.ir import Operation, SSAValue

from ttl.ir.refusals import Refused
from ttmlir.transforms.from_stablehlo.contractions import product
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer, tensor
from ttmlir.transforms.upgrade.reading import VALID, attribute, flag, integer, integers, number, segments
from ttmlir.transforms.upgrade.shapes import interleaved


def transposed(value: SSAValue, w: Writer) -> SSAValue:
    """Exchange the last two dimensions."""
    rank = len(w.shape(value))
    return w.permute(value, (*range(rank - 2), rank - 1, rank - 2))


def _matmul(op: Operation, w: Writer) -> Sequence[SSAValue]:
    left, right, *bias = w.operands(op)
    if flag(op, "transpose_a"):
        left = transposed(left, w)
    if flag(op, "transpose_b"):
        right = transposed(right, w)
    type = w.result(op)
    value = w.matmul(left, right, type)
    return [w.elementwise("add", value, bias[0]) if bias else value]


def _dot_general(op: Operation, w: Writer) -> Sequence[SSAValue]:
    batch = integers(op, "batch_dims_lhs"), integers(op, "batch_dims_rhs")
    summed = integers(op, "contract_dims_lhs"), integers(op, "contract_dims_rhs")
    return [product(op, w, batch, summed)]


def _softmax(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    dim = integer(op, "dimension")
    if flag(op, "numericStable"):
        largest = w.reduce("max", value, [dim % len(w.shape(value))], keep=True)
        value = w.elementwise("subtract", value, largest)
    return [w.into_empty("ttir.softmax", [value], w.result(op), dimension=dim)]


def softmax(value: SSAValue, w: Writer) -> SSAValue:
    """The softmax along the last dimension, without overflow."""
    rank = len(w.shape(value))
    moved = w.elementwise("subtract", value, w.reduce("max", value, [rank - 1], keep=True))
    return w.into_empty("ttir.softmax", [moved], w.type(value), dimension=-1)


def _scaled(
    value: SSAValue, groups: Sequence[Sequence[int]], given: Sequence[SSAValue], w: Writer
) -> SSAValue:
    """Multiply by a weight and add a bias, if the operation has them."""
    for name, at in zip(("multiply", "add"), groups, strict=True):
        if at:
            value = w.elementwise(name, value, given[at[0]])
    return value


def _norm(centred: bool) -> Rule:
    def rule(op: Operation, w: Writer) -> Sequence[SSAValue]:
        given = w.operands(op)
        _, weight, bias = segments(op, 3)
        value = given[0]
        rank, count = len(w.shape(value)), len(integers(op, "normalized_shape"))
        dims = list(range(rank - count, rank))
        value = normalised(value, dims, number(op, "epsilon", 1e-5), centred, w)
        return [_scaled(value, (weight, bias), given, w)]

    return rule


def normalised(value: SSAValue, dims: Sequence[int], epsilon: float, centred: bool, w: Writer) -> SSAValue:
    """Normalise a value to mean 0 (where it is ``centred``) and variance 1 over dimensions."""
    if centred:
        value = w.elementwise("subtract", value, w.reduce("mean", value, dims, keep=True))
    variance = w.reduce("mean", w.elementwise("multiply", value, value), dims, keep=True)
    return w.elementwise(
        "multiply", value, w.elementwise("rsqrt", w.elementwise("add", variance, w.splat(epsilon, variance)))
    )


def _group_norm(op: Operation, w: Writer) -> Sequence[SSAValue]:
    given = w.operands(op)
    _, mask, weight, bias = segments(op, 4)
    if mask:
        raise Refused("it has an input mask", "what works: no mask")
    shape = w.shape(given[0])
    rank, groups = len(shape), integer(op, "num_groups")
    dim = integer(op, "channel_dim", 3) % rank
    if shape[dim] % groups:
        raise Refused(f"{shape[dim]} channels do not divide into {groups} groups", VALID)
    order = [0, dim, *(at for at in range(1, rank) if at != dim)]
    front = w.permute(given[0], order)
    grouped = w.reshape(front, (shape[0], groups, math.prod(shape) // shape[0] // groups))
    back = w.reshape(normalised(grouped, [2], number(op, "epsilon", 1e-12), True, w), w.shape(front))
    value = w.permute(back, [order.index(at) for at in range(rank)])
    wide = [shape[dim] if at == dim else 1 for at in range(rank)]
    lines = [w.reshape(one, wide) if at in (*weight, *bias) else one for at, one in enumerate(given)]
    return [_scaled(value, (weight, bias), lines, w)]


def _batch_norm(op: Operation, w: Writer) -> Sequence[SSAValue]:
    value, *vectors = w.operands(op)
    rank, dim = len(w.shape(value)), integer(op, "dimension")
    scale, offset, mean, variance = (
        w.along(w.reshape(one, (w.shape(value)[dim],)), dim, rank) for one in vectors
    )
    root = w.elementwise("rsqrt", w.elementwise("add", variance, w.splat(number(op, "epsilon"), variance)))
    value = w.elementwise(
        "multiply", w.elementwise("subtract", value, mean), w.elementwise("multiply", root, scale)
    )
    return [w.elementwise("add", value, offset)]


def _attention(op: Operation, w: Writer) -> Sequence[SSAValue]:
    given = w.operands(op)
    *_, mask, sink = segments(op, 5)
    if attribute(op, "sliding_window_size") is not None:
        raise Refused("it has a sliding window", "what works: a mask of it as an operand")
    query, key, value = given[:3]
    if flag(op, "is_causal", True) and mask:
        raise Refused("it is causal and also has a mask", "what works: one of the two")
    causal = flag(op, "is_causal", True)
    return [
        attention(
            (query, key, value),
            given[mask[0]] if mask else None,
            given[sink[0]] if sink else None,
            causal,
            _scale(op),
            w,
        )
    ]


def _scale(op: Operation) -> float | None:
    return None if attribute(op, "scale") is None else number(op, "scale")


def attention(
    of: tuple[SSAValue, SSAValue, SSAValue],
    mask: SSAValue | None,
    sink: SSAValue | None,
    causal: bool,
    scale: float | None,
    w: Writer,
) -> SSAValue:
    """The softmax of queries times keys, with a mask, times values. Several heads of queries may share keys, values."""
    query, key, value = of
    _, heads, rows, depth = w.shape(query)
    shared = w.shape(key)[1]
    if heads % shared:
        raise Refused(f"{heads} heads of queries do not share {shared} of keys evenly", VALID)
    key, value = (interleaved(one, heads // shared, 1, w) for one in (key, value))
    columns = w.shape(key)[2]
    kind = w.element(query)
    type = tensor((w.shape(query)[0], heads, rows, columns), kind)
    scores = w.matmul(query, transposed(key, w), type)
    scores = w.elementwise(
        "multiply", scores, w.splat(1 / math.sqrt(depth) if scale is None else scale, scores)
    )
    if causal:
        below = w.elementwise(
            "gt",
            w.along(w.count(columns, f32), 3, 4),
            w.along(w.elementwise("add", w.count(rows, f32), w.filled(columns - rows, (1,), f32)), 2, 4),
        )
        hidden = w.typecast(w.elementwise("multiply", below, w.splat(-1e9, below)), kind)
        scores = w.elementwise("add", scores, hidden)
    if mask is not None:
        scores = w.elementwise("add", scores, w.typecast(mask, kind))
    if sink is not None:
        one = w.broadcast(w.reshape(sink, (1, heads, 1, 1)), (*w.shape(scores)[:3], 1))
        # A concatenation does not repeat its operands by itself.
        column = w.elementwise("add", one, w.filled(0, (*w.shape(scores)[:3], 1), kind))
        scores = w.range(softmax(w.concat([scores, column], 3), w), 3, 0, columns)
    else:
        scores = softmax(scores, w)
    return w.matmul(scores, value, tensor((w.shape(query)[0], heads, rows, w.shape(value)[3]), kind))


def _decode(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert attention with one query for each element of a batch: [1, batch, heads, depth]."""
    given = w.operands(op)
    *_, mask, position, sink = segments(op, 6)
    query = w.permute(given[0], (1, 2, 0, 3))
    key, value = given[1:3]
    columns, kind = w.shape(key)[2], w.element(query)
    hidden = given[mask[0]] if mask else None
    if position and flag(op, "is_causal", True):
        wide = f32
        now = w.reshape(w.typecast(given[position[0]], wide), (w.shape(query)[0], 1, 1, 1))
        later = w.elementwise("gt", w.along(w.count(columns, wide), 3, 4), now)
        hidden = w.typecast(w.elementwise("multiply", later, w.splat(-1e9, later)), kind)
    result = attention((query, key, value), hidden, given[sink[0]] if sink else None, False, _scale(op), w)
    return [w.permute(result, (2, 0, 1, 3))]


def _concatenate_heads(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (value,) = w.operands(op)
    return [w.reshape(w.permute(value, (0, 2, 1, 3)), w.result(op).get_shape())]


def _split_heads(op: Operation, w: Writer) -> Sequence[SSAValue]:
    given = w.operands(op)
    heads = integer(op, "num_heads")
    others = integer(op, "num_kv_heads", heads)
    value = given[0]
    batch, _rows, width = w.shape(value)
    if len(given) == 2:
        depth = width // heads
        parts = [
            value,
            *(w.range(given[1], 2, at * others * depth, (at + 1) * others * depth) for at in (0, 1)),
        ]
    else:
        depth = width // (heads + 2 * others)
        ends = [0, heads * depth, (heads + others) * depth, width]
        parts = [w.range(value, 2, begin, end) for begin, end in itertools.pairwise(ends)]
    split = []
    for at, part in enumerate(parts):
        count = heads if at == 0 else others
        one = w.permute(w.reshape(part, (batch, w.shape(part)[1], count, depth)), (0, 2, 1, 3))
        split.append(transposed(one, w) if at == 1 and flag(op, "transpose_key", True) else one)
    return split


def filled_cache(cache: SSAValue, value: SSAValue, row: int, w: Writer) -> SSAValue:
    """Write [1, heads, some rows, depth] to the first rows of batch element ``row`` of [batch, heads, rows, depth]."""
    extent = w.shape(value)[2]
    old = w.range(cache, 0, row, row + 1)
    line = (
        w.concat([value, w.range(old, 2, extent, w.shape(old)[2])], 2) if extent < w.shape(old)[2] else value
    )
    batch = w.shape(cache)[0]
    parts = [w.range(cache, 0, 0, row)] if row else []
    parts.append(line)
    if row + 1 < batch:
        parts.append(w.range(cache, 0, row + 1, batch))
    return w.concat(parts, 0)


def updated_cache(cache: SSAValue, value: SSAValue, index: SSAValue, w: Writer) -> SSAValue:
    """Write one row, [1, heads, batch, depth], to position ``index`` of a cache."""
    row = w.permute(value, (2, 1, 0, 3))
    wide = w.element(index) if not isinstance(w.element(index), IntegerType) else f32
    positions = w.along(w.count(w.shape(cache)[2], wide), 2, 4)
    here = w.elementwise(
        "eq", positions, w.reshape(w.typecast(index, wide), (1, 1, 1, 1)), element=w.element(cache)
    )
    return w.elementwise("where", here, row, cache)


LAYERS: Mapping[str, Rule] = MappingProxyType(
    {
        "matmul": _matmul,
        "linear": _matmul,
        "dot_general": _dot_general,
        "softmax": _softmax,
        "layer_norm": _norm(True),
        "rms_norm": _norm(False),
        "group_norm": _group_norm,
        "batch_norm_inference": _batch_norm,
        "scaled_dot_product_attention": _attention,
        "scaled_dot_product_attention_decode": _decode,
        "concatenate_heads": _concatenate_heads,
        "split_query_key_value_and_split_heads": _split_heads,
    }
)
