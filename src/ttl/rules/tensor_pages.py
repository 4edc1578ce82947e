"""Tensors in pages: the size of a page, the number of pages in a shard, and the bytes of a tensor in L1 on a node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from ttl.arch import Chip
from ttl.rows.dtypes import DType
from ttl.rows.types import TILE, Layout


def page_bytes(shape: Sequence[int], dtype: DType, layout: Layout, shard: Sequence[int] | None) -> int:
    """Bytes of one page: a tile, or a row of the tensor or of its shards. Shapes are in elements."""
    if layout is Layout.TILE:
        return dtype.tile_bytes
    return (shape if shard is None else shard)[-1] * dtype.element_bytes


def in_pages(
    shape: Sequence[int], layout: Layout, shard: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Extents of tensor and shard in pages, with as many dimensions as the shard has."""
    whole = tuple(shape)
    if layout is Layout.TILE:
        whole = (*whole[:-2], *(-(-extent // TILE) * TILE for extent in whole[-2:]))
    leading = len(whole) - len(shard) + 1
    tensor = (prod(whole[:leading]), *whole[leading:])
    unit = (TILE, TILE) if layout is Layout.TILE else (1, shard[-1])
    units = (*(1 for _ in shard[:-2]), *unit[-len(shard) :])
    return _divided(tensor, units), _divided(shard, units)


def shard_holders(
    spread: str,
    shape: Sequence[int],
    shard: Sequence[int],
    rectangles: Iterable[tuple[int, int, int, int]],
    *,
    by_rows: bool,
) -> list[tuple[int, int]]:
    """The nodes that may hold shards, in the order in which they get them.

    ``rectangles`` are (column, row, columns, rows).
    """
    holders: list[tuple[int, int]] = []
    for x, y, columns, rows in rectangles:
        if spread == "block_sharded":
            down, across = -(-prod(shape[:-1]) // shard[0]), -(-shape[-1] // shard[1])
            columns, rows = min(columns, across if by_rows else down), min(rows, down if by_rows else across)
        if by_rows:
            holders += [(x + column, y + row) for row in range(rows) for column in range(columns)]
        else:
            holders += [(x + column, y + row) for column in range(columns) for row in range(rows)]
    return holders


def l1_bytes(
    shape: Sequence[int],
    dtype: DType,
    layout: Layout,
    shard: Sequence[int] | None,
    holders: int,
    chip: Chip,
) -> int:
    """Return the bytes that a tensor in L1 takes on every node. The tensor begins at the same address on each node.

    ``holders`` is the number of nodes with shards; without a ``shard`` the pages are distributed over all nodes of the
    chip.
    """
    page = page_bytes(shape, dtype, layout, shard)
    aligned = -(-page // chip.l1_alignment) * chip.l1_alignment
    if shard is None:
        rows = (1,) * (2 - len(shape)) + tuple(shape)
        unit = (TILE, TILE) if layout is Layout.TILE else (1, rows[-1] or 1)
        pages = prod(rows[:-2]) * prod(_divided(rows[-2:], unit))
        return -(-pages // chip.nodes) * aligned
    tensor, part = in_pages(shape, layout, shard)
    shards = prod(_divided(tensor, part))
    return -(-shards // max(holders, 1)) * prod(part) * aligned


def _divided(extents: Sequence[int], units: Sequence[int]) -> tuple[int, ...]:
    return tuple(-(-extent // unit) for extent, unit in zip(extents, units, strict=True))
