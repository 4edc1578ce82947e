"""One node sends four rows, the other receives one."""

# cause: TTL0919
# fact: read on node (0, 0) waits to send on net's pipe from (0, 0) to (0, 1)
# fact: node (0, 1) does not receive what was sent before
# fact: 3 sent on it, 1 received
# fact: in all, node (0, 0) sends 4 blocks on this pipe and node (0, 1) receives 1

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
            for row in range(4):
                with dfb.reserve() as blk:
                    ttl.copy(a[row, 0], blk).wait()
                    ttl.copy(blk, pipe).wait()  # stuck

        def receive(pipe):
            for _ in range(1):
                with dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()

        net.if_src(send)
        net.if_dst(receive)

    @ttl.datamovement()
    def write():
        for row in range(4 if me == 0 else 1):
            with dfb.wait() as blk:
                ttl.copy(blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
