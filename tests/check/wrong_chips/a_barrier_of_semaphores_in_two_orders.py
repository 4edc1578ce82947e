"""A barrier of semaphores in two orders."""

# mesh: 1x2
# refused: TTL0917
# names: chip (0, 0)
# names: chip (0, 1)

import ttl

N = 2


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    _, c, _, _ = ttl.node(dims=4)
    one = ttl.Semaphore()
    two = ttl.Semaphore()
    far_one = one.get_remote((0, 1 - c, 0, 0))
    far_two = two.get_remote((0, 1 - c, 0, 0))

    @ttl.datamovement()
    def read():
        if c == 0:
            one.wait_ge(1)
            far_two.inc(1)
        else:
            two.wait_ge(1)
            far_one.inc(1)
