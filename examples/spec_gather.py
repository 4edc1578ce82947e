"""Specification, "Pipe net": gather from row y to (0, y) with unicast pipes.

The nodes of a row send their tile to the first node of the row, one after the other; the rows are
concurrent. ROWS and COLS bound the active set; the operation is launched on a wider grid, and the nodes
outside skip everything that has to do with pipes.

    (1, 0) -> (0, 0) |             |
    (2, 0) -> (0, 0) | sequential  | concurrent
    (1, 1) -> (0, 1)               |
    (2, 1) -> (0, 1)               |
"""

import torch
import ttl
import ttnn

from checking import compare

GRID = (4, 4)
ROWS = 3  # rows participating in the gather
COLS = 4  # columns participating in the gather

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=GRID)
def gather(a: ttnn.Tensor, gathered: ttnn.Tensor, last: ttnn.Tensor) -> None:
    """Tile (y, x) of ``a`` goes to tile (y, x) of ``gathered`` by way of node (0, y).

    ``last`` receives what node (x, y) has in its block at the end.
    """
    net = ttl.PipeNet([ttl.Pipe(src=(x, y), dst=(0, y)) for x in range(1, COLS) for y in range(ROWS)])

    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    node_x, node_y = ttl.node(dims=2)

    @ttl.datamovement()
    def dm():
        if net.is_active():
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
                    src_x, src_y = pipe.src
                    gathered_xf = ttl.copy(blk, gathered[src_y, src_x])
                    gathered_xf.wait()

                net.if_src(pipe_src)
                net.if_dst(pipe_dst)

    @ttl.datamovement()
    def write_last():
        if net.is_active():
            with dfb.wait() as blk:
                xf = ttl.copy(blk, last[node_y, node_x])
                xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a = torch.randn(GRID[1] * 32, GRID[0] * 32).bfloat16()
gathered = to_device(torch.zeros_like(a))
last = to_device(torch.zeros_like(a))
gather(to_device(a), gathered, last)

# Data only moves: nothing may differ. The first column is not sent, the last row not active.
expected_gathered = torch.zeros_like(a)
expected_gathered[: ROWS * 32, 32 : COLS * 32] = a[: ROWS * 32, 32 : COLS * 32]
compare("gathered", ttnn.to_torch(gathered), expected_gathered)

# A sender keeps what it sent, a receiver has what it received last: in the order of the list, the tile of (COLS - 1, y)
expected_last = expected_gathered.clone()
expected_last[: ROWS * 32, :32] = a[: ROWS * 32, (COLS - 1) * 32 : COLS * 32]
compare("last", ttnn.to_torch(last), expected_last)
ttnn.close_device(device)
