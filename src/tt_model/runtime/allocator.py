"""Memory in banks: the L1 of all cores of a chip, or its DRAM channels.

As on the real chip, all banks are allocated together: a buffer has the same address in each of them, and takes as many
bytes of each as of the fullest. Free ranges are sorted by address; a request gets the smallest free range that holds
it.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field

from tt_model.runtime.problems import At, OutOfMemory

# The largest number of allocations in the table of an error.
_LISTED = 12


@dataclass(slots=True, eq=False)
class Allocation:
    """A buffer: its address, the same in every bank, and the bytes that it takes in each of them."""

    address: int
    size: int
    owner: object
    since: At | None
    memory: BankedMemory
    is_live: bool = True

    @property
    def end(self) -> int:
        """One past the buffer's last address."""
        return self.address + self.size


@dataclass(slots=True, eq=False)
class BankedMemory:
    """The banks of one kind of memory of a chip.

    Args:
        name: as in errors, such as ``L1``.
        base: the first address that buffers may have, in bytes.
        end: one past the last address.
        banks: the number of banks.
        alignment: of addresses, in bytes.
        from_top: buffers are put at high addresses first, as in L1, where low addresses are left to kernels.
    """

    name: str
    base: int
    end: int
    banks: int
    alignment: int
    from_top: bool = False
    peak: int = field(default=0, init=False)
    _live: dict[int, Allocation] = field(default_factory=dict, init=False)
    _free: list[tuple[int, int]] = field(init=False)
    _used: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.base = self.aligned(self.base)
        self._free = [(self.base, self.end)] if self.end > self.base else []

    def aligned(self, size: int) -> int:
        """Round a number of bytes up to the alignment."""
        return -(-size // self.alignment) * self.alignment

    @property
    def capacity(self) -> int:
        """Bytes of one bank that buffers may use."""
        return max(0, self.end - self.base)

    @property
    def used(self) -> int:
        """Bytes of one bank that are in use."""
        return self._used

    @property
    def largest_free(self) -> int:
        """Bytes of the largest free range of a bank."""
        return max((end - start for start, end in self._free), default=0)

    def live(self) -> Iterator[Allocation]:
        """Yield the live allocations, by address."""
        return iter(sorted(self._live.values(), key=lambda allocation: allocation.address))

    def allocate(self, size: int, owner: object, since: At | None = None) -> Allocation:
        """Allocate a buffer of ``size`` bytes in each bank. Raises ``OutOfMemory``."""
        needed = max(self.alignment, self.aligned(size))
        fitting = [span for span in self._free if span[1] - span[0] >= needed]
        if not fitting:
            raise OutOfMemory(self._refusal(needed, owner), at=since, notes=tuple(self.table()))
        start, end = min(
            fitting, key=lambda span: (span[1] - span[0], -span[0] if self.from_top else span[0])
        )
        self._free.remove((start, end))
        address = (end - needed) // self.alignment * self.alignment if self.from_top else start
        for rest in ((start, address), (address + needed, end)):
            if rest[1] - rest[0] >= self.alignment:
                insort(self._free, rest)
        allocation = Allocation(address, needed, owner, since, self)
        self._live[address] = allocation
        self._used += needed
        self.peak = max(self.peak, self._used)
        return allocation

    def free(self, allocation: Allocation) -> None:
        """Free a buffer; free ranges that touch are merged."""
        assert allocation.is_live and allocation.memory is self
        allocation.is_live = False
        del self._live[allocation.address]
        self._used -= allocation.size
        start, end = allocation.address, allocation.end
        kept = []
        for span in self._free:
            # A gap of less than one alignment between two ranges is left unused.
            if -self.alignment < span[0] - end < self.alignment:
                end = max(end, span[1])
            elif -self.alignment < start - span[1] < self.alignment:
                start = min(start, span[0])
            else:
                kept.append(span)
        insort(kept, (start, end))
        self._free = kept

    def _refusal(self, needed: int, owner: object) -> str:
        free = self.capacity - self.used
        cause = (
            f"{free:,} are free, the largest piece of them has {self.largest_free:,}"
            if free >= needed
            else f"{free:,} of {self.capacity:,} are free"
        )
        return f"out of memory in {self.name}: {owner} takes {needed:,} bytes of each of {self.banks} banks; {cause}"

    def table(self) -> list[str]:
        """Return a table of the largest live allocations, by address: bytes in each bank, owner, and operation."""
        largest = sorted(self._live.values(), key=lambda allocation: (-allocation.size, allocation.address))
        shown = sorted(largest[:_LISTED], key=lambda allocation: allocation.address)
        rows = [
            f"  {allocation.address:#10x}  {allocation.size:>13,}  {allocation.owner}"
            + (f", since {allocation.since}" if allocation.since is not None else "")
            for allocation in shown
        ]
        if not rows:
            return [f"{self.name} is empty: {self.capacity:,} bytes of each bank"]
        more = [f"  and {len(largest) - _LISTED} smaller ones"] if len(largest) > _LISTED else []
        head = f"{self.name} holds ({self.used:,} of {self.capacity:,} bytes of each of {self.banks} banks):"
        return [head, "     address  bytes of each  what", *rows, *more]
