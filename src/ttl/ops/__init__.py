"""Operations ready to use: each ``make_<name>(sizes, grid, blocks)`` makes one, for tensors of these sizes.

The operation is launched with tensors, or called in another one. Its ``stage`` does the same over dataflow buffers, so that
operations can be composed without going through DRAM. Its ``reference`` does the same over arrays of NumPy.
"""

from ttl.ops.attention import (
    causal_mask,
    length_mask,
    make_flash_attention,
    make_flash_decode,
    make_kv_append,
    tile_rows,
)
from ttl.ops.chips import ChipRings, chip_rings, part_behind
from ttl.ops.collectives import (
    make_all_gather,
    make_all_reduce,
    make_all_to_all,
    make_broadcast,
    make_halo_exchange,
    make_reduce_scatter,
)
from ttl.ops.elementwise import make_elementwise
from ttl.ops.gathering import make_embedding_gather
from ttl.ops.products import make_gemv, make_matmul, make_swiglu
from ttl.ops.rows import make_layernorm, make_rmsnorm, make_rope, make_softmax, rope_rotation
from ttl.ops.selection import column_numbers, make_argmax, make_moe_router, make_topk

__all__ = [
    "ChipRings",
    "causal_mask",
    "chip_rings",
    "column_numbers",
    "length_mask",
    "make_all_gather",
    "make_all_reduce",
    "make_all_to_all",
    "make_argmax",
    "make_broadcast",
    "make_elementwise",
    "make_embedding_gather",
    "make_flash_attention",
    "make_flash_decode",
    "make_gemv",
    "make_halo_exchange",
    "make_kv_append",
    "make_layernorm",
    "make_matmul",
    "make_moe_router",
    "make_reduce_scatter",
    "make_rmsnorm",
    "make_rope",
    "make_softmax",
    "make_swiglu",
    "make_topk",
    "part_behind",
    "rope_rotation",
    "tile_rows",
]
