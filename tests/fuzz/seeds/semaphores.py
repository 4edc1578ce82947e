"""Many to one, then one to many: node 0 collects what the others wrote, then lets them go on."""

import torch
import ttl
import ttnn

NODES = 3
device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(NODES, 1))
def barrier(a, scratch, y):
    me = ttl.node(dims=1)
    arrived = ttl.Semaphore()
    first_node = arrived.get_remote((0, 0))
    ready = ttl.Semaphore(0)
    everyone = ready.get_remote_multicast()
    others = ready.get_remote_multicast((slice(1, NODES), 0))
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=8)

    @ttl.datamovement()
    def move():
        def through(source, target):
            with dfb.reserve() as blk:
                in_xf = ttl.copy(source, blk)
                in_xf.wait()
                out_xf = ttl.copy(blk, target)
                out_xf.wait()

        through(a[0, me], scratch[0, me])
        if me == 0:
            arrived.wait_eq(NODES - 1)
            arrived.set(0)
            everyone.set(1)
            others.set(2)
        else:
            first_node.inc(1)
            ready.wait_ge(2)
        through(scratch[0, NODES - 1 - me], y[0, me])


data = torch.arange(32 * 96).reshape(32, 96).float()
a = ttnn.from_torch(data, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
scratch, y = ttnn.zeros_like(a), ttnn.zeros_like(a)
barrier(a, scratch, y)
assert torch.equal(ttnn.to_torch(y), torch.cat(data.split(32, dim=1)[::-1], dim=1))
