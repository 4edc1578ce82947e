"""Block functions that choose and reshape; three dimensions; typecast and comparisons."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def op(a, b, y, z):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1, 2))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(2, 1))
    z_dfb = ttl.make_dataflow_buffer_like(z, shape=(1, 2))

    @ttl.datamovement()
    def read():
        for batch in range(2):
            with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                ttl.copy(a[batch, 0, :], a_blk).wait()
                ttl.copy(b[0:1, :], b_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(2):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                flat = ttl.block.squeeze(a_blk, dims=[0])
                larger = ttl.math.gt(flat, b_blk)
                chosen = ttl.block.where(larger, flat, b_blk)
                with y_dfb.reserve() as y_blk:
                    y_blk.store(ttl.block.transpose(ttl.block.mask(chosen, larger)))
                with z_dfb.reserve() as z_blk:
                    z_blk.store(ttl.math.typecast(ttl.math.max(chosen, 0.25) * 8, ttnn.int32))

    @ttl.datamovement()
    def write():
        for batch in range(2):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[batch, :, 0]).wait()
            with z_dfb.wait() as z_blk:
                ttl.copy(z_blk, z[batch, :]).wait()


data = torch.linspace(-1, 1, 2 * 32 * 64).reshape(2, 32, 64)
a = ttnn.from_torch(data, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
b = ttnn.full((32, 64), 0.5, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((2, 64, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
z = ttnn.zeros((64, 64), dtype=ttnn.int32, layout=ttnn.TILE_LAYOUT, device=device)
op(a, b, y, z)
assert torch.equal(ttnn.to_torch(y)[0], torch.full((64, 32), 0.5).bfloat16())
