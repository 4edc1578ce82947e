"""A buffer between two stages of a compute kernel, and accumulation in a reserved block."""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


def dev(t, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16):
    return ttnn.from_torch(t, dtype=dtype, layout=layout, device=device)


SHAPES = {"small": (64, 64), "wide": (32, 256)}


@ttl.operation(grid=(1, 1))
def column_sums(x: ttnn.Tensor, y: ttnn.Tensor, *, square: bool = False, repeat: int = 1) -> None:
    rows, cols = x.shape[0] // 32, x.shape[1] // 32
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, cols))
    sq_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, cols))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, cols))

    @ttl.datamovement()
    def read():
        i = 0
        while i < rows * repeat:
            with x_dfb.reserve() as blk:
                ttl.copy(x[i % rows, :], blk).wait()
            i += 1

    @ttl.compute()
    def compute():
        with y_dfb.reserve() as total:
            for _ in range(rows * repeat):
                with x_dfb.wait() as blk, sq_dfb.reserve() as tmp:
                    tmp.store(blk * blk if square else blk)
                with sq_dfb.wait() as tmp:
                    total += ttl.block.broadcast(
                        ttl.math.reduce_sum(tmp, dims=[0], shape=(1, cols)), dims=[0], shape=(1, cols)
                    )

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as blk:
            xf = ttl.copy(blk, y[0, :])
            xf.wait()


for name, (h, w) in SHAPES.items():
    for square in (False, True):
        y = dev(torch.zeros(32, w))
        column_sums(dev(torch.full((h, w), 2.0)), y, square=square, repeat=2 if name == "small" else 1)
        want = h * (4 if square else 2) * (2 if name == "small" else 1)
        assert ttnn.to_torch(y).eq(want).all(), (name, square)
