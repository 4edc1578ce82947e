"""A stencil over rows that are sharded over the nodes: every node sends its first and its last tile row to its neighbours, and nothing else moves.

Row i of y is the mean of rows i - 32, i and i + 32 of x (one tile up, one tile down), around the end.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

NODES = 8
ROWS, COLUMNS = 4, 2  # of a shard, in tiles

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(NODES, 1))
def __stencil(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    x_dist = ttl.distribute(x)
    y_dist = ttl.distribute(y)

    # The last row of a node is above the first one of the next node, and the first row below the last one before.
    forward = ttl.PipeNet([ttl.Pipe((node, 0), ((node + 1) % NODES, 0)) for node in range(NODES)])
    backward = ttl.PipeNet([ttl.Pipe((node, 0), ((node - 1) % NODES, 0)) for node in range(NODES)])

    row = (1, COLUMNS)
    edge_dfb = ttl.make_dataflow_buffer_like(x, shape=row)
    other_edge_dfb = ttl.make_dataflow_buffer_like(x, shape=row)
    above_dfb = ttl.make_dataflow_buffer_like(x, shape=row)
    here_dfb = ttl.make_dataflow_buffer_like(x, shape=row)
    below_dfb = ttl.make_dataflow_buffer_like(x, shape=row)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=row)

    @ttl.datamovement()
    def read_above_and_here():
        with edge_dfb.reserve() as blk:
            ttl.copy(x_dist.shard()[ROWS - 1, :], blk).wait()
            forward.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
        for i in range(ROWS):
            with above_dfb.reserve() as above_blk, here_dfb.reserve() as here_blk:
                if i == 0:
                    forward.if_dst(lambda pipe: ttl.copy(pipe, above_blk).wait())
                else:
                    ttl.copy(x_dist.shard()[i - 1, :], above_blk).wait()
                ttl.copy(x_dist.shard()[i, :], here_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(ROWS):
            with (
                above_dfb.wait() as above,
                here_dfb.wait() as here,
                below_dfb.wait() as below,
                y_dfb.reserve() as y_blk,
            ):
                y_blk.store((above + here + below) * (1 / 3))

    @ttl.datamovement()
    def read_below_and_write():
        with other_edge_dfb.reserve() as blk:
            ttl.copy(x_dist.shard()[0, :], blk).wait()
            backward.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
        for i in range(ROWS):
            with below_dfb.reserve() as below_blk:
                if i == ROWS - 1:
                    backward.if_dst(lambda pipe: ttl.copy(pipe, below_blk).wait())
                else:
                    ttl.copy(x_dist.shard()[i + 1, :], below_blk).wait()
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y_dist.shard()[i, :]).wait()


shape = (NODES * ROWS * 32, COLUMNS * 32)
rows = ttnn.create_sharded_memory_config(shape, ttnn.CoreGrid(x=NODES, y=1), ttnn.ShardStrategy.HEIGHT)


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(
        tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=rows
    )


torch.manual_seed(0)
x = torch.randn(shape).bfloat16()
y = to_device(torch.zeros(shape))
__stencil(to_device(x), y)

exact = x.double()
expected = (exact.roll(32, 0) + exact + exact.roll(-32, 0)) / 3
compare("distributed stencil", ttnn.to_torch(y), expected, rtol=BFLOAT16, atol=1e-6)
ttnn.close_device(device)
