"""How an extent is divided into sub-blocks of at most a given size, which need not divide the extent."""

from __future__ import annotations

from typing import NamedTuple


class MultitileSizes(NamedTuple):
    """Two sizes of sub-blocks, and how many of each there are: ``low * low_count + high * high_count`` is the extent.

    ``high_count`` is 0 where one size covers the extent; ``high`` is then the same as ``low``.
    """

    low: int
    high: int
    low_count: int
    high_count: int

    @property
    def split_point(self) -> int:
        """The position at which the sub-blocks of the second size begin."""
        return self.low * self.low_count

    @property
    def parts(self) -> tuple[SizeInChunk, ...]:
        """Sub-blocks of the first size, then those of the second one, where there are any."""
        parts = (SizeInChunk(self.low, self.low_count), SizeInChunk(self.high, self.high_count))
        return tuple(part for part in parts if part.times)


class SizeInChunk(NamedTuple):
    """A size of sub-blocks, and how many of this size follow each other."""

    size: int
    times: int

    @property
    def chunk(self) -> int:
        """The extent that the sub-blocks of this size cover together."""
        return self.size * self.times


def multitile_sizes(extent: int, target: int, divisor: int = 1) -> MultitileSizes:
    """Return as few sub-blocks as possible of at most two sizes, which differ by ``divisor`` and cover ``extent`` exactly.

    Both sizes are multiples of ``divisor`` and at most ``target``; all in the unit of ``extent``, such as tiles.
    Raises ``ValueError`` where there are no such sizes, with the reason.
    """
    for what, number in (("extent", extent), ("target size", target), ("divisor", divisor)):
        if number < 1:
            raise ValueError(f"the {what} is at least 1, not {number}")
    if extent % divisor:
        raise ValueError(f"sub-blocks of multiples of {divisor} do not cover {extent}: it is not a multiple")
    most = target // divisor
    if most == 0:
        raise ValueError(f"no multiple of {divisor} is at most the target size {target}")
    units = extent // divisor
    count = -(-units // most)
    low, high_count = divmod(units, count)
    high = low + 1 if high_count else low
    return MultitileSizes(low * divisor, high * divisor, count - high_count, high_count)


def continuous_tile_sizes(extent: int, target: int) -> tuple[SizeInChunk, ...]:
    """Sub-blocks of ``target``, then of ever smaller powers of two, which cover ``extent`` exactly: 25 by 9 is 2x9, 4, 2, 1.

    Sizes that occur no time are left out. Raises ``ValueError`` for numbers below 1.
    """
    for what, number in (("extent", extent), ("target size", target)):
        if number < 1:
            raise ValueError(f"the {what} is at least 1, not {number}")
    sizes: list[SizeInChunk] = []
    size, rest = target, extent
    while rest:
        times, rest = divmod(rest, size)
        if times:
            sizes.append(SizeInChunk(size, times))
        size = 1 << (max(size - 1, 1).bit_length() - 1)
    return tuple(sizes)
