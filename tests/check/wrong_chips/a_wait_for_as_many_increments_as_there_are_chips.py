"""A wait for as many increments as there are chips."""

# mesh: 1x4
# refused: TTL0920
# names: chip (0, 0)

import ttl

N = 4


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    _, c, _, _ = ttl.node(dims=4)
    go = ttl.Semaphore()
    root = go.get_remote((0, 0, 0, 0))

    @ttl.datamovement()
    def read():
        if c == 0:
            go.wait_eq(N)
        else:
            root.inc(1)
