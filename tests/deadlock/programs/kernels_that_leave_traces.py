"""The reader keeps a list of its own outside the operation, so nothing is tried."""

# cause: TTL0910
# fact: read and compute wait for each other
# fact: nothing was tried, as the kernels may change something outside the operation
# fact: try block_count=3 for a_dfb

import ttl
from support.tensors import blank

SEEN = []


@ttl.operation(grid=(1, 1))
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:  # stuck
                ttl.copy(a[row, 0], a_blk).wait()
            SEEN.append(row)
        for row in range(4):
            with b_dfb.reserve() as b_blk:
                ttl.copy(b[row, 0], b_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                y_blk.store(a_blk + b_blk)

    @ttl.datamovement()
    def write():
        for row in range(4):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)), blank((128, 32)))
