"""Blocks that were popped and not read: an error where nothing reads what comes through their buffer, else a warning.

Which of the two it is shows when all kernels have ended: another node, or another turn of a loop, may still read
blocks of the buffer. Until then they are noted, once per place.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ttl.diag import Diagnostic, ProgramError, Severity
from ttl.protocol.blocks import popped_unread
from ttl.rules import labels
from ttl.source.reads import is_read_somewhere
from ttl.source.spans import Site, span_of_site, user_site

if TYPE_CHECKING:
    from ttl.sim.block import SimBlock
    from ttl.sim.buffer import SimBuffer
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel


class Dropped:
    """The first block that was popped unread at a place, how it was released, and how many there were."""

    __slots__ = ("acquired", "buffer", "count", "inferred", "kernel", "released")

    def __init__(self, buffer: SimBuffer, kernel: Kernel, acquired: Site, released: Site | None) -> None:
        self.buffer = buffer
        self.kernel = kernel
        self.acquired = acquired
        self.released = released
        self.inferred = False
        self.count = 0


def note(block: SimBlock, by_with: bool) -> None:
    """A block of ``wait()`` is released, and nothing has read it."""
    engine = block.engine
    key = (block.buffer.ordinal, block.site)
    noted = engine.dropped.get(key)
    if noted is None:
        released = None if by_with else engine.fallback_site or user_site(sys._getframe(1))
        noted = engine.dropped[key] = Dropped(block.buffer, block.kernel, block.site, released)
        noted.inferred = engine.fallback_site is not None
    noted.count += 1


def check(engine: Engine) -> None:
    """Raise the error for a block of which nobody reads anything that comes through its buffer."""
    for noted in engine.dropped.values():
        told = _told(engine, noted)
        if told.severity is Severity.ERROR:
            raise ProgramError(told)


def warnings(engine: Engine) -> Iterator[Diagnostic]:
    """Those for blocks that others read."""
    return (_told(engine, noted) for noted in engine.dropped.values())


def _told(engine: Engine, noted: Dropped) -> Diagnostic:
    found = popped_unread(noted.buffer.name, is_read_elsewhere=_is_read(engine, noted.buffer))
    acquired = span_of_site(noted.acquired)
    if noted.released is None:
        found = found.at(acquired, labels.RELEASED_BY_WITH)
    else:
        how = labels.held_to_the_end("wait") if noted.inferred else labels.held("wait")
        found = found.at(span_of_site(noted.released)).also(acquired, how)
    return found.noting(f"in {noted.kernel.where}")


def _is_read(engine: Engine, buffer: SimBuffer) -> bool:
    """Whether anybody reads blocks of a buffer, on any node: in this launch, or on a path that it did not take."""
    alike = [node.buffers[buffer.ordinal] for node in engine.nodes if buffer.ordinal < len(node.buffers)]
    places = [site for ordinal, site in engine.dropped if ordinal == buffer.ordinal]
    unread = sum(engine.dropped[buffer.ordinal, site].count for site in places)
    if sum(each.popped for each in alike) > unread:
        return True
    return any(is_read_somewhere(span_of_site(site)) for site in places)
