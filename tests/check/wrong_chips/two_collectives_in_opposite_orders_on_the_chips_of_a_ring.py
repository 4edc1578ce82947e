"""Two collectives in opposite orders on the chips of a ring."""

# mesh: 1x4
# refused: TTL0917
# names: chip (0, 0)
# names: chip (0, 1)

import ttl

N = 4


@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    _, c, _, _ = ttl.node(dims=4)
    first = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, (k + 1) % N, 0, 0)) for k in range(N)])
    second = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, (k - 1) % N, 0, 0)) for k in range(N)])

    @ttl.datamovement()
    def read():
        if c % 2 == 0:
            for k in range(3):
                with out_dfb.reserve() as out_blk:
                    ttl.copy(a[0, 0], out_blk).wait()
                    first.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
                with out_dfb.wait() as own_blk:
                    ttl.copy(own_blk, y[0, 0]).wait()

                def receive_first(pipe):
                    with in_dfb.reserve() as in_blk:
                        ttl.copy(pipe, in_blk).wait()
                    with in_dfb.wait() as in_blk:
                        ttl.copy(in_blk, y[1, 0]).wait()

                first.if_dst(receive_first)
            for k in range(3):
                with out_dfb.reserve() as out_blk:
                    ttl.copy(a[0, 0], out_blk).wait()
                    second.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
                with out_dfb.wait() as own_blk:
                    ttl.copy(own_blk, y[0, 0]).wait()

                def receive_second(pipe):
                    with in_dfb.reserve() as in_blk:
                        ttl.copy(pipe, in_blk).wait()
                    with in_dfb.wait() as in_blk:
                        ttl.copy(in_blk, y[1, 0]).wait()

                second.if_dst(receive_second)
        else:
            for k in range(3):
                with out_dfb.reserve() as out_blk:
                    ttl.copy(a[0, 0], out_blk).wait()
                    second.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
                with out_dfb.wait() as own_blk:
                    ttl.copy(own_blk, y[0, 0]).wait()

                def receive_second(pipe):
                    with in_dfb.reserve() as in_blk:
                        ttl.copy(pipe, in_blk).wait()
                    with in_dfb.wait() as in_blk:
                        ttl.copy(in_blk, y[1, 0]).wait()

                second.if_dst(receive_second)
            for k in range(3):
                with out_dfb.reserve() as out_blk:
                    ttl.copy(a[0, 0], out_blk).wait()
                    first.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
                with out_dfb.wait() as own_blk:
                    ttl.copy(own_blk, y[0, 0]).wait()

                def receive_first(pipe):
                    with in_dfb.reserve() as in_blk:
                        ttl.copy(pipe, in_blk).wait()
                    with in_dfb.wait() as in_blk:
                        ttl.copy(in_blk, y[1, 0]).wait()

                first.if_dst(receive_first)
