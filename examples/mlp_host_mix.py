"""A small network of functions of TT-NN and operations of our own, as one uses them together.

h = gelu(x @ up + bias)          ttnn.matmul, then one operation that adds the bias and applies gelu
z = rms_norm(x + h @ down)       ttnn.matmul, then one operation that adds and normalizes
p = softmax(z @ head)            ttnn.matmul, ttnn.softmax
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

BATCH, WIDTH, HIDDEN, CLASSES = 256, 256, 512, 64
EPSILON = 1e-5

device = ttnn.open_device(device_id=0)


@ttl.operation(grid="auto")
def __bias_gelu(x: ttnn.Tensor, bias: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]
    col_tiles = x.shape[1] // ttl.TILE_SHAPE[1]
    own_rows = range(ttl.node(dims=1), row_tiles, ttl.grid_size(dims=1))

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, col_tiles))
    bias_dfb = ttl.make_dataflow_buffer_like(bias, shape=(1, col_tiles))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, col_tiles))

    @ttl.datamovement()
    def read():
        for row in own_rows:
            with x_dfb.reserve() as x_blk, bias_dfb.reserve() as bias_blk:
                x_xf = ttl.copy(x[row, :], x_blk)
                bias_xf = ttl.copy(bias[0, :], bias_blk)
                x_xf.wait()
                bias_xf.wait()

    @ttl.compute()
    def compute():
        for _ in own_rows:
            with x_dfb.wait() as x_blk, bias_dfb.wait() as bias_blk, y_dfb.reserve() as y_blk:
                bias_rows = ttl.block.broadcast(bias_blk, dims=[0], shape=(1, col_tiles))
                y_blk.store(ttl.math.gelu(x_blk + bias_rows))

    @ttl.datamovement()
    def write():
        for row in own_rows:
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, :])
                y_xf.wait()


@ttl.operation(grid="auto")
def __add_rms_norm(x: ttnn.Tensor, residual: ttnn.Tensor, y: ttnn.Tensor) -> None:
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]
    col_tiles = x.shape[1] // ttl.TILE_SHAPE[1]
    columns = x.shape[1]
    own_rows = range(ttl.node(dims=1), row_tiles, ttl.grid_size(dims=1))

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, col_tiles))
    residual_dfb = ttl.make_dataflow_buffer_like(residual, shape=(1, col_tiles))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, col_tiles))

    @ttl.datamovement()
    def read():
        for row in own_rows:
            with x_dfb.reserve() as x_blk, residual_dfb.reserve() as residual_blk:
                x_xf = ttl.copy(x[row, :], x_blk)
                residual_xf = ttl.copy(residual[row, :], residual_blk)
                x_xf.wait()
                residual_xf.wait()

    @ttl.compute()
    def compute():
        for _ in own_rows:
            with x_dfb.wait() as x_blk, residual_dfb.wait() as residual_blk, y_dfb.reserve() as y_blk:
                total = x_blk + residual_blk
                squares = ttl.math.reduce_sum(ttl.math.square(total), dims=[-1], shape=(1, 1))
                scale = ttl.math.rsqrt(squares * (1 / columns) + EPSILON)
                y_blk.store(total * ttl.block.broadcast(scale, dims=[-1], shape=(1, col_tiles)))

    @ttl.datamovement()
    def write():
        for row in own_rows:
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, :])
                y_xf.wait()


def bias_gelu(x: ttnn.Tensor, bias: ttnn.Tensor) -> ttnn.Tensor:
    y = ttnn.zeros(x.shape, dtype=x.dtype, layout=ttnn.TILE_LAYOUT, device=device)
    __bias_gelu(x, bias, y)
    return y


def add_rms_norm(x: ttnn.Tensor, residual: ttnn.Tensor) -> ttnn.Tensor:
    y = ttnn.zeros(x.shape, dtype=x.dtype, layout=ttnn.TILE_LAYOUT, device=device)
    __add_rms_norm(x, residual, y)
    return y


def network(
    x: ttnn.Tensor, up: ttnn.Tensor, bias: ttnn.Tensor, down: ttnn.Tensor, head: ttnn.Tensor
) -> ttnn.Tensor:
    h = bias_gelu(ttnn.matmul(x, up), bias)
    z = add_rms_norm(ttnn.matmul(h, down), x)
    return ttnn.softmax(ttnn.matmul(z, head), dim=-1)


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
x = torch.randn(BATCH, WIDTH).bfloat16()
up = (torch.randn(WIDTH, HIDDEN) / WIDTH**0.5).bfloat16()
bias = torch.randn(1, HIDDEN).bfloat16()
down = (torch.randn(HIDDEN, WIDTH) / HIDDEN**0.5).bfloat16()
head = (torch.randn(WIDTH, CLASSES) / WIDTH**0.5).bfloat16()

p = network(to_device(x), to_device(up), to_device(bias), to_device(down), to_device(head))

h = torch.nn.functional.gelu(x.double() @ up.double() + bias.double())
z = x.double() + h @ down.double()
z = z * torch.rsqrt(z.square().mean(dim=-1, keepdim=True) + EPSILON)
expected = (z @ head.double()).softmax(dim=-1)

# Six tensors are rounded to bfloat16 on the way. The rounding of the last matmul weighs most: up to half a unit in
# the last place of a logit of up to 4, which the exponential turns into up to 2 * BFLOAT16 of the probability.
compare("network of ttnn and ttl", ttnn.to_torch(p), expected, rtol=6 * BFLOAT16)
ttnn.close_device(device)
