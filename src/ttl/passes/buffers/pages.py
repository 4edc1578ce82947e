"""How blocks lie in circular buffers: in pages of one tile each."""

from __future__ import annotations

from math import prod

from ttl.dialects import ttl as dialect
from ttl.ops.types import TILE, BlockType, Layout

_ELEMENTS = TILE * TILE


def block_pages(block: BlockType) -> int:
    """Pages of a block: its tiles; of a row-major one as many tiles as its elements fill, the last one partly."""
    count = prod(block.shape)
    return count if block.layout is Layout.TILE else -(-count // _ELEMENTS)


def bytes_of(dfb: dialect.CreateDfbOp) -> int:
    """What a buffer takes of L1, where it shares nobody's."""
    type_ = dfb.result.type
    return block_pages(type_.block_type) * type_.block_type.dtype.tile_bytes * type_.block_count
