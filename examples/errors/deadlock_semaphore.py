# error[TTL0920]: node 0 waits until 4 nodes have incremented its semaphore, there are 3 others
"""A barrier that counts one node too many: node 0 does not increment its own semaphore.

Right: wait for ``ttl.grid_size(dims=1) - 1``.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(4, 1))
def copy_then_join(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    node = ttl.node(dims=1)
    arrived = ttl.Semaphore()
    arrived_at_node_0 = arrived.get_remote((0, 0))

    tile_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with tile_dfb.reserve() as tile_blk:
            xf = ttl.copy(x[node, 0], tile_blk)
            xf.wait()

    @ttl.datamovement()
    def write():
        with tile_dfb.wait() as tile_blk:
            xf = ttl.copy(tile_blk, y[node, 0])
            xf.wait()
        if node != 0:
            arrived_at_node_0.inc(1)
        else:
            arrived.wait_eq(ttl.grid_size(dims=1))


x = ttnn.from_torch(torch.ones(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(128, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
copy_then_join(x, y)
