"""Specification, "Tensor slice": blocks of g x 1 tiles from the columns a node is responsible for.

The columns of tiles need not be divisible by the number of nodes: the last nodes have fewer, or none.
"""

import math

import torch
import ttl
import ttnn

from checking import compare

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(4, 2))
def relu(A: ttnn.Tensor, Y: ttnn.Tensor) -> None:
    g = 2  # granularity
    a_dfb = ttl.make_dataflow_buffer_like(A, shape=(g, 1))
    y_dfb = ttl.make_dataflow_buffer_like(Y, shape=(g, 1))

    row_tiles = A.shape[0] // ttl.TILE_SHAPE[0]
    col_tiles = A.shape[1] // ttl.TILE_SHAPE[1]
    cols_per_node = math.ceil(col_tiles / (ttl.grid_size(dims=1)))

    node_num = ttl.node(dims=1)
    start_ct = node_num * cols_per_node
    end_ct = min(start_ct + cols_per_node, col_tiles)

    @ttl.datamovement()
    def dm():
        for ct in range(start_ct, end_ct):
            for rt in range(row_tiles // g):
                # acquire a_blk from a_dfb:

                with a_dfb.reserve() as a_blk:
                    # then copy from a tensor slice of matching shape:

                    row_slice = slice(rt * g, (rt + 1) * g)  # explicit row slice
                    a_xf = ttl.copy(
                        A[row_slice, ct : ct + 1],  # in-line col slice
                        a_blk,
                    )
                    a_xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(start_ct, end_ct):
            for _ in range(row_tiles // g):
                with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(ttl.math.relu(a_blk))

    @ttl.datamovement()
    def write():
        for ct in range(start_ct, end_ct):
            for rt in range(row_tiles // g):
                with y_dfb.wait() as y_blk:
                    y_xf = ttl.copy(y_blk, Y[rt * g : (rt + 1) * g, ct : ct + 1])
                    y_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a = torch.randn(4 * 32, 11 * 32).bfloat16()  # 11 columns of tiles: 2 for five nodes, 1 for one, none for two
y = to_device(torch.zeros_like(a))
relu(to_device(a), y)

compare("tensor slice", ttnn.to_torch(y), a.relu())  # relu rounds nothing
ttnn.close_device(device)
