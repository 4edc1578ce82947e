# error[TTL0307]: a block is read after it was popped
"""After the pop the reader may fill the block's memory with the next block. The exponential, taken before, is safe; the
sum would read one block or the other, as it happens.

Right: pop after the last use, or let ``with`` do it.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def exp_plus(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(row_tiles):
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, 0], x_blk)
                x_xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(row_tiles):
            x_blk = x_dfb.wait()
            y_blk = y_dfb.reserve()
            exponential = ttl.math.exp(x_blk)
            x_blk.pop()
            y_blk.store(exponential + x_blk)
            y_blk.push()

    @ttl.datamovement()
    def write():
        for row in range(row_tiles):
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, 0])
                y_xf.wait()


x = ttnn.from_torch(torch.ones(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
exp_plus(x, y)
