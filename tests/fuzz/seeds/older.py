"""Spellings of older programs."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1), fp32_dest_acc_en=True)
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), buffer_factor=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), buffer_factor=2)

    @ttl.datamovement()
    def read():
        a_blk = a_dfb.reserve()
        xf = ttl.copy(a[0, 0], a_blk)
        xf.wait()
        a_dfb.push()

    @ttl.compute()
    def compute():
        a_blk = a_dfb.wait()
        y_blk = y_dfb.reserve()
        y_blk.store(a_blk)
        y_blk.store(a_blk, acc=True)
        a_dfb.pop()
        y_dfb.push()

    @ttl.datamovement()
    def write():
        y_blk = y_dfb.wait()
        xf = ttl.copy(y_blk, y[0, 0])
        xf.wait()
        y_dfb.pop()


data = torch.arange(1024.0).reshape(32, 32)
a = ttnn.from_torch(data, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
op(a, y)
assert torch.equal(ttnn.to_torch(y), 2 * data)
