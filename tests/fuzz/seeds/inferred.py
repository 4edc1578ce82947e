"""Nothing is pushed, popped or waited for: the language infers it. One kernel moves in and out."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(2, 1))
def op(a, y):
    x, _ = ttl.node()
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=1)

    @ttl.datamovement()
    def read():
        for row in range(2):
            blk = a_dfb.reserve()
            ttl.copy(a[row, x], blk)

    @ttl.compute()
    def compute():
        for row in range(2):
            a_blk = a_dfb.wait()
            y_blk = y_dfb.reserve()
            y_blk.store(1 - ttl.math.abs(a_blk))
            y_blk += a_blk

    @ttl.datamovement()
    def write():
        for row in range(2):
            blk = y_dfb.wait()
            ttl.copy(blk, y[row, x])


data = torch.linspace(-1, 1, 64 * 64).reshape(64, 64)
a = ttnn.from_torch(data, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((64, 64), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
op(a, y)
assert torch.allclose(ttnn.to_torch(y), 1 - data.abs() + data)
