"""Both operands go into the buffer of the first."""

# cause: TTL0911
# fact: compute waits for b_dfb, which no kernel fills
# fact: a_dfb: 1 of 2 blocks full, 1 held by compute; 2 pushed, 0 popped

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk:
            ttl.copy(a[0, 0], a_blk).wait()
        with a_dfb.reserve() as b_blk:
            ttl.copy(b[0, 0], b_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(1):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:  # stuck
                y_blk.store(a_blk + b_blk)


op(blank((128, 32)), blank((128, 32)), blank((128, 32)))
