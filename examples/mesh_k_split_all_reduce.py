"""A matrix multiplication split along K on a mesh of 2 x 4 devices, summed by TT-NN's all-reduce.

Each device has an eighth of the columns of ``a`` and of the rows of ``b``; its product of these is a partial
sum of the whole result. The all-reduce adds the eight and leaves the result on every device.
"""

import torch
import ttl
import ttnn

from checking import compare

M, K, N = 128, 1024, 192
DEVICES = 8
M_BLOCK_SIZE, N_BLOCK_SIZE = 1, 2  # in tiles

mesh_device = ttnn.open_mesh_device(ttnn.MeshShape(2, 4))


@ttl.operation(grid=(3, 4))
def matmul(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """``y = a @ b`` of what this device holds; node (x, y) computes block (y, x)."""
    node_x, node_y = ttl.node(dims=2)
    k_tiles = a.shape[1] // ttl.TILE_SHAPE[1]
    m_slice = slice(node_y * M_BLOCK_SIZE, (node_y + 1) * M_BLOCK_SIZE)
    n_slice = slice(node_x * N_BLOCK_SIZE, (node_x + 1) * N_BLOCK_SIZE)

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(M_BLOCK_SIZE, k_tiles))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(k_tiles, N_BLOCK_SIZE))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(M_BLOCK_SIZE, N_BLOCK_SIZE))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
            a_xf = ttl.copy(a[m_slice, :], a_blk)
            b_xf = ttl.copy(b[:, n_slice], b_blk)
            a_xf.wait()
            b_xf.wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
            y_blk.store(a_blk @ b_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            y_xf = ttl.copy(y_blk, y[m_slice, n_slice])
            y_xf.wait()


def to_mesh(tensor: torch.Tensor, dtype: ttnn.DataType, mesh_mapper: object) -> ttnn.Tensor:
    return ttnn.from_torch(
        tensor, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=mesh_device, mesh_mapper=mesh_mapper
    )


torch.manual_seed(0)
a = torch.randn(M, K).bfloat16()
b = torch.randn(K, N).bfloat16()

a_parts = to_mesh(a, ttnn.bfloat16, ttnn.ShardTensorToMesh(mesh_device, dim=1))
b_parts = to_mesh(b, ttnn.bfloat16, ttnn.ShardTensorToMesh(mesh_device, dim=0))
partial = to_mesh(torch.zeros(M, N), ttnn.float32, ttnn.ReplicateTensorToMesh(mesh_device))
matmul(a_parts, b_parts, partial)
y = ttnn.all_reduce(partial)

# All copies of the result, one after the other. The partial sums are float32: 24 bits of numbers up to about 200.
result = ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh_device, dim=0))
expected = (a.double() @ b.double()).repeat(DEVICES, 1)
compare("K split over 2 x 4 devices", result, expected, atol=2e-4)
ttnn.close_mesh_device(mesh_device)
