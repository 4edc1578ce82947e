"""A reader keeps one transfer in flight: it waits for the one before."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


def dev(t, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16):
    return ttnn.from_torch(t, dtype=dtype, layout=layout, device=device)


@ttl.operation(grid=(4, 1))
def exp_rows(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    rows = x.shape[0] // 32
    n, total = ttl.node(dims=1), ttl.grid_size(dims=1)
    mine = [i * total for i in range(rows // total)]
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2), block_count=3)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2), block_count=3)

    @ttl.datamovement()
    def read():
        pending = None
        for row in mine:
            blk = x_dfb.reserve()
            xf = ttl.copy(x[n + row, 0:2], blk)
            if pending is not None:
                before, block_before = pending
                before.wait()
                block_before.push()
            pending = (xf, blk)
        if pending is not None:
            pending[0].wait()
            pending[1].push()

    @ttl.compute()
    def compute():
        for _ in mine:
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(ttl.math.exp(x_blk))

    @ttl.datamovement()
    def write():
        for row in mine:
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[n + row, 0:2]).wait()


x = torch.randn(640, 64).bfloat16()
y = dev(torch.zeros(640, 64))
exp_rows(dev(x), y)
torch.testing.assert_close(ttnn.to_torch(y).float(), x.float().exp(), rtol=1e-2, atol=1e-2)
