"""wait_eq(1) comes after the second signal."""

# cause: TTL0920
# fact: move on node (0, 0) waits until semaphore go is 1, but it stays 2
# fact: write wait_ge(1)

import ttl
from support.tensors import blank


@ttl.operation(grid=(2, 1))
def op(a, y):
    me, _ = ttl.node()
    go = ttl.Semaphore()
    first = go.get_remote((0, 0))

    @ttl.datamovement()
    def move():
        if me == 0:
            go.wait_eq(1)  # stuck
        else:
            first.inc(2)


op(blank((128, 32)), blank((128, 32)))
