"""The first sum is stored and not pushed, and waited for in the next step."""

# cause: TTL0915
# fact: compute waits for acc_dfb
# fact: acc_dfb: 0 of 2 blocks full, 1 reserved by compute
# fact: compute waits for acc_dfb, filled by itself

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    acc_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        for row in range(4):
            a_blk = a_dfb.wait()
            if row > 0:
                before_blk = acc_dfb.wait()  # stuck
                acc_blk = acc_dfb.reserve()
                acc_blk.store(before_blk + a_blk)
                before_blk.pop()
                acc_blk.push()
            else:
                acc_blk = acc_dfb.reserve()
                acc_blk.store(a_blk)
            a_blk.pop()


op(blank((128, 32)), blank((128, 32)))
