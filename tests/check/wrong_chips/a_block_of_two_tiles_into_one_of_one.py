"""A block of two tiles into one of one."""

# mesh: 1x2
# refused: TTL0611
# names: chip (0, 0)

import ttl

N = 2


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    net = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, (k + 1) % N, 0, 0)) for k in range(N)])
    wide_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))

    @ttl.datamovement()
    def read():
        with wide_dfb.reserve() as out_blk:
            ttl.copy(y[2, 0:2], out_blk).wait()
            net.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
        with wide_dfb.wait() as own_blk:
            ttl.copy(own_blk, y[0, 0:2]).wait()

        def receive(pipe):
            with in_dfb.reserve() as in_blk:
                ttl.copy(pipe, in_blk).wait()
            with in_dfb.wait() as in_blk:
                ttl.copy(in_blk, y[1, 0]).wait()

        net.if_dst(receive)
