"""Data parallel on a mesh of 2 x 4 devices: the batch is split, the weights are on every device.

The operation has a grid of nodes of one device and runs once on each (SPMD). It sees the part of the tensors
its device holds, and needs to know nothing of the mesh.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

BATCH, FEATURES_IN, FEATURES_OUT = 1024, 256, 128

mesh_device = ttnn.open_mesh_device(ttnn.MeshShape(2, 4))


@ttl.operation(grid=(4, 1))
def __linear_gelu(x: ttnn.Tensor, weight: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """``y = gelu(x @ weight)`` for the rows of this device, a row of tiles at a time."""
    row_tiles = x.shape[0] // ttl.TILE_SHAPE[0]
    in_tiles = x.shape[1] // ttl.TILE_SHAPE[1]
    out_tiles = weight.shape[1] // ttl.TILE_SHAPE[1]
    own_rows = range(ttl.node(dims=1), row_tiles, ttl.grid_size(dims=1))

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, in_tiles))
    weight_dfb = ttl.make_dataflow_buffer_like(weight, shape=(in_tiles, out_tiles), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, out_tiles))

    @ttl.datamovement()
    def read():
        with weight_dfb.reserve() as weight_blk:
            weight_xf = ttl.copy(weight[:, :], weight_blk)
            weight_xf.wait()
        for row in own_rows:
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, :], x_blk)
                x_xf.wait()

    @ttl.compute()
    def compute():
        with weight_dfb.wait() as weight_blk:
            for _ in own_rows:
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(ttl.math.gelu(x_blk @ weight_blk))

    @ttl.datamovement()
    def write():
        for row in own_rows:
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, :])
                y_xf.wait()


def split_batch(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(
        tensor,
        dtype=ttnn.bfloat16,
        layout=ttnn.TILE_LAYOUT,
        device=mesh_device,
        mesh_mapper=ttnn.ShardTensorToMesh(mesh_device, dim=0),
    )


def on_every_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(
        tensor,
        dtype=ttnn.bfloat16,
        layout=ttnn.TILE_LAYOUT,
        device=mesh_device,
        mesh_mapper=ttnn.ReplicateTensorToMesh(mesh_device),
    )


torch.manual_seed(0)
x = torch.randn(BATCH, FEATURES_IN).bfloat16()
weight = (torch.randn(FEATURES_IN, FEATURES_OUT) / FEATURES_IN**0.5).bfloat16()
y = split_batch(torch.zeros(BATCH, FEATURES_OUT))
__linear_gelu(split_batch(x), on_every_device(weight), y)

# One rounding to bfloat16, when y is stored; atol where gelu is close to zero, where float32 is what is left.
result = ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh_device, dim=0))
expected = torch.nn.functional.gelu(x.double() @ weight.double())
compare("data parallel on 2 x 4 devices", result, expected, rtol=1.01 * BFLOAT16, atol=1e-5)
ttnn.close_mesh_device(mesh_device)
