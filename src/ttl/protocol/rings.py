"""The ring of a dataflow buffer, or of a circular buffer: how many blocks, or pages, are reserved, filled, taken and free.

They pass in order: the n-th block pushed is the n-th reserved and the n-th waited for (specification,
"Dataflow buffer"). Counts only ever grow; a slot is a count modulo ``block_count``.
"""

from __future__ import annotations


class MemoryProblem(Exception):
    """A kernel does with memory, or a circular buffer, what gives wrong numbers, or never ends; the text says what."""


class Ring:
    """Counts of one buffer on one node."""

    __slots__ = ("block_count", "high_water", "popped", "pushed", "reserved", "used", "waited")

    def __init__(self, block_count: int) -> None:
        self.block_count = block_count
        self.reserved = 0
        self.pushed = 0
        # Of those pushed, how many the kernel that pushed them had used itself: computed with, or copied on.
        self.used = 0
        self.waited = 0
        self.popped = 0
        self.high_water = 0

    def filled(self) -> int:
        """Blocks pushed and not yet popped."""
        return self.pushed - self.popped

    # Pages of a circular buffer. A kernel reserves, or waits for, so many from the first one that it has not handed over, or freed.

    def has_room(self, pages: int) -> bool:
        """Whether ``cb_reserve_back`` returns. Raises ``MemoryProblem`` where it never does."""
        self._check_count(pages)
        return self.block_count - self.filled() >= pages

    def has_pages(self, pages: int) -> bool:
        """Whether ``cb_wait_front`` returns. Raises ``MemoryProblem`` where it never does."""
        self._check_count(pages)
        return self.filled() >= pages

    def reserve_pages(self, pages: int) -> None:
        """The rest of ``cb_reserve_back``."""
        self.reserved = max(self.reserved, self.pushed + pages)

    def wait_pages(self, pages: int) -> None:
        """The rest of ``cb_wait_front``."""
        self.waited = max(self.waited, self.popped + pages)

    def writable(self) -> int:
        """Pages reserved and not yet pushed."""
        return self.reserved - self.pushed

    def readable(self) -> int:
        """Pages waited for and not yet popped."""
        return self.waited - self.popped

    def push_pages(self, pages: int) -> None:
        """``cb_push_back``. Raises ``MemoryProblem``."""
        if pages > self.writable():
            raise MemoryProblem(f"hands over {pages} pages, of which {self.writable()} were reserved")
        self._check_end(self.pushed, pages)
        self.pushed += pages

    def pop_pages(self, pages: int) -> None:
        """``cb_pop_front``. Raises ``MemoryProblem``."""
        if pages > self.readable():
            raise MemoryProblem(f"frees {pages} pages, of which {self.readable()} were waited for")
        self._check_end(self.popped, pages)
        self.popped += pages

    def slot(self, page: int) -> int:
        """Where a page is, counted since the beginning."""
        return page % self.block_count

    def _check_count(self, pages: int) -> None:
        if not 0 <= pages <= self.block_count:
            raise MemoryProblem(f"is for {pages} pages of a circular buffer that has {self.block_count}")

    def _check_end(self, first: int, pages: int) -> None:
        # The chip adds to an address, and is back at the beginning where that is the end, not beyond it.
        if self.slot(first) + pages > self.block_count:
            raise MemoryProblem(
                f"goes {self.slot(first) + pages - self.block_count} pages beyond the end of the buffer"
            )
