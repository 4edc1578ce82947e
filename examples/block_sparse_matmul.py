"""A block-sparse matrix times a dense one: only the blocks that are there are read and multiplied.

The pattern is that of CSR, with blocks of a tile: ``START[row]`` is the first block of a row, ``COLUMNS`` has the column of
each. Lists of integers that are known before the operation are constants of the kernels, indexed on the node.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

TILE = 32
START = [0, 2, 3, 3, 6, 7, 10, 11, 12]
COLUMNS = [0, 3, 1, 0, 2, 3, 2, 0, 1, 3, 3, 1]
ROWS = len(START) - 1

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(2, 2))
def __block_sparse_matmul(values: ttnn.Tensor, x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    nodes = ttl.grid_size(dims=1)
    node = ttl.node(dims=1)
    width = x.shape[1] // TILE

    value_dfb = ttl.make_dataflow_buffer_like(values, shape=(1, 1))
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, width))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, width))

    @ttl.datamovement()
    def read():
        for row in range(node, ROWS, nodes):
            for block in range(START[row], START[row + 1]):
                column = COLUMNS[block]
                with value_dfb.reserve() as value_blk, x_dfb.reserve() as x_blk:
                    value_xf = ttl.copy(values[block, 0], value_blk)
                    x_xf = ttl.copy(x[column, 0:width], x_blk)
                    value_xf.wait()
                    x_xf.wait()

    @ttl.compute()
    def compute():
        for row in range(node, ROWS, nodes):
            with y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(1, width))
                for _ in range(START[row + 1] - START[row]):
                    with value_dfb.wait() as value_blk, x_dfb.wait() as x_blk:
                        total += value_blk @ x_blk
                y_blk.store(total)

    @ttl.datamovement()
    def write():
        for row in range(node, ROWS, nodes):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row, 0:width]).wait()


def from_torch(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
values = torch.randn(len(COLUMNS) * TILE, TILE).bfloat16()
x = torch.randn((max(COLUMNS) + 1) * TILE, 2 * TILE).bfloat16()
y = from_torch(torch.zeros(ROWS * TILE, 2 * TILE))
__block_sparse_matmul(from_torch(values), from_torch(x), y)

dense = torch.zeros(ROWS * TILE, x.shape[0], dtype=torch.float64)
for row in range(ROWS):
    for block in range(START[row], START[row + 1]):
        column = COLUMNS[block]
        dense[row * TILE :, column * TILE :][:TILE, :TILE] = values[block * TILE :][:TILE]

# One rounding to bfloat16, when y is stored; atol for sums that cancel, where float32 is what is left.
compare("block-sparse matmul", ttnn.to_torch(y), dense @ x.double(), rtol=BFLOAT16, atol=1e-4)
ttnn.close_device(device)
