"""The sum so far and the next one are held at once, in a buffer of one block."""

# cause: TTL0916
# fact: block_count=1 is too small for acc_dfb
# fact: with block_count=2 for acc_dfb the operation runs to its end (checked, and true for every schedule)
# fact: acc_dfb: 0 of 1 block full, 1 held by compute

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    acc_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        with acc_dfb.reserve() as acc_blk:
            acc_blk.store(ttl.block.fill(0, shape=(1, 1)))
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
