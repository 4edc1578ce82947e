"""Four inputs in one expression: nothing is written to a buffer in between, and DST is used up."""

import ttnn

import ttl


@ttl.operation(grid=(1, 1))
def fused_chain(a, b, c, d, y):
    shape = (2, 4)
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=shape)
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=shape)
    c_dfb = ttl.make_dataflow_buffer_like(c, shape=shape)
    d_dfb = ttl.make_dataflow_buffer_like(d, shape=shape)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=shape)

    @ttl.datamovement()
    def read():
        for row in range(4):
            with (
                a_dfb.reserve() as a_blk,
                b_dfb.reserve() as b_blk,
                c_dfb.reserve() as c_blk,
                d_dfb.reserve() as d_blk,
            ):
                rows = slice(2 * row, 2 * row + 2)
                transfers = ttl.GroupTransfer()
                transfers.add(ttl.copy(a[rows, 0:4], a_blk))
                transfers.add(ttl.copy(b[rows, 0:4], b_blk))
                transfers.add(ttl.copy(c[rows, 0:4], c_blk))
                transfers.add(ttl.copy(d[rows, 0:4], d_blk))
                transfers.wait_all()

    @ttl.compute()
    def compute():
        for _ in range(4):
            with (
                a_dfb.wait() as a_blk,
                b_dfb.wait() as b_blk,
                c_dfb.wait() as c_blk,
                d_dfb.wait() as d_blk,
                y_dfb.reserve() as y_blk,
            ):
                y_blk.store(ttl.math.relu(ttl.math.exp(a_blk + b_blk) * c_blk - d_blk))

    @ttl.datamovement()
    def write():
        for row in range(4):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[2 * row : 2 * row + 2, 0:4]).wait()


def tensor():
    return ttnn.ones((256, 128), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


fused_chain(tensor(), tensor(), tensor(), tensor(), tensor())
