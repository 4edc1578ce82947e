"""Attention that never stores all scores: for many queries, for one token, and the cache of keys and values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ttl
from ttl.lang.library import (
    TILE,
    require_equal,
    require_fit,
    require_shapes,
    require_shares,
)

# The number added to scores that do not count: its exponential is 0, and it is finite, so that no result becomes NaN.
HIDDEN = -1e9


def attended(scores: Any, values: Any, largest: Any, total: Any, output: Any) -> Any:
    """The largest score, the sum of weights and the output after one more block of scores and values."""
    rows, keys = scores.shape
    before = largest
    largest = ttl.math.max(before, ttl.math.reduce_max(scores, dims=[-1], shape=(rows, 1)))
    rescale = ttl.math.exp(before - largest)
    weights = ttl.math.exp(scores - ttl.block.broadcast(largest, dims=[-1], shape=(rows, keys)))
    total = total * rescale + ttl.math.reduce_sum(weights, dims=[-1], shape=(rows, 1))
    output = output * ttl.block.broadcast(rescale, dims=[-1], shape=output.shape) + weights @ values
    return largest, total, output


def attention_reference(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """``softmax(q @ transposed k / sqrt(head_dim) + mask) @ v`` of arrays, in float64."""
    q, k, v = (np.asarray(array, np.float64) for array in (q, k, v))
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores + np.asarray(mask, np.float64)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ v


def causal_mask(queries: int) -> Any:
    """The array of (queries, queries) to add to scores: 0 for keys up to the query's own position, otherwise a value that hides them."""
    return np.where(np.tri(queries, dtype=bool), 0, HIDDEN).astype(np.float32)


def causal_reference(q: Any, k: Any, v: Any, mask: Any) -> Any:
    """Attention of every query to the keys up to its own position, for arrays, in float64; ``mask`` is the mask of a block."""
    return attention_reference(q, k, v, causal_mask(np.shape(q)[-2]))


