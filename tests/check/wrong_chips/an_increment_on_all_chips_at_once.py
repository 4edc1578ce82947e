"""An increment on all chips at once."""

# mesh: 1x2
# refused: TTL0701
# names: for each node

import ttl

N = 2


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    go = ttl.Semaphore()
    all_go = go.get_remote_multicast()

    @ttl.datamovement()
    def read():
        all_go.inc(1)
        go.wait_ge(1)
