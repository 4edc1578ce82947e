"""``y = a * b + c`` in blocks on 2x2 nodes, with a generator of slices and with-statements."""

import torch
import ttl
import ttnn

SHAPE = (128, 128)
BLOCK = (1, 2)
device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(2, 2))
def fma(a, b, c, y):
    grid_x, grid_y = ttl.grid_size(dims=2)
    node_x, node_y = ttl.node(dims=2)
    rows = a.shape[0] // ttl.TILE_SHAPE[0] // BLOCK[0]
    cols = a.shape[1] // ttl.TILE_SHAPE[1] // BLOCK[1]
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=BLOCK)
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=BLOCK)
    c_dfb = ttl.make_dataflow_buffer_like(c, shape=BLOCK, block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=BLOCK, block_count=2)

    def slices():
        for row in range(node_y, rows, grid_y):
            for col in range(node_x, cols, grid_x):
                yield slice(row * BLOCK[0], (row + 1) * BLOCK[0]), slice(col * BLOCK[1], (col + 1) * BLOCK[1])

    @ttl.datamovement()
    def read():
        for row_slice, col_slice in slices():
            with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk, c_dfb.reserve() as c_blk:
                a_xf = ttl.copy(a[row_slice, col_slice], a_blk)
                b_xf = ttl.copy(b[row_slice, col_slice], b_blk)
                c_xf = ttl.copy(c[row_slice, col_slice], c_blk)
                a_xf.wait()
                b_xf.wait()
                c_xf.wait()

    @ttl.compute()
    def compute():
        for _ in slices():
            with (
                a_dfb.wait() as a_blk,
                b_dfb.wait() as b_blk,
                c_dfb.wait() as c_blk,
                y_dfb.reserve() as y_blk,
            ):
                y_blk.store(a_blk * b_blk + c_blk)

    @ttl.datamovement()
    def write():
        for row_slice, col_slice in slices():
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row_slice, col_slice]).wait()


x = torch.arange(128 * 128).reshape(SHAPE).bfloat16() / 4096
a = ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros(SHAPE, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
fma(a, a, a, y)
assert torch.equal(ttnn.to_torch(y), (x.float() * x.float() + x.float()).bfloat16())
