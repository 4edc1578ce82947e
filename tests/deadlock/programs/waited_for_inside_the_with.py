"""The accumulator is waited for inside the with statement that will push it."""

# cause: TTL0915
# fact: compute waits for acc_dfb
# fact: has not pushed the block it has written
# fact: end its with statement there

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
        for _ in range(4):
            with a_dfb.wait() as a_blk, acc_dfb.reserve() as acc_blk:
                acc_blk.store(a_blk + 1)
                with acc_dfb.wait() as sum_blk, y_dfb.reserve() as y_blk:  # stuck
                    y_blk.store(sum_blk + 1)

    @ttl.datamovement()
    def write():
        for row in range(4):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
