"""Nobody sends."""

# mesh: 1x2
# refused: TTL0918
# names: chip (0,

import ttl

N = 2


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    net = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, (k + 1) % N, 0, 0)) for k in range(N)])

    @ttl.datamovement()
    def read():
        def receive(pipe):
            with in_dfb.reserve() as in_blk:
                ttl.copy(pipe, in_blk).wait()
            with in_dfb.wait() as in_blk:
                ttl.copy(in_blk, y[1, 0]).wait()

        net.if_dst(receive)
