"""Row-major blocks around a ring of nodes; a grid of one dimension."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


def dev(t, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16):
    return ttnn.from_torch(t, dtype=dtype, layout=layout, device=device)


N = 4


@ttl.operation(grid=(N,))
def rotate(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """Node i gets the row of node i - 1."""
    width = x.shape[-1]
    me = ttl.node(dims=1)
    out_dfb = ttl.make_dataflow_buffer_like(x, shape=(width,))
    in_dfb = ttl.make_dataflow_buffer_like(y, shape=(width,))
    ring = ttl.PipeNet([ttl.Pipe(src=(i,), dst=((i + 1) % N,)) for i in range(N)])

    @ttl.datamovement()
    def send_and_receive():
        with out_dfb.reserve() as blk:
            ttl.copy(x[me, :], blk).wait()
        with out_dfb.wait() as blk:
            ring.if_src(lambda pipe: ttl.copy(blk, pipe).wait())

    @ttl.datamovement()
    def receive():
        with in_dfb.reserve() as blk:
            ring.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
        with in_dfb.wait() as blk:
            ttl.copy(blk, y[me, :]).wait()


x = torch.randn(N, 64)
y = dev(torch.zeros(N, 64), ttnn.ROW_MAJOR_LAYOUT, ttnn.float32)
rotate(dev(x, ttnn.ROW_MAJOR_LAYOUT, ttnn.float32), y)
assert torch.equal(ttnn.to_torch(y), x.roll(1, 0))
