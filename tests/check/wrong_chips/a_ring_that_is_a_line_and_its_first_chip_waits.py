"""A ring that is a line, and its first chip waits."""

# mesh: 1x3
# refused: TTL0911
# names: write on chip 0, node (0, 0)

import ttl

N = 3
domain = ttl.DeviceDomain(N)
net = ttl.PipeNet(graph=ttl.TransferGraph.axis_neighbor(domain))


@ttl.operation(grid=(1, 1), device_domain=domain)
def op(a, y):
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with out_dfb.reserve() as out_blk:
            ttl.copy(a[0, 0], out_blk).wait()
            net.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
        with out_dfb.wait() as own_blk:
            ttl.copy(own_blk, y[0, 0]).wait()

        def take(pipe):
            with in_dfb.reserve() as in_blk:
                ttl.copy(pipe, in_blk).wait()

        net.if_dst(take)

    @ttl.datamovement()
    def write():
        with in_dfb.wait() as in_blk:
            ttl.copy(in_blk, y[1, 0]).wait()
