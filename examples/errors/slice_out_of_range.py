# error[TTL0507]: the last nodes read past the end of the tensor
"""10 rows of tiles on 4 nodes, 3 each: the last node is to take rows 9, 10 and 11, of which there is only the first.

Right: ``range(node * share, min((node + 1) * share, row_tiles))`` in all kernels.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(4, 1))
def exp(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    node = ttl.node(dims=1)
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]
    share = -(-row_tiles // ttl.grid_size(dims=1))  # rounded up

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(node * share, (node + 1) * share):
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, 0], x_blk)
                x_xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(share):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(ttl.math.exp(x_blk))

    @ttl.datamovement()
    def write():
        for row in range(node * share, (node + 1) * share):
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, 0])
                y_xf.wait()


x = ttnn.from_torch(torch.ones(320, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(320, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
exp(x, y)
