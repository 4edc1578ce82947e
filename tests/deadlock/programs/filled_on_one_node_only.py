"""The second operand is read on the first node only, and used on all four."""

# cause: TTL0911
# fact: b_dfb, which no kernel fills
# fact: on 3 nodes, (0, 1), (1, 0), (1, 1):
# fact: all kernels ended on 1 node
# fact: read has a call of b_dfb.reserve(), but on node (0, 1) it ended without reaching it

import ttl
from support.tensors import blank


@ttl.operation(grid=(2, 2))
def op(a, b, y):
    me = ttl.node()

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk:
            ttl.copy(a[0, 0], a_blk).wait()
        if me == (0, 0):
            with b_dfb.reserve() as b_blk:
                ttl.copy(b[0, 0], b_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(1):
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:  # stuck
                y_blk.store(a_blk + b_blk)

    @ttl.datamovement()
    def write():
        for row in range(1):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)), blank((128, 32)))
