"""The state before last is needed: two blocks have to be there, and one is."""

# cause: TTL0921
# fact: compute waits for block 2 of state_dfb, which it pushes only after that
# fact: push one block more of state_dfb in compute before its loop
# fact: then 1 block of state_dfb is left

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    state_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=4)

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        with state_dfb.reserve() as first_blk:
            first_blk.store(ttl.block.fill(0, shape=(1, 1)))
        old_blk = state_dfb.wait()
        for _ in range(4):
            new_blk = state_dfb.wait()  # stuck
            with a_dfb.wait() as a_blk, state_dfb.reserve() as state_blk:
                state_blk.store(old_blk + new_blk + a_blk)
            old_blk.pop()
            old_blk = new_blk
        with y_dfb.reserve() as y_blk:
            y_blk.store(old_blk)
        old_blk.pop()

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
