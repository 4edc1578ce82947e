"""An increment on the wrong chip."""

# mesh: 1x3
# refused: TTL0920
# names: chip (0, 1)

import ttl

N = 3


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    _, c, _, _ = ttl.node(dims=4)
    go = ttl.Semaphore()
    far = go.get_remote((0, 2, 0, 0))

    @ttl.datamovement()
    def read():
        if c == 0:
            far.inc(1)
        if c == 1:
            go.wait_ge(1)
