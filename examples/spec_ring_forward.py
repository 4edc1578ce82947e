"""Specification, "Pipe net": forward to a +1 neighbor in a column x.

Every node sends its tile to the next of its column, the last to the first, and adds what it receives.

    (0, 0) => (0, 1)  |
    (0, 1) => (0, 2)  |
    ...               | concurrent
    (0, 3) => (0, 0)  |
    (1, 0) => (1, 1)  |
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

GRID = (4, 4)

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=GRID)
def add_previous(a: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """Tile (y, x) of the result is tile (y, x) plus tile (y - 1, x) of ``a``, around the edge."""
    grid_x, grid_y = ttl.grid_size()

    net = ttl.PipeNet(
        [ttl.Pipe(src=(x, y), dst=(x, (y + 1) % grid_y)) for x in range(grid_x) for y in range(grid_y)]
    )

    dfb_to_send = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    dfb_received = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    node_x, node_y = ttl.node(dims=2)

    @ttl.datamovement()
    def dm():
        with (
            dfb_to_send.reserve() as blk_to_send,
            dfb_received.reserve() as blk_received,
        ):

            def pipe_src(pipe):
                # write data into blk_to_send
                a_xf = ttl.copy(a[node_y, node_x], blk_to_send)
                a_xf.wait()

                # then copy blk_to_send to pipe:
                xf = ttl.copy(blk_to_send, pipe)
                xf.wait()

            def pipe_dst(pipe):
                # copy blk_received from pipe; compute reads data from blk_received
                xf = ttl.copy(pipe, blk_received)
                xf.wait()

            net.if_src(pipe_src)
            net.if_dst(pipe_dst)

    @ttl.compute()
    def add():
        with (
            dfb_to_send.wait() as own_blk,
            dfb_received.wait() as previous_blk,
            y_dfb.reserve() as y_blk,
        ):
            y_blk.store(own_blk + previous_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            y_xf = ttl.copy(y_blk, y[node_y, node_x])
            y_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a = torch.randn(GRID[1] * 32, GRID[0] * 32).bfloat16()
y = to_device(torch.zeros_like(a))
add_previous(to_device(a), y)

# One rounding to bfloat16, of the sum.
compare("ring forward", ttnn.to_torch(y), a.double() + a.roll(32, dims=0).double(), rtol=BFLOAT16)
ttnn.close_device(device)
