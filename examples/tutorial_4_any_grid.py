"""Tutorial, step 4: any grid, any shape.

``grid="auto"`` takes the nodes the device has. Nothing divides evenly any more: a node takes its share of the
blocks, rounded up, and the last nodes have fewer or none. Rows and columns that do not fill a whole tile
need nothing: what a tile has beyond the tensor is never written back.
"""

import math

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

BLOCK_ROWS, BLOCK_COLS = 1, 2  # in tiles

device = ttnn.open_device(device_id=0)


@ttl.operation(grid="auto")
def multiply_add(a: ttnn.Tensor, b: ttnn.Tensor, c: ttnn.Tensor, y: ttnn.Tensor) -> None:
    grid_x, grid_y = ttl.grid_size(dims=2)
    node_x, node_y = ttl.node(dims=2)

    row_blocks = a.padded_shape[0] // ttl.TILE_SHAPE[0] // BLOCK_ROWS
    col_blocks = a.padded_shape[1] // ttl.TILE_SHAPE[1] // BLOCK_COLS

    rows_per_node = math.ceil(row_blocks / grid_y)
    cols_per_node = math.ceil(col_blocks / grid_x)

    own_rows = range(node_y * rows_per_node, min((node_y + 1) * rows_per_node, row_blocks))
    own_cols = range(node_x * cols_per_node, min((node_x + 1) * cols_per_node, col_blocks))

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(BLOCK_ROWS, BLOCK_COLS))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(BLOCK_ROWS, BLOCK_COLS))
    c_dfb = ttl.make_dataflow_buffer_like(c, shape=(BLOCK_ROWS, BLOCK_COLS))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(BLOCK_ROWS, BLOCK_COLS))

    @ttl.datamovement()
    def read():
        for row_block in own_rows:
            for col_block in own_cols:
                rows = slice(row_block * BLOCK_ROWS, (row_block + 1) * BLOCK_ROWS)
                cols = slice(col_block * BLOCK_COLS, (col_block + 1) * BLOCK_COLS)
                with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk, c_dfb.reserve() as c_blk:
                    a_xf = ttl.copy(a[rows, cols], a_blk)
                    b_xf = ttl.copy(b[rows, cols], b_blk)
                    c_xf = ttl.copy(c[rows, cols], c_blk)
                    a_xf.wait()
                    b_xf.wait()
                    c_xf.wait()

    @ttl.compute()
    def compute():
        for _ in own_rows:
            for _ in own_cols:
                with (
                    a_dfb.wait() as a_blk,
                    b_dfb.wait() as b_blk,
                    c_dfb.wait() as c_blk,
                    y_dfb.reserve() as y_blk,
                ):
                    y_blk.store(a_blk * b_blk + c_blk)

    @ttl.datamovement()
    def write():
        for row_block in own_rows:
            for col_block in own_cols:
                rows = slice(row_block * BLOCK_ROWS, (row_block + 1) * BLOCK_ROWS)
                cols = slice(col_block * BLOCK_COLS, (col_block + 1) * BLOCK_COLS)
                with y_dfb.wait() as y_blk:
                    y_xf = ttl.copy(y_blk, y[rows, cols])
                    y_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a, b, c = (torch.rand(330, 1130).bfloat16() for _ in range(3))

y = to_device(torch.zeros(330, 1130))
multiply_add(to_device(a), to_device(b), to_device(c), y)

# One rounding to bfloat16: the product stays in float32.
expected = a.double() * b.double() + c.double()
compare("a * b + c, any grid", ttnn.to_torch(y), expected, rtol=BFLOAT16)
ttnn.close_device(device)
