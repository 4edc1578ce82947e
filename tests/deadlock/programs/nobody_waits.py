"""A buffer is filled and nobody takes its blocks."""

# cause: TTL0914
# fact: read waits to reserve b_dfb, which no kernel empties
# fact: b_dfb: 2 of 2 blocks full

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()
            with b_dfb.reserve() as b_blk:  # stuck
                ttl.copy(b[row, 0], b_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                y_blk.store(a_blk + 1)

    @ttl.datamovement()
    def write():
        for row in range(4):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)), blank((128, 32)))
