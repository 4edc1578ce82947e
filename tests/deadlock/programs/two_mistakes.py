"""The reader stops early, and the writer waits for more than compute pushes: one advice is not enough."""

# cause: TTL0913
# fact: in all, compute waits for 4 blocks and read pushes 3
# fact: adding the missing actions is not enough: then write waits for y_dfb forever

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(3):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:  # stuck
                y_blk.store(a_blk)

    @ttl.datamovement()
    def write():
        for row in range(5):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row % 4, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
