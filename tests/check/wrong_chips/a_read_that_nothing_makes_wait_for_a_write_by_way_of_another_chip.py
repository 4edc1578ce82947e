"""A read that nothing makes wait for a write by way of another chip."""

# mesh: 1x2
# refused: TTL1101
# names: chip (0, 0), node (0, 0)
# names: chip (0, 0), node (1, 0)

import ttl

N = 2


@ttl.operation(grid=(1, N, 2, 1))
def op(a, y):
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    _, c, i, _ = ttl.node(dims=4)
    go = ttl.Semaphore()
    far = go.get_remote((0, 1, 0, 0))

    @ttl.datamovement()
    def read():
        with out_dfb.reserve() as blk:
            if c == 0 and i == 0:
                ttl.copy(a[0, 0], blk).wait()
                ttl.copy(blk, y[0, 0]).wait()
                far.inc(1)
            else:
                if c == 1 and i == 0:
                    go.wait_ge(1)
                    ttl.copy(a[0, 0], blk).wait()
                else:
                    ttl.copy(y[0, 0], blk).wait()
        with out_dfb.wait() as blk:
            ttl.copy(blk, y[1 + i, 1]).wait()
