"""Reader, compute and writer wait for one another in a circle of three buffers."""

# cause: TTL0917
# fact: read, write and compute wait for each other
# fact: read waits for again_dfb, filled by write
# fact: write waits for y_dfb, filled by compute
# fact: compute waits for a_dfb, filled by read

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    again_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with again_dfb.wait() as again_blk:  # stuck
                ttl.copy(again_blk, y[row, 0]).wait()
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                y_blk.store(a_blk)

    @ttl.datamovement()
    def write():
        for row in range(4):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()
            with again_dfb.reserve() as again_blk:
                ttl.copy(a[row, 0], again_blk).wait()


op(blank((128, 32)), blank((128, 32)))
