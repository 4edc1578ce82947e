"""One node sends three rows to three others, which receive four."""

# cause: TTL0918
# fact: read on node (0, 1) waits to receive from net's pipe from (0, 0) to (0, slice(1, 4)), on which only 3 were sent
# fact: on 3 nodes, (0, 1), (0, 2), (0, 3):
# fact: in all, node (0, 0) sends 3 blocks on this pipe and node (0, 1) receives 4
# fact: multicast pipes are used

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 4))
def op(a, y):
    _, me = ttl.node()
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(0, slice(1, 4)))])
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        def send(pipe):
            for row in range(3):
                with dfb.reserve() as blk:
                    ttl.copy(a[row, 0], blk).wait()
                    ttl.copy(blk, pipe).wait()

        def receive(pipe):
            for _ in range(4):
                with dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()  # stuck

        net.if_src(send)
        net.if_dst(receive)

    @ttl.datamovement()
    def write():
        for row in range(3 if me == 0 else 4):
            with dfb.wait() as blk:
                ttl.copy(blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
