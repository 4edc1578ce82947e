"""Row-major tensors: the rows of a table in reverse order, no compute kernel.

Blocks of a row-major tensor count elements, not tiles, and have any number of dimensions: here a whole
row of 100. Nodes share the rows.
"""

import torch
import ttl
import ttnn

from checking import compare

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(4, 2))
def reverse_rows(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    rows, columns = x.shape
    own_rows = range(ttl.node(dims=1), rows, ttl.grid_size(dims=1))

    row_dfb = ttl.make_dataflow_buffer_like(x, shape=(columns,))

    @ttl.datamovement()
    def read():
        for row in own_rows:
            with row_dfb.reserve() as row_blk:
                row_xf = ttl.copy(x[row, :], row_blk)
                row_xf.wait()

    @ttl.datamovement()
    def write():
        for row in own_rows:
            with row_dfb.wait() as row_blk:
                row_xf = ttl.copy(row_blk, y[rows - 1 - row, :])
                row_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)


torch.manual_seed(0)
x = torch.randn(50, 100)
y = to_device(torch.zeros_like(x))
reverse_rows(to_device(x), y)

# Data only moves: nothing may differ.
compare("row-major copy", ttnn.to_torch(y), x.flip(0))
ttnn.close_device(device)
