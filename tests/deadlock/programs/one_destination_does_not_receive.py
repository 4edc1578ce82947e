"""Of three destinations of a multicast the last does not receive."""

# cause: TTL0919
# fact: read on node (0, 0) waits to send on
# fact: node (0, 3) does not receive what was sent before
# fact: or leave node (0, 3) out of the pipe's destinations

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
                    ttl.copy(blk, pipe).wait()  # stuck

        def receive(pipe):
            for _ in range(3 if me < 3 else 0):
                with dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()

        net.if_src(send)
        net.if_dst(receive)

    @ttl.datamovement()
    def write():
        for row in range(3 if me == 0 else (3 if me < 3 else 0)):
            with dfb.wait() as blk:
                ttl.copy(blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
