"""The receiver takes two blocks from a pipe on which one is sent."""

# cause: TTL0918
# fact: read on node (0, 1) waits to receive from net's pipe from (0, 0) to (0, 1), on which only 1 was sent

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 2))
def op(a, y):
    _, me = ttl.node()
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(0, 1))])
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        def send(pipe):
            for row in range(1):
                with dfb.reserve() as blk:
                    ttl.copy(a[row, 0], blk).wait()
                    ttl.copy(blk, pipe).wait()

        def receive(pipe):
            for _ in range(2):
                with dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()  # stuck

        net.if_src(send)
        net.if_dst(receive)

    @ttl.datamovement()
    def write():
        for row in range(1 if me == 0 else 2):
            with dfb.wait() as blk:
                ttl.copy(blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
