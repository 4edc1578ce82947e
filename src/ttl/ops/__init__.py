"""Operations ready to use: each ``make_<name>(sizes, grid, blocks)`` makes one, for tensors of these sizes.

The operation is launched with tensors, or called in another one. Its ``stage`` does the same over dataflow buffers, to be
composed without a detour through DRAM, and ``reference`` is the same over arrays of NumPy.
"""

from ttl.ops.attention import (
    causal_mask,
    length_mask,
    make_flash_attention,
    make_flash_decode,
    make_kv_append,
    tile_rows,
)
from ttl.ops.elementwise import make_elementwise
from ttl.ops.gathering import make_embedding_gather
from ttl.ops.products import make_gemv, make_matmul, make_swiglu
from ttl.ops.rows import make_layernorm, make_rmsnorm, make_rope, make_softmax, rope_rotation
from ttl.ops.selection import column_numbers, make_argmax, make_moe_router, make_topk

__all__ = [
    "causal_mask",
    "column_numbers",
    "length_mask",
    "make_argmax",
    "make_elementwise",
    "make_embedding_gather",
    "make_flash_attention",
    "make_flash_decode",
    "make_gemv",
    "make_kv_append",
    "make_layernorm",
    "make_matmul",
    "make_moe_router",
    "make_rmsnorm",
    "make_rope",
    "make_softmax",
    "make_swiglu",
    "make_topk",
    "rope_rotation",
    "tile_rows",
]
