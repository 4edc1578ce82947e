"""An all-reduce inside one operation: pipes between the devices of a 2 x 4 mesh.

The grid has the two extents of the mesh before those of a device, so a pipe can lead from any node of any device
to any other. Here every node sends its block to the node with the same coordinates on each of the other devices,
and adds its own and what it receives.

    (0, 0, x, y) -> (0, 1, x, y), (0, 0, x, y) -> (0, 2, x, y), ..., (1, 3, x, y) -> (1, 2, x, y)
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

MESH_ROWS, MESH_COLS = 2, 4
GRID_X, GRID_Y = 2, 2
DEVICES = MESH_ROWS * MESH_COLS

mesh_device = ttnn.open_mesh_device(ttnn.MeshShape(MESH_ROWS, MESH_COLS))


@ttl.operation(grid=(MESH_ROWS, MESH_COLS, GRID_X, GRID_Y))
def all_reduce(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """``y`` on every device is the sum of the ``x`` of all devices."""
    _, _, node_x, node_y = ttl.node(dims=4)

    devices = [(row, col) for row in range(MESH_ROWS) for col in range(MESH_COLS)]
    net = ttl.PipeNet(
        [
            ttl.Pipe(src=(*source, nx, ny), dst=(*destination, nx, ny))
            for nx in range(GRID_X)
            for ny in range(GRID_Y)
            for source in devices
            for destination in devices
            if source != destination
        ]
    )

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def exchange():
        # The node's own block, which it sends and adds like the others
        with x_dfb.reserve() as x_blk:
            x_xf = ttl.copy(x[node_y, node_x], x_blk)
            x_xf.wait()

            def send(pipe):
                xf = ttl.copy(x_blk, pipe)
                xf.wait()

            net.if_src(send)

        def receive(pipe):
            with x_dfb.reserve() as received_blk:
                xf = ttl.copy(pipe, received_blk)
                xf.wait()

        net.if_dst(receive)

    @ttl.compute()
    def add():
        with y_dfb.reserve() as y_blk:
            total = ttl.block.fill(0, shape=(1, 1))
            for _ in range(DEVICES):
                with x_dfb.wait() as x_blk:
                    total += x_blk
            y_blk.store(total)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            y_xf = ttl.copy(y_blk, y[node_y, node_x])
            y_xf.wait()


torch.manual_seed(0)
x = torch.randn(DEVICES * GRID_Y * 32, GRID_X * 32).bfloat16()
x_device = ttnn.from_torch(
    x,
    dtype=ttnn.bfloat16,
    layout=ttnn.TILE_LAYOUT,
    device=mesh_device,
    mesh_mapper=ttnn.ShardTensorToMesh(mesh_device, dim=0),
)
y = ttnn.from_torch(
    torch.zeros(GRID_Y * 32, GRID_X * 32),
    dtype=ttnn.bfloat16,
    layout=ttnn.TILE_LAYOUT,
    device=mesh_device,
    mesh_mapper=ttnn.ReplicateTensorToMesh(mesh_device),
)
all_reduce(x_device, y)

# All copies of the result, one after the other. One rounding to bfloat16, of the sum; atol for sums that cancel.
result = ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh_device, dim=0))
expected = torch.stack(x.double().chunk(DEVICES)).sum(dim=0).repeat(DEVICES, 1)
compare("all-reduce over pipes", result, expected, rtol=BFLOAT16, atol=1e-6)
ttnn.close_mesh_device(mesh_device)
