"""Specification, "Grid size function" and "Node function": any number of dimensions of one grid.

Fewer dimensions than the grid has: the last ones are flattened into one. More: sizes are padded by 1,
coordinates by 0. Every node writes its coordinates to tensors, one tile per node; numbers to write come from
a tensor of which tile n is filled with n.
"""

import torch
import ttl
import ttnn

from checking import compare

GRID = (8, 8)
NODES = 64

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=GRID)
def coordinates(numbers: ttnn.Tensor, node: ttnn.Tensor, size: ttnn.Tensor) -> None:
    """Row n of tiles of ``node`` and ``size`` belongs to node n; columns are the values with 1, 2 (2) and 3 (3) dimensions."""
    # for (8, 8) single chip or SPMD grid gets x = [0, 64)
    n = ttl.node(dims=1)

    # for (8, 8) single chip or SPMD grid gets x = [0, 8), y = [0, 8), z = 0
    node_values = (n, *ttl.node(dims=2), *ttl.node(dims=3))

    # for (8, 8) single chip or SPMD grid gets 64, (8, 8) and (8, 8, 1)
    size_values = (ttl.grid_size(dims=1), *ttl.grid_size(dims=2), *ttl.grid_size(dims=3))

    dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for value in (*node_values, *size_values):
            with dfb.reserve() as blk:
                xf = ttl.copy(numbers[0, value], blk)
                xf.wait()

    @ttl.datamovement()
    def write():
        for column in range(len(node_values)):
            with dfb.wait() as blk:
                xf = ttl.copy(blk, node[n, column])
                xf.wait()
        for column in range(len(size_values)):
            with dfb.wait() as blk:
                xf = ttl.copy(blk, size[n, column])
                xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def in_tiles(values: torch.Tensor) -> torch.Tensor:
    """Each value fills a tile."""
    return values.float().repeat_interleave(32, dim=0).repeat_interleave(32, dim=1)


node = to_device(torch.zeros(NODES * 32, 6 * 32))
size = to_device(torch.zeros(NODES * 32, 6 * 32))
coordinates(to_device(in_tiles(torch.arange(NODES + 1)[None])), node, size)

# Small integers are exact in bfloat16.
expected = [(n, n // 8, n % 8, n // 8, n % 8, 0) for n in range(NODES)]
compare("node", ttnn.to_torch(node), in_tiles(torch.tensor(expected)))
compare("grid size", ttnn.to_torch(size), in_tiles(torch.tensor([(64, 8, 8, 8, 8, 1)] * NODES)))
ttnn.close_device(device)
