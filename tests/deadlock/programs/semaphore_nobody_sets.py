"""Every node waits for a semaphore that nobody changes."""

# cause: TTL0920
# fact: move on node (0, 0) waits until semaphore go is at least 1, but nobody changes it
# fact: on 4 nodes

import ttl
from support.tensors import blank


@ttl.operation(grid=(2, 2))
def op(a, y):
    go = ttl.Semaphore()

    @ttl.datamovement()
    def move():
        go.wait_ge(1)  # stuck


op(blank((128, 32)), blank((128, 32)))
