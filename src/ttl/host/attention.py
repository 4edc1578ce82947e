"""Attention: ``ttnn.transformer`` and what of ``ttnn.experimental`` splits and joins heads and turns positions.

Shapes: b batch, h heads of queries, g heads of keys and values, s positions, d width of a head.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import number_of, tensor_of
from ttl.host.errors import Code, describe, fail
from ttl.host.normalization import _softmax as softmax_of
from ttl.host.shape import broadcast
from ttl.host.spread import computes
from ttl.host.tensor import Tensor


def floats(value: Any, function: str, what: str, rank: int | None = None) -> Tensor:
    """A floating-point tensor, of so many dimensions."""
    found = tensor_of(value, function, what)
    if not found.dtype.is_float:
        fail(
            Code.ELEMENT_TYPE,
            f"ttnn.{function}: the {what} is {found.dtype}, not floating-point",
            help="use ttnn.typecast",
        )
    if rank is not None and len(found.shape) != rank:
        fail(
            Code.SHAPES, f"ttnn.{function}: the {what} has {rank} dimensions, not shape {tuple(found.shape)}"
        )
    return found


def count(value: Any, function: str, what: str) -> int:
    """A number of something: a positive integer."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        fail(Code.WRONG_KIND, f"ttnn.{function}: {what} is a positive integer, not {describe(value)}")
    return value


def integers(value: Any, function: str) -> Any:
    """The whole numbers in a tensor, as an array of its shape."""
    found = tensor_of(value, function, "tensor of indices")
    return np.asarray(found.dtype.load(found._data)).reshape(found.shape).astype(np.int64)


# --- scaled dot product attention -----------------------------------------------------------------------------------


@computes("attention_sink")
def scaled_dot_product_attention(
    input_tensor_q: Tensor,
    input_tensor_k: Tensor,
    input_tensor_v: Tensor,
    *,
    attn_mask: Tensor | None = None,
    is_causal: bool = True,
    scale: float | None = None,
    sliding_window_size: int | None = None,
    memory_config: Any = None,
) -> Tensor:
    """``softmax(q k^T * scale + mask) v`` of q [b, h, s, d], k and v [b, g, t, d]; causal unless ``is_causal=False``."""
    name = "transformer.scaled_dot_product_attention"
    q, k, v = (
        floats(each, name, what, 4) for each, what in _named(input_tensor_q, input_tensor_k, input_tensor_v)
    )
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
        window = count(sliding_window_size, name, "sliding_window_size")
        apart = np.arange(rows)[:, None] - np.arange(columns)[None, :]
        seen &= (apart < window) if is_causal else (abs(apart) <= window // 2)
    values = _attended(q, k, v, seen, attn_mask, scale, name)
    return engine.finish(values, q, name, memory_config=memory_config)


@computes("share_cache", "attention_sink")
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
    memory_config: Any = None,
) -> Tensor:
    """Attention of one new position per user: q [1, b, h, d], caches k and v [b, g, t, d], positions up to ``cur_pos``."""
    name = "transformer.scaled_dot_product_attention_decode"
    q, k, v = (
        floats(each, name, what, 4) for each, what in _named(input_tensor_q, input_tensor_k, input_tensor_v)
    )
    return _decoded(q, engine.loaded(k), engine.loaded(v), is_causal, attn_mask, cur_pos, cur_pos_tensor, scale,
                    sliding_window_size, memory_config, name)  # fmt: skip


@computes("share_cache", "attention_sink")
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
    memory_config: Any = None,
) -> Tensor:
    """The same with caches in pages [pages, g, positions of a page, d]; row ``u`` of the table has the pages of user ``u``."""
    name = "transformer.paged_scaled_dot_product_attention_decode"
    q, k, v = (
        floats(each, name, what, 4) for each, what in _named(input_tensor_q, input_tensor_k, input_tensor_v)
    )
    pages = integers(page_table_tensor, name)
    keys, rows = (_paged(engine.loaded(each), pages) for each in (k, v))
    return _decoded(q, keys,
        rows, is_causal, attn_mask, cur_pos, cur_pos_tensor, scale, sliding_window_size,
                    memory_config, name)  # fmt: skip


def _named(q: Any, k: Any, v: Any) -> tuple[tuple[Any, str], ...]:
    return (q, "queries"), (k, "keys"), (v, "values")


