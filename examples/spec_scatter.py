"""Specification, "Pipe net": scatter from (x, 0) to column x with multicast.

The first node of each column reads a row of weights once and multicasts it to the others of its column;
each node multiplies its own tile by it. The columns are concurrent.

    (0, 0) => (0, 1) (0, 2) (0, 3) ... |
    (1, 0) => (1, 1) (1, 2) (1, 3) ... | concurrent
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

GRID = (4, 4)

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=GRID)
def scale_columns(a: ttnn.Tensor, scale: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """``y = a * scale``, with a row ``scale`` of as many columns as ``a`` has."""
    grid_x, grid_y = ttl.grid_size()

    net = ttl.PipeNet([ttl.Pipe(src=(x, 0), dst=(x, slice(1, grid_y))) for x in range(grid_x)])

    dfb = ttl.make_dataflow_buffer_like(scale, shape=(1, 1))
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    node_x, node_y = ttl.node(dims=2)

    @ttl.datamovement()
    def dm():
        with dfb.reserve() as blk:

            def pipe_src(pipe):
                # write data into blk
                scale_xf = ttl.copy(scale[0, node_x], blk)
                scale_xf.wait()

                # then copy blk to pipe:
                xf = ttl.copy(blk, pipe)
                xf.wait()

            def pipe_dst(pipe):
                # copy blk from pipe; compute reads data from blk
                xf = ttl.copy(pipe, blk)
                xf.wait()

            net.if_src(pipe_src)
            net.if_dst(pipe_dst)

        with a_dfb.reserve() as a_blk:
            a_xf = ttl.copy(a[node_y, node_x], a_blk)
            a_xf.wait()

    @ttl.compute()
    def multiply():
        with dfb.wait() as blk, a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
            y_blk.store(a_blk * ttl.block.broadcast(blk, dims=[0], shape=(1, 1)))

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            y_xf = ttl.copy(y_blk, y[node_y, node_x])
            y_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a = torch.randn(GRID[1] * 32, GRID[0] * 32).bfloat16()
scale = torch.randn(1, GRID[0] * 32).bfloat16()
y = to_device(torch.zeros_like(a))
scale_columns(to_device(a), to_device(scale), y)

# One rounding to bfloat16, of the product.
compare("scatter", ttnn.to_torch(y), a.double() * scale.double(), rtol=BFLOAT16)
ttnn.close_device(device)
