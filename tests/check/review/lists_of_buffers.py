"""An operation of a list of tensors, with a list of buffers; pushes and pops by hand."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


def dev(t, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16):
    return ttnn.from_torch(t, dtype=dtype, layout=layout, device=device)


@ttl.operation(grid=(1, 1))
def sum_all(inputs: list[ttnn.Tensor], y: ttnn.Tensor) -> None:
    dfbs = [ttl.make_dataflow_buffer_like(t, shape=(1, 1), block_count=2) for t in inputs]
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    tiles = y.shape[0] // 32

    @ttl.datamovement()
    def read():
        for i in range(tiles):
            for t, dfb in zip(inputs, dfbs, strict=True):
                blk = dfb.reserve()
                xf = ttl.copy(t[i, 0], blk)
                xf.wait()
                blk.push()

    @ttl.compute()
    def compute():
        for _ in range(tiles):
            blocks = [dfb.wait() for dfb in dfbs]
            total = blocks[0]
            for blk in blocks[1:]:
                total = total + blk
            with y_dfb.reserve() as out:
                out.store(total)
            for blk in reversed(blocks):
                blk.pop()

    @ttl.datamovement()
    def write():
        for i in range(tiles):
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[i, 0]).wait()


ts = [torch.ones(96, 32) * i for i in range(4)]
y = dev(torch.zeros(96, 32))
sum_all([dev(t) for t in ts], y)
assert ttnn.to_torch(y).eq(6).all()
