"""Specification, "Operation function": an operation that looks like a function of TT-NN, among functions of TT-NN.

The specification leaves the three kernels empty; here the operation squares its argument.
"""

import ttl
import ttnn

from checking import BFLOAT16, compare

device = ttnn.open_device(device_id=0)


@ttl.operation()
def __foo(
    x: ttnn.Tensor,  # input tensor
    y: ttnn.Tensor,  # output tensor
) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]
    col_tiles = x.shape[1] // ttl.TILE_SHAPE[1]

    # Node n of the grid works on tiles n, n + nodes, n + 2 * nodes, ...
    node = ttl.node(dims=1)
    nodes = ttl.grid_size(dims=1)

    @ttl.compute()
    def some_compute():
        for _ in range(node, row_tiles * col_tiles, nodes):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(x_blk * x_blk)

    @ttl.datamovement()
    def some_dm0():
        for tile in range(node, row_tiles * col_tiles, nodes):
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[tile // col_tiles, tile % col_tiles], x_blk)
                x_xf.wait()

    @ttl.datamovement()
    def some_dm1():
        for tile in range(node, row_tiles * col_tiles, nodes):
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[tile // col_tiles, tile % col_tiles])
                y_xf.wait()


# Simple wrapper to allow returning output tensor in TT-NN style
def foo(x: ttnn.Tensor) -> ttnn.Tensor:
    y = ttnn.zeros(x.shape, dtype=x.dtype, layout=ttnn.TILE_LAYOUT, device=device)
    __foo(x, y)
    return y


shape = ttnn.Shape([128, 128])

x = ttnn.rand(shape, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)

y = ttnn.exp(foo(ttnn.abs(x)), fast_and_approximate_mode=True)

# Two roundings to bfloat16: of the square, which the exponential multiplies by at most 1 (its argument is
# below 1), and of the exponential.
compare("program", ttnn.to_torch(y), ttnn.to_torch(x).double().square().exp(), rtol=2.1 * BFLOAT16)
ttnn.close_device(device)
