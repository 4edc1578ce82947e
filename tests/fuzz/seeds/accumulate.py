"""Matrix product with bias, the sum going round through a buffer the compute kernel produces and consumes."""

import torch
import ttl
import ttnn

STEPS = 2
device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def linear(a, b, c, y):
    like = {"a": a, "b": b, "c": c, "y": y, "sum": y}
    dfb = {name: ttl.make_dataflow_buffer_like(tensor, shape=(1, 1)) for name, tensor in like.items()}

    @ttl.datamovement()
    def read():
        with dfb["c"].reserve() as c_blk:
            ttl.copy(c[0, 0], c_blk).wait()
        for k in range(STEPS):
            with dfb["a"].reserve() as a_blk, dfb["b"].reserve() as b_blk:
                a_xf = ttl.copy(a[0, k], a_blk)
                b_xf = ttl.copy(b[k, 0], b_blk)
                a_xf.wait()
                b_xf.wait()

    @ttl.compute()
    def compute():
        with dfb["c"].wait() as c_blk, dfb["sum"].reserve() as sum_blk:
            sum_blk.store(c_blk)
        for _ in range(STEPS):
            with dfb["a"].wait() as a_blk, dfb["b"].wait() as b_blk, dfb["sum"].wait() as old_blk:
                with dfb["sum"].reserve() as sum_blk:
                    sum_blk.store(old_blk + a_blk @ b_blk)
        with dfb["sum"].wait() as sum_blk, dfb["y"].reserve() as y_blk:
            y_blk.store(sum_blk)
            y_blk += sum_blk

    @ttl.datamovement()
    def write():
        with dfb["y"].wait() as y_blk:
            ttl.copy(y_blk, y[0, 0]).wait()


data = torch.linspace(-1, 1, 32 * 64).reshape(32, 64)
a = ttnn.from_torch(data, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
b = ttnn.from_torch(data.T.contiguous(), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
c = ttnn.full((32, 32), 0.5, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros_like(c)
linear(a, b, c, y)
assert torch.allclose(ttnn.to_torch(y), 2 * (data @ data.T + 0.5), atol=1e-3)
