"""The net reaches three of four nodes; the fourth waits for what if_dst would have filled."""

# cause: TTL0911
# fact: compute on node (0, 3) waits for a_dfb, which no kernel fills
# fact: no pipe starts or ends at this node

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 4))
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(0, slice(0, 3)))])

    @ttl.datamovement()
    def read():
        def send(pipe):
            with y_dfb.reserve() as y_blk:
                ttl.copy(a[0, 0], y_blk).wait()
                ttl.copy(y_blk, pipe).wait()

        def receive(pipe):
            with a_dfb.reserve() as a_blk:
                ttl.copy(pipe, a_blk).wait()

        net.if_src(send)
        net.if_dst(receive)

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk:  # stuck
            print(a_blk.shape)
            total = a_blk + 1
            del total


op(blank((128, 32)), blank((128, 32)))
