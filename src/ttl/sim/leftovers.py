"""What is left when an operation ends: errors for what nobody received, warnings for what nobody used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ttl import control
from ttl.diag import Diagnostic, ProgramError, error, warning
from ttl.diag.words import counted
from ttl.source.spans import Site, span_of_site

if TYPE_CHECKING:
    from ttl.sim.buffer import SimBuffer
    from ttl.sim.engine import Engine
    from ttl.sim.memory import Overwrite


def check(engine: Engine) -> None:
    """Raise an error for transfers that were sent and never received."""
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
                    error(
                        "TTL0903",
                        f"send on {pipe.pipe!r} was never received on {_nodes(missing)}",
                        notes=(
                            f"sent {channel.sent}, received {channel.received} of {channel.sent * len(channel.dsts)}",
                        ),
                        help="every ttl.copy(blk, pipe) needs a ttl.copy(pipe, blk) on each destination: call net.if_dst there",
                    ),
                    sent.site,
                    "sent here",
                )
            )


def warnings(engine: Engine) -> Iterator[Diagnostic]:
    """Warnings of a launch that ended well."""
    unread: dict[Site | None, list[SimBuffer]] = defaultdict(list)
    if not control.NATIVE or control.call("any_unread", engine.nodes):
        for node in engine.nodes:
            for buffer in node.buffers:
                if buffer.slots:
                    unread[buffer.site].append(buffer)
    for site, buffers in unread.items():
        buffer = buffers[0]
        count = sum(len(each.slots) for each in buffers)
        yield warning(
            "TTL0904",
            f"{counted(count, 'block')} of {buffer.name} pushed and never waited for, on {counted(len(buffers), 'node')}",
            notes=("nobody used the data",),
            help="wait for every block that is pushed, or drop the push",
        ).at(span_of_site(site) if site is not None else None, "the buffer is made here")
    for overwrite in engine.memory.overwrites.values():
        yield _overwritten(overwrite)
    for site, count in engine.unused.items():
        times = f" ({count} times)" if count > 1 else ""
        yield warning(
            "TTL0905",
            f"value computed from blocks is never stored{times}",
            notes=("an expression takes effect only when it is stored into a block",),
            help="store it: blk.store(...); or drop it",
        ).at(span_of_site(site), "this value")


def _overwritten(overwrite: Overwrite) -> Diagnostic:
    """A part of a tensor was written twice."""
    (first, first_site), (second, second_site) = overwrite.first, overwrite.second
    part = ", ".join(f"{start}:{stop}" for start, stop in overwrite.target.bounds)
    lost = "what the first write put there is lost"
    if first is not second:
        lost += ", and which one comes last may depend on the schedule"
    diagnostic = warning(
        "TTL0906",
        f"[{part}] ({overwrite.target.storage.layout.unit}s) of a tensor is written twice, and nobody read it in between",
        notes=(lost,),
        help="give every node and every turn of a loop its own part: derive the slice from ttl.node() and the loop's index",
    )
    if overwrite.count > 1:
        diagnostic = diagnostic.noting(f"the same happens {counted(overwrite.count - 1, 'more time')}")
    return diagnostic.at(span_of_site(second_site), f"written again here, by {second.where}").also(
        span_of_site(first_site), f"first written here, by {first.where}"
    )


def _nodes(coords: list[tuple[int, ...]]) -> str:
    shown = ", ".join(str(coord) for coord in coords[:4])
    more = f" and {len(coords) - 4} more" if len(coords) > 4 else ""
    return f"node{'s' if len(coords) > 1 else ''} {shown}{more}"
