"""The reader waits for compute's answer to a block it has not pushed in this row."""

# cause: TTL0915
# fact: compute waits for a_dfb
# fact: read

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    done_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            a_blk = a_dfb.reserve()
            ttl.copy(a[row, 0], a_blk).wait()
            if row != 2:
                a_blk.push()
            with done_dfb.wait() as done_blk:
                ttl.copy(done_blk, y[row, 0]).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as a_blk, done_dfb.reserve() as done_blk:  # stuck
                done_blk.store(a_blk)


op(blank((128, 32)), blank((128, 32)))
