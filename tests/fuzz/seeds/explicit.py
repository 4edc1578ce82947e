"""``y = exp(a) - 2 * b``, every push, pop and wait written out."""

import torch
import ttl
import ttnn

TILES = 3
device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1), block_count=3)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for tile in range(TILES):
            a_blk = a_dfb.reserve()
            a_xf = ttl.copy(a[0, tile], a_blk)
            b_blk = b_dfb.reserve()
            b_xf = ttl.copy(b[0, tile : tile + 1], b_blk)
            a_xf.wait()
            b_xf.wait()
            a_blk.push()
            b_blk.push()

    @ttl.compute()
    def compute():
        for tile in range(TILES):
            a_blk = a_dfb.wait()
            b_blk = b_dfb.wait()
            exponential = ttl.math.exp(a_blk)
            y_blk = y_dfb.reserve()
            y_blk.store(exponential - 2 * b_blk)
            a_blk.pop()
            b_blk.pop()
            y_blk.push()

    @ttl.datamovement()
    def write():
        for tile in range(TILES):
            y_blk = y_dfb.wait()
            y_xf = ttl.copy(y_blk, y[0, tile])
            y_xf.wait()
            y_blk.pop()


x = torch.linspace(-1, 1, 32 * 96).reshape(32, 96)
a = ttnn.from_torch(x, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.empty((32, 96), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
op(a, a, y)
assert torch.allclose(ttnn.to_torch(y), torch.exp(x) - 2 * x, atol=1e-5)
