"""The first node counts itself among those it waits for, and would set the counter back; the others wait for its answer."""

# cause: TTL0920
# fact: move on node (0, 0) waits until semaphore arrived is 4, but it stays 3
# fact: wait for 3

import ttl
from support.tensors import blank


@ttl.operation(grid=(4, 1))
def op(a, y):
    me = ttl.node(dims=1)
    arrived = ttl.Semaphore()
    go = ttl.Semaphore()
    first = arrived.get_remote((0, 0))
    everybody = go.get_remote_multicast()

    @ttl.datamovement()
    def move():
        if me == 0:
            arrived.wait_eq(4)  # stuck
            arrived.set(0)
            everybody.set(1)
        else:
            first.inc(1)
            go.wait_ge(1)


op(blank((128, 32)), blank((128, 32)))
