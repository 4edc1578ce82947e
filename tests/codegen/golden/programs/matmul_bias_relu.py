"""Matrix multiplication with K in blocks, then a bias and an activation on the sum."""

import ttnn

import ttl

ROWS, COLUMNS, INNER = 2, 2, 4


@ttl.operation(grid=(2, 2))
def matmul_bias_relu(a, b, bias, y):
    column, row = ttl.node(dims=2)
    blocks = a.shape[1] // 32 // INNER
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(ROWS, INNER))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(INNER, COLUMNS))
    bias_dfb = ttl.make_dataflow_buffer_like(bias, shape=(1, COLUMNS), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(ROWS, COLUMNS))

    @ttl.datamovement()
    def read():
        with bias_dfb.reserve() as bias_blk:
            ttl.copy(bias[0, COLUMNS * column : COLUMNS * (column + 1)], bias_blk).wait()
        for k in range(blocks):
            with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                inner = slice(INNER * k, INNER * (k + 1))
                a_xf = ttl.copy(a[ROWS * row : ROWS * (row + 1), inner], a_blk)
                b_xf = ttl.copy(b[inner, COLUMNS * column : COLUMNS * (column + 1)], b_blk)
                a_xf.wait()
                b_xf.wait()

    @ttl.compute()
    def compute():
        with bias_dfb.wait() as bias_blk, y_dfb.reserve() as y_blk:
            total = ttl.block.fill(0, shape=(ROWS, COLUMNS))
            for _ in range(blocks):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                    total += a_blk @ b_blk
            wide = ttl.block.broadcast(bias_blk, dims=[0], shape=(ROWS, COLUMNS))
            y_blk.store(ttl.math.relu(total + wide))

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(
                y_blk, y[ROWS * row : ROWS * (row + 1), COLUMNS * column : COLUMNS * (column + 1)]
            ).wait()


def tensor(rows, columns):
    return ttnn.ones((rows, columns), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


matmul_bias_relu(tensor(128, 512), tensor(512, 128), tensor(32, 128), tensor(128, 128))
