"""Softmax of rows: how many rows a block has, how many blocks a buffer, on which side of the chip the work begins."""

import torch
import ttnn

import ttl

device = ttnn.open_device(device_id=0)


@ttl.tunable(
    rows=[1, 2, 4],
    x_count=[2, 1, 3, 4],
    y_count=[2, 1, 3],
    along=["rows", "columns"],
    where=lambda x, rows: x.shape[0] // 32 % rows == 0,
)
@ttl.operation(grid=(8, 8))
def softmax(x, y, *, rows, x_count, y_count, along):
    blocks = x.shape[0] // 32 // rows
    col_tiles = x.shape[1] // 32
    node_x, node_y = ttl.node(dims=2)
    first = node_x * 8 + node_y if along == "columns" else node_y * 8 + node_x
    own = range(first, blocks, 64)
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(rows, col_tiles), block_count=x_count)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(rows, col_tiles), block_count=y_count)

    @ttl.datamovement()
    def read():
        for block in own:
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[block * rows : (block + 1) * rows, :], x_blk).wait()

    @ttl.compute()
    def compute():
        column, whole = (rows, 1), (rows, col_tiles)
        for _ in own:
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                largest = ttl.math.reduce_max(x_blk, dims=[-1], shape=column)
                powers = ttl.math.exp(x_blk - ttl.block.broadcast(largest, dims=[-1], shape=whole))
                total = ttl.math.reduce_sum(powers, dims=[-1], shape=column)
                y_blk.store(powers * ttl.block.broadcast(ttl.math.recip(total), dims=[-1], shape=whole))

    @ttl.datamovement()
    def write():
        for block in own:
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[block * rows : (block + 1) * rows, :]).wait()


torch.manual_seed(0)


def tensor(*shape):
    return ttnn.from_torch(torch.randn(*shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


x, y = tensor(4096, 256), tensor(4096, 256)
softmax(x, y)
