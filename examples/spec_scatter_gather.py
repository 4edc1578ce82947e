"""Specification, "Pipe net": scatter-gather in column x with multicast and loopback.

Every node multicasts its tile to all nodes of its column, itself included, and receives theirs, in the
order of the pipe list. One block serves for both: a pipe carries the data as it was when it was copied to
the pipe, whatever arrives in the block afterwards.

    (0, 0) => (0, 0) (0, 1) (0, 2) ... |            |
    (0, 1) => (0, 0) (0, 1) (0, 2) ... | sequential | concurrent
    (1, 0) => (1, 0) (1, 1) (1, 2) ...              |
"""

import torch
import ttl
import ttnn

from checking import compare

GRID = (3, 4)
TILE_SIZE = 32

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=GRID)
def scatter_gather(a: ttnn.Tensor, everything: ttnn.Tensor, last: ttnn.Tensor) -> None:
    """Node (x, y) collects column x of ``a`` in matrix (x, y) of ``everything``; its block's last content goes to ``last``."""
    grid_x, grid_y = ttl.grid_size()

    net = ttl.PipeNet(
        [
            ttl.Pipe(src=(x, y), dst=(x, slice(0, grid_y)))  #
            for x in range(grid_x)
            for y in range(grid_y)
        ]
    )

    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    node_x, node_y = ttl.node(dims=2)

    @ttl.datamovement()
    def dm():
        with dfb.reserve() as blk:

            def pipe_src(pipe):
                # write data into blk
                a_xf = ttl.copy(a[node_y, node_x], blk)
                a_xf.wait()

                # then copy blk to pipe:
                xf = ttl.copy(blk, pipe)
                xf.wait()

            def pipe_dst(pipe):
                # copy blk from pipe:
                xf = ttl.copy(pipe, blk)
                xf.wait()

                # then read data from blk
                _, src_y = pipe.src
                everything_xf = ttl.copy(blk, everything[node_x, node_y, src_y, 0])
                everything_xf.wait()

            net.if_src(pipe_src)
            net.if_dst(pipe_dst)

    @ttl.datamovement()
    def write_last():
        with dfb.wait() as blk:
            xf = ttl.copy(blk, last[node_y, node_x])
            xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
grid_x, grid_y = GRID
a = torch.randn(grid_y * TILE_SIZE, grid_x * TILE_SIZE).bfloat16()
everything = to_device(torch.zeros(grid_x, grid_y, grid_y * TILE_SIZE, TILE_SIZE))
last = to_device(torch.zeros_like(a))
scatter_gather(to_device(a), everything, last)

# Data only moves: nothing may differ. All nodes of a column have the whole column.
columns = torch.stack(a.split(TILE_SIZE, dim=1))
compare("everything", ttnn.to_torch(everything), columns[:, None].expand(-1, grid_y, -1, -1))

# The last tile a node receives is that of the last node of its column
compare("last", ttnn.to_torch(last), a[-TILE_SIZE:].repeat(grid_y, 1))
ttnn.close_device(device)
