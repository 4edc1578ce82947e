# error[TTL0405]: a block of 1 x 4 tiles plus a block of 1 x 1
"""Operands of an operator have equal shapes; one that must be repeated says so.

Right: ``x_blk + ttl.block.broadcast(bias_blk, dims=[-1], shape=(1, 4))``.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def add_bias(x: ttnn.Tensor, bias: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 4))
    bias_dfb = ttl.make_dataflow_buffer_like(bias, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 4))

    @ttl.datamovement()
    def read():
        for row in range(row_tiles):
            with x_dfb.reserve() as x_blk, bias_dfb.reserve() as bias_blk:
                x_xf = ttl.copy(x[row, :], x_blk)
                bias_xf = ttl.copy(bias[row, 0], bias_blk)
                x_xf.wait()
                bias_xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(row_tiles):
            with x_dfb.wait() as x_blk, bias_dfb.wait() as bias_blk, y_dfb.reserve() as y_blk:
                y_blk.store(x_blk + bias_blk)

    @ttl.datamovement()
    def write():
        for row in range(row_tiles):
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, :])
                y_xf.wait()


x = ttnn.from_torch(torch.ones(128, 128), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
bias = ttnn.from_torch(torch.ones(128, 1), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(128, 128), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
add_bias(x, bias, y)
