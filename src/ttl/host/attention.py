"""Attention: ``ttnn.transformer``, and the functions of ``ttnn.experimental`` that split and join heads and rotate positions.

Shapes: b batch, h heads of queries, g heads of keys and values, s positions, d width of a head."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import count_of, floats, indices_of, number_of
from ttl.host.computing import computes
from ttl.host.errors import Code, describe, fail
from ttl.host.shape import broadcast
from ttl.host.tensor import Tensor

# --- scaled dot product attention -----------------------------------------------------------------------------------


@computes("attention_sink", result="memory_config")
def scaled_dot_product_attention(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    input_tensor_v: Tensor,
    *,
    attn_mask: Tensor | None = None,
    is_causal: bool = True,
    scale: float | None = None,
    sliding_window_size: int | None = None,
) -> Any:
    """``softmax(q k^T * scale + mask) v`` of q [b, h, s, d], k and v [b, g, t, d]; causal unless ``is_causal=False``."""
    name = "transformer.scaled_dot_product_attention"
    q, k, v = _operands(input_tensor_q, input_tensor_k, input_tensor_v, name)
    _check_heads(q, k, v, name)
    if is_causal and attn_mask is not None:
        fail(
            Code.SIGNATURE,
            f"ttnn.{name}: a mask, and is_causal=True",
            help="add is_causal=False to use the mask",
        )
    rows, columns = q.shape[2], k.shape[2]
    seen = np.ones((rows, columns), bool)
    if is_causal:
        seen &= np.arange(columns)[None, :] <= np.arange(rows)[:, None]
    if sliding_window_size is not None:
        window = count_of(sliding_window_size, name, "sliding_window_size")
        apart = np.arange(rows)[:, None] - np.arange(columns)[None, :]
        seen &= (apart < window) if is_causal else (abs(apart) <= window // 2)
    return _attended(q, k, v, seen, attn_mask, scale, name), q


@computes("share_cache", "attention_sink", result="memory_config")
def scaled_dot_product_attention_decode(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    input_tensor_v: Tensor,
    *,
    is_causal: bool = True,
    attn_mask: Tensor | None = None,
    cur_pos: Any = (),
    cur_pos_tensor: Tensor | None = None,
    scale: float | None = None,
    sliding_window_size: int | None = None,
) -> Any:
    """Attention of one new position per user: q [1, b, h, d], caches k and v [b, g, t, d], positions up to ``cur_pos``."""
    name = "transformer.scaled_dot_product_attention_decode"
    q, k, v = _operands(input_tensor_q, input_tensor_k, input_tensor_v, name)
    positions = _positions(cur_pos, cur_pos_tensor, name)
    seen = _seen_by_users(q, k.shape[2], positions, is_causal, sliding_window_size, name)
    return _decoded(q, engine.loaded(k), engine.loaded(v), seen, attn_mask, scale, name), q


@computes("share_cache", "attention_sink", result="memory_config")
def paged_scaled_dot_product_attention_decode(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    input_tensor_v: Tensor,
    page_table_tensor: Tensor,
    *,
    is_causal: bool = True,
    attn_mask: Tensor | None = None,
    cur_pos: Any = (),
    cur_pos_tensor: Tensor | None = None,
    scale: float | None = None,
    sliding_window_size: int | None = None,
) -> Any:
    """Attention of one new position per user, with caches in pages [pages, g, positions of a page, d]; row ``u`` of the table has
    the pages of user ``u``."""
    name = "transformer.paged_scaled_dot_product_attention_decode"
    q, k, v = _operands(input_tensor_q, input_tensor_k, input_tensor_v, name)
    table = indices_of(page_table_tensor, name)
    keys, values = (_of_pages(engine.loaded(cache), table) for cache in (k, v))
    positions = _positions(cur_pos, cur_pos_tensor, name)
    seen = _seen_by_users(q, keys.shape[2], positions, is_causal, sliding_window_size, name)
    return _decoded(q, keys, values, seen, attn_mask, scale, name), q


def _operands(q: Any, k: Any, v: Any, name: str) -> tuple[Tensor, Tensor, Tensor]:
    return floats(q, name, "queries", 4), floats(k, name, "keys", 4), floats(v, name, "values", 4)


def _of_pages(cache: Any, table: Any) -> Any:
    """Return [pages, g, p, d] as [b, g, pages of a user * p, d]."""
    users, pages = table.shape
    _, groups, positions, width = cache.shape
    rows = cache[np.maximum(table.reshape(-1), 0)].reshape(users, pages, groups, positions, width)
    return rows.swapaxes(1, 2).reshape(users, groups, pages * positions, width)


def _positions(listed: Any, tensor: Any, name: str) -> Any:
    """The position of each user, [b]."""
    return np.array(list(listed), np.int64) if tensor is None else indices_of(tensor, name).reshape(-1)


def _seen_by_users(q: Tensor, columns: int, positions: Any, is_causal: Any, window: Any, name: str) -> Any:
    """Which positions of its cache each user sees, [b, t]."""
    users = q.shape[1]
    if not is_causal:
        return np.ones((users, columns), bool)
    if len(positions) < users:
        fail(
            Code.SHAPES,
            f"ttnn.{name}: {len(positions)} positions for {users} users",
            help="give cur_pos, one position for each user",
        )
    own = positions[:users, None]
    seen = np.arange(columns)[None, :] <= own
    if window is not None:
        seen &= np.arange(columns)[None, :] > own - count_of(window, name, "sliding_window_size")
    return seen


def _decoded(q: Tensor, k: Any, v: Any, seen: Any, mask: Any, scale: Any, name: str) -> Any:
    queries = engine.loaded(q)  # [1, b, h, d]
    users, heads, width = queries.shape[1:]
    repeats = heads // k.shape[1]
    k, v = _repeated(k, repeats)[:users], _repeated(v, repeats)[:users]
    factor = width**-0.5 if scale is None else number_of(scale, name, "scale")
    scores = queries.reshape(users, heads, 1, width) @ k.swapaxes(-1, -2) * factor
    scores = _masked(scores, seen[:, None, None, :])
    if mask is not None:
        scores = scores + engine.loaded(floats(mask, name, "mask", 4)).swapaxes(1, 2)
    result = engine.functions().softmax(scores, -1) @ v
    return result.reshape(1, users, heads, v.shape[-1])


def _check_heads(q: Tensor, k: Tensor, v: Tensor, name: str) -> None:
    same = (
        q.shape[0] == k.shape[0] == v.shape[0] and k.shape[1:3] == v.shape[1:3] and q.shape[3] == k.shape[3]
    )
    if not same or q.shape[1] % k.shape[1]:
        fail(
            Code.SHAPES,
            f"ttnn.{name}: queries {tuple(q.shape)}, keys {tuple(k.shape)} and values {tuple(v.shape)} do not go together",
            help="q is [batch, heads, positions, width], k and v are [batch, groups, positions, width], heads a multiple of groups",
        )


def _attended(q: Tensor, k: Tensor, v: Tensor, seen: Any, mask: Any, scale: Any, name: str) -> Any:
    factor = q.shape[3] ** -0.5 if scale is None else number_of(scale, name, "scale")
    repeats = q.shape[1] // k.shape[1]
    scores = engine.loaded(q) @ _repeated(engine.loaded(k), repeats).swapaxes(-1, -2) * factor
    if mask is not None:
        added = floats(mask, name, "mask")
        broadcast(tuple(scores.shape), added.shape, name)
        scores = scores + engine.loaded(added)
    if not seen.all():
        scores = _masked(scores, seen)
    return engine.functions().softmax(scores, -1) @ _repeated(engine.loaded(v), repeats)


def _repeated(values: Any, times: int) -> Any:
    """Every head ``times`` times in a row."""
    return values if times == 1 else engine.functions().repeat_interleave(values, times, 1)


def _masked(scores: Any, seen: Any) -> Any:
    """Return the scores, with minus infinity at masked positions."""
    return engine.functions().where(engine.arranged(seen), scores, -math.inf)


@computes(result="memory_config")
def attention_softmax(
    input_tensor: Tensor,
    *,
    head_size: int | None = None,
    attention_mask: Tensor | None = None,
    causal_mask: bool = False,
) -> Any:
    """``softmax(x / sqrt(head_size) + mask)`` along the last dimension."""
    return _scaled_softmax(input_tensor, head_size, attention_mask, "transformer.attention_softmax")


@computes()
def attention_softmax_(
    input_tensor: Tensor,
    *,
    head_size: int | None = None,
    attention_mask: Tensor | None = None,
    causal_mask: bool = False,
) -> Tensor:
    """``attention_softmax``, written into its operand."""
    name = "transformer.attention_softmax_"
    values, tensor = _scaled_softmax(input_tensor, head_size, attention_mask, name)
    return engine.finish(values, tensor, name, output=tensor)


def _scaled_softmax(x: Any, head_size: Any, mask: Any, name: str) -> tuple[Any, Tensor]:
    tensor = floats(x, name, "input", 4)
    values = engine.loaded(tensor)
    if head_size is not None:
        values = values * count_of(head_size, name, "head_size") ** -0.5
    if mask is not None:
        added = floats(mask, name, "mask")
        broadcast(tensor.shape, added.shape, name)
        values = values + engine.loaded(added)
    return engine.functions().softmax(values, -1), tensor


# --- heads ----------------------------------------------------------------------------------------------------------


@computes()
def split_query_key_value_and_split_heads(
    input_tensor: Tensor,
    kv_input_tensor: Tensor | None = None,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    transpose_key: bool = True,
    memory_config: Any = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """q [b, h, s, d], k [b, g, d, s] (``transpose_key=False``: [b, g, s, d]) and v of a product [b, s, (h + 2 g) d]."""
    name = "transformer.split_query_key_value_and_split_heads"
    return _split(
        input_tensor, kv_input_tensor, num_heads, num_kv_heads, transpose_key, memory_config, name, 3
    )


@computes("output_tensors")
def nlp_create_qkv_heads(
    input: Tensor,
    input_kv: Tensor | None = None,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    transpose_k_heads: bool = True,
    memory_config: Any = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """q [b, h, s, d], k [b, g, d, s] (``transpose_k_heads=False``: [b, g, s, d]) and v of a product [b, 1, s, (h + 2 g) d]."""
    name = "experimental.nlp_create_qkv_heads"
    return _split(input, input_kv, num_heads, num_kv_heads, transpose_k_heads, memory_config, name, 4)


@computes("output_tensors", "overlap_qk_coregrid", "slice_size")
def nlp_create_qkv_heads_decode(
    input_tensor: Tensor, *, num_heads: int, num_kv_heads: int | None = None, memory_config: Any = None
) -> tuple[Tensor, Tensor, Tensor]:
    """q [1, b, h, d], k and v [1, b, g, d] of a product [1, 1, b, (h + 2 g) d]: one position of each user."""
    name = "experimental.nlp_create_qkv_heads_decode"
    fused = floats(input_tensor, name, "input", 4)
    heads, groups = _counts(num_heads, num_kv_heads, name)
    width = _width(fused.shape[-1], heads + 2 * groups, name, fused)
    parts = (
        part.reshape(1, fused.shape[2], part.shape[-1] // width, width)
        for part in _cut(engine.loaded(fused), (heads * width, groups * width, groups * width))
    )
    q, k, v = (engine.finish(part, fused, name, memory_config=memory_config) for part in parts)
    return q, k, v


def _split(
    product: Any,
    kv: Any,
    num_heads: Any,
    num_kv_heads: Any,
    transposed: Any,
    memory_config: Any,
    name: str,
    rank: int,
) -> tuple[Tensor, Tensor, Tensor]:
    fused = floats(product, name, "input", rank)
    heads, groups = _counts(num_heads, num_kv_heads, name)
    first = engine.loaded(fused)
    if kv is None:
        width = _width(fused.shape[-1], heads + 2 * groups, name, fused)
        queries, keys, values = _cut(first, (heads * width, groups * width, groups * width))
    else:
        width = _width(fused.shape[-1], heads, name, fused)
        second = floats(kv, name, "input of keys and values", rank)
        _width(second.shape[-1], 2 * groups, name, second)
        queries, (keys, values) = first, _cut(engine.loaded(second), (groups * width, groups * width))
    k = _heads(keys, groups)
    parts = (_heads(queries, heads), k.swapaxes(-1, -2) if transposed else k, _heads(values, groups))
    q, k, v = (engine.finish(part, fused, name, memory_config=memory_config) for part in parts)
    return q, k, v


def _counts(num_heads: Any, num_kv_heads: Any, name: str) -> tuple[int, int]:
    """How many heads of queries there are, and of keys and values."""
    heads = count_of(num_heads, name, "num_heads")
    return heads, count_of(num_kv_heads or num_heads, name, "num_kv_heads")


def _cut(values: Any, widths: tuple[int, ...]) -> Iterator[Any]:
    """Pieces of the last dimension."""
    at = 0
    for width in widths:
        yield values[..., at : at + width]
        at += width


def _width(extent: int, parts: int, name: str, tensor: Tensor) -> int:
    if extent % parts:
        fail(
            Code.SHAPES,
            f"ttnn.{name}: {extent} columns of shape {tuple(tensor.shape)} can't be cut into {parts} heads",
            help="the width is that of a head times the number of heads: those of queries, and twice those of keys",
        )
    return extent // parts


def _heads(values: Any, heads: int) -> Any:
    """[b, s, h d] or [b, 1, s, h d] as [b, h, s, d]."""
    batch, positions, width = values.shape[0], values.shape[-2], values.shape[-1] // heads
    return values.reshape(batch, positions, heads, width).swapaxes(1, 2)


@computes(result="memory_config")
def concatenate_heads(input_tensor: Tensor) -> Any:
    """[b, h, s, d] as [b, s, h d]."""
    heads = floats(input_tensor, "transformer.concatenate_heads", "input", 4)
    b, h, s, d = heads.shape
    return engine.loaded(heads).swapaxes(1, 2).reshape(b, s, h * d), heads


@computes(result="memory_config")
def nlp_concat_heads(input_tensor: Tensor) -> Any:
    """[b, h, s, d] as [b, 1, s, h d]."""
    heads = floats(input_tensor, "experimental.nlp_concat_heads", "input", 4)
    b, h, s, d = heads.shape
    return engine.loaded(heads).swapaxes(1, 2).reshape(b, 1, s, h * d), heads


@computes("output_tensor", result="memory_config")
def nlp_concat_heads_decode(input_tensor: Tensor, *, num_heads: int) -> Any:
    """[1, b, h or more, d] as [1, 1, b, h d]."""
    name = "experimental.nlp_concat_heads_decode"
    x = floats(input_tensor, name, "input", 4)
    heads = count_of(num_heads, name, "num_heads")
    _, b, _, d = x.shape
    return engine.loaded(x)[:, :, :heads].reshape(1, 1, b, heads * d), x


@computes("num_tokens", "transpose_hw", result="memory_config dtype")
def attn_matmul(input_tensor_a: Tensor, input_tensor_b: Tensor) -> Any:
    """[q, h, b, k] times [b, g, k, n]: each user's heads with its own matrices; [q, h, b, n]."""
    name = "experimental.attn_matmul"
    a, b = floats(input_tensor_a, name, "first operand", 4), floats(input_tensor_b, name, "second operand", 4)
    left = engine.loaded(a)  # [q, h, b, k]
    q, h, users, k = left.shape
    if b.shape[0] != users or b.shape[2] != k or h % b.shape[1]:
        fail(Code.SHAPES, f"ttnn.{name}: shapes {tuple(a.shape)} and {tuple(b.shape)} do not go together")
    right = _repeated(engine.loaded(b), h // b.shape[1])
    rows = left.reshape(q, h, users, 1, k) @ right.swapaxes(0, 1)
    return rows.reshape(q, h, users, b.shape[3]), a


# --- rotary embeddings ----------------------------------------------------------------------------------------------


@computes(result="memory_config")
def rotate_half(input_tensor: Tensor) -> Any:
    """The second half of the columns, negative, and then the first."""
    x = floats(input_tensor, "experimental.rotate_half")
    return _turned(engine.loaded(x)), x


@computes(result="memory_config")
def rotary_embedding(
    input_tensor: Tensor, cos_cache: Tensor, sin_cache: Tensor, token_index: int | None = None
) -> Any:
    """``x * cos + rotate_half(x) * sin``, x [b, h, s, d]; with ``token_index`` all rows are of that position."""
    return _rotary(input_tensor, cos_cache, sin_cache, token_index, "experimental.rotary_embedding")


@computes(result="memory_config")
def rotary_embedding_hf(
    input_tensor: Tensor, cos_cache: Tensor, sin_cache: Tensor, *, is_decode_mode: bool = False
) -> Any:
    """``x * cos + rotate_half(x) * sin``."""
    return _rotary(input_tensor, cos_cache, sin_cache, None, "experimental.rotary_embedding_hf")


@computes(result="memory_config")
def rotary_embedding_llama(
    input_tensor: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    trans_mat: Tensor,
    *,
    is_decode_mode: bool = False,
) -> Any:
    """``x * cos + (x T) * sin``: T, of one tile, exchanges the columns of each pair within every 32 columns.

    x is [b, h, s, d] with cos and sin [1, 1, s, d], or, with ``is_decode_mode``, [1, b, h, d] with [1, b, 1, d].
    """
    name = "experimental.rotary_embedding_llama"
    x, matrix = floats(input_tensor, name, "input", 4), floats(trans_mat, name, "matrix")
    values = engine.loaded(x)
    turn = engine.loaded(matrix).reshape(-1, *matrix.shape[-2:])[0]
    size = turn.shape[-1]
    if x.shape[-1] % size:
        fail(Code.SHAPES, f"ttnn.{name}: {x.shape[-1]} columns are not a multiple of the matrix's {size}")
    pieces = values.reshape(*values.shape[:-1], values.shape[-1] // size, size) @ turn
    cos, sin = (_rows(cache, x, name, decode=is_decode_mode) for cache in (cos_cache, sin_cache))
    return values * cos + pieces.reshape(*values.shape) * sin, x


def _rotary(input_tensor: Any, cos: Any, sin: Any, token: Any, name: str) -> tuple[Any, Tensor]:
    x = floats(input_tensor, name, "input", 4)
    values = engine.loaded(x)
    factors = []
    for cache in (cos, sin):
        if token is None:
            factors.append(_rows(cache, x, name, decode=False))
            continue
        table = engine.loaded(floats(cache, name, "cache"))
        if not isinstance(token, int) or not 0 <= token < table.shape[-2]:
            fail(Code.INDEX, f"ttnn.{name}: position {describe(token)} of {table.shape[-2]}")
        factors.append(table[..., token : token + 1, :])
    return values * factors[0] + _turned(values) * factors[1], x


def _rows(cache: Any, x: Tensor, name: str, *, decode: bool) -> Any:
    """As many rows of a cache as there are positions."""
    table = floats(cache, name, "cache")
    values = engine.loaded(table)
    if decode:
        values = values[..., :1, :] if values.shape[-2] != x.shape[-2] else values
    elif table.shape[-2] > 1:
        values = values[..., : x.shape[-2], :]
    broadcast(x.shape, tuple(values.shape), name)
    return values


def _turned(values: Any) -> Any:
    half = values.shape[-1] // 2
    return engine.functions().cat((-values[..., half:], values[..., :half]), -1)
