"""A credit that is given once for two messages."""

# mesh: 1x2
# refused: TTL0920
# names: chip (0, 0)

import ttl

N = 2


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    _, c, _, _ = ttl.node(dims=4)
    net = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, k + 1, 0, 0)) for k in range(N - 1)])
    credit = ttl.Semaphore(1)
    back = credit.get_remote((0, 0, 0, 0))

    @ttl.datamovement()
    def read():
        if c == 0:
            for k in range(3):
                credit.wait_ge(k + 1)

                with out_dfb.reserve() as out_blk:
                    ttl.copy(a[0, 0], out_blk).wait()
                    net.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
                with out_dfb.wait() as own_blk:
                    ttl.copy(own_blk, y[0, 0]).wait()
        else:
            for k in range(3):

                def receive(pipe):
                    with in_dfb.reserve() as in_blk:
                        ttl.copy(pipe, in_blk).wait()
                    with in_dfb.wait() as in_blk:
                        ttl.copy(in_blk, y[1, 0]).wait()

                net.if_dst(receive)
                if k == 0:
                    back.inc(1)
