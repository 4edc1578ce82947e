"""The sum is popped in the last step of the loop, and waited for once more after it."""

# cause: TTL0913
# fact: compute waits for block 5 of acc_dfb, but pushes only 4

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    acc_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        with acc_dfb.reserve() as acc_blk:
            acc_blk.store(ttl.block.fill(0, shape=(1, 1)))
        for row in range(4):
            with a_dfb.wait() as a_blk, acc_dfb.wait() as before_blk:
                if row < 3:
                    with acc_dfb.reserve() as acc_blk:
                        acc_blk.store(before_blk + a_blk)
                else:
                    with y_dfb.reserve() as y_blk:
                        y_blk.store(before_blk + a_blk)
        with acc_dfb.wait() as acc_blk, y_dfb.reserve() as y_blk:  # stuck
            y_blk.store(acc_blk)


op(blank((128, 32)), blank((128, 32)))