def _paged(cache: Any, pages: Any) -> Any:
    """[pages, g, p, d] as [b, g, pages of a user * p, d]."""
    users, each = pages.shape
    _, groups, positions, width = cache.shape
    taken = cache[np.maximum(pages.reshape(-1), 0)].reshape(users, each, groups, positions, width)
    return taken.swapaxes(1, 2).reshape(users, groups, each * positions, width)


def _decoded(
    q: Tensor, k: Any, v: Any, is_causal: Any, mask: Any, cur_pos: Any, cur_pos_tensor: Any, scale: Any, window: Any,
    memory_config: Any, name: str,
) -> Tensor:  # fmt: skip
    queries = engine.loaded(q)  # [1, b, h, d]
    users, heads, width = queries.shape[1:]
    columns = k.shape[2]
    positions = (
        integers(cur_pos_tensor, name).reshape(-1)
        if cur_pos_tensor is not None
        else np.array(list(cur_pos), np.int64)
    )
    if is_causal and len(positions) < users:
        fail(
            Code.SHAPES,
            f"ttnn.{name}: {len(positions)} positions for {users} users",
            help="give cur_pos, one position for each user",
        )
    seen = np.ones((users, columns), bool)
    if is_causal:
        seen = np.arange(columns)[None, :] <= positions[:users, None]
        if window is not None:
            seen &= np.arange(columns)[None, :] > positions[:users, None] - count(
                window, name, "sliding_window_size"
            )
    repeats = heads // k.shape[1]
    k, v = _repeated(k, repeats)[:users], _repeated(v, repeats)[:users]
    factor = width**-0.5 if scale is None else number_of(scale, name, "scale")
    scores = queries.reshape(users, heads, 1, width) @ k.swapaxes(-1, -2) * factor
    scores = _masked(scores, seen[:, None, None, :])
    if mask is not None:
        scores = scores + engine.loaded(floats(mask, name, "mask", 4)).swapaxes(1, 2)
    result = softmax_of(scores, -1) @ v
    return engine.finish(result.reshape(1, users, heads, v.shape[-1]), q, name, memory_config=memory_config)


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
    return softmax_of(scores, -1) @ _repeated(engine.loaded(v), repeats)


def _repeated(values: Any, times: int) -> Any:
    """Every head ``times`` times in a row."""
    if times == 1:
        return values
    return engine.pick(lambda t, x: t.repeat_interleave(x, times, 1), lambda x: np.repeat(x, times, 1))(
        values
    )


def _masked(scores: Any, seen: Any) -> Any:
    """Minus infinity where nothing is to be seen."""
    return engine.pick(
        lambda t, x: x.masked_fill(~t.from_numpy(np.ascontiguousarray(seen)), float("-inf")),
        lambda x: np.where(seen, x, np.float32(-np.inf)),
    )(scores)


@computes()
def attention_softmax(
    input_tensor: Tensor,
    *,
    head_size: int | None = None,
    attention_mask: Tensor | None = None,
    causal_mask: bool = False,
    memory_config: Any = None,
) -> Tensor:
    """``softmax(x / sqrt(head_size) + mask)`` along the last dimension."""
    name = "transformer.attention_softmax"
    found = floats(input_tensor, name, "input", 4)
    values = engine.loaded(found)
    if head_size is not None:
        values = values * count(head_size, name, "head_size") ** -0.5
    if attention_mask is not None:
        added = floats(attention_mask, name, "mask")
        broadcast(found.shape, added.shape, name)
        values = values + engine.loaded(added)
    return engine.finish(softmax_of(values, -1), found, name, memory_config=memory_config)


@computes()
def attention_softmax_(
    input_tensor: Tensor,
    *,
    head_size: int | None = None,
    attention_mask: Tensor | None = None,
    causal_mask: bool = False,
) -> Tensor:
    """``attention_softmax``, written into its operand."""
    made = attention_softmax(
        input_tensor, head_size=head_size, attention_mask=attention_mask, causal_mask=causal_mask
    )
    return engine.finish(engine.loaded(made), made, "transformer.attention_softmax_", output=input_tensor)


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
    """The same of a product [b, 1, s, (h + 2 g) d]."""
    name = "experimental.nlp_create_qkv_heads"
    return _split(input, input_kv, num_heads, num_kv_heads, transpose_k_heads, memory_config, name, 4)


