# error[TTL0515]: a slice of 1 x 2 tiles is copied into a block of 1 x 1
"""The slice of a copy has the shape of the block. Nothing is cut, repeated or reshaped on the way, even where the number of
tiles is the same.

Right: ``shape=(1, 2)`` for both buffers, or a loop over the columns.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def exp(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(row_tiles):
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, :], x_blk)
                x_xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(row_tiles):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(ttl.math.exp(x_blk))

    @ttl.datamovement()
    def write():
        for row in range(row_tiles):
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, :])
                y_xf.wait()


x = ttnn.from_torch(torch.ones(128, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(128, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
exp(x, y)
