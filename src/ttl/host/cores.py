"""Cores of a device and sets of them: ``CoreCoord``, ``CoreRange``, ``CoreRangeSet``, ``CoreGrid``."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ttl.diag.remedies import Rewrite
from ttl.host.calling import checked, public
from ttl.host.errors import Code, describe, fail

__all__ = (
    "CoreCoord", "CoreGrid", "CoreRange", "CoreRangeSet", "corerange_to_cores", "num_cores_to_corerangeset",
    "split_work_to_cores",
)  # fmt: skip


@checked
class CoreCoord(tuple[int, int]):
    """A core, or the extent of a grid of cores: ``x`` columns, ``y`` rows. It unpacks: ``x, y = coord``."""

    __slots__ = ()
    __match_args__ = ("x", "y")

    def __new__(cls, x: int, y: int) -> CoreCoord:
        try:
            return tuple.__new__(cls, (operator.index(x), operator.index(y)))
        except TypeError:
            fail(Code.WRONG_KIND, f"ttnn.CoreCoord takes two integers, not {describe(x)} and {describe(y)}")

    @property
    def x(self) -> int:
        """The column."""
        return self[0]

    @property
    def y(self) -> int:
        """The row."""
        return self[1]

    def __repr__(self) -> str:
        return f"CoreCoord(x={self.x}, y={self.y})"


def core(value: Any) -> CoreCoord:
    """A user's core coordinate: a ``CoreCoord`` or a pair."""
    if isinstance(value, CoreCoord):
        return value
    try:
        x, y = (operator.index(part) for part in value)
    except (TypeError, ValueError):
        fail(Code.WRONG_KIND, f"a core is ttnn.CoreCoord(x, y), not {describe(value)}")
    return CoreCoord(x, y)


@checked
@dataclass(frozen=True, init=False)
class CoreRange:
    """A rectangle of cores, both corners included."""

    start: CoreCoord
    end: CoreCoord

    def __init__(self, start: Any, end: Any) -> None:
        vars(self).update(start=core(start), end=core(end))
        if self.end.x < self.start.x or self.end.y < self.start.y or min(self.start) < 0:
            fail(
                Code.CORES,
                f"no cores from (x={self.start.x}, y={self.start.y}) to (x={self.end.x}, y={self.end.y})",
                help="give the corner with the smaller coordinates first; both corners are included",
                remedy=Rewrite(template="{function}({1}, {0})"),
            )

    def grid_size(self) -> CoreCoord:
        """Columns and rows."""
        return CoreCoord(self.end.x - self.start.x + 1, self.end.y - self.start.y + 1)

    def size(self) -> int:
        """How many cores."""
        extent = self.grid_size()
        return extent.x * extent.y

    def contains(self, other: Any) -> bool:
        """Whether a core (or a whole range) lies in it."""
        if isinstance(other, CoreRange):
            return self.contains(other.start) and self.contains(other.end)
        x, y = core(other)
        return self.start.x <= x <= self.end.x and self.start.y <= y <= self.end.y

    def _overlaps(self, other: CoreRange) -> bool:
        along_x = self.start.x <= other.end.x and other.start.x <= self.end.x
        return along_x and self.start.y <= other.end.y and other.start.y <= self.end.y

    def cores(self) -> Iterator[CoreCoord]:
        """Its cores, row by row."""
        for y in range(self.start.y, self.end.y + 1):
            for x in range(self.start.x, self.end.x + 1):
                yield CoreCoord(x, y)


@checked
@dataclass(frozen=True, init=False)
class CoreRangeSet:
    """Several rectangles of cores that do not overlap."""

    _ranges: tuple[CoreRange, ...]

    def __init__(self, ranges: Any = ()) -> None:
        items = (ranges,) if isinstance(ranges, CoreRange) else ranges
        if isinstance(items, Iterable):
            items = tuple(items)
        if not isinstance(items, tuple) or not all(isinstance(item, CoreRange) for item in items):
            fail(Code.WRONG_KIND, f"ttnn.CoreRangeSet holds ttnn.CoreRange objects, not {describe(ranges)}")
        vars(self)["_ranges"] = items
        if any(first._overlaps(second) for first, second in combinations(items, 2)):
            fail(Code.CORES, "the ranges of a ttnn.CoreRangeSet overlap", notes=(f"ranges: {list(items)}",))

    def ranges(self) -> list[CoreRange]:
        """The rectangles."""
        return list(self._ranges)

    def num_cores(self) -> int:
        """How many cores."""
        return sum(item.size() for item in self._ranges)

    def size(self) -> int:
        """How many rectangles."""
        return len(self._ranges)

    def contains(self, other: Any) -> bool:
        """Whether one of its rectangles contains a core or range."""
        return any(item.contains(other) for item in self._ranges)

    def cores(self) -> Iterator[CoreCoord]:
        """Its cores, rectangle by rectangle."""
        for item in self._ranges:
            yield from item.cores()

    def bounding_box(self) -> CoreRange:
        """The smallest rectangle around all of it."""
        if not self._ranges:
            fail(Code.CORES, "an empty ttnn.CoreRangeSet has no bounding box")
        left, top = (min(axis) for axis in zip(*(box.start for box in self._ranges), strict=True))
        right, low = (max(axis) for axis in zip(*(box.end for box in self._ranges), strict=True))
        return CoreRange(CoreCoord(left, top), CoreCoord(right, low))


