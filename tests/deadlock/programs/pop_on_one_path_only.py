"""Compute pops the first operand only in odd rows; there is one block for it."""

# cause: TTL0915
# fact: read waits to reserve a_dfb
# fact: compute leaves a block of it without a pop

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(3):
            with a_dfb.reserve() as a_blk:  # stuck
                ttl.copy(a[row, 0], a_blk).wait()
            with b_dfb.reserve() as b_blk:
                ttl.copy(b[row, 0], b_blk).wait()

    @ttl.compute()
    def compute():
        a_blk = a_dfb.wait()
        for row in range(3):
            with b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                y_blk.store(a_blk + b_blk)
            if row % 2 == 1:
                a_blk.pop()
                a_blk = a_dfb.wait()

    @ttl.datamovement()
    def write():
        for row in range(3):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)), blank((128, 32)))
