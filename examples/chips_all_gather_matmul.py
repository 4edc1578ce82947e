"""A product whose rows are gathered while it is computed: `y = all_gather(a) @ b`, over the chips of a ring.

Every chip has a part of the rows of `a` and of the columns of `b`. Blocks of rows go around the ring; the first node of each
row of nodes hands them on to the next chip and multicasts them to its row, and every node multiplies them with its
columns of `b`, which stay in its memory. So the links work while the matrix units do. Even rows of nodes send around the
ring in one direction, odd ones in the other.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

ROWS, K, COLUMNS = 256, 256, 256  # of the parts of a chip
GRID_X, GRID_Y = 4, 2


def make_all_gather_matmul(mesh_rows: int, mesh_columns: int) -> ttl.Operation:
    """The operation for a mesh of chips; it is called with `a` of (ROWS, K), `b` of (K, COLUMNS) and `y` on every chip."""
    grid = (mesh_rows, mesh_columns, GRID_X, GRID_Y)
    rings = ttl.ops.chip_rings(grid)
    chips = rings.size
    k_tiles, columns, blocks = K // 32, COLUMNS // 32 // GRID_X, ROWS // 32
    ring_net = rings.net(GRID_Y)  # of the first GRID_Y nodes of a chip: those with x = 0

    @ttl.operation(grid=grid)
    def all_gather_matmul(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
        _, _, node_x, node_y = ttl.node(dims=4)
        row_net = ttl.PipeNet(
            [
                ttl.Pipe((row, column, 0, ny), (row, column, slice(1, GRID_X), ny))
                for row in range(mesh_rows)
                for column in range(mesh_columns)
                for ny in range(GRID_Y)
            ]
        )
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, k_tiles), block_count=3)
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(k_tiles, columns), block_count=1)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, columns))

        @ttl.datamovement()
        def gather():
            for block in range(node_y, blocks, GRID_Y):
                for step in range(chips):
                    with a_dfb.reserve() as a_blk:
                        if node_x == 0:
                            if step == 0:
                                ttl.copy(a[block, :], a_blk).wait()
                            else:
                                ring_net.if_dst(lambda pipe: ttl.copy(pipe, a_blk).wait())
                            if step < chips - 1:
                                ring_net.if_src(lambda pipe: ttl.copy(a_blk, pipe).wait())
                        row_net.if_src(lambda pipe: ttl.copy(a_blk, pipe).wait())
                        row_net.if_dst(lambda pipe: ttl.copy(pipe, a_blk).wait())

        @ttl.compute()
        def multiply():
            with b_dfb.wait() as b_blk:
                for _ in range(node_y, blocks, GRID_Y):
                    for _ in range(chips):
                        with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                            y_blk.store(a_blk @ b_blk)

        @ttl.datamovement()
        def write():
            own = slice(node_x * columns, (node_x + 1) * columns)
            with b_dfb.reserve() as b_blk:
                ttl.copy(b[:, own], b_blk).wait()
            for block in range(node_y, blocks, GRID_Y):
                for step in range(chips):
                    part = ttl.ops.part_behind(rings, step)  # the same for all nodes of a row: GRID_Y is even
                    with y_dfb.wait() as y_blk:
                        ttl.copy(y_blk, y[part * blocks + block, own]).wait()

    return all_gather_matmul


def main(mesh_rows: int, mesh_columns: int) -> None:
    """Run it on a mesh, and compare what every chip has."""
    chips = mesh_rows * mesh_columns
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(mesh_rows, mesh_columns))
    a, b = torch.randn(chips * ROWS, K).bfloat16(), torch.randn(K, chips * COLUMNS).bfloat16()
    y = torch.zeros(chips * ROWS, chips * COLUMNS)
    a_parts, b_parts, y_parts = (
        ttnn.from_torch(
            tensor,
            dtype=ttnn.bfloat16,
            layout=ttnn.TILE_LAYOUT,
            device=mesh,
            mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=dim),
        )
        for tensor, dim in ((a, 0), (b, 1), (y, 1))
    )
    make_all_gather_matmul(mesh_rows, mesh_columns)(a_parts, b_parts, y_parts)
    result = ttnn.to_torch(y_parts, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=1))
    # One rounding to bfloat16, of the sum; atol for sums that cancel.
    compare(f"all-gather matmul on {chips} chips", result, a.double() @ b.double(), rtol=BFLOAT16, atol=1e-4)
    ttnn.close_mesh_device(mesh)


torch.manual_seed(0)
main(1, 2)
main(2, 2)
