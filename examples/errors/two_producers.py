# error[TTL0315]: two kernels reserve blocks of the same dataflow buffer
"""A dataflow buffer has one producer and one consumer. Two producers would fill it in an order nobody decided, and each
would keep its own idea of where the next block goes.

Right: a buffer for each, or one kernel that brings both.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def add_magnitudes(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_tiles = y.shape[0] // ttl.TILE_SHAPE[0]

    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(row_tiles):
            with in_dfb.reserve() as in_blk:
                a_xf = ttl.copy(a[row, 0], in_blk)
                a_xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(row_tiles):
            with y_dfb.reserve() as y_blk:
                with in_dfb.wait() as a_blk:
                    total = ttl.math.abs(a_blk)
                with in_dfb.wait() as b_blk:
                    total += ttl.math.abs(b_blk)
                y_blk.store(total)

    @ttl.datamovement()
    def write():
        for row in range(row_tiles):
            with in_dfb.reserve() as in_blk:
                b_xf = ttl.copy(b[row, 0], in_blk)
                b_xf.wait()
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, 0])
                y_xf.wait()


a = ttnn.from_torch(torch.ones(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
b = ttnn.from_torch(torch.ones(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
add_magnitudes(a, b, y)
