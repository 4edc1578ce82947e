"""Diaries: the records that an execution makes, the simulator in steps (``event_log.py``), the emulated chip in cycles.

Every processor, or in the simulator every kernel, has a diary of spans. A span names the line on which the processor
worked, or the reason why it waited and the processor that ended the wait. Reports read diaries and do not depend on the
execution that made them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ttl.rows.dtypes import Array

WORKS: Final = 0
# Reasons to wait for another processor: pages, room for pages, a semaphore, another processor of the same kernel
# (``SOURCE``, ``OPERAND``, ``DST``, ``MATH``), a change of memory (``native/emu/record.h``: ``Waits``); in the
# simulator, a message of a pipe. Reasons from 32 on are waits for a transfer (``Reason``).
PAGES, SPACE, SEMAPHORE, SOURCE, OPERAND, DST, MATH, POLL, MESSAGE = range(1, 10)
LINK: Final = 10
"""A slot of the router of a link to another chip."""
FIRST_TRANSFER_REASON = READS = 32
WRITES, PACKETS = 33, 36
"""``PACKETS``: a word brought by a packet from another chip; ``by`` is ``FIRST_PACKET`` minus the packet's number."""
FIRST_PACKET: Final = -2
WAITS = {
    PAGES: "pages", SPACE: "space", SEMAPHORE: "semaphore", SOURCE: "source registers", OPERAND: "operands", DST: "DST",
    MATH: "results", POLL: "memory", MESSAGE: "message", LINK: "link", READS: "reads", WRITES: "writes", 34: "atomics", 35: "semaphore",
    PACKETS: "semaphore",
}  # fmt: skip
OF_SEMAPHORES = tuple(reason for reason, what in WAITS.items() if what == "semaphore")
# ``what`` of a span that names nothing.
NOTHING_NAMED = 0xFFFFFFFF

# ``by``: the number of the diary in which the cause of a wait's end is found, at the time ``since``; for a wait for a
# transfer, the number of the transfer; -1: nothing ended it.
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
    """The diary of one processor, in the simulator of one kernel, from its start to its end. ``spans`` have no gaps."""

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
