"""Two nodes exchange blocks over a pipe each; both receive first."""

# cause: TTL0917
# fact: move on nodes (0, 0) and (0, 1) wait for each other
# fact: waits to receive from net's pipe from (0, 1) to (0, 0), sent by move on node (0, 1)

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 2))
def op(a, y):
    _, me = ttl.node()
    net = ttl.PipeNet([ttl.Pipe(src=(0, n), dst=(0, (n + 1) % 2)) for n in range(2)])
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def move():
        own_blk = dfb.reserve()
        ttl.copy(a[0, 0], own_blk).wait()
        next_blk = dfb.reserve()

        def send(pipe):
            ttl.copy(own_blk, pipe).wait()

        def receive(pipe):
            ttl.copy(pipe, next_blk).wait()  # stuck

        net.if_dst(receive)
        net.if_src(send)
        own_blk.push()
        next_blk.push()

    @ttl.datamovement()
    def write():
        for _ in range(2):
            with dfb.wait() as blk:
                ttl.copy(blk, y[me, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
