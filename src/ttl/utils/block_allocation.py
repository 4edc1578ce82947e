"""The division of a matrix, or of any number of units of work, among a grid of nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

from ttl.host.cores import CoreCoord
from ttl.host.cores import split_work_to_cores as _split

__all__ = ["BlockMatmulParams", "get_large_matmul_params", "split_work_to_cores", "split_work_to_nodes"]

# The most tiles in L1 for a block of the result and two blocks of each operand.
_MOST_TILES = 400
# Tiles of a subblock, which the registers hold.
_SUBBLOCK_TILES = 8


class BlockMatmulParams(NamedTuple):
    """Sizes in tiles of the block of the result that a node computes, and of its subblocks."""

    block_h: int
    block_w: int
    subblock_h: int
    subblock_w: int


def get_large_matmul_params(
    Mt: int, Nt: int, num_cores_y: int, num_cores_x: int, in0_block_w: int = 1
) -> BlockMatmulParams:
    """Return blocks for a product of ``Mt`` by ``Nt`` tiles on a grid.

    ``block_h`` divides ``Mt`` into at most ``num_cores_y`` parts and ``block_w`` ``Nt`` into at most ``num_cores_x``,
    so that a block of the result and two of each operand, ``in0_block_w`` tiles deep, fit into L1. All are 0 if no
    block fits.
    """
    best: tuple[int, int, int] | None = None
    for height in _divisors(Mt):
        if Mt // height > num_cores_y:
            continue
        for width in _divisors(Nt):
            if Nt // width > num_cores_x:
                continue
            if height * width + 2 * in0_block_w * (height + width) > _MOST_TILES:
                continue
            # Prefer as many nodes as possible; then blocks that are nearly square, which need the fewest reads.
            key = (height * width, height + width, height)
            best = key if best is None or key < best else best
    if best is None:
        return BlockMatmulParams(0, 0, 0, 0)
    height = best[2]
    width = best[0] // height
    rows, columns = max(
        ((h, w) for h in _divisors(height) for w in _divisors(width) if h * w <= _SUBBLOCK_TILES),
        key=lambda item: (item[0] * item[1], item[1]),
    )
    return BlockMatmulParams(height, width, rows, columns)


def split_work_to_cores(grid_size: Any, units_to_divide: int, row_wise: bool = False) -> Any:
    """``ttnn.split_work_to_cores``; the grid may also be a pair of extents (x, y)."""
    grid = (
        CoreCoord(*grid_size)
        if isinstance(grid_size, tuple) and not isinstance(grid_size, CoreCoord)
        else grid_size
    )
    return _split(grid, units_to_divide, row_wise)


def split_work_to_nodes(nodes: int, units: int) -> list[tuple[int, int]]:
    """Return first unit and number of units of each node; with a remainder, the first nodes have one more."""
    least, more = divmod(units, nodes)
    starts = [node * least + min(node, more) for node in range(nodes)]
    return [(start, least + (node < more)) for node, start in enumerate(starts)]


def _divisors(number: int) -> list[int]:
    return [item for item in range(1, number + 1) if number % item == 0]
