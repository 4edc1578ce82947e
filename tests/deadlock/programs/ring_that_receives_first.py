"""Every node of a ring of pipes receives before it sends."""

# cause: TTL0917
# fact: move on nodes (0, 0), (0, 3), (0, 2) and (0, 1) wait for each other
# fact: on 4 nodes, (0, 0), (0, 1), (0, 2), (0, 3):
# fact: send first and then receive
# fact: every schedule

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 4))
def op(a, y):
    _, me = ttl.node()
    net = ttl.PipeNet([ttl.Pipe(src=(0, n), dst=(0, (n + 1) % 4)) for n in range(4)])
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
