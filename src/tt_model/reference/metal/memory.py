"""The memories of a simulated chip: values at addresses. Reading bytes that were not written is an error.

A bank holds numbers as float64, each at the address of its first byte, and separately a mark for each byte. So memory
can be copied byte by byte as the network does, and nothing is rounded.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tt_model.reference.formats import Values
from ttl.protocol.rings import MemoryProblem

# The mark of a byte: nothing was written; it continues a number; it is zero; a word, or its second half, begins here as
# bits. Any other mark is the number of bytes of the number that begins here.
NOTHING, CONTINUED, ZERO, WORD, HALF = 0, 255, 254, 253, 252


class Bank:
    """One L1, or one channel of DRAM."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._values: Values = np.zeros(0)
        self._marks: npt.NDArray[np.uint8] = np.zeros(0, np.uint8)

    def _reach(self, end: int) -> None:
        if end > len(self._marks):
            size = max(end, 2 * len(self._marks), 1 << 14)
            values, marks = np.zeros(size), np.zeros(size, np.uint8)
            values[: len(self._values)] = self._values
            marks[: len(self._marks)] = self._marks
            self._values, self._marks = values, marks

    def forget(self, address: int, size: int) -> None:
        """Mark the bytes of a range as belonging to no tensor."""
        self._marks[address : address + size] = NOTHING

    def forget_at(self, addresses: npt.NDArray[np.int64], size: int) -> None:
        """Mark numbers of ``size`` bytes at addresses as belonging to no tensor."""
        for byte in range(size):
            self._marks[addresses + byte] = NOTHING

    def clear(self, address: int, size: int) -> None:
        """Write zero bytes."""
        self._reach(address + size)
        self._marks[address : address + size] = ZERO
        self._values[address : address + size] = 0.0

    def put(self, addresses: npt.NDArray[np.int64], values: Values, size: int) -> None:
        """Write numbers of ``size`` bytes at addresses."""
        if not len(addresses):
            return
        self._reach(int(addresses.max()) + size)
        self._values[addresses] = values
        for byte in range(1, size):
            self._marks[addresses + byte] = CONTINUED
        self._marks[addresses] = size

    def put_word(self, address: int, word: int) -> None:
        """Write a word of 32 bits."""
        self._reach(address + 4)
        self._values[address], self._values[address + 2] = word & 0xFFFFFFFF, (word >> 16) & 0xFFFF
        self._marks[address : address + 4] = (WORD, CONTINUED, HALF, CONTINUED)

    def get(self, addresses: npt.NDArray[np.int64], size: int) -> Values:
        """Read numbers of ``size`` bytes at addresses. Raises ``MemoryProblem``."""
        if not len(addresses):
            return np.zeros(0)
        self._reach(int(addresses.max()) + size)
        marks = self._marks[addresses]
        values = self._values[addresses].copy()
        whole = (marks == size) | (marks == ZERO)
        if whole.all():
            return values
        bits = (marks == WORD) | ((marks == HALF) & (size == 2))
        wrong = ~(whole | bits)
        if wrong.any():
            at = int(addresses[np.flatnonzero(wrong)[0]])
            held = int(self._marks[at])
            what = (
                "which nothing has written"
                if held == NOTHING
                else f"where a number of {held if held < HALF else 'other'} bytes is, as one of {size}"
            )
            raise MemoryProblem(f"reads {self.name} at address {at}, {what}")
        words = values[bits].astype(np.uint32)
        words = words if size == 4 else (words & np.uint32(0xFFFF)) << np.uint32(16)
        values[bits] = words.view(np.float32).astype(np.float64)
        return values

    def missing_as_nan(self, addresses: npt.NDArray[np.int64], size: int) -> Values:
        """Return the numbers of ``size`` bytes at addresses; NaN for those that were not written."""
        if not len(addresses):
            return np.zeros(0)
        self._reach(int(addresses.max()) + size)
        there = self._marks[addresses] != NOTHING
        values = np.full(len(addresses), np.nan)
        values[there] = self.get(addresses[there], size)
        return values

    def take(self, address: int, size: int) -> tuple[Values, npt.NDArray[np.uint8]]:
        """Copy bytes with their marks."""
        self._reach(address + size)
        return self._values[address : address + size].copy(), self._marks[address : address + size].copy()

    def give(self, address: int, taken: tuple[Values, npt.NDArray[np.uint8]]) -> None:
        """Write bytes that ``take`` returned."""
        values, marks = taken
        self._reach(address + len(values))
        self._values[address : address + len(values)] = values
        self._marks[address : address + len(values)] = marks
