"""Flash attention: rows of queries and of keys in a block, blocks of buffers."""

import math

import torch
import ttnn

import ttl

device = ttnn.open_device(device_id=0)


@ttl.tunable(query_tiles=[1, 2, 4], key_tiles=[1, 2, 4, 8], count=[2, 1, 3], together=[True, False])
@ttl.operation(grid=(8, 8))
def attention(q, k, v, o, *, query_tiles, key_tiles, count, together):
    heads, sequence, head_dim = q.shape
    dim_tiles = head_dim // 32
    query_blocks = sequence // 32 // query_tiles
    key_blocks = sequence // 32 // key_tiles
    own = range(ttl.node(dims=1), heads * query_blocks, 64)
    q_dfb = ttl.make_dataflow_buffer_like(q, shape=(query_tiles, dim_tiles), block_count=count)
    k_dfb = ttl.make_dataflow_buffer_like(k, shape=(key_tiles, dim_tiles), block_count=count)
    v_dfb = ttl.make_dataflow_buffer_like(v, shape=(key_tiles, dim_tiles), block_count=count)
    o_dfb = ttl.make_dataflow_buffer_like(o, shape=(query_tiles, dim_tiles), block_count=2)

    @ttl.datamovement()
    def read():
        for item in own:
            head, query = item // query_blocks, item % query_blocks
            with q_dfb.reserve() as q_blk:
                ttl.copy(q[head, query * query_tiles : (query + 1) * query_tiles, :], q_blk).wait()
            for key in range(key_blocks):
                rows = slice(key * key_tiles, (key + 1) * key_tiles)
                if together:
                    with k_dfb.reserve() as k_blk, v_dfb.reserve() as v_blk:
                        k_xf = ttl.copy(k[head, rows, :], k_blk)
                        v_xf = ttl.copy(v[head, rows, :], v_blk)
                        k_xf.wait()
                        v_xf.wait()
                else:
                    with k_dfb.reserve() as k_blk:
                        ttl.copy(k[head, rows, :], k_blk).wait()
                    with v_dfb.reserve() as v_blk:
                        ttl.copy(v[head, rows, :], v_blk).wait()

    @ttl.compute()
    def compute():
        column, scores_shape, output_shape = (
            (query_tiles, 1),
            (query_tiles, key_tiles),
            (query_tiles, dim_tiles),
        )
        for _ in own:
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
        for item in own:
            head, query = item // query_blocks, item % query_blocks
            with o_dfb.wait() as o_blk:
                ttl.copy(o_blk, o[head, query * query_tiles : (query + 1) * query_tiles, :]).wait()


torch.manual_seed(0)


def tensor(*shape):
    return ttnn.from_torch(torch.randn(*shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


q, k, v, o = (tensor(8, 256, 64) for _ in range(4))
attention(q, k, v, o)
