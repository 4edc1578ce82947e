"""A gather in a buffer of one block: no room for what comes."""

# mesh: 1x2
# refused: TTL0916
# names: chip (0, 0)

import ttl

N = 2


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    net = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, (k + 1) % N, 0, 0)) for k in range(N)])
    one_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)

    @ttl.datamovement()
    def read():
        with one_dfb.reserve() as blk:
            ttl.copy(a[0, 0], blk).wait()
        with one_dfb.wait() as blk, one_dfb.reserve() as next_blk:
            net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
            net.if_dst(lambda pipe: ttl.copy(pipe, next_blk).wait())
