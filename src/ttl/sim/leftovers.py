"""What is left when an operation ends: errors for what nobody received, warnings for what nobody used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ttl import control
from ttl.diag import Diagnostic, ProgramError
from ttl.rules import labels
from ttl.rules import leftovers as rules
from ttl.sim import dropped
from ttl.source.reads import is_for_next_turn
from ttl.source.spans import Site, span_of_site

if TYPE_CHECKING:
    from ttl.sim.buffer import SimBuffer
    from ttl.sim.engine import Engine
    from ttl.sim.memory import Overwrite


def check(engine: Engine) -> None:
    """Raise an error for transfers that were sent and never received, and for blocks that nobody reads at all."""
    dropped.check(engine)
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
                        pipe.pipe.src,
                        pipe.pipe.dst,
                        channel.sent,
                        channel.received,
                        channel.sent * len(channel.dsts),
                        missing,
                    ),
                    sent.site,
                    labels.SENT,
                )
            )


def warnings(engine: Engine) -> Iterator[Diagnostic]:
    """Warnings of a launch that ended well."""
    unread: dict[Site | None, list[SimBuffer]] = defaultdict(list)
    if not control.NATIVE or control.call("any_unread", engine.nodes):
        for node in engine.nodes:
            for buffer in node.buffers:
                if _in_vain(buffer):
                    unread[buffer.site].append(buffer)
    for site, buffers in unread.items():
        buffer = buffers[0]
        is_waited_for = any(each.consumer is not None for each in buffers)
        told = rules.never_waited_for(
            buffer.name, sum(map(_in_vain, buffers)), len(buffers), is_waited_for=is_waited_for
        )
        yield told.at(span_of_site(site) if site is not None else None, labels.BUFFER_MADE)
    yield from dropped.warnings(engine)
    yield from engine.padding.warnings()
    for overwrite in engine.memory.overwrites.values():
        yield _overwritten(overwrite)
    for site, count in engine.unused.items():
        if is_for_next_turn(site):
            continue  # what the last turn made has nobody to read it
        yield rules.never_stored(count).at(span_of_site(site), labels.UNUSED_VALUE)


def _in_vain(buffer: SimBuffer) -> int:
    """How many blocks are left in a buffer and nobody used them."""
    return rules.pushed_in_vain(
        len(buffer.slots), is_waited_for=buffer.consumer is not None, all_used=buffer.used == buffer.pushed
    )


def _overwritten(overwrite: Overwrite) -> Diagnostic:
    """A part of a tensor was written twice."""
    (first, first_site), (second, second_site) = overwrite.first, overwrite.second
    target = overwrite.target
    diagnostic = rules.written_twice(
        target.bounds, target.storage.layout, overwrite.count, in_order=first is second
    )
    return diagnostic.at(span_of_site(second_site), rules.written_again(second.where)).also(
        span_of_site(first_site), rules.first_written(first.where)
    )
