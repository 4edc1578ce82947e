"""Three blocks of one operand come before the one of the other, which compute wants first."""

# cause: TTL0916
# fact: block_count=2 is too small for a_dfb
# fact: with block_count=3 for a_dfb the operation runs to its end, with 2 it does not

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            for _ in range(3):
                with a_dfb.reserve() as a_blk:  # stuck
                    ttl.copy(a[row, 0], a_blk).wait()
            with b_dfb.reserve() as b_blk:
                ttl.copy(b[row, 0], b_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                total = b_blk + 0
                for _ in range(3):
                    with a_dfb.wait() as a_blk:
                        total += a_blk
                y_blk.store(total)

    @ttl.datamovement()
    def write():
        for row in range(4):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)), blank((128, 32)))
