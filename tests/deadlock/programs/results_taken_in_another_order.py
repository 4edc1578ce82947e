"""Compute gives the sums of rows first, the writer takes the sum of all first."""

# cause: TTL0917
# fact: compute and write wait for each other
# fact: all_dfb
# fact: with block_count=4 for row_dfb the operation runs to its end, with 3 it does not

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    row_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    all_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        with all_dfb.reserve() as all_blk:
            total = ttl.block.fill(0, shape=(1, 1))
            for _ in range(4):
                with a_dfb.wait() as a_blk, row_dfb.reserve() as row_blk:  # stuck
                    row_blk.store(a_blk + 1)
                    total += a_blk
            all_blk.store(total)

    @ttl.datamovement()
    def write():
        with all_dfb.wait() as all_blk:
            ttl.copy(all_blk, y[0, 0]).wait()
        for row in range(4):
            with row_dfb.wait() as row_blk:
                ttl.copy(row_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
