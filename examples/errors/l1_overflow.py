# error[TTL0801]: the dataflow buffers need more memory than a node has
"""Blocks of 8 x 16 tiles of bfloat16 are 256 KiB; three double-buffered buffers of them need 1.5 MiB, a node has less.

Right: smaller blocks, or ``block_count=1`` where nothing has to overlap.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def add(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_blocks = y.shape[0] // ttl.TILE_SHAPE[0] // 8

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(8, 16))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(8, 16))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(8, 16))

    @ttl.datamovement()
    def read():
        for row in range(row_blocks):
            with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                a_xf = ttl.copy(a[row * 8 : (row + 1) * 8, :], a_blk)
                b_xf = ttl.copy(b[row * 8 : (row + 1) * 8, :], b_blk)
                a_xf.wait()
                b_xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(row_blocks):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                y_blk.store(a_blk + b_blk)

    @ttl.datamovement()
    def write():
        for row in range(row_blocks):
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row * 8 : (row + 1) * 8, :])
                y_xf.wait()


a = ttnn.from_torch(torch.ones(512, 512), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
b = ttnn.from_torch(torch.ones(512, 512), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(512, 512), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
add(a, b, y)
