"""Every node of a ring receives, time and again, and none sends."""

# cause: TTL0918
# fact: on which nothing is sent
# fact: no kernel calls if_src

import ttl
from support.tensors import blank


@ttl.operation(grid=(4, 1))
def op(a, y):
    net = ttl.PipeNet([ttl.Pipe(src=(n, 0), dst=((n + 1) % 4, 0)) for n in range(4)])
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for _ in range(3):
            with dfb.reserve() as blk:

                def receive(pipe):
                    ttl.copy(pipe, blk).wait()  # stuck

                net.if_dst(receive)

    @ttl.datamovement()
    def write():
        for _ in range(3):
            with dfb.wait() as blk:
                ttl.copy(blk, y[0, ttl.node(dims=1)]).wait()


op(blank((32, 128)), blank((32, 128)))
