"""Leftovers at the end of an operation: errors for messages that nobody received, warnings for data that nobody read or used.

A block that is popped unread is no mistake if another node, or another iteration of a loop, reads blocks of its buffer. That is
known when all kernels have ended. Until then such pops are noted, once per place.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ttl import control
from ttl.diag import Diagnostic, ProgramError
from ttl.protocol.blocks import popped_unread
from ttl.rules import labels
from ttl.rules import leftovers as rules
from ttl.rules.external import beside_mathematics
from ttl.source.reads import is_for_next_iteration, is_kept_for_a_reader, is_read_somewhere
from ttl.source.spans import Site, span_of_site, user_site

if TYPE_CHECKING:
    from ttl.sim.kernel import Kernel, RunningLaunch
    from ttl.sim.memory import Overwrite
    from ttl.sim.transfer import HeldBlock, HeldBuffer


class DroppedBlock:
    """The first block that was popped unread at a place, how it was released, and how many there were."""

    __slots__ = ("acquired", "buffer", "count", "inferred", "kernel", "released")

    def __init__(self, buffer: HeldBuffer, kernel: Kernel, acquired: Site, released: Site | None) -> None:
        self.buffer = buffer
        self.kernel = kernel
        self.acquired = acquired
        self.released = released
        self.inferred = False
        self.count = 0


def note_unread(block: HeldBlock, by_with: bool) -> None:
    """Count a block that ``wait()`` acquired and that is released unread."""
    engine = block.engine
    key = (block.buffer.ordinal, block.site)
    noted = engine.dropped.get(key)
    if noted is None:
        released = None if by_with else engine.fallback_site or user_site(sys._getframe(1))
        noted = engine.dropped[key] = DroppedBlock(block.buffer, block.kernel, block.site, released)
        noted.inferred = engine.fallback_site is not None
    noted.count += 1


def check(engine: RunningLaunch) -> None:
    """Raise an error for messages that were never received, and for C++ called in a kernel that has computed since."""
    for kernel, (callee, site) in engine.externals.items():
        if kernel.computed:
            engine.current = kernel
            raise ProgramError(engine.located(beside_mathematics(callee, kernel.name), site))
    for net in engine.pipes.nets:
        for pipe in net.pipes:
            channel = pipe.channel
            if channel.in_flight is None:
                continue
            sent = channel.in_flight.payload
            missing = [engine.nodes[node].coord for node in sorted(channel.remaining)]
            engine.current = sent.kernel
            raise ProgramError(
                engine.located(
                    rules.never_received(
                        engine.pipes.full_name(pipe),
                        channel.sent,
                        channel.received,
                        channel.sent * len(channel.dsts),
                        missing,
                    ),
                    sent.site,
                    labels.SENT,
                ).also(span_of_site(pipe.pipe.site) if pipe.pipe.site else None, labels.PIPE_MADE)
            )


def warnings(engine: RunningLaunch) -> Iterator[Diagnostic]:
    """Warnings of a launch that ended well."""
    unread: dict[Site | None, list[HeldBuffer]] = defaultdict(list)
    if not control.NATIVE or control.call("any_unread", engine.nodes):
        for node in engine.nodes:
            for buffer in node.buffers:
                if _in_vain(buffer):
                    unread[buffer.site].append(buffer)
    for site, buffers in unread.items():
        buffer = buffers[0]
        is_waited_for = any(sim_buffer.consumer is not None for sim_buffer in buffers)
        told = rules.never_waited_for(
            buffer.name, sum(map(_in_vain, buffers)), len(buffers), is_waited_for=is_waited_for
        )
        yield told.at(span_of_site(site) if site is not None else None, labels.BUFFER_MADE)
    yield from (_popped_unread(engine, noted) for noted in engine.dropped.values())
    yield from engine.padding.warnings()
    for overwrite in engine.memory.overwrites.values():
        yield _overwritten(overwrite)
    for site, count in engine.unused.items():
        if is_for_next_iteration(site) or is_kept_for_a_reader(site):
            continue  # nothing reads the value of the last iteration; another path, or another node, uses it
        yield rules.never_stored(count).at(span_of_site(site), labels.UNUSED_VALUE)


def _in_vain(buffer: HeldBuffer) -> int:
    """Return the number of blocks that are left in a buffer unused."""
    backed = buffer.engine.backed
    if backed is not None and backed.is_kept(buffer):
        return 0
    return rules.pushed_in_vain(
        len(buffer.slots), is_waited_for=buffer.consumer is not None, all_used=buffer.used == buffer.pushed
    )


def _overwritten(overwrite: Overwrite) -> Diagnostic:
    """The warning about a part of a tensor that was written twice."""
    (first, first_site), (second, second_site) = overwrite.first, overwrite.second
    target = overwrite.target
    diagnostic = rules.written_twice(
        target.bounds, target.storage.layout, overwrite.count, in_order=first is second
    )
    return diagnostic.at(span_of_site(second_site), rules.written_again(second.where)).also(
        span_of_site(first_site), rules.first_written(first.where)
    )


def _popped_unread(engine: RunningLaunch, noted: DroppedBlock) -> Diagnostic:
    finding = popped_unread(noted.buffer.name, is_read_elsewhere=_is_read(engine, noted.buffer))
    acquired = span_of_site(noted.acquired)
    if noted.released is None:
        finding = finding.at(acquired, labels.RELEASED_BY_WITH)
    else:
        how = labels.held_to_the_end("wait") if noted.inferred else labels.held("wait")
        finding = finding.at(span_of_site(noted.released)).also(acquired, how)
    return finding.noting(f"in {noted.kernel.where}")


def _is_read(engine: RunningLaunch, buffer: HeldBuffer) -> bool:
    """Return whether blocks of a buffer are read on any node: in this launch, or on a path that it did not take."""
    alike = [node.buffers[buffer.ordinal] for node in engine.nodes if buffer.ordinal < len(node.buffers)]
    places = [site for ordinal, site in engine.dropped if ordinal == buffer.ordinal]
    unread = sum(engine.dropped[buffer.ordinal, site].count for site in places)
    if sum(sim_buffer.popped for sim_buffer in alike) > unread:
        return True
    return any(is_read_somewhere(span_of_site(site)) for site in places)
