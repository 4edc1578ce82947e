"""Buffers in a list: the loop that fills them leaves out the last one."""

# cause: TTL0911
# fact: which no kernel fills
# fact: 0 of 2 blocks full; 0 pushed, 0 popped

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    buffers = [ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(3)]
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row, dfb in enumerate(buffers[:-1]):
            with dfb.reserve() as blk:
                ttl.copy(a[row, 0], blk).wait()

    @ttl.compute()
    def compute():
        for dfb in buffers:
            with dfb.wait() as a_blk, y_dfb.reserve() as y_blk:  # stuck
                y_blk.store(a_blk)

    @ttl.datamovement()
    def write():
        for row in range(3):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
