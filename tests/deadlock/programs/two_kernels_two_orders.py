"""Two kernels exchange blocks through two buffers; each waits before it pushes."""

# cause: TTL0917
# fact: read and write wait for each other

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    left_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    right_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with left_dfb.wait() as left_blk, right_dfb.reserve() as right_blk:  # stuck
            ttl.copy(left_blk, y[0, 0]).wait()
            ttl.copy(a[0, 0], right_blk).wait()

    @ttl.datamovement()
    def write():
        with right_dfb.wait() as right_blk, left_dfb.reserve() as left_blk:
            ttl.copy(right_blk, y[0, 0]).wait()
            ttl.copy(a[0, 0], left_blk).wait()


op(blank((128, 32)), blank((128, 32)))
