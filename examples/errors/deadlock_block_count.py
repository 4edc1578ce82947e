# error[TTL0916]: compute holds one block of the accumulator and waits for another, of which there is none
"""A sum in a dataflow buffer of one block. Compute waits for the sum so far and reserves a block for the next one, both
at once.

Right: ``block_count=2``.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def sum_of_tiles(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    acc_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(row_tiles):
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, 0], x_blk)
                x_xf.wait()

    @ttl.compute()
    def compute():
        with acc_dfb.reserve() as acc_blk:
            acc_blk.store(ttl.block.fill(0, shape=(1, 1)))
        for _ in range(row_tiles):
            with x_dfb.wait() as x_blk, acc_dfb.wait() as previous_blk, acc_dfb.reserve() as acc_blk:
                acc_blk.store(previous_blk + x_blk)
        with acc_dfb.wait() as acc_blk, y_dfb.reserve() as y_blk:
            y_blk.store(acc_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            y_xf = ttl.copy(y_blk, y[0, 0])
            y_xf.wait()


x = ttnn.from_torch(torch.ones(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
sum_of_tiles(x, y)
