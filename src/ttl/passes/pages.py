"""How blocks lie in circular buffers: in pages of one tile each."""

from __future__ import annotations

from math import prod

from ttl.ops.types import TILE, BlockType, Layout

_ELEMENTS = TILE * TILE


def block_pages(block: BlockType) -> int:
    """Pages of a block: its tiles; of a row-major one as many tiles as its elements fill, the last one partly."""
    count = prod(block.shape)
    return count if block.layout is Layout.TILE else -(-count // _ELEMENTS)


def buffer_bytes(block: BlockType, block_count: int) -> int:
    """What a buffer of blocks takes of L1."""
    return block_pages(block) * block.dtype.tile_bytes * block_count
