"""A block used for passing tiles through, acquired with wait() on every node."""

# cause: TTL0912
# fact: move on node (0, 0) waits for tile_dfb and then writes to the block
# fact: on 4 nodes, (0, 0), (0, 1), (1, 0), (1, 1):

import ttl
from support.tensors import blank


@ttl.operation(grid=(2, 2))
def op(a, y):
    tile_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)

    @ttl.datamovement()
    def move():
        with tile_dfb.wait() as blk:  # stuck
            ttl.copy(a[0, 0], blk).wait()
            ttl.copy(blk, y[0, 0]).wait()


op(blank((128, 32)), blank((128, 32)))
