"""Only the first node takes what every node fills."""

# cause: TTL0914
# fact: read on node (1, 0) waits to reserve a_dfb, which no kernel empties
# fact: on 2 nodes, (1, 0), (2, 0):
# fact: all kernels ended on 1 node

import ttl
from support.tensors import blank


@ttl.operation(grid=(3, 1))
def op(a, y):
    x, _ = ttl.node()

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in range(4):
            with a_dfb.reserve() as a_blk:  # stuck
                ttl.copy(a[row, 0], a_blk).wait()

    @ttl.datamovement()
    def write():
        if x == 0:
            for row in range(4):
                with a_dfb.wait() as a_blk:
                    ttl.copy(a_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
