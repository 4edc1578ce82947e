"""Compute keeps a whole row for a second pass, in a buffer that holds half of it."""

# cause: TTL0916
# fact: block_count=2 is too small for exp_dfb
# fact: with block_count=4 for exp_dfb the operation runs to its end, with 3 it does not

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    exp_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as a_blk, exp_dfb.reserve() as exp_blk:  # stuck
                exp_blk.store(ttl.math.exp(a_blk))
        for _ in range(4):
            with exp_dfb.wait() as exp_blk, y_dfb.reserve() as y_blk:
                y_blk.store(exp_blk + 1)

    @ttl.datamovement()
    def write():
        for row in range(4):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
