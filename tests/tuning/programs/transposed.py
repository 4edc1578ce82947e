"""y = transpose(a) * b + b: blocks, buffers, and which way the nodes go."""

import torch
import ttnn

import ttl

device = ttnn.open_device(device_id=0)


@ttl.tunable(
    rows=[1, 2, 4],
    cols=[1, 2, 4],
    count=[2, 1, 3, 4],
    along=["rows", "columns"],
    where=lambda a, rows, cols: a.shape[1] // 32 % rows == 0 and a.shape[0] // 32 % cols == 0,
)
@ttl.operation(grid=(8, 8))
def transposed(a, b, y, *, rows, cols, count, along):
    row_blocks, col_blocks = a.shape[1] // 32 // rows, a.shape[0] // 32 // cols
    own = range(ttl.node(dims=1), row_blocks * col_blocks, 64)
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(cols, rows), block_count=count)
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(rows, cols), block_count=count)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(rows, cols), block_count=count)

    def place(item):
        row, col = (
            (item // col_blocks, item % col_blocks)
            if along == "rows"
            else (item % row_blocks, item // row_blocks)
        )
        return slice(row * rows, (row + 1) * rows), slice(col * cols, (col + 1) * cols)

    @ttl.datamovement()
    def read():
        for item in own:
            r, c = place(item)
            with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                a_xf = ttl.copy(a[c, r], a_blk)
                b_xf = ttl.copy(b[r, c], b_blk)
                a_xf.wait()
                b_xf.wait()

    @ttl.compute()
    def compute():
        for _ in own:
            with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
                y_blk.store(ttl.block.transpose(a_blk) * b_blk + b_blk)

    @ttl.datamovement()
    def write():
        for item in own:
            r, c = place(item)
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[r, c]).wait()


torch.manual_seed(0)


def tensor(*shape):
    return ttnn.from_torch(torch.randn(*shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


a, b, y = tensor(1024, 512), tensor(512, 1024), tensor(512, 1024)
transposed(a, b, y)
