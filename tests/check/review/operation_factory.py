"""Operations made by a function, of an expression, a block shape and a grid."""

import math

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


def dev(t, layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16):
    return ttnn.from_torch(t, dtype=dtype, layout=layout, device=device)


def make_unary(function, block=(1, 1), grid=(2, 1)):
    @ttl.operation(grid=grid)
    def unary(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
        tiles_r, tiles_c = x.shape[0] // (32 * block[0]), x.shape[1] // (32 * block[1])
        total = tiles_r * tiles_c
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=block)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=block)
        n = ttl.node(dims=1)
        per_node = math.ceil(total / ttl.grid_size(dims=1))

        def places():
            return range(n * per_node, min(total, (n + 1) * per_node))

        def tile(t, i):
            r, c = divmod(i, tiles_c)
            return t[r * block[0] : (r + 1) * block[0], c * block[1] : (c + 1) * block[1]]

        @ttl.datamovement()
        def read():
            for i in places():
                with x_dfb.reserve() as blk:
                    ttl.copy(tile(x, i), blk).wait()

        @ttl.compute()
        def compute():
            for _ in places():
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(function(x_blk))

        @ttl.datamovement()
        def write():
            for i in places():
                with y_dfb.wait() as blk:
                    ttl.copy(blk, tile(y, i)).wait()

    return unary


def gelu_ish(v):
    return v * ttl.math.sigmoid(v * 1.702)


tanh = make_unary(ttl.math.tanh)
gelu = make_unary(gelu_ish, block=(1, 2))
cube = make_unary(lambda v: v * v * v, grid=(1, 1))

x = torch.randn(96, 128).bfloat16()
for op, f in [(tanh, torch.tanh), (gelu, lambda v: v * torch.sigmoid(1.702 * v)), (cube, lambda v: v**3)]:
    y = dev(torch.zeros(96, 128))
    op(dev(x), y)
    torch.testing.assert_close(ttnn.to_torch(y).float(), f(x.float()), rtol=2e-2, atol=2e-2)
