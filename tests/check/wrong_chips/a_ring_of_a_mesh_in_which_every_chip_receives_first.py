"""A ring of a mesh in which every chip receives first."""

# mesh: 2x2
# refused: TTL0917
# names: chip (0, 0)
# names: chip (1, 1)

import ttl


@ttl.operation(grid=(2, 2, 1, 1))
def op(a, y):
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    ring = ((0, 0), (0, 1), (1, 1), (1, 0))
    net = ttl.PipeNet([ttl.Pipe(src=(*ring[k], 0, 0), dst=(*ring[(k + 1) % 4], 0, 0)) for k in range(4)])

    @ttl.datamovement()
    def read():
        def receive(pipe):
            with in_dfb.reserve() as in_blk:
                ttl.copy(pipe, in_blk).wait()
            with in_dfb.wait() as in_blk:
                ttl.copy(in_blk, y[1, 0]).wait()

        net.if_dst(receive)

        with out_dfb.reserve() as out_blk:
            ttl.copy(a[0, 0], out_blk).wait()
            net.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
        with out_dfb.wait() as own_blk:
            ttl.copy(own_blk, y[0, 0]).wait()
