"""Ring attention: queries stay, keys and values go around the chips.

Every chip has a part of the sequence: its queries, keys and values. A node takes a head of the chip. It keeps a block of
queries, with the largest score and the sum of weights so far, while keys and values go from chip to chip, each
multiplied where it passes: what is sent is hidden behind what is computed, and no chip ever has the whole sequence. The mathematics
is the stage of `ttl.ops.make_flash_attention`, which does not know of chips. (Liu et al., "Ring Attention with Blockwise
Transformers for Near-Infinite Context", 2023.)
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

HEADS, SEQUENCE, HEAD_DIM = 4, 64, 64  # of a chip: all heads, a part of the sequence
GRID_X, GRID_Y = 2, 2


def make_ring_attention(mesh_rows: int, mesh_columns: int) -> ttl.Operation:
    """The operation for a mesh of chips; called with `q`, `k`, `v` and `o` of (HEADS, SEQUENCE, HEAD_DIM) on every chip."""
    grid = (mesh_rows, mesh_columns, GRID_X, GRID_Y)
    rings = ttl.ops.chip_rings(grid)
    chips = rings.size
    rows, width = SEQUENCE // 32, HEAD_DIM // 32
    k_net, v_net = rings.net(HEADS), rings.net(HEADS)
    attention = ttl.ops.make_flash_attention(
        (HEADS, SEQUENCE, chips * SEQUENCE, HEAD_DIM), (GRID_X, GRID_Y), (rows, rows)
    )

    @ttl.operation(grid=grid)
    def ring_attention(q: ttnn.Tensor, k: ttnn.Tensor, v: ttnn.Tensor, o: ttnn.Tensor) -> None:
        q_dfb, k_dfb, v_dfb, o_dfb = (
            ttl.make_dataflow_buffer_like(tensor, shape=(rows, width)) for tensor in (q, k, v, o)
        )
        _, _, node = ttl.node(dims=3)

        for head in range(node, HEADS, rings.nodes):
            with q_dfb.reserve() as q_blk:
                ttl.copy(q[head, :, :], q_blk).wait()
            for step in range(chips):
                with k_dfb.reserve() as k_blk, v_dfb.reserve() as v_blk:
                    if step == 0:
                        ttl.copy(k[head, :, :], k_blk).wait()
                        ttl.copy(v[head, :, :], v_blk).wait()
                    else:
                        k_net.if_dst(lambda pipe: ttl.copy(pipe, k_blk).wait())
                        v_net.if_dst(lambda pipe: ttl.copy(pipe, v_blk).wait())
                    if step < chips - 1:
                        k_net.if_src(lambda pipe: ttl.copy(k_blk, pipe).wait())
                        v_net.if_src(lambda pipe: ttl.copy(v_blk, pipe).wait())
            attention.stage(q_dfb, k_dfb, v_dfb, o_dfb, chips)
            with o_dfb.wait() as o_blk:
                ttl.copy(o_blk, o[head, :, :]).wait()

    return ring_attention


def main(mesh_rows: int, mesh_columns: int) -> None:
    """Run it on a mesh, and compare what every chip has."""
    chips = mesh_rows * mesh_columns
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(mesh_rows, mesh_columns))
    q, k, v = (torch.randn(HEADS, chips * SEQUENCE, HEAD_DIM).bfloat16() for _ in range(3))
    on_mesh = [
        ttnn.from_torch(
            tensor,
            dtype=ttnn.bfloat16,
            layout=ttnn.TILE_LAYOUT,
            device=mesh,
            mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=1),
        )
        for tensor in (q, k, v, torch.zeros_like(q))
    ]
    make_ring_attention(mesh_rows, mesh_columns)(*on_mesh)
    result = ttnn.to_torch(on_mesh[3], mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=1))
    expected = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double())
    # One rounding to bfloat16, of the quotient; atol for sums that cancel.
    compare(f"ring attention on {chips} chips", result, expected, rtol=BFLOAT16, atol=1e-4)
    ttnn.close_mesh_device(mesh)


torch.manual_seed(0)
main(1, 2)
main(2, 2)
