"""Softmax over the last dimension, a row of tiles at a time, on all nodes.

A block holds complete rows, so the largest element and the sum of each row are one reduction. A reduction
over the columns leaves its result in column 0 of a tile, where the broadcast takes it from.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

device = ttnn.open_device(device_id=0)


@ttl.operation(grid="auto")
def __softmax(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]
    col_tiles = x.shape[1] // ttl.TILE_SHAPE[1]

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, col_tiles))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, col_tiles))

    own_rows = range(ttl.node(dims=1), row_tiles, ttl.grid_size(dims=1))

    @ttl.datamovement()
    def read():
        for row in own_rows:
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, :], x_blk)
                x_xf.wait()

    @ttl.compute()
    def compute():
        for _ in own_rows:
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                largest = ttl.math.reduce_max(x_blk, dims=[-1], shape=(1, 1))
                exponential = ttl.math.exp(
                    x_blk - ttl.block.broadcast(largest, dims=[-1], shape=(1, col_tiles))
                )
                total = ttl.math.reduce_sum(exponential, dims=[-1], shape=(1, 1))
                y_blk.store(
                    exponential * ttl.block.broadcast(ttl.math.recip(total), dims=[-1], shape=(1, col_tiles))
                )

    @ttl.datamovement()
    def write():
        for row in own_rows:
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, :])
                y_xf.wait()


def softmax(x: ttnn.Tensor) -> ttnn.Tensor:
    """``ttnn.softmax(x, dim=-1)``"""
    y = ttnn.zeros(x.shape, dtype=x.dtype, layout=ttnn.TILE_LAYOUT, device=device)
    __softmax(x, y)
    return y


torch.manual_seed(0)
x = (4 * torch.randn(2048, 1024)).bfloat16()
y = softmax(ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=device))

# One rounding to bfloat16, of the quotient; exp and the sum are float32 and add a hundredth of that.
compare("softmax", ttnn.to_torch(y), x.double().softmax(dim=-1), rtol=1.01 * BFLOAT16)
ttnn.close_device(device)
