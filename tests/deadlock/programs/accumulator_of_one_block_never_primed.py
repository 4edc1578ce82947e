"""As the sum that is never primed, and with one block the buffer has no room for both sums."""

# cause: TTL0921
# fact: push a first block of acc_dfb in compute before its loop
# fact: with it and block_count=2 the operation runs to its end (checked, and true for every schedule)

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    acc_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=1)

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as a_blk, acc_dfb.wait() as before_blk, acc_dfb.reserve() as acc_blk:  # stuck
                acc_blk.store(before_blk + a_blk)
        with acc_dfb.wait() as acc_blk, y_dfb.reserve() as y_blk:
            y_blk.store(acc_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
