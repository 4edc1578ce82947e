"""Flash attention on a simulated 8 x 8 Wormhole grid: softmax(Q Kᵀ / sqrt(D)) V, block by block.

The scores, SEQUENCE x SEQUENCE for each head, never exist as a whole. A node takes blocks of queries and passes
over the blocks of keys and values once. It keeps, for each query, the largest score so far, the sum of the
exponentials relative to it, and the output so far; when a larger score turns up, it rescales the latter two.
"""

import math
import time

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

HEADS, SEQUENCE, HEAD_DIM = 8, 1024, 64
QUERY_TILES, KEY_TILES = 4, 4  # rows of tiles in a block of queries, and of keys and values

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(8, 8))
def attention(q: ttnn.Tensor, k: ttnn.Tensor, v: ttnn.Tensor, o: ttnn.Tensor) -> None:
    """``o = softmax(q @ k.transpose / sqrt(head_dim)) @ v``; all of shape (heads, sequence, head_dim)."""
    heads, sequence, head_dim = q.shape
    dim_tiles = head_dim // ttl.TILE_SHAPE[1]
    query_blocks = sequence // ttl.TILE_SHAPE[0] // QUERY_TILES
    key_blocks = sequence // ttl.TILE_SHAPE[0] // KEY_TILES

    # Every node takes its share of the (head, block of queries) pairs
    work = heads * query_blocks
    work_per_node = math.ceil(work / ttl.grid_size(dims=1))
    node = ttl.node(dims=1)
    own_work = range(node * work_per_node, min((node + 1) * work_per_node, work))

    q_dfb = ttl.make_dataflow_buffer_like(q, shape=(QUERY_TILES, dim_tiles))
    k_dfb = ttl.make_dataflow_buffer_like(k, shape=(KEY_TILES, dim_tiles))
    v_dfb = ttl.make_dataflow_buffer_like(v, shape=(KEY_TILES, dim_tiles))
    o_dfb = ttl.make_dataflow_buffer_like(o, shape=(QUERY_TILES, dim_tiles))

    @ttl.datamovement()
    def read():
        for item in own_work:
            head, query_block = item // query_blocks, item % query_blocks
            query_rows = slice(query_block * QUERY_TILES, (query_block + 1) * QUERY_TILES)
            with q_dfb.reserve() as q_blk:
                q_xf = ttl.copy(q[head, query_rows, :], q_blk)
                q_xf.wait()
            for key_block in range(key_blocks):
                key_rows = slice(key_block * KEY_TILES, (key_block + 1) * KEY_TILES)
                with k_dfb.reserve() as k_blk, v_dfb.reserve() as v_blk:
                    k_xf = ttl.copy(k[head, key_rows, :], k_blk)
                    v_xf = ttl.copy(v[head, key_rows, :], v_blk)
                    k_xf.wait()
                    v_xf.wait()

    @ttl.compute()
    def compute():
        column = (QUERY_TILES, 1)
        scores_shape = (QUERY_TILES, KEY_TILES)
        output_shape = (QUERY_TILES, dim_tiles)

        for _ in own_work:
            with q_dfb.wait() as q_blk, o_dfb.reserve() as o_blk:
                largest = ttl.block.fill(-math.inf, shape=column)
                total = ttl.block.fill(0, shape=column)
                output = ttl.block.fill(0, shape=output_shape)

                for _ in range(key_blocks):
                    with k_dfb.wait() as k_blk, v_dfb.wait() as v_blk:
                        scores = (q_blk @ ttl.block.transpose(k_blk)) * (1 / math.sqrt(head_dim))

                        previous = largest
                        largest = ttl.math.max(previous, ttl.math.reduce_max(scores, dims=[-1], shape=column))
                        rescale = ttl.math.exp(previous - largest)
                        weights = ttl.math.exp(
                            scores - ttl.block.broadcast(largest, dims=[-1], shape=scores_shape)
                        )

                        total = total * rescale + ttl.math.reduce_sum(weights, dims=[-1], shape=column)
                        output = (
                            output * ttl.block.broadcast(rescale, dims=[-1], shape=output_shape)
                            + weights @ v_blk
                        )

                o_blk.store(output / ttl.block.broadcast(total, dims=[-1], shape=output_shape))

    @ttl.datamovement()
    def write():
        for item in own_work:
            head, query_block = item // query_blocks, item % query_blocks
            query_rows = slice(query_block * QUERY_TILES, (query_block + 1) * QUERY_TILES)
            with o_dfb.wait() as o_blk:
                o_xf = ttl.copy(o_blk, o[head, query_rows, :])
                o_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


print(
    f"flash attention: {HEADS} heads, {SEQUENCE} queries and keys of {HEAD_DIM}, bfloat16\n"
    f"  8 x 8 nodes; blocks of {QUERY_TILES * 32} queries x {KEY_TILES * 32} keys, "
    f"{SEQUENCE // 32 // KEY_TILES} passes of the running maximum and sum per query"
)

torch.manual_seed(0)
q, k, v = (torch.randn(HEADS, SEQUENCE, HEAD_DIM).bfloat16() for _ in range(3))
q_device, k_device, v_device = to_device(q), to_device(k), to_device(v)
o = to_device(torch.zeros(HEADS, SEQUENCE, HEAD_DIM))

start = time.perf_counter()
attention(q_device, k_device, v_device, o)
result = ttnn.to_torch(o)
seconds = time.perf_counter() - start
print(f"  simulated in {seconds:.2f} s")

# One rounding to bfloat16, of the output; atol for outputs that cancel, where float32 is what is left.
expected = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double())
compare("  against torch's attention", result, expected, rtol=1.01 * BFLOAT16, atol=1e-6)
ttnn.close_device(device)
