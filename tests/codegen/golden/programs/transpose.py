"""Transposition of tiles, and of the tiles among each other."""

import ttnn

import ttl


@ttl.operation(grid=(1, 2))
def transpose(a, y):
    node = ttl.node(dims=1)
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(2, 3))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(3, 2))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk:
            ttl.copy(a[2 * node : 2 * node + 2, 0:3], a_blk).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
            y_blk.store(ttl.block.transpose(a_blk))

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0:3, 2 * node : 2 * node + 2]).wait()


a = ttnn.ones((128, 96), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((96, 128), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
transpose(a, y)
