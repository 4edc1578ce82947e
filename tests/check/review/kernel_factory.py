"""Data movement kernels made by a function."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


def dev(t, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16):
    return ttnn.from_torch(t, dtype=dtype, layout=layout, device=device)


@ttl.operation(grid=(1, 1))
def add(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
    a_dfb, b_dfb, y_dfb = (ttl.make_dataflow_buffer_like(each, shape=(1, 1)) for each in (a, b, y))
    tiles = y.shape[1] // 32

    def mover(tensor, dfb, *, writes):
        def kernel():
            for tile in range(tiles):
                with dfb.reserve() as blk:
                    ttl.copy(tensor[0, tile], blk).wait()
            for tile in range(tiles) if writes else ():
                with y_dfb.wait() as blk:
                    ttl.copy(blk, y[0, tile]).wait()

        return kernel

    ttl.datamovement()(mover(a, a_dfb, writes=False))
    ttl.datamovement()(mover(b, b_dfb, writes=True))

    @ttl.compute()
    def compute():
        for _ in range(tiles):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                y_blk.store(a_blk + b_blk)


y = dev(torch.zeros(32, 96))
add(dev(torch.ones(32, 96)), dev(torch.full((32, 96), 2.0)), y)
assert ttnn.to_torch(y).eq(3).all()
