"""A helper function that fills a buffer is called twice with the same one."""

# cause: TTL0911
# fact: compute waits for b_dfb, which no kernel fills

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    def fill(dfb, source):
        with dfb.reserve() as blk:
            ttl.copy(source, blk).wait()

    @ttl.datamovement()
    def read():
        fill(a_dfb, a[0, 0])
        fill(a_dfb, b[0, 0])

    @ttl.compute()
    def compute():
        for _ in range(1):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:  # stuck
                y_blk.store(a_blk + b_blk)


op(blank((128, 32)), blank((128, 32)), blank((128, 32)))
