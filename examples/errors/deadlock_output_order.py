# error[TTL0917]: the writer waits for a result that is complete only after blocks the writer has not taken yet
"""Sums of rows and sums of columns in one pass, as in the specification's element-wise example.

The sums of the columns are stored after the last block of rows. The writer wants them first; meanwhile the sums
of the rows fill their buffer of two blocks, compute can not reserve a third one, and never gets to the end.
Right: take the sums of the rows first.
"""

import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def row_and_column_sums(x: ttnn.Tensor, rows: ttnn.Tensor, columns: ttnn.Tensor) -> None:
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]
    col_tiles = x.shape[1] // ttl.TILE_SHAPE[1]

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, col_tiles))
    rows_dfb = ttl.make_dataflow_buffer_like(rows, shape=(1, 1))
    columns_dfb = ttl.make_dataflow_buffer_like(columns, shape=(1, col_tiles))

    @ttl.datamovement()
    def read():
        for row in range(row_tiles):
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, :], x_blk)
                x_xf.wait()

    @ttl.compute()
    def compute():
        with columns_dfb.reserve() as columns_blk:
            total = ttl.block.fill(0, shape=(1, col_tiles))
            for _ in range(row_tiles):
                with x_dfb.wait() as x_blk, rows_dfb.reserve() as rows_blk:
                    rows_blk.store(ttl.math.reduce_sum(x_blk, dims=[-1], shape=(1, 1)))
                    total += ttl.math.reduce_sum(x_blk, dims=[-2], shape=(1, col_tiles))
            columns_blk.store(total)

    @ttl.datamovement()
    def write():
        with columns_dfb.wait() as columns_blk:
            columns_xf = ttl.copy(columns_blk, columns[0, :])
            columns_xf.wait()
        for row in range(row_tiles):
            with rows_dfb.wait() as rows_blk:
                rows_xf = ttl.copy(rows_blk, rows[row, 0])
                rows_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


row_and_column_sums(
    to_device(torch.ones(128, 64)), to_device(torch.zeros(128, 1)), to_device(torch.zeros(1, 64))
)
