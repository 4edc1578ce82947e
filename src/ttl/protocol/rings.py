"""The ring of a dataflow buffer: how many blocks are reserved, filled, taken and free.

Blocks pass in order: the n-th block pushed is the n-th reserved and the n-th waited for (specification,
"Dataflow buffer"). Counts only ever grow; a slot is a count modulo ``block_count``.
"""

from __future__ import annotations


class Ring:
    """Counts of one dataflow buffer on one node."""

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

    def can_reserve(self) -> bool:
        """Whether a slot is free: neither reserved nor filled nor being read."""
        return self.reserved - self.popped < self.block_count

    def can_wait(self) -> bool:
        """Whether a filled block is there that nobody has taken."""
        return self.waited < self.pushed

    def filled(self) -> int:
        """Blocks pushed and not yet popped."""
        return self.pushed - self.popped

    def occupied(self) -> int:
        """Blocks reserved, filled or being read: what the memory of the buffer holds."""
        return self.reserved - self.popped
