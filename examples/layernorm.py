"""Layer normalization of the rows, (x - mean) / sqrt(variance + epsilon) * gamma + beta, on all nodes.

Rows of 1000 elements do not fill their last tile. What it has beyond the tensor never enters a reduction, so
the sums are those of 1000 elements, and the deviation from the mean is taken of these only.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

EPSILON = 1e-5
ROWS, COLUMNS = 1024, 1000

device = ttnn.open_device(device_id=0)


@ttl.operation(grid="auto")
def __layer_norm(x: ttnn.Tensor, gamma: ttnn.Tensor, beta: ttnn.Tensor, y: ttnn.Tensor) -> None:
    columns = x.shape[1]
    row_tiles = x.padded_shape[0] // ttl.TILE_SHAPE[0]
    col_tiles = x.padded_shape[1] // ttl.TILE_SHAPE[1]

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, col_tiles))
    gamma_dfb = ttl.make_dataflow_buffer_like(gamma, shape=(1, col_tiles), block_count=1)
    beta_dfb = ttl.make_dataflow_buffer_like(beta, shape=(1, col_tiles), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, col_tiles))

    own_rows = range(ttl.node(dims=1), row_tiles, ttl.grid_size(dims=1))

    @ttl.datamovement()
    def read():
        if len(own_rows) > 0:
            with gamma_dfb.reserve() as gamma_blk, beta_dfb.reserve() as beta_blk:
                gamma_xf = ttl.copy(gamma[0, :], gamma_blk)
                beta_xf = ttl.copy(beta[0, :], beta_blk)
                gamma_xf.wait()
                beta_xf.wait()
        for row in own_rows:
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, :], x_blk)
                x_xf.wait()

    @ttl.compute()
    def compute():
        if len(own_rows) > 0:
            with gamma_dfb.wait() as gamma_blk, beta_dfb.wait() as beta_blk:
                gamma_rows = ttl.block.broadcast(gamma_blk, dims=[0], shape=(1, col_tiles))
                beta_rows = ttl.block.broadcast(beta_blk, dims=[0], shape=(1, col_tiles))
                for _ in own_rows:
                    with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                        mean = ttl.math.reduce_sum(x_blk, dims=[-1], shape=(1, 1)) * (1 / columns)
                        centered = x_blk - ttl.block.broadcast(mean, dims=[-1], shape=(1, col_tiles))
                        squares = ttl.math.reduce_sum(ttl.math.square(centered), dims=[-1], shape=(1, 1))
                        scale = ttl.math.rsqrt(squares * (1 / columns) + EPSILON)
                        scale_rows = ttl.block.broadcast(scale, dims=[-1], shape=(1, col_tiles))
                        y_blk.store(centered * scale_rows * gamma_rows + beta_rows)

    @ttl.datamovement()
    def write():
        for row in own_rows:
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, :])
                y_xf.wait()


def layer_norm(x: ttnn.Tensor, gamma: ttnn.Tensor, beta: ttnn.Tensor) -> ttnn.Tensor:
    """``ttnn.layer_norm(x, weight=gamma, bias=beta, epsilon=EPSILON)``"""
    y = ttnn.zeros(x.shape, dtype=x.dtype, layout=ttnn.TILE_LAYOUT, device=device)
    __layer_norm(x, gamma, beta, y)
    return y


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
x = (torch.randn(ROWS, COLUMNS) + 3).bfloat16()  # a mean that padding would spoil
gamma = torch.randn(1, COLUMNS).bfloat16()
beta = torch.randn(1, COLUMNS).bfloat16()
y = layer_norm(to_device(x), to_device(gamma), to_device(beta))

# One rounding to bfloat16, when y is stored; atol for sums that cancel, where float32 is what is left.
expected = torch.nn.functional.layer_norm(
    x.double(), [COLUMNS], gamma[0].double(), beta[0].double(), eps=EPSILON
)
compare("layernorm", ttnn.to_torch(y), expected, rtol=BFLOAT16, atol=1e-5)
ttnn.close_device(device)
