"""The legal layouts of a result, in the order of the real optimizer.

First DRAM, interleaved over the grid of all cores, then L1, interleaved; then shards in L1: blocks, rows and columns of
tiles that divide the tensor, the most cores first. Layouts that the chip cannot hold or the operation cannot make are
left out (``legality``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from tt_model.layouts.elements import TILE_SHAPE, tile_of
from tt_model.layouts.enums import BufferType, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout
from tt_model.layouts.values import LayoutError, ceil_div, volume
from ttmlir.transforms.optimizer.chip import TargetChip

ItemT = TypeVar("ItemT")
Shape = tuple[int, ...]
# Ranges of at most this many items are sorted by insertion, which keeps the order of equal items.
_INSERTION = 16


def interleaved(current: TTNNLayout, shape: Shape, chip: TargetChip, buffer_type: BufferType) -> TTNNLayout:
    """Return the layout of a tensor whose pages are distributed over the banks of DRAM or of L1."""
    layout = current.with_grid(shape, chip.largest_grid).with_buffer_type(buffer_type)
    return layout.with_memory_layout(TensorMemoryLayout.Interleaved)


def sharded(
    current: TTNNLayout, shape: Shape, grid: tuple[int, ...], memory_layout: TensorMemoryLayout
) -> TTNNLayout:
    """Return the layout in shards of L1, which are whole tiles even if the current layout is in rows."""
    layout = current.with_grid(shape, grid)
    return (
        layout.with_element(tile_of(layout.element))
        .with_buffer_type(BufferType.L1)
        .with_memory_layout(memory_layout)
    )


def tiles_of_matrix(shape: Shape) -> tuple[int, int]:
    """Rows and columns of tiles of the last two dimensions; a tensor of one dimension is a row."""
    rows, columns = TILE_SHAPE
    height = ceil_div(shape[-2], rows) if len(shape) > 1 else 1
    return height, ceil_div(shape[-1], columns)


def grids(chip: TargetChip) -> Iterator[tuple[TensorMemoryLayout, int, int]]:
    """All grids of shards, in the order in which they are generated: blocks, then columns, then rows of cores."""
    for rows in range(1, chip.rows + 1):
        for columns in range(1, chip.columns + 1):
            yield TensorMemoryLayout.BlockSharded, rows, columns
    for height in range(1, chip.cores + 1):
        yield TensorMemoryLayout.HeightSharded, height, 1
    for width in range(1, chip.cores + 1):
        yield TensorMemoryLayout.WidthSharded, 1, width


@lru_cache(maxsize=1024)
def dividing_grids(
    height: int, width: int, chip: TargetChip
) -> tuple[tuple[TensorMemoryLayout, int, int], ...]:
    """The grids that divide ``height`` rows and ``width`` columns of tiles evenly, those with the most cores first.

    Grids with the same number of cores are in the order in which the C++ library's sort leaves them.
    """
    fitting = [
        (layout, rows, columns)
        for layout, rows, columns in grids(chip)
        if height % rows == 0 and width % columns == 0
    ]
    return tuple(introsorted(fitting, lambda one, other: one[1] * one[2] > other[1] * other[2]))


def holds_whole_tiles(shape: Shape) -> bool:
    """Whether a tensor collapses to a matrix of whole tiles: in memory, each matrix of a stack has its own padding."""
    return len(shape) < 3 or shape[-2] % TILE_SHAPE[0] == 0 or volume(shape[:-2]) == 1


def divides_evenly(shape: Shape, layout: TTNNLayout) -> bool:
    """Whether the shards of a tensor are whole tiles, the same number on every core."""
    height, width = tiles_of_matrix(shape)
    rows, columns = layout.grid.shape[-2:]
    return holds_whole_tiles(shape) and height * volume(shape[:-2]) % rows == 0 and width % columns == 0


@lru_cache(maxsize=1024)
def sharded_candidates(
    current: TTNNLayout, shape: Shape, chip: TargetChip, most: int
) -> tuple[TTNNLayout, ...]:
    """Return the sharded layouts of a tensor, of the first ``most`` grids those for which the chip has cores.

    Empty for elements without a data type, and for a tensor that does not collapse to whole tiles.
    """
    if not holds_whole_tiles(shape):
        return ()
    height, width = tiles_of_matrix(shape)
    placed = [
        (memory_layout, chip.of_rank(rows, columns))
        for memory_layout, rows, columns in dividing_grids(height, width, chip)[:most]
    ]
    try:
        return tuple(
            sharded(current, shape, grid, memory_layout)
            for memory_layout, grid in placed
            if chip.has_cores_for(grid)
        )
    except LayoutError:
        return ()


def introsorted(items: Sequence[ItemT], before: Callable[[ItemT, ItemT], bool]) -> list[ItemT]:
    """Sort items as ``std::sort`` of libstdc++ does, with the same order of equal items.

    Ranges of more than 16 items are partitioned around a median of three, the remaining ranges are sorted by insertion.
    """
    result = list(items)
    _partition_ranges(result, 0, len(result), before)
    _sort_by_insertion(result, before)
    return result


def _partition_ranges(
    items: list[ItemT], first: int, last: int, before: Callable[[ItemT, ItemT], bool]
) -> None:
    while last - first > _INSERTION:
        middle = _median(items, first + 1, first + (last - first) // 2, last - 1, before)
        items[first], items[middle] = items[middle], items[first]
        cut = _partitioned(items, first + 1, last, items[first], before)
        _partition_ranges(items, cut, last, before)
        last = cut


def _median(
    items: list[ItemT], one: int, two: int, three: int, before: Callable[[ItemT, ItemT], bool]
) -> int:
    """Return which of three places has the middle item."""
    if before(items[one], items[two]):
        if before(items[two], items[three]):
            return two
        return three if before(items[one], items[three]) else one
    if before(items[one], items[three]):
        return one
    return three if before(items[two], items[three]) else two


def _partitioned(
    items: list[ItemT], first: int, last: int, pivot: ItemT, before: Callable[[ItemT, ItemT], bool]
) -> int:
    while True:
        while before(items[first], pivot):
            first += 1
        last -= 1
        while before(pivot, items[last]):
            last -= 1
        if first >= last:
            return first
        items[first], items[last] = items[last], items[first]
        first += 1


def _sort_by_insertion(items: list[ItemT], before: Callable[[ItemT, ItemT], bool]) -> None:
    for place in range(1, len(items)):
        item = items[place]
        target = place
        if place < _INSERTION and before(item, items[0]):
            target = 0
        else:
            while before(item, items[target - 1]):
                target -= 1
        items.insert(target, items.pop(place))
