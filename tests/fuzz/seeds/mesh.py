"""SPMD on a mesh of 1 x 2 devices, a collective on the host, and a grid that spans the mesh."""

import torch
import ttl
import ttnn

mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))


@ttl.operation(grid=(2, 1))
def double(x, y):
    node_x, _ = ttl.node(dims=2)
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as blk:
            ttl.copy(x[0, node_x], blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(x_blk + x_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[0, node_x]).wait()


data = torch.arange(64 * 64).reshape(64, 64).float()
x = ttnn.from_torch(
    data,
    dtype=ttnn.float32,
    layout=ttnn.TILE_LAYOUT,
    device=mesh,
    mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0),
)
y = ttnn.zeros_like(x)
double(x, y)
back = ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
assert torch.equal(back, 2 * data)
total = ttnn.all_reduce(y)
gathered = ttnn.all_gather(x, dim=0)
parts = [ttnn.to_torch(part) for part in ttnn.get_device_tensors(total)]
assert torch.equal(parts[0], 2 * (data[:32] + data[32:]))
ttnn.close_mesh_device(mesh)
