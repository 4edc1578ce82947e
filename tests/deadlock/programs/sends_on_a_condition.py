"""Only even nodes send; the first node receives from all."""

# cause: TTL0918
# fact: read on node (0, 0) waits to receive from net's pipe from (1, 0) to (0, 0), on which nothing is sent
# fact: all kernels ended on 3 nodes
# fact: in all, node (1, 0) sends 0 blocks on this pipe and node (0, 0) receives 1

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

            def send(pipe):
                ttl.copy(a[me, 0], blk).wait()
                if me % 2 == 0:
                    ttl.copy(blk, pipe).wait()

            def receive(pipe):
                ttl.copy(pipe, blk).wait()  # stuck
                ttl.copy(blk, y[pipe.src[0], 0]).wait()

            net.if_src(send)
            net.if_dst(receive)

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y[me, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
