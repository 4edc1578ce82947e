"""A wait for the semaphore of another chip."""

# mesh: 1x2
# refused: TTL0224
# names: it has inc, set

import ttl

N = 2


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    _, c, _, _ = ttl.node(dims=4)
    go = ttl.Semaphore()
    next_go = go.get_remote((0, (c + 1) % N, 0, 0))

    @ttl.datamovement()
    def read():
        next_go.wait_ge(1)
