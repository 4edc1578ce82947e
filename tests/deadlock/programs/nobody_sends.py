"""The net is received from and never sent on."""

# cause: TTL0918
# fact: on which nothing is sent
# fact: no kernel calls if_src

import ttl
from support.tensors import blank


@ttl.operation(grid=(4, 1))
def op(a, y):
    me = ttl.node(dims=1)
    net = ttl.PipeNet([ttl.Pipe(src=(n, 0), dst=(0, 0)) for n in range(1, 4)])
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            if me > 0:
                ttl.copy(a[me, 0], blk).wait()

            def receive(pipe):
                ttl.copy(pipe, blk).wait()  # stuck
                ttl.copy(blk, y[pipe.src[0], 0]).wait()

            net.if_dst(receive)

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y[me, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
