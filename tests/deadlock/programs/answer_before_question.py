"""The reader waits for an answer before it asks; compute waits for the question."""

# cause: TTL0917
# fact: read and compute wait for each other
# fact: read waits for answer_dfb, filled by compute
# fact: compute waits for a_dfb, filled by read

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    answer_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with answer_dfb.wait() as answer_blk:  # stuck
                ttl.copy(answer_blk, y[row, 0]).wait()
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with a_dfb.wait() as a_blk, answer_dfb.reserve() as answer_blk:
                answer_blk.store(a_blk)


op(blank((128, 32)), blank((128, 32)))
