"""RMS normalization of the rows, x / sqrt(mean(x²) + epsilon) * gamma, on all nodes.

gamma is read once per node, before the rows, and its block is kept until the last row is done. A node
that has no rows must not read it: nobody would use it, which is an error.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

EPSILON = 1e-5

device = ttnn.open_device(device_id=0)


@ttl.operation(grid="auto")
def __rms_norm(x: ttnn.Tensor, gamma: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]
    col_tiles = x.shape[1] // ttl.TILE_SHAPE[1]
    columns = x.shape[1]

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, col_tiles))
    gamma_dfb = ttl.make_dataflow_buffer_like(gamma, shape=(1, col_tiles), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, col_tiles))

    own_rows = range(ttl.node(dims=1), row_tiles, ttl.grid_size(dims=1))

    @ttl.datamovement()
    def read():
        if len(own_rows) > 0:
            with gamma_dfb.reserve() as gamma_blk:
                gamma_xf = ttl.copy(gamma[0, :], gamma_blk)
                gamma_xf.wait()
        for row in own_rows:
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, :], x_blk)
                x_xf.wait()

    @ttl.compute()
    def compute():
        if len(own_rows) > 0:
            with gamma_dfb.wait() as gamma_blk:
                gamma_rows = ttl.block.broadcast(gamma_blk, dims=[0], shape=(1, col_tiles))
                for _ in own_rows:
                    with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                        squares = ttl.math.reduce_sum(ttl.math.square(x_blk), dims=[-1], shape=(1, 1))
                        scale = ttl.math.rsqrt(squares * (1 / columns) + EPSILON)
                        y_blk.store(
                            x_blk * ttl.block.broadcast(scale, dims=[-1], shape=(1, col_tiles)) * gamma_rows
                        )

    @ttl.datamovement()
    def write():
        for row in own_rows:
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, :])
                y_xf.wait()


def rms_norm(x: ttnn.Tensor, gamma: ttnn.Tensor) -> ttnn.Tensor:
    """``ttnn.rms_norm(x, weight=gamma, epsilon=EPSILON)``"""
    y = ttnn.zeros(x.shape, dtype=x.dtype, layout=ttnn.TILE_LAYOUT, device=device)
    __rms_norm(x, gamma, y)
    return y


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
x = torch.randn(2048, 1024).bfloat16()
gamma = torch.randn(1, 1024).bfloat16()
y = rms_norm(to_device(x), to_device(gamma))

# One rounding to bfloat16, when y is stored; the rest is float32 and adds a hundredth of that.
expected = x.double() * torch.rsqrt(x.double().square().mean(dim=-1, keepdim=True) + EPSILON) * gamma.double()
compare("rmsnorm", ttnn.to_torch(y), expected, rtol=1.01 * BFLOAT16)
ttnn.close_device(device)
