"""No kernel brings the second operand; the buffers are made in one line."""

# cause: TTL0911
# fact: compute waits for b_dfb, which no kernel fills
# fact: no kernel calls b_dfb.reserve()

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, b, y):
    a_dfb, b_dfb, y_dfb = (ttl.make_dataflow_buffer_like(tensor, shape=(1, 1)) for tensor in (a, b, y))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:  # stuck
                y_blk.store(a_blk + b_blk)

    @ttl.datamovement()
    def write():
        for row in range(4):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)), blank((128, 32)))