@checked
@dataclass(frozen=True, kw_only=True)
class CoreGrid:
    """A grid of cores that starts at (0, 0): ``y`` rows of ``x`` columns. Both are named: ``CoreGrid(y=8, x=8)``."""

    y: int
    x: int

    def __post_init__(self) -> None:
        core((self.x, self.y))
        if self.x < 1 or self.y < 1:
            fail(Code.CORES, f"a core grid has at least one row and one column, not y={self.y}, x={self.x}")

    @property
    def num_cores(self) -> int:
        """How many cores."""
        return self.x * self.y

    def to_CoreCoord(self) -> CoreCoord:
        """The extent of the grid."""
        return CoreCoord(self.x, self.y)


def core_set(value: Any) -> CoreRangeSet:
    """Cores given as grid, range, set or pair, as a set."""
    match value:
        case CoreRangeSet():
            return value
        case CoreRange():
            return CoreRangeSet((value,))
        case CoreGrid(x=x, y=y):
            return CoreRangeSet((CoreRange(CoreCoord(0, 0), CoreCoord(x - 1, y - 1)),))
        case CoreCoord(x=x, y=y) if x > 0 and y > 0:
            return CoreRangeSet((CoreRange(CoreCoord(0, 0), CoreCoord(x - 1, y - 1)),))
        case _:
            return fail(
                Code.WRONG_KIND,
                f"cores are a ttnn.CoreGrid, CoreRange or CoreRangeSet, not {describe(value)}",
                help="for a grid of 8 columns and 4 rows write ttnn.CoreGrid(y=4, x=8)",
            )


@public()
def num_cores_to_corerangeset(target_num_cores: int, grid_size: Any, row_wise: bool = False) -> CoreRangeSet:
    """The first ``target_num_cores`` cores of a grid, column by column, or row by row with ``row_wise``."""
    columns, rows = core(grid_size)
    if not isinstance(target_num_cores, int):
        fail(Code.WRONG_KIND, f"a number of cores is an integer, not {describe(target_num_cores)}")
    if not 0 < target_num_cores <= columns * rows:
        fail(Code.CORES, f"{target_num_cores} cores of a grid of {columns} columns and {rows} rows")
    length, across = (columns, rows) if row_wise else (rows, columns)
    full, rest = divmod(target_num_cores, length)
    boxes = []
    if full:
        boxes.append(((0, 0), (length - 1, full - 1)))
    if rest:
        boxes.append(((0, full), (rest - 1, full)))
    assert full <= across
    return CoreRangeSet(
        CoreRange(CoreCoord(*a), CoreCoord(*b))
        if row_wise
        else CoreRange(CoreCoord(*a[::-1]), CoreCoord(*b[::-1]))
        for a, b in boxes
    )


@public()
def corerange_to_cores(
    core_range_set: Any, max_cores: int | None = None, row_wise: bool = False
) -> list[CoreCoord]:
    """The cores of a set one by one: column by column within each of its ranges, or row by row."""
    listed: list[CoreCoord] = []
    for box in core_set(core_range_set).ranges():
        listed += box.cores() if row_wise else sorted(box.cores())
    return listed if max_cores is None else listed[:max_cores]


@public()
def split_work_to_cores(
    grid_size: Any, units_to_divide: int, row_wise: bool = False
) -> tuple[int, CoreRangeSet, CoreRangeSet, CoreRangeSet, int, int]:
    """Units of work over the cores of a grid: how many cores, all of them, those with more and those with fewer units, and how many each has.

    ``(cores, all_cores, first_group, second_group, units_of_first, units_of_second)``; without a rest the second group
    is empty and has no units.
    """
    if isinstance(units_to_divide, bool) or not isinstance(units_to_divide, int) or units_to_divide < 0:
        fail(Code.WRONG_KIND, f"units of work are a number, not {describe(units_to_divide)}")
    cores = core_set(
        CoreGrid(x=grid_size.x, y=grid_size.y) if isinstance(grid_size, CoreCoord) else grid_size
    )
    listed = corerange_to_cores(cores, None, row_wise)
    used = listed[: min(len(listed), units_to_divide)]
    if not used:
        return 0, CoreRangeSet(()), CoreRangeSet(()), CoreRangeSet(()), 0, 0
    least, more = divmod(units_to_divide, len(used))
    first, second = (used[:more], used[more:]) if more else (used, [])
    counts = (least + 1, least) if more else (least, 0)
    return len(used), _set_of(used), _set_of(first), _set_of(second), *counts


def _set_of(cores: list[CoreCoord]) -> CoreRangeSet:
    """Return cores as ranges: neighbours in a row are merged, and equal rows below each other."""
    runs: list[list[int]] = []
    for y, x in sorted((core.y, core.x) for core in cores):
        if runs and runs[-1][2] == y and runs[-1][1] == x - 1:
            runs[-1][1] = x
        else:
            runs.append([x, x, y, y])
    boxes: list[list[int]] = []
    for run in runs:
        above = next((box for box in boxes if box[:2] == run[:2] and box[3] == run[2] - 1), None)
        if above is not None:
            above[3] = run[3]
        else:
            boxes.append(run)
    return CoreRangeSet(
        tuple(CoreRange(CoreCoord(x, y), CoreCoord(right, low)) for x, right, y, low in boxes)
    )
