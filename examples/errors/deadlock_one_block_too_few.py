# error[TTL0913]: the reader brings 3 blocks, compute and the writer want 4
"""The loops of the kernels must agree on the number of blocks. Here the reader's ends one too early.

Right: ``range(row_tiles)`` in all three kernels.
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
        for row in range(row_tiles - 1):
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, 0], x_blk)
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
                y_xf = ttl.copy(y_blk, y[row, 0])
                y_xf.wait()


x = ttnn.from_torch(torch.ones(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
exp(x, y)
