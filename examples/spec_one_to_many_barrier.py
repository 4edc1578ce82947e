"""Specification, "Semaphore": one-to-many barrier.

Node 0 prepares a table in DRAM while the others wait; when it is there, node 0 sets the semaphore of every
node, and they read the table.
"""

import torch
import ttl
import ttnn

from checking import compare

GRID = (4, 2)

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=GRID)
def broadcast_through_memory(x: ttnn.Tensor, table: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """Node 0 copies ``x`` to ``table``; each other node n copies ``table`` to row n of tiles of ``y``."""
    node_num = ttl.node(dims=1)
    my_barrier = ttl.Semaphore()
    all_barrier = my_barrier.get_remote_multicast()

    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def dm():
        if node_num == 0:
            # do something on node 0 while non-0 nodes wait...

            with dfb.reserve() as blk:
                x_xf = ttl.copy(x[0, 0], blk)
                x_xf.wait()
                table_xf = ttl.copy(blk, table[0, 0])
                table_xf.wait()

            all_barrier.set(1)
        else:
            my_barrier.wait_eq(1)

            # node 0 is done

            with dfb.reserve() as blk:
                table_xf = ttl.copy(table[0, 0], blk)
                table_xf.wait()

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            y_xf = ttl.copy(blk, y[node_num, 0])
            y_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
nodes = GRID[0] * GRID[1]
x = torch.randn(32, 32).bfloat16()
table = to_device(torch.zeros(32, 32))
y = to_device(torch.zeros(nodes * 32, 32))
broadcast_through_memory(to_device(x), table, y)

# Data only moves: nothing may differ.
compare("one-to-many barrier", ttnn.to_torch(y), x.repeat(nodes, 1))
ttnn.close_device(device)
