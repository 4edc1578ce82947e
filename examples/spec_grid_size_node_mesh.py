"""Specification, "Grid size function" and "Node function" on eight devices: a grid of (8, 8, 8).

The extents before the last two are those of the mesh, so this grid has 512 nodes on 8 devices. A tensor of the
mesh means, on every node, the part that the node's device holds. Every node writes its coordinates to its own
row of tiles; numbers to write come from a tensor of which tile n is filled with n.
"""

import torch
import ttl
import ttnn

from checking import compare

DEVICES = 8
NODES_OF_DEVICE = 64

mesh_device = ttnn.open_mesh_device(ttnn.MeshShape(1, DEVICES))


@ttl.operation(grid=(8, 8, 8))
def coordinates(numbers: ttnn.Tensor, node: ttnn.Tensor, size: ttnn.Tensor) -> None:
    """A row of tiles of ``node`` and ``size`` for each node; columns are the values with 1, 2 (2) and 3 (3) dimensions."""
    # for (8, 8, 8) multi-chip grid gets x = [0, 8), y = [0, 64)
    node_values = (ttl.node(dims=1), *ttl.node(dims=2), *ttl.node(dims=3))

    # for (8, 8, 8) multi-chip grid gets 512, (8, 64) and (8, 8, 8)
    size_values = (ttl.grid_size(dims=1), *ttl.grid_size(dims=2), *ttl.grid_size(dims=3))

    _, node_of_device = ttl.node(dims=2)

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
                xf = ttl.copy(blk, node[node_of_device, column])
                xf.wait()
        for column in range(len(size_values)):
            with dfb.wait() as blk:
                xf = ttl.copy(blk, size[node_of_device, column])
                xf.wait()


def on_every_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(
        tensor,
        dtype=ttnn.float32,
        layout=ttnn.TILE_LAYOUT,
        device=mesh_device,
        mesh_mapper=ttnn.ReplicateTensorToMesh(mesh_device),
    )


def all_devices(tensor: ttnn.Tensor) -> torch.Tensor:
    return ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(mesh_device, dim=0))


def in_tiles(values: torch.Tensor) -> torch.Tensor:
    """Each value fills a tile."""
    return values.float().repeat_interleave(32, dim=0).repeat_interleave(32, dim=1)


numbers = on_every_device(in_tiles(torch.arange(DEVICES * NODES_OF_DEVICE + 1)[None]))
node = on_every_device(torch.zeros(NODES_OF_DEVICE * 32, 6 * 32))
size = on_every_device(torch.zeros(NODES_OF_DEVICE * 32, 6 * 32))
coordinates(numbers, node, size)

# Whole numbers are exact in float32.
expected = [(n, n // 64, n % 64, n // 64, n // 8 % 8, n % 8) for n in range(DEVICES * NODES_OF_DEVICE)]
compare("node", all_devices(node), in_tiles(torch.tensor(expected)))
compare("grid size", all_devices(size), in_tiles(torch.tensor([(512, 8, 64, 8, 8, 8)] * len(expected))))
ttnn.close_mesh_device(mesh_device)
