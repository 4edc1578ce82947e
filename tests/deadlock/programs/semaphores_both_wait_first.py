"""Two nodes each wait for the other's signal before they give their own."""

# cause: TTL0917
# fact: move on nodes (0, 0) and (1, 0) wait for each other
# fact: semaphores are used, so another schedule may behave differently
# fact: waits until semaphore ready is at least 1

import ttl
from support.tensors import blank


@ttl.operation(grid=(2, 1))
def op(a, y):
    me, _ = ttl.node()
    ready = ttl.Semaphore()
    other = ready.get_remote((1 - me, 0))

    @ttl.datamovement()
    def move():
        ready.wait_ge(1)  # stuck
        other.inc(1)


op(blank((128, 32)), blank((128, 32)))
