"""Functions acquire blocks and return them; a float is an argument of the operation."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


def dev(t, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16):
    return ttnn.from_torch(t, dtype=dtype, layout=layout, device=device)


def fetch(dfb, source):
    blk = dfb.reserve()
    ttl.copy(source, blk).wait()
    return blk


def flush(dfb, target):
    with dfb.wait() as blk:
        ttl.copy(blk, target).wait()


@ttl.operation(grid=(2, 2))
def scale_add(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor, factor: float) -> None:
    rows, cols = (n // 32 for n in a.shape)
    nx, ny = ttl.node(dims=2)
    gx, gy = ttl.grid_size(dims=2)
    a_dfb, b_dfb, y_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, b, y))
    own_rows, own_cols = range(ny, rows, gy), range(nx, cols, gx)

    @ttl.datamovement()
    def read():
        for r in own_rows:
            for c in own_cols:
                fetch(a_dfb, a[r, c]).push()
                fetch(b_dfb, b[r, c]).push()

    @ttl.compute()
    def compute():
        for _ in range(len(own_rows) * len(own_cols)):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                y_blk.store(a_blk * factor + b_blk)

    @ttl.datamovement()
    def write():
        for r in own_rows:
            for c in own_cols:
                flush(y_dfb, y[r, c])


a, b = torch.randn(128, 96).bfloat16(), torch.randn(128, 96).bfloat16()
y = dev(torch.zeros(128, 96))
scale_add(dev(a), dev(b), y, 0.5)
assert torch.equal(ttnn.to_torch(y), (a.float() * 0.5 + b.float()).bfloat16())
scale_add(dev(a), dev(b), y, factor=2.0)
