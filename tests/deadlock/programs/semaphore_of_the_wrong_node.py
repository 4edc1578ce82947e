"""The signal goes to node (1, 0), and node (2, 0) waits for it."""

# cause: TTL0920
# fact: move on node (2, 0) waits until semaphore go is 1, but nobody changes it
# fact: all kernels ended on 2 nodes

import ttl
from support.tensors import blank


@ttl.operation(grid=(3, 1))
def op(a, y):
    me, _ = ttl.node()
    go = ttl.Semaphore()
    other = go.get_remote((1, 0))

    @ttl.datamovement()
    def move():
        if me == 0:
            other.set(1)
        if me == 2:
            go.wait_eq(1)  # stuck


op(blank((128, 32)), blank((128, 32)))
