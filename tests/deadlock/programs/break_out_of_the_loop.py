"""Compute leaves its loop early; the reader does not know."""

# cause: TTL0914
# fact: read waits to reserve block 4 of a_dfb, but compute takes only 1

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:  # stuck
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        for row in range(4):
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                y_blk.store(a_blk)
            if row == 0:
                break

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
