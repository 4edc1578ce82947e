"""Semaphores of a range beyond the mesh."""

# mesh: 1x2
# refused: TTL0603
# names: no chip (0, slice(1, 3))

import ttl

N = 2


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    _, c, _, _ = ttl.node(dims=4)
    go = ttl.Semaphore()
    others = go.get_remote_multicast((0, slice(1, N + 1), 0, 0))

    @ttl.datamovement()
    def read():
        if c == 0:
            others.set(1)
