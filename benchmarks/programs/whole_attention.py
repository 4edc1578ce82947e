"""A whole program: attention one tile at a time, every intermediate in a buffer of its own, no push and no pop written.

One launch per head and layer, one tile of queries per turn. The softmax is the textbook one, in three passes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
import ttl
import ttnn

sys.path.insert(0, str(Path(__file__).parent))

from launching import Program, main, opened, random, tiled


@ttl.operation(grid=(4, 4))
def attention(q: Any, kt: Any, v: Any, out: Any, scale: float) -> None:
    tiles = q.shape[0] // 32
    dims = q.shape[1] // 32
    keys = kt.shape[1] // 32
    node = ttl.node(dims=1)
    nodes = ttl.grid_size(dims=1)

    q_dfb = ttl.make_dataflow_buffer_like(q, shape=(1, 1), block_count=2)
    k_dfb = ttl.make_dataflow_buffer_like(kt, shape=(1, 1), block_count=2)
    v_dfb = ttl.make_dataflow_buffer_like(v, shape=(1, 1), block_count=2)
    s_dfb = ttl.make_dataflow_buffer_like(q, shape=(1, 1), block_count=2)
    e_dfb = ttl.make_dataflow_buffer_like(q, shape=(1, 1), block_count=2)
    sum_dfb = ttl.make_dataflow_buffer_like(q, shape=(1, 1), block_count=2)
    acc_dfb = ttl.make_dataflow_buffer_like(q, shape=(1, 1), block_count=2)
    o_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1), block_count=2)

    @ttl.datamovement()
    def read() -> None:
        for row in range(node, tiles, nodes):
            for dim in range(dims):
                for key in range(keys):
                    for inner in range(dims):
                        blk = q_dfb.reserve()
                        ttl.copy(q[row, inner], blk).wait()
                        blk = k_dfb.reserve()
                        ttl.copy(kt[inner, key], blk).wait()
                    blk = v_dfb.reserve()
                    ttl.copy(v[key, dim], blk).wait()

    @ttl.compute()
    def compute() -> None:
        for _row in range(node, tiles, nodes):
            for _dim in range(dims):
                for key in range(keys):
                    for inner in range(dims):
                        product = q_dfb.wait() @ k_dfb.wait()
                        if inner == 0:
                            s_dfb.reserve().store(product * scale)
                        else:
                            s_dfb.reserve().store(s_dfb.wait() + product * scale)
                    s = s_dfb.wait()
                    e_dfb.reserve().store(ttl.math.exp(s))
                    e = e_dfb.wait()
                    total = ttl.math.reduce_sum(e, dims=[-1], shape=(1, 1))
                    v_blk = v_dfb.wait()
                    if key == 0:
                        sum_dfb.reserve().store(total)
                        acc_dfb.reserve().store(e @ v_blk)
                    else:
                        sum_dfb.reserve().store(sum_dfb.wait() + total)
                        acc_dfb.reserve().store(acc_dfb.wait() + e @ v_blk)
                total = ttl.block.broadcast(sum_dfb.wait(), dims=[-1], shape=(1, 1))
                o_dfb.reserve().store(acc_dfb.wait() / total)

    @ttl.datamovement()
    def write() -> None:
        for row in range(node, tiles, nodes):
            for dim in range(dims):
                ttl.copy(o_dfb.wait(), out[row, dim]).wait()


def in_torch(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """The same, in the type of the operands."""
    return ((q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5).softmax(dim=-1) @ v).flatten(0, 1)


def prepare(heads: int = 2, sequence: int = 64, head_dim: int = 64, layers: int = 1) -> Program:
    """Tensors of (heads, sequence, head_dim) elements."""
    device = opened()
    q, k, v = (random(heads, sequence, head_dim, seed=seed, scale=0.5) for seed in range(3))
    inputs = [
        (tiled(q[head], device), tiled(k[head].T.contiguous(), device), tiled(v[head], device))
        for head in range(heads)
    ]
    outputs = [tiled(torch.zeros(sequence, head_dim), device) for _ in range(heads)]

    def run() -> Any:
        for _ in range(layers):
            for (q_t, k_t, v_t), o_t in zip(inputs, outputs, strict=True):
                attention(q_t, k_t, v_t, o_t, head_dim**-0.5)
        return ttnn.concat(outputs, dim=0) if heads > 1 else outputs[0]

    return Program(
        device=device,
        run=run,
        in_torch=lambda: [in_torch(q, k, v) for _ in range(layers)][-1],
        expected=lambda: in_torch(q.float(), k.float(), v.float()),
    )


if __name__ == "__main__":
    main(prepare)
