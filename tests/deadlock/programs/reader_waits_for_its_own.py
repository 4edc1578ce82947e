"""The reader waits for the buffer it is to fill; compute wants another one first."""

# cause: TTL0912
# fact: read waits for a_dfb and then writes to the block
# fact: write a_dfb.reserve() here

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with a_dfb.wait() as a_blk:  # stuck
            ttl.copy(a[0, 0], a_blk).wait()
        with b_dfb.reserve() as b_blk:
            ttl.copy(b[0, 0], b_blk).wait()

    @ttl.compute()
    def compute():
        with b_dfb.wait() as b_blk, a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
            y_blk.store(a_blk + b_blk)


op(blank((128, 32)), blank((128, 32)), blank((128, 32)))
