"""Attention, ``softmax(q @ k.transpose / sqrt(head_dim)) @ v``, in blocks, with a running maximum and sum.

torch computes it unfused: two batched products and a softmax.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import torch
import ttl

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random


def operation(grid: tuple[int, int], query_tiles: int, key_tiles: int, *, first_apart: bool = False) -> Any:
    """The operation, in blocks of so many rows of tiles; tensors are (heads, sequence, head_dim).

    ``first_apart``: the first block of keys begins the sums, and rescales nothing.
    """

    @ttl.operation(grid=grid)
    def attention(q: Any, k: Any, v: Any, o: Any) -> None:
        heads, sequence, head_dim = q.shape
        dim_tiles = head_dim // 32
        query_blocks = sequence // 32 // query_tiles
        key_blocks = k.shape[1] // 32 // key_tiles
        work = heads * query_blocks
        work_per_node = -(-work // ttl.grid_size(dims=1))
        node = ttl.node(dims=1)
        own_work = range(min(node * work_per_node, work), min((node + 1) * work_per_node, work))

        q_dfb = ttl.make_dataflow_buffer_like(q, shape=(query_tiles, dim_tiles), block_count=2)
        k_dfb = ttl.make_dataflow_buffer_like(k, shape=(key_tiles, dim_tiles), block_count=2)
        v_dfb = ttl.make_dataflow_buffer_like(v, shape=(key_tiles, dim_tiles), block_count=2)
        o_dfb = ttl.make_dataflow_buffer_like(o, shape=(query_tiles, dim_tiles), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for item in own_work:
                head = item // query_blocks
                query = item % query_blocks
                with q_dfb.reserve() as q_blk:
                    q_xf = ttl.copy(q[head, query * query_tiles : (query + 1) * query_tiles, :], q_blk)
                    q_xf.wait()
                for key in range(key_blocks):
                    rows = slice(key * key_tiles, (key + 1) * key_tiles)
                    with k_dfb.reserve() as k_blk, v_dfb.reserve() as v_blk:
                        k_xf = ttl.copy(k[head, rows, :], k_blk)
                        v_xf = ttl.copy(v[head, rows, :], v_blk)
                        k_xf.wait()
                        v_xf.wait()

        @ttl.compute()
        def compute() -> None:
            column = (query_tiles, 1)
            scores_shape = (query_tiles, key_tiles)
            output_shape = (query_tiles, dim_tiles)
            for _ in own_work:
                with q_dfb.wait() as q_blk, o_dfb.reserve() as o_blk:
                    scaled = q_blk * (1 / math.sqrt(head_dim))
                    if first_apart:
                        with k_dfb.wait() as k_blk, v_dfb.wait() as v_blk:
                            scores = scaled @ ttl.block.transpose(k_blk)
                            largest = ttl.math.reduce_max(scores, dims=[-1], shape=column)
                            weights = ttl.math.exp(
                                scores - ttl.block.broadcast(largest, dims=[-1], shape=scores_shape)
                            )
                            total = ttl.math.reduce_sum(weights, dims=[-1], shape=column)
                            output = weights @ v_blk
                    else:
                        largest = ttl.block.fill(-math.inf, shape=column)
                        total = ttl.block.fill(0, shape=column)
                        output = ttl.block.fill(0, shape=output_shape)
                    for _ in range(1 if first_apart else 0, key_blocks):
                        with k_dfb.wait() as k_blk, v_dfb.wait() as v_blk:
                            scores = scaled @ ttl.block.transpose(k_blk)
                            previous = largest
                            largest = ttl.math.max(
                                previous, ttl.math.reduce_max(scores, dims=[-1], shape=column)
                            )
                            rescale = ttl.math.exp(previous - largest)
                            weights = ttl.math.exp(
                                scores - ttl.block.broadcast(largest, dims=[-1], shape=scores_shape)
                            )
                            total = total * rescale + ttl.math.reduce_sum(weights, dims=[-1], shape=column)
                            output = (
                                output * ttl.block.broadcast(rescale, dims=[-1], shape=output_shape)
                                + weights @ v_blk
                            )
                    o_blk.store(
                        output * ttl.block.broadcast(ttl.math.recip(total), dims=[-1], shape=output_shape)
                    )

        @ttl.datamovement()
        def write() -> None:
            for item in own_work:
                head = item // query_blocks
                query = item % query_blocks
                with o_dfb.wait() as o_blk:
                    o_xf = ttl.copy(o_blk, o[head, query * query_tiles : (query + 1) * query_tiles, :])
                    o_xf.wait()

    return attention


def in_torch(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """The same, in the type of the operands."""
    return (q @ k.transpose(-1, -2) * (1 / math.sqrt(q.shape[-1]))).softmax(dim=-1) @ v


def prepare(
    heads: int = 2,
    sequence: int = 128,
    head_dim: int = 64,
    grid: tuple[int, int] = (2, 2),
    query_tiles: int = 2,
    key_tiles: int = 2,
    *,
    first_apart: bool = False,
) -> Program:
    """Tensors of (heads, sequence, head_dim) elements."""
    shape = (heads, sequence, head_dim)
    return launched(
        opened(),
        operation(grid, query_tiles, key_tiles, first_apart=first_apart),
        tuple(random(*shape, seed=seed) for seed in range(3)),
        shape,
        in_torch=in_torch,
    )


if __name__ == "__main__":
    main(prepare)
