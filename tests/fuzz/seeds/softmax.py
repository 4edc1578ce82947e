"""Softmax of rows: reductions and broadcasts, padding in the last tile."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid="auto")
def softmax(x, y):
    rows = x.padded_shape[0] // 32
    cols = x.padded_shape[1] // 32
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, cols))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, cols))
    own_rows = range(ttl.node(dims=1), rows, ttl.grid_size(dims=1))

    @ttl.datamovement()
    def read():
        for row in own_rows:
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[row, :], x_blk).wait()

    @ttl.compute()
    def compute():
        for _ in own_rows:
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                largest = ttl.math.reduce_max(x_blk, dims=[-1], shape=(1, 1))
                shifted = x_blk - ttl.block.broadcast(largest, dims=[-1], shape=(1, cols))
                exponential = ttl.math.exp(shifted)
                total = ttl.math.reduce_sum(exponential, dims=[1], shape=(1, 1))
                y_blk.store(
                    exponential * ttl.block.broadcast(ttl.math.recip(total), dims=[-1], shape=(1, cols))
                )

    @ttl.datamovement()
    def write():
        for row in own_rows:
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, :]).wait()


data = torch.linspace(-3, 3, 40 * 50).reshape(40, 50)
x = ttnn.from_torch(data, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((40, 50), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
softmax(x, y)
assert torch.allclose(ttnn.to_torch(y), data.softmax(dim=-1), atol=1e-5)
