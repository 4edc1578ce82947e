"""The first node receives from three others before it gives compute the sign to start."""

# cause: TTL0916
# fact: read on node (0, 0) waits
# fact: with block_count=3 for in_dfb the operation runs to its end, with 2 it does not
# fact: every schedule

import ttl
from support.tensors import blank


@ttl.operation(grid=(4, 1))
def op(a, y):
    me = ttl.node(dims=1)
    net = ttl.PipeNet([ttl.Pipe(src=(n, 0), dst=(0, 0)) for n in range(1, 4)])
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    go_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        def send(pipe):
            for _ in range(2):
                with in_dfb.reserve() as blk:
                    ttl.copy(a[me, 0], blk).wait()
                    ttl.copy(blk, pipe).wait()
                with in_dfb.wait() as blk:
                    ttl.copy(blk, y[me, 0]).wait()

        def receive(pipe):
            with in_dfb.reserve() as blk:  # stuck
                ttl.copy(pipe, blk).wait()

        net.if_src(send)
        if me == 0:
            for _ in range(2):
                net.if_dst(receive)
                with go_dfb.reserve() as go_blk:
                    ttl.copy(a[0, 0], go_blk).wait()

    @ttl.compute()
    def compute():
        if me == 0:
            for _ in range(2):
                with go_dfb.wait() as go_blk, y_dfb.reserve() as y_blk:
                    total = go_blk + 0
                    for _ in range(3):
                        with in_dfb.wait() as blk:
                            total += blk
                    y_blk.store(total)

    @ttl.datamovement()
    def write():
        if me == 0:
            for row in range(2):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
