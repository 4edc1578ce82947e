"""Matrix products of ATen, and attention."""

from __future__ import annotations

import math
from typing import Any

from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.row import AtenValue, rows

# The number added to the score of a masked position: its exponential is zero, and no difference of it is NaN.
MASKED = -1e9


def _linear(at: GraphLowering, input: AtenValue, weight: AtenValue, bias: AtenValue | None = None) -> Any:
    offset = None if bias is None else at.operand(bias)
    if weight.known is not None:
        product = at.builder.matmul(at.operand(input), at.operand(AtenValue.of(weight.known.mT)))
        return product if offset is None else at.builder.add(product, offset)
    return at.builder.linear(at.operand(input), at.operand(weight), offset)


def _product(at: GraphLowering, left: AtenValue, right: AtenValue) -> Any:
    return at.builder.matmul(at.operand(left), at.operand(right))


def _product_and_sum(
    at: GraphLowering, offset: AtenValue, left: AtenValue, right: AtenValue, beta: float = 1, alpha: float = 1
) -> Any:
    product = at.times(_product(at, left, right), alpha)
    if beta == 0:
        return product
    scaled = at.times(at.operand(offset, at.dtype), beta)
    return at.joint("add", at.again(product, at.shape), at.again(scaled, offset.shape))


def _attention(
    at: GraphLowering,
    query: AtenValue,
    key: AtenValue,
    value: AtenValue,
    mask: AtenValue | None = None,
    dropout: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """softmax(q k' scale + mask) v, as torch computes it without a fused kernel."""
    import torch

    if dropout:
        raise at.refuse("it draws random numbers: dropout_p is not 0", "module.eval(), or dropout_p=0")
    build = at.builder
    keys, values = at.operand(key), at.operand(value)
    if enable_gqa:
        keys, values = (_repeated_heads(at, one, query.shape[-3]) for one in (keys, values))
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = build.matmul(at.times(at.operand(query), factor), build.transpose(keys, -2, -1))
    shape = tuple(build.get_shape(scores))
    if is_causal:
        ones = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool)
        mask = AtenValue.of(ones.tril())
    if mask is not None:
        scores = _masked(at, at.again(scores, shape), mask)
    return build.matmul(build.softmax(scores, -1), values)


def _masked(at: GraphLowering, scores: AtenValue, mask: AtenValue) -> Any:
    import torch

    if mask.dtype is not torch.bool:
        return at.builder.add(at.operand(scores), at.operand(mask, at.dtype))
    if mask.known is None:
        return at.choice(mask, scores, at.number(MASKED), shape=scores.shape)
    added = torch.zeros(mask.shape, dtype=at.dtype).masked_fill(~mask.known, MASKED)
    return at.builder.add(at.operand(scores), at.operand(AtenValue.of(added)))


def _repeated_heads(at: GraphLowering, heads: Any, wanted: int) -> Any:
    """Repeat each head of (B, H, S, D), one after another, for the heads of queries that share it."""
    build = at.builder
    *batch, count, length, width = build.get_shape(heads)
    if count == wanted:
        return heads
    if len(batch) != 1 or wanted % count:
        raise at.refuse(
            f"{wanted} heads of queries are not a multiple of {count} heads of keys",
            "four dimensions, and a multiple",
        )
    apart = build.reshape(heads, [*batch, count, 1, length, width])
    return build.reshape(build.concat([apart] * (wanted // count), 2), [*batch, wanted, length, width])


_MATMUL = "ttir.matmul"
ROWS = rows(
    ("linear.default", _linear, "ttir.transpose, ttir.matmul, ttir.add"),
    ("mm.default bmm.default matmul.default mv.default dot.default", _product, _MATMUL),
    (
        "addmm.default baddbmm.default addmv.default",
        _product_and_sum,
        "ttir.matmul, ttir.multiply, ttir.add",
    ),
    (
        "scaled_dot_product_attention.default",
        _attention,
        "ttir.multiply, ttir.transpose, ttir.matmul, ttir.add or ttir.where for the mask, ttir.softmax; ttir.concat for groups of heads",
        "dropout",
    ),
)
