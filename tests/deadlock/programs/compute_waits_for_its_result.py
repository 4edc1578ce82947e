"""Compute waits for the block it is to store into."""

# cause: TTL0912
# fact: compute waits for z_dfb and then writes to the block

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    z_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as a_blk:
                with z_dfb.wait() as z_blk:  # stuck
                    z_blk.store(a_blk)
                with y_dfb.reserve() as y_blk:
                    y_blk.store(a_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk, z_dfb.wait() as z_blk:
            ttl.copy(y_blk, y[0, 0]).wait()
            ttl.copy(z_blk, y[1, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