def make_flash_attention(
    sizes: tuple[int, int, int, int],
    grid: tuple[int, int],
    blocks: tuple[int, int] = (1, 1),
    *,
    causal: bool = False,
) -> ttl.Operation:
    """``o = softmax(q @ transposed k / sqrt(head_dim)) @ v`` for many queries; ``sizes`` is (heads, queries, keys, head_dim).

    ``q`` and ``o`` are of (heads, queries, head_dim), ``k`` and ``v`` of (heads, keys, head_dim). The nodes of ``grid``
    take blocks of queries in turn, of ``blocks`` (queries, keys) tiles, and pass over the keys once, with the largest
    score and the sum of weights so far. The operation is called with ``q``, ``k``, ``v`` and ``o``; its stage with a
    dataflow buffer for each and ``steps``, the number of blocks of keys: it makes one block of ``o``.

    With ``causal``, a query attends to the keys up to its own position; blocks have as many queries as keys, and there is one
    more tensor and buffer before ``o``: ``ttl.ops.causal_mask`` of the queries of a block, which is added to the scores of
    the last step.

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes of tensors. Source: Dao et al., "FlashAttention" (2022).
    """
    named = (sizes, "heads queries keys head_dim")
    require_fit("flash_attention", named, grid, (blocks, "queries keys"), whole="head_dim")
    heads, queries, keys, head_dim = sizes
    if causal:
        require_equal("flash_attention with causal", "keys", keys, "queries", queries)
        require_equal(
            "flash_attention with causal", "blocks of keys", blocks[1], "blocks of queries", blocks[0]
        )
    rows, columns = blocks
    width = head_dim // TILE
    parts, key_blocks = queries // TILE // rows, keys // TILE // columns
    scale = 1 / math.sqrt(head_dim)

    @ttl.operation()
    def stage(q_dfb: ttl.DFB, k_dfb: ttl.DFB, v_dfb: ttl.DFB, o_dfb: ttl.DFB, steps: int) -> None:
        with q_dfb.wait() as q_blk, o_dfb.reserve() as o_blk:
            largest = ttl.block.fill(-math.inf, shape=(rows, 1))
            total = ttl.block.fill(0, shape=(rows, 1))
            output = ttl.block.fill(0, shape=(rows, width))
            for _ in range(steps):
                with k_dfb.wait() as k_blk, v_dfb.wait() as v_blk:
                    scores = q_blk @ ttl.block.transpose(k_blk) * scale
                    largest, total, output = attended(scores, v_blk, largest, total, output)
            o_blk.store(output / ttl.block.broadcast(total, dims=[-1], shape=(rows, width)))

    @ttl.operation()
    def causal_stage(
        q_dfb: ttl.DFB, k_dfb: ttl.DFB, v_dfb: ttl.DFB, mask_dfb: ttl.DFB, o_dfb: ttl.DFB, steps: int
    ) -> None:
        with q_dfb.wait() as q_blk, o_dfb.reserve() as o_blk:
            largest = ttl.block.fill(-math.inf, shape=(rows, 1))
            total = ttl.block.fill(0, shape=(rows, 1))
            output = ttl.block.fill(0, shape=(rows, width))
            for _ in range(steps - 1):
                with k_dfb.wait() as k_blk, v_dfb.wait() as v_blk:
                    scores = q_blk @ ttl.block.transpose(k_blk) * scale
                    largest, total, output = attended(scores, v_blk, largest, total, output)
            with k_dfb.wait() as k_blk, v_dfb.wait() as v_blk, mask_dfb.wait() as mask_blk:
                scores = q_blk @ ttl.block.transpose(k_blk) * scale + mask_blk
                largest, total, output = attended(scores, v_blk, largest, total, output)
            o_blk.store(output / ttl.block.broadcast(total, dims=[-1], shape=(rows, width)))

    @ttl.operation()
    def load(source: Any, dfb: ttl.DFB, head: int, first: int, count: int) -> None:
        with dfb.reserve() as blk:
            ttl.copy(source[head, first : first + count, :], blk).wait()

    @ttl.operation()
    def store(dfb: ttl.DFB, target: Any, head: int, first: int, count: int) -> None:
        with dfb.wait() as blk:
            ttl.copy(blk, target[head, first : first + count, :]).wait()

    @ttl.operation(grid=grid)
    def flash_attention(q: Any, k: Any, v: Any, o: Any) -> None:
        of_q, of_k = (heads, queries, head_dim), (heads, keys, head_dim)
        require_shapes("flash_attention", q=(q, of_q), k=(k, of_k), v=(v, of_k), o=(o, of_q))
        q_dfb = ttl.make_dataflow_buffer_like(q, shape=(rows, width))
        k_dfb = ttl.make_dataflow_buffer_like(k, shape=(columns, width))
        v_dfb = ttl.make_dataflow_buffer_like(v, shape=(columns, width))
        o_dfb = ttl.make_dataflow_buffer_like(o, shape=(rows, width))
        for item in range(ttl.node(dims=1), heads * parts, ttl.grid_size(dims=1)):
            head, part = item // parts, item % parts
            load(q, q_dfb, head, part * rows, rows)
            for step in range(key_blocks):
                load(k, k_dfb, head, step * columns, columns)
                load(v, v_dfb, head, step * columns, columns)
            stage(q_dfb, k_dfb, v_dfb, o_dfb, key_blocks)
            store(o_dfb, o, head, part * rows, rows)

    @ttl.operation(grid=grid)
    def causal_attention(q: Any, k: Any, v: Any, mask: Any, o: Any) -> None:
        whole, square = (heads, queries, head_dim), (rows * TILE, rows * TILE)
        require_shapes(
            "flash_attention", q=(q, whole), k=(k, whole), v=(v, whole), mask=(mask, square), o=(o, whole)
        )
        q_dfb = ttl.make_dataflow_buffer_like(q, shape=(rows, width))
        k_dfb = ttl.make_dataflow_buffer_like(k, shape=(rows, width))
        v_dfb = ttl.make_dataflow_buffer_like(v, shape=(rows, width))
        mask_dfb = ttl.make_dataflow_buffer_like(mask, shape=(rows, rows), block_count=1)
        o_dfb = ttl.make_dataflow_buffer_like(o, shape=(rows, width))
        for item in range(ttl.node(dims=1), heads * parts, ttl.grid_size(dims=1)):
            head, part = item // parts, item % parts
            load(q, q_dfb, head, part * rows, rows)
            for step in range(part + 1):
                load(k, k_dfb, head, step * rows, rows)
                load(v, v_dfb, head, step * rows, rows)
            with mask_dfb.reserve() as mask_blk:
                ttl.copy(mask[:, :], mask_blk).wait()
            causal_stage(q_dfb, k_dfb, v_dfb, mask_dfb, o_dfb, part + 1)
            store(o_dfb, o, head, part * rows, rows)

    if causal:
        causal_attention.stage, causal_attention.reference = causal_stage, causal_reference
        return causal_attention
    flash_attention.stage, flash_attention.reference = stage, attention_reference
    return flash_attention


