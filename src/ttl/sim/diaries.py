"""The form in which an execution writes down what happened: the simulator in steps (``event_log.py``), the emulated chip in cycles.

Of every processor, in the simulator of every kernel, there is a diary of spans, which say what it did at a line, or what it
waited for and who ended that. Reports read diaries and do not know who wrote them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ttl.rows.dtypes import Array

WORKS: Final = 0
# Reasons to wait for another processor: pages, room for pages, a semaphore, something of the processors of its own kernel, a change
# of memory (``native/emu/record.h``: ``Waits``); in the simulator, a message of a pipe. From 32 on for a transfer (``Reason``).
PAGES, SPACE, SEMAPHORE, SOURCE, OPERAND, DST, MATH, POLL, MESSAGE = range(1, 10)
LINK: Final = 10
"""A slot of the router of a link to another chip."""
FIRST_TRANSFER_REASON = READS = 32
WRITES, PACKETS = 33, 36
"""``PACKETS``: a word that came with a packet from another chip; then ``by`` is ``FIRST_PACKET`` less the number of the packet."""
FIRST_PACKET: Final = -2
WAITS = {
    PAGES: "pages", SPACE: "space", SEMAPHORE: "semaphore", SOURCE: "source registers", OPERAND: "operands", DST: "DST",
    MATH: "results", POLL: "memory", MESSAGE: "message", LINK: "link", READS: "reads", WRITES: "writes", 34: "atomics", 35: "semaphore",
    PACKETS: "semaphore",
}  # fmt: skip
OF_SEMAPHORES = tuple(reason for reason, what in WAITS.items() if what == "semaphore")
# ``what`` of a span that names nothing.
NOTHING_NAMED = 0xFFFFFFFF

# ``by``: whose diary has what ended a wait, at ``since``; of a wait for a transfer, the transfer; -1: nothing did.
SPAN = np.dtype(
    [
        ("begins", "u8"), ("ends", "u8"), ("since", "u8"), ("line", "u4"), ("by", "i4"), ("reason", "u4"),
        ("what", "u4"),
    ]
)  # fmt: skip
# Pages, in the simulator blocks, pushed into buffers and popped (less than zero).
FILL = np.dtype([("clock", "u8"), ("core", "u2"), ("buffer", "u2"), ("pages", "i4")])


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Diary:
    """One processor, in the simulator one kernel, from its start to its end. ``spans``: what it did, without gaps."""

    core: tuple[int, int]
    role: str
    kernel: int
    started: int
    ended: int
    spans: Array

    @property
    def busy(self) -> int:
        """The time that it worked."""
        works = self.spans[self.spans["reason"] == WORKS]
        return int((works["ends"] - works["begins"]).sum())

    @property
    def waits(self) -> int:
        """The time that it waited."""
        return self.ended - self.started - self.busy


def times_of_roles(diaries: Iterable[Diary]) -> dict[tuple[int, int], dict[str, tuple[int, int]]]:
    """Return the times that each role of a core worked and waited, by core."""
    result: defaultdict[tuple[int, int], dict[str, tuple[int, int]]] = defaultdict(dict)
    for diary in diaries:
        busy, waits = result[diary.core].get(diary.role, (0, 0))
        result[diary.core][diary.role] = (busy + diary.busy, waits + diary.waits)
    return result