@computes("output_tensors", "overlap_qk_coregrid", "slice_size")
def nlp_create_qkv_heads_decode(
    input_tensor: Tensor, *, num_heads: int, num_kv_heads: int | None = None, memory_config: Any = None
) -> tuple[Tensor, Tensor, Tensor]:
    """q [1, b, h, d], k and v [1, b, g, d] of a product [1, 1, b, (h + 2 g) d]: one position of each user."""
    name = "experimental.nlp_create_qkv_heads_decode"
    found = floats(input_tensor, name, "input", 4)
    heads, groups = (
        count(num_heads, name, "num_heads"),
        count(num_kv_heads or num_heads, name, "num_kv_heads"),
    )
    width = _width(found.shape[-1], heads + 2 * groups, name, found)
    parts, at = [], 0
    values = engine.loaded(found)
    for each in (heads, groups, groups):
        part = values[..., at : at + each * width].reshape(1, found.shape[2], each, width)
        parts.append(engine.finish(part, found, name, memory_config=memory_config))
        at += each * width
    return parts[0], parts[1], parts[2]


def _split(
    fused: Any,
    kv: Any,
    num_heads: Any,
    num_kv_heads: Any,
    transposed: Any,
    memory_config: Any,
    name: str,
    rank: int,
) -> tuple[Tensor, Tensor, Tensor]:
    found = floats(fused, name, "input", rank)
    heads, groups = (
        count(num_heads, name, "num_heads"),
        count(num_kv_heads or num_heads, name, "num_kv_heads"),
    )
    first = engine.loaded(found)
    if kv is None:
        width = _width(found.shape[-1], heads + 2 * groups, name, found)
        others, at = first, heads * width
    else:
        width = _width(found.shape[-1], heads, name, found)
        second = floats(kv, name, "input of keys and values", rank)
        _width(second.shape[-1], 2 * groups, name, second)
        others, at = engine.loaded(second), 0
    q = _heads(first[..., : heads * width], heads)
    k = _heads(others[..., at : at + groups * width], groups)
    v = _heads(others[..., at + groups * width : at + 2 * groups * width], groups)
    k = k.swapaxes(-1, -2) if transposed else k
    made = tuple(engine.finish(each, found, name, memory_config=memory_config) for each in (q, k, v))
    return made[0], made[1], made[2]


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


@computes()
def concatenate_heads(input_tensor: Tensor, *, memory_config: Any = None) -> Tensor:
    """[b, h, s, d] as [b, s, h d]."""
    found = floats(input_tensor, "transformer.concatenate_heads", "input", 4)
    b, h, s, d = found.shape
    values = engine.loaded(found).swapaxes(1, 2).reshape(b, s, h * d)
    return engine.finish(values, found, "transformer.concatenate_heads", memory_config=memory_config)


@computes()
def nlp_concat_heads(input_tensor: Tensor, *, memory_config: Any = None) -> Tensor:
    """[b, h, s, d] as [b, 1, s, h d]."""
    found = floats(input_tensor, "experimental.nlp_concat_heads", "input", 4)
    b, h, s, d = found.shape
    values = engine.loaded(found).swapaxes(1, 2).reshape(b, 1, s, h * d)
    return engine.finish(values, found, "experimental.nlp_concat_heads", memory_config=memory_config)


@computes("output_tensor")
def nlp_concat_heads_decode(input_tensor: Tensor, *, num_heads: int, memory_config: Any = None) -> Tensor:
    """[1, b, h or more, d] as [1, 1, b, h d]."""
    name = "experimental.nlp_concat_heads_decode"
    found = floats(input_tensor, name, "input", 4)
    heads = count(num_heads, name, "num_heads")
    _, b, _, d = found.shape
    values = engine.loaded(found)[:, :, :heads].reshape(1, 1, b, heads * d)
    return engine.finish(values, found, name, memory_config=memory_config)


