"""The ring of a dataflow buffer, or of a circular buffer: how many blocks, or pages, are reserved, filled, taken and free.

They pass in order: the n-th block pushed is the n-th reserved and the n-th waited for (specification,
"Dataflow buffer"). Counts only ever grow; a slot is a count modulo ``block_count``.
"""

from __future__ import annotations


class MemoryProblem(Exception):
    """A use of memory, or of a circular buffer, that gives wrong numbers or never ends; the text describes it."""


class Ring:
    """Counts of one buffer on one node."""

    __slots__ = ("block_count", "high_water", "popped", "pushed", "reserved", "used", "waited")

    def __init__(self, block_count: int) -> None:
        self.block_count = block_count
        self.reserved = 0
        self.pushed = 0
        # How many of the pushed blocks the kernel that pushed them had used itself: computed with, or copied on.
        self.used = 0
        self.waited = 0
        self.popped = 0
        self.high_water = 0

    def filled(self) -> int:
        """Blocks pushed and not yet popped."""
        return self.pushed - self.popped

    # Pages of a circular buffer. The pages that a kernel reserves, or waits for, count from the first page that it has
    # not pushed, or popped.

    def has_room(self, pages: int) -> bool:
        """Whether ``cb_reserve_back`` returns. Raises ``MemoryProblem`` where it never does."""
        self._check_count(pages)
        return self.block_count - self.filled() >= pages

    def has_pages(self, pages: int) -> bool:
        """Whether ``cb_wait_front`` returns. Raises ``MemoryProblem`` where it never does."""
        self._check_count(pages)
        return self.filled() >= pages

    def reserve_pages(self, pages: int) -> None:
        """Reserve pages, as ``cb_reserve_back`` does once there is room."""
        self.reserved = max(self.reserved, self.pushed + pages)

    def wait_pages(self, pages: int) -> None:
        """Take pages, as ``cb_wait_front`` does once they are there."""
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
        """The position in the ring of a page, which is counted since the beginning."""
        return page % self.block_count

    def _check_count(self, pages: int) -> None:
        if not 0 <= pages <= self.block_count:
            raise MemoryProblem(f"is for {pages} pages of a circular buffer that has {self.block_count}")

    def _check_end(self, first: int, pages: int) -> None:
        # The chip adds to an address, and goes back to the beginning only if the sum is the end, not if it is beyond
        # the end.
        if self.slot(first) + pages > self.block_count:
            raise MemoryProblem(
                f"goes {self.slot(first) + pages - self.block_count} pages beyond the end of the buffer"
            )
