"""Compute gets its state back through a data movement kernel, which waits for the first one."""

# cause: TTL0921
# fact: compute waits for the first block of state_dfb, which feed pushes only after that
# fact: push a first block of state_dfb in feed before its loop: with state_dfb.reserve() as blk: ttl.copy(first, blk).wait()
# fact: compute waits for state_dfb, filled by feed
# fact: feed waits for next_dfb, filled by compute

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    state_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    next_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def feed():
        for row in range(4):
            with next_dfb.wait() as next_blk:
                ttl.copy(next_blk, a[row, 0]).wait()
            with state_dfb.reserve() as state_blk:
                ttl.copy(a[row, 0], state_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with state_dfb.wait() as state_blk, next_dfb.reserve() as next_blk:  # stuck
                next_blk.store(state_blk + 1)
        with state_dfb.wait() as state_blk, y_dfb.reserve() as y_blk:
            y_blk.store(state_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
