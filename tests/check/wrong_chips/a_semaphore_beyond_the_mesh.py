"""A semaphore beyond the mesh."""

# mesh: 1x2
# refused: TTL0603
# names: no chip (0, 2)

import ttl

N = 2


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    _, c, _, _ = ttl.node(dims=4)
    go = ttl.Semaphore()
    next_go = go.get_remote((0, c + 1, 0, 0))

    @ttl.datamovement()
    def read():
        next_go.inc(1)
        go.wait_ge(1)
