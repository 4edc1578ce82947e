"""The result of a step is the state of the next one; the first state is missing, the last one is not used."""

# cause: TTL0921
# fact: compute waits for the first block of state_dfb, which it pushes only after that
# fact: then 1 block of state_dfb is left when the operation ends: wait for it after the loop, if the result is needed

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    state_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as a_blk, state_dfb.wait() as before_blk:  # stuck
                with state_dfb.reserve() as state_blk:
                    state_blk.store(before_blk * a_blk)
                with y_dfb.reserve() as y_blk:
                    y_blk.store(before_blk + a_blk)

    @ttl.datamovement()
    def write():
        for row in range(4):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