def length_mask(length: int, position: int) -> Any:
    """The array of (1, length) to add to scores: 0 for keys up to and including ``position``, otherwise a value that hides them."""
    return np.where(np.arange(length) <= position, 0, HIDDEN).astype(np.float32)[None]


def make_flash_decode(
    sizes: tuple[int, int, int, int], grid: tuple[int, int], blocks: tuple[int] = (1,)
) -> ttl.Operation:
    """Attention of one token to a cache, ``o = softmax(q @ transposed k / sqrt(head_dim) + mask) @ v``.

    ``sizes`` is (heads, queries, length, head_dim). ``q`` and ``o`` are of (heads, queries, head_dim), where queries are
    those of a token that share keys, and need not fill a tile; ``k`` and ``v`` are of (heads, length, head_dim), ``mask``
    is of (1, length): ``ttl.ops.length_mask`` of the token's position.

    The rows of ``grid`` take heads in turn; its columns share the keys of a head, in ``blocks`` of (keys,) tiles, and send
    their partial results to the first one, which combines them. These are sent in the type of ``mask``, so float32 is the most accurate. The
    operation is called with ``q``, ``k``, ``v``, ``mask`` and ``o``; its stage with a dataflow buffer for each and
    ``steps``, the number of blocks of keys: it makes the output of one head on one node.

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes of tensors. Source: Dao et al., "Flash-Decoding for long-context inference" (2023).
    """
    named = (sizes, "heads queries length head_dim")
    require_fit("flash_decode", named, grid, (blocks, "length"), whole="head_dim")
    heads, queries, length, head_dim = sizes
    (columns,) = blocks
    require_shares("flash_decode", keys=(length // TILE // columns, grid[0]))
    rows, width, share = -(-queries // TILE), head_dim // TILE, length // TILE // columns // grid[0]
    scale = 1 / math.sqrt(head_dim)

    @ttl.operation()
    def stage(
        q_dfb: ttl.DFB, k_dfb: ttl.DFB, v_dfb: ttl.DFB, mask_dfb: ttl.DFB, o_dfb: ttl.DFB, steps: int
    ) -> None:
        with q_dfb.wait() as q_blk, o_dfb.reserve() as o_blk:
            largest = ttl.block.fill(-math.inf, shape=(rows, 1))
            total = ttl.block.fill(0, shape=(rows, 1))
            output = ttl.block.fill(0, shape=(rows, width))
            for _ in range(steps):
                with k_dfb.wait() as k_blk, v_dfb.wait() as v_blk, mask_dfb.wait() as mask_blk:
                    hidden = ttl.block.broadcast(mask_blk, dims=[0], shape=(rows, columns))
                    scores = q_blk @ ttl.block.transpose(k_blk) * scale + hidden
                    largest, total, output = attended(scores, v_blk, largest, total, output)
            o_blk.store(output / ttl.block.broadcast(total, dims=[-1], shape=(rows, width)))

    @ttl.operation(grid=grid)
    def flash_decode(q: Any, k: Any, v: Any, mask: Any, o: Any) -> None:
        of_q, of_k = (heads, queries, head_dim), (heads, length, head_dim)
        require_shapes(
            "flash_decode", q=(q, of_q), k=(k, of_k), v=(v, of_k), mask=(mask, (1, length)), o=(o, of_q)
        )
        node_x, node_y = ttl.node(dims=2)
        q_dfb = ttl.make_dataflow_buffer_like(q, shape=(rows, width))
        k_dfb = ttl.make_dataflow_buffer_like(k, shape=(columns, width))
        v_dfb = ttl.make_dataflow_buffer_like(v, shape=(columns, width))
        mask_dfb = ttl.make_dataflow_buffer_like(mask, shape=(1, columns))
        o_dfb = ttl.make_dataflow_buffer_like(o, shape=(rows, width))
        if grid[0] > 1:
            net = ttl.PipeNet([ttl.Pipe((x, y), (0, y)) for x in range(1, grid[0]) for y in range(grid[1])])
            largest_dfb = ttl.make_dataflow_buffer_like(mask, shape=(rows, 1))
            total_dfb = ttl.make_dataflow_buffer_like(mask, shape=(rows, 1))
            output_dfb = ttl.make_dataflow_buffer_like(mask, shape=(rows, width))
            other_largest_dfb = ttl.make_dataflow_buffer_like(mask, shape=(rows, 1))
            other_total_dfb = ttl.make_dataflow_buffer_like(mask, shape=(rows, 1))
            other_output_dfb = ttl.make_dataflow_buffer_like(mask, shape=(rows, width))
        for head in range(node_y, heads, grid[1]):
            with q_dfb.reserve() as q_blk:
                ttl.copy(q[head, :, :], q_blk).wait()
            for step in range(share):
                first = (node_x * share + step) * columns
                with k_dfb.reserve() as k_blk, v_dfb.reserve() as v_blk, mask_dfb.reserve() as mask_blk:
                    k_xf = ttl.copy(k[head, first : first + columns, :], k_blk)
                    v_xf = ttl.copy(v[head, first : first + columns, :], v_blk)
                    ttl.copy(mask[0, first : first + columns], mask_blk).wait()
                    k_xf.wait()
                    v_xf.wait()
            with q_dfb.wait() as q_blk:
                largest = ttl.block.fill(-math.inf, shape=(rows, 1))
                total = ttl.block.fill(0, shape=(rows, 1))
                output = ttl.block.fill(0, shape=(rows, width))
                for _ in range(share):
                    with k_dfb.wait() as k_blk, v_dfb.wait() as v_blk, mask_dfb.wait() as mask_blk:
                        hidden = ttl.block.broadcast(mask_blk, dims=[0], shape=(rows, columns))
                        scores = q_blk @ ttl.block.transpose(k_blk) * scale + hidden
                        largest, total, output = attended(scores, v_blk, largest, total, output)
                if grid[0] > 1 and node_x > 0:
                    with largest_dfb.reserve() as blk:
                        blk.store(largest)
                    with total_dfb.reserve() as blk:
                        blk.store(total)
                    with output_dfb.reserve() as blk:
                        blk.store(output)
                else:
                    for _ in range(grid[0] - 1):
                        with (
                            other_largest_dfb.wait() as m_blk,
                            other_total_dfb.wait() as l_blk,
                            other_output_dfb.wait() as x_blk,
                        ):
                            before = largest
                            largest = ttl.math.max(before, m_blk)
                            own, other = ttl.math.exp(before - largest), ttl.math.exp(m_blk - largest)
                            total = total * own + l_blk * other
                            owns = ttl.block.broadcast(own, dims=[-1], shape=(rows, width))
                            others = ttl.block.broadcast(other, dims=[-1], shape=(rows, width))
                            output = output * owns + x_blk * others
                    with o_dfb.reserve() as o_blk:
                        o_blk.store(output / ttl.block.broadcast(total, dims=[-1], shape=(rows, width)))
            if grid[0] > 1:

                def send(pipe: Any) -> None:
                    with largest_dfb.wait() as blk:
                        ttl.copy(blk, pipe).wait()
                    with total_dfb.wait() as blk:
                        ttl.copy(blk, pipe).wait()
                    with output_dfb.wait() as blk:
                        ttl.copy(blk, pipe).wait()

                def receive(pipe: Any) -> None:
                    with other_largest_dfb.reserve() as blk:
                        ttl.copy(pipe, blk).wait()
                    with other_total_dfb.reserve() as blk:
                        ttl.copy(pipe, blk).wait()
                    with other_output_dfb.reserve() as blk:
                        ttl.copy(pipe, blk).wait()

                net.if_src(send)
                net.if_dst(receive)
            if node_x == 0:
                with o_dfb.wait() as o_blk:
                    ttl.copy(o_blk, o[head, :, :]).wait()

    flash_decode.stage, flash_decode.reference = stage, attention_reference
    return flash_decode


def tile_rows() -> Any:
    """The array of (32, 1) with the number of every row of a tile."""
    return np.arange(TILE, dtype=np.float32)[:, None]


def kv_append_reference(new: Any, rows: Any, cache: Any, position: int) -> Any:
    """The cache with the new row at a position, of arrays, in float64."""
    result = np.array(cache, np.float64)
    result[:, position] = np.asarray(new)[:, 0]
    return result


def make_kv_append(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int] = (1,)
) -> ttl.Operation:
    """Put one row, the keys or values of a token, at a position of a cache, in place; ``sizes`` is (heads, length, head_dim).

    ``new`` is of (heads, 1, head_dim), ``cache`` of (heads, length, head_dim), ``rows`` is ``ttl.ops.tile_rows()``. The
    tiles that contain the position are read, changed and written, ``blocks`` of (head_dim,) tiles at a time; the nodes of
    ``grid`` take them in turn. The operation is called with ``new``, ``rows``, ``cache`` and the position, an integer that
    is known when kernels start. Its stage is called with dataflow buffers for ``new``, ``rows``, the old and the new tiles
    of the cache, the row in the tile, and ``count``: it takes one block of ``rows`` and ``count`` of the others.

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes of tensors. A position beyond the cache is an error of the copy (TTL0501 and following).
    """
    require_fit("kv_append", (sizes, "heads length head_dim"), grid, (blocks, "head_dim"), whole="length")
    heads, _, head_dim = sizes
    (width,) = blocks
    across = head_dim // TILE // width

    @ttl.operation()
    def stage(
        new_dfb: ttl.DFB, rows_dfb: ttl.DFB, old_dfb: ttl.DFB, out_dfb: ttl.DFB, row: int, count: int
    ) -> None:
        with rows_dfb.wait() as rows_blk:
            for _ in range(count):
                with new_dfb.wait() as new_blk, old_dfb.wait() as old_blk, out_dfb.reserve() as out_blk:
                    is_row = ttl.math.eq(ttl.block.broadcast(rows_blk, dims=[-1], shape=(1, width)), row)
                    new_rows = ttl.block.broadcast(new_blk, dims=[0], shape=(1, width))
                    out_blk.store(ttl.block.where(is_row, new_rows, old_blk))

    @ttl.operation(grid=grid)
    def kv_append(new: Any, rows: Any, cache: Any, position: int) -> None:
        require_shapes(
            "kv_append", new=(new, (heads, 1, head_dim)), rows=(rows, (TILE, 1)), cache=(cache, sizes)
        )
        new_dfb = ttl.make_dataflow_buffer_like(new, shape=(1, width))
        rows_dfb = ttl.make_dataflow_buffer_like(rows, shape=(1, 1), block_count=1)
        old_dfb = ttl.make_dataflow_buffer_like(cache, shape=(1, width))
        out_dfb = ttl.make_dataflow_buffer_like(cache, shape=(1, width))
        own = range(ttl.node(dims=1), heads * across, ttl.grid_size(dims=1))
        if len(own) > 0:
            with rows_dfb.reserve() as rows_blk:
                ttl.copy(rows[:, :], rows_blk).wait()
            stage(new_dfb, rows_dfb, old_dfb, out_dfb, position % TILE, len(own))
            for item in own:
                head, first = item // across, item % across * width
                with new_dfb.reserve() as new_blk, old_dfb.reserve() as old_blk:
                    ttl.copy(new[head, 0, first : first + width], new_blk).wait()
                    ttl.copy(cache[head, position // TILE, first : first + width], old_blk).wait()
                with out_dfb.wait() as out_blk:
                    ttl.copy(out_blk, cache[head, position // TILE, first : first + width]).wait()

    kv_append.stage, kv_append.reference = stage, kv_append_reference
    return kv_append
