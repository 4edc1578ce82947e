"""Two kernels push two blocks each before they take any, through buffers of one block."""

# cause: TTL0916
# fact: is too small for
# fact: read waits to reserve there_dfb, emptied by compute
# fact: compute waits to reserve back_dfb, emptied by read

import ttl
from support.tensors import blank


@ttl.operation(grid=(1, 1))
def op(a, y):
    there_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)
    back_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)

    @ttl.datamovement()
    def read():
        for row in range(4):
            for _ in range(2):
                with there_dfb.reserve() as there_blk:  # stuck
                    ttl.copy(a[row, 0], there_blk).wait()
            for _ in range(2):
                with back_dfb.wait() as back_blk:
                    ttl.copy(back_blk, y[row, 0]).wait()

    @ttl.compute()
    def compute():
        for _ in range(4):
            for _ in range(2):
                with back_dfb.reserve() as back_blk:
                    back_blk.store(ttl.block.fill(1, shape=(1, 1)))
            for _ in range(2):
                with there_dfb.wait() as there_blk:
                    print(there_blk + 1)


op(blank((128, 32)), blank((128, 32)))