@computes("num_tokens", "transpose_hw")
def attn_matmul(
    input_tensor_a: Tensor, input_tensor_b: Tensor, *, memory_config: Any = None, dtype: Any = None
) -> Tensor:
    """[q, h, b, k] times [b, g, k, n]: each user's heads with its own matrices; [q, h, b, n]."""
    name = "experimental.attn_matmul"
    a, b = floats(input_tensor_a, name, "first operand", 4), floats(input_tensor_b, name, "second operand", 4)
    left = engine.loaded(a)  # [q, h, b, k]
    q, h, users, k = left.shape
    if b.shape[0] != users or b.shape[2] != k or h % b.shape[1]:
        fail(Code.SHAPES, f"ttnn.{name}: shapes {tuple(a.shape)} and {tuple(b.shape)} do not go together")
    right = _repeated(engine.loaded(b), h // b.shape[1])
    turned = left.reshape(q, h, users, 1, k) @ right.swapaxes(0, 1)
    return engine.finish(
        turned.reshape(q, h, users, b.shape[3]), a, name, dtype=dtype, memory_config=memory_config
    )


# --- rotary embeddings ----------------------------------------------------------------------------------------------


@computes()
def rotate_half(input_tensor: Tensor, *, memory_config: Any = None) -> Tensor:
    """The second half of the columns, negative, and then the first."""
    found = floats(input_tensor, "experimental.rotate_half", "input")
    return engine.finish(
        _turned(engine.loaded(found)), found, "experimental.rotate_half", memory_config=memory_config
    )


@computes()
def rotary_embedding(
    input_tensor: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    token_index: int | None = None,
    *,
    memory_config: Any = None,
) -> Tensor:
    """``x * cos + rotate_half(x) * sin``, x [b, h, s, d]; with ``token_index`` all rows are of that position."""
    return _rotary(
        input_tensor, cos_cache, sin_cache, token_index, memory_config, "experimental.rotary_embedding"
    )


@computes()
def rotary_embedding_hf(
    input_tensor: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    *,
    is_decode_mode: bool = False,
    memory_config: Any = None,
) -> Tensor:
    """``x * cos + rotate_half(x) * sin``."""
    return _rotary(
        input_tensor, cos_cache, sin_cache, None, memory_config, "experimental.rotary_embedding_hf"
    )


@computes()
def rotary_embedding_llama(
    input_tensor: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    trans_mat: Tensor,
    *,
    is_decode_mode: bool = False,
    memory_config: Any = None,
) -> Tensor:
    """``x * cos + (x T) * sin``: T, of one tile, exchanges the columns of each pair within every 32 columns.

    x is [b, h, s, d] with cos and sin [1, 1, s, d], or, with ``is_decode_mode``, [1, b, h, d] with [1, b, 1, d].
    """
    name = "experimental.rotary_embedding_llama"
    found, matrix = floats(input_tensor, name, "input", 4), floats(trans_mat, name, "matrix")
    values = engine.loaded(found)
    turn = engine.loaded(matrix).reshape(-1, *matrix.shape[-2:])[0]
    size = turn.shape[-1]
    if found.shape[-1] % size:
        fail(Code.SHAPES, f"ttnn.{name}: {found.shape[-1]} columns are no multiple of the matrix's {size}")
    pieces = values.reshape(*values.shape[:-1], values.shape[-1] // size, size) @ turn
    cos, sin = (_rows(each, found, name, decode=is_decode_mode) for each in (cos_cache, sin_cache))
    result = values * cos + pieces.reshape(*values.shape) * sin
    return engine.finish(result, found, name, memory_config=memory_config)


def _rotary(x: Any, cos: Any, sin: Any, token: Any, memory_config: Any, name: str) -> Tensor:
    found = floats(x, name, "input", 4)
    values = engine.loaded(found)
    factors = []
    for cache in (cos, sin):
        if token is None:
            factors.append(_rows(cache, found, name, decode=False))
            continue
        table = engine.loaded(floats(cache, name, "cache"))
        if not isinstance(token, int) or not 0 <= token < table.shape[-2]:
            fail(Code.INDEX, f"ttnn.{name}: position {describe(token)} of {table.shape[-2]}")
        factors.append(table[..., token : token + 1, :])
    return engine.finish(
        values * factors[0] + _turned(values) * factors[1], found, name, memory_config=memory_config
    )


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
    parts = (-values[..., half:], values[..., :half])
    return engine.pick(lambda t, *x: t.cat(x, -1), lambda *x: np.concatenate(x, -1))(*parts)
