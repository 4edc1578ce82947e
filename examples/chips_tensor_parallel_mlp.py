"""Two layers split over chips, the first by columns and the second by rows: `y = relu(x @ w1) @ w2`.

Every chip has all of `x`, a part of the columns of `w1` and the same part of the rows of `w2`: what it computes of `y` is a
part of a sum. The sums go around the ring of chips, block by block (a reduce-scatter), while each chip computes what it adds to
the next one; then the blocks go around once more (an all-gather, the stage of `ttl.ops`), so that every chip has all of `y`.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

ROWS, MODEL, HIDDEN = 256, 64, 128  # of x, its columns, and the hidden columns of one chip
GRID_X, GRID_Y = 2, 1


def make_mlp(mesh_rows: int, mesh_columns: int) -> ttl.Operation:
    """The operation for a mesh of chips; called with `x` and `w1`, `w2` in parts, and `y` on every chip."""
    grid = (mesh_rows, mesh_columns, GRID_X, GRID_Y)
    rings = ttl.ops.chip_rings(grid)
    chips = rings.size
    model, hidden = MODEL // 32, HIDDEN // 32
    blocks = ROWS // 32 // chips  # of the part of y that a chip sums up, of one row of tiles
    net = rings.net(blocks)
    gather = ttl.ops.make_all_gather((ROWS // chips, MODEL), grid, (1, model))

    @ttl.operation(grid=grid)
    def mlp(x: ttnn.Tensor, w1: ttnn.Tensor, w2: ttnn.Tensor, y: ttnn.Tensor) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, model), block_count=chips)
        w1_dfb = ttl.make_dataflow_buffer_like(w1, shape=(model, hidden), block_count=1)
        w2_dfb = ttl.make_dataflow_buffer_like(w2, shape=(hidden, model), block_count=1)
        hidden_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, hidden))
        partial_dfb = ttl.make_dfb(ttnn.float32, shape=(1, model))
        sent_dfb = ttl.make_dfb(ttnn.float32, shape=(1, model))
        received_dfb = ttl.make_dfb(ttnn.float32, shape=(1, model))
        sum_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, model))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, model), block_count=chips)
        _, _, node = ttl.node(dims=3)

        with w1_dfb.reserve() as w1_blk, w2_dfb.reserve() as w2_blk:
            ttl.copy(w1[:, :], w1_blk).wait()
            ttl.copy(w2[:, :], w2_blk).wait()
        with w1_dfb.wait() as w1_blk, w2_dfb.wait() as w2_blk:
            for block in range(node, blocks, rings.nodes):
                for step in range(1, chips + 1):
                    with x_dfb.reserve() as x_blk:
                        ttl.copy(x[ttl.ops.part_behind(rings, step) * blocks + block, :], x_blk).wait()
                for step in range(chips):
                    # What this chip adds to the sum that is on its way here
                    with x_dfb.wait() as x_blk, hidden_dfb.reserve() as hidden_blk:
                        hidden_blk.store(ttl.math.relu(x_blk @ w1_blk))
                    with hidden_dfb.wait() as hidden_blk, partial_dfb.reserve() as partial_blk:
                        partial_blk.store(hidden_blk @ w2_blk)
                    if step > 0:
                        with received_dfb.reserve() as in_blk:
                            net.if_dst(lambda pipe: ttl.copy(pipe, in_blk).wait())
                    if step == 0:
                        with partial_dfb.wait() as partial_blk, sent_dfb.reserve() as sent_blk:
                            sent_blk.store(partial_blk)
                    elif step < chips - 1:
                        with (
                            partial_dfb.wait() as partial_blk,
                            received_dfb.wait() as in_blk,
                            sent_dfb.reserve() as sent_blk,
                        ):
                            sent_blk.store(in_blk + partial_blk)
                    else:
                        with (
                            partial_dfb.wait() as partial_blk,
                            received_dfb.wait() as in_blk,
                            sum_dfb.reserve() as sum_blk,
                        ):
                            sum_blk.store(in_blk + partial_blk)
                    if step < chips - 1:
                        with sent_dfb.wait() as sent_blk:
                            net.if_src(lambda pipe: ttl.copy(sent_blk, pipe).wait())
                own = ttl.ops.part_behind(rings, 0)
                with sum_dfb.wait() as sum_blk:
                    ttl.copy(sum_blk, y[own * blocks + block, :]).wait()
                gather.stage(y, y_dfb, block, own)
                for step in range(chips):
                    with y_dfb.wait() as y_blk:
                        ttl.copy(y_blk, y[ttl.ops.part_behind(rings, step) * blocks + block, :]).wait()

    return mlp


def main(mesh_rows: int, mesh_columns: int) -> None:
    """Run it on a mesh, and compare what every chip has."""
    chips = mesh_rows * mesh_columns
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(mesh_rows, mesh_columns))

    def on_mesh(tensor: torch.Tensor, mapper: object) -> ttnn.Tensor:
        return ttnn.from_torch(
            tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper
        )

    x = torch.randn(ROWS, MODEL).bfloat16()
    w1 = (torch.randn(MODEL, chips * HIDDEN) / 8).bfloat16()
    w2 = (torch.randn(chips * HIDDEN, MODEL) / 8).bfloat16()
    y = on_mesh(torch.zeros(ROWS, MODEL), ttnn.ReplicateTensorToMesh(mesh))
    make_mlp(mesh_rows, mesh_columns)(
        on_mesh(x, ttnn.ReplicateTensorToMesh(mesh)),
        on_mesh(w1, ttnn.ShardTensorToMesh(mesh, dim=1)),
        on_mesh(w2, ttnn.ShardTensorToMesh(mesh, dim=0)),
        y,
    )
    result = ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
    hidden = torch.relu(x.double() @ w1.double()).bfloat16().double()
    expected = (hidden @ w2.double()).repeat(chips, 1)
    # One rounding to bfloat16 of the sum, which is of float32 until then. Hidden numbers beside the middle between two of
    # bfloat16 may be rounded the other way: atol.
    compare(f"tensor-parallel MLP on {chips} chips", result, expected, rtol=BFLOAT16, atol=4e-3)
    ttnn.close_mesh_device(mesh)


torch.manual_seed(0)
main(1, 2)
main(2, 2)
