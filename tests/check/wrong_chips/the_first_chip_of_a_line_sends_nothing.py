"""The first chip of a line sends nothing."""

# mesh: 1x3
# refused: TTL0918
# names: chip (0, 0)
# names: chip (0, 1)

import ttl

N = 3


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    _, c, _, _ = ttl.node(dims=4)
    net = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, k + 1, 0, 0)) for k in range(N - 1)])

    @ttl.datamovement()
    def read():
        if c > 0:
            with out_dfb.reserve() as out_blk:
                ttl.copy(a[0, 0], out_blk).wait()
                net.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
            with out_dfb.wait() as own_blk:
                ttl.copy(own_blk, y[0, 0]).wait()

        def receive(pipe):
            with in_dfb.reserve() as in_blk:
                ttl.copy(pipe, in_blk).wait()
            with in_dfb.wait() as in_blk:
                ttl.copy(in_blk, y[1, 0]).wait()

        net.if_dst(receive)
