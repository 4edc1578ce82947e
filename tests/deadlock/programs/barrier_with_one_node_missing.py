"""All nodes wait for the go of the first, which waits for one more than there are."""

# cause: TTL0920
# fact: move on node (0, 0) waits until semaphore arrived is 8, but it stays 7
# fact: on 7 nodes

import ttl
from support.tensors import blank


@ttl.operation(grid=(8, 1))
def op(a, y):
    me = ttl.node(dims=1)
    arrived = ttl.Semaphore()
    go = ttl.Semaphore()
    first = arrived.get_remote((0, 0))
    everyone = go.get_remote_multicast()

    @ttl.datamovement()
    def move():
        if me == 0:
            arrived.wait_eq(8)  # stuck
            everyone.set(1)
        else:
            first.inc(1)
            go.wait_eq(1)


op(blank((128, 32)), blank((128, 32)))
