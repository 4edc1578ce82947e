"""More semaphores than a node has: the words of L1 that serve as those of pipes are explained like them."""

# cause: TTL0918
# fact: pipe from (3, 0) to (0, 0), on which nothing is sent
# fact: 2 pushed

import ttl
from support.tensors import blank

NODES = 8


@ttl.operation(grid=(NODES, 1))
def op(a, y):
    me = ttl.node(dims=1)
    nets = [ttl.PipeNet([ttl.Pipe(src=(n, 0), dst=(0, 0)) for n in range(1, NODES)]) for _ in range(2)]
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)

    @ttl.datamovement()
    def read():
        for net in nets:
            if me > 0 and me != 3:
                with dfb.reserve() as blk:
                    ttl.copy(a[me, 0], blk).wait()
                    net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())

            def receive(pipe):
                with dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()  # stuck

            net.if_dst(receive)

    @ttl.datamovement()
    def write():
        for turn in range(2):
            for source in range(NODES - 1 if me == 0 else me != 3):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[me * NODES + source, turn]).wait()


op(blank((32 * NODES, 32)), blank((32 * NODES * NODES, 64)))
