"""Links between chips in the report of a program that stands still: packets under way, and connections that kernels have built."""

from __future__ import annotations

from collections.abc import Iterator

from ttl.diag.words import counted, listed
from ttl.emu.program import ROLES
from ttl.emu.standing import BUILT, OPEN, ConnectionState, ResourceMap

# What a report shows of each.
_LINKS = 4
_CONNECTIONS = 4


def notes(standing: ResourceMap) -> Iterator[str]:
    """A note on the links with packets, one on connections that were never opened, one on those that are open."""
    chip = standing.chip
    lines = []
    for number, link in enumerate(standing.links):
        parts = []
        if link.queued:
            parts.append(f"{counted(link.queued, 'packet')} to be sent")
        if link.held:
            parts.append(f"{counted(link.held, 'packet')} at its end to be put away")
        if parts:
            free = (
                "no slot is"
                if not link.free
                else f"{counted(link.free, 'slot')} {'is' if link.free == 1 else 'are'}"
            )
            lines.append(f"  {chip.link_name(number)}: {listed(parts)}; {free} free there")
    if lines:
        yield "\n".join(("links between chips:", *_first(lines, _LINKS, "links")))
    for state, title in (
        (BUILT, "connections that were built and never opened:"),
        (OPEN, "connections that are open:"),
    ):
        connections = [
            f"  {_who(standing, it)}, {chip.link_name(it.link)}, built at {it.file}:{it.line}"
            for it in standing.connections
            if it.state == state
        ]
        if connections:
            yield "\n".join((title, *_first(connections, _CONNECTIONS, "connections")))


def _first(lines: list[str], count: int, what: str) -> list[str]:
    more = len(lines) - count
    return lines if more <= 0 else [*lines[:count], f"  and {more} more {what}"]


def _who(standing: ResourceMap, connection: ConnectionState) -> str:
    name = standing.program.kernels[connection.kernel].name
    return f"{name} ({ROLES[connection.role]}) on {standing.chip.name(connection.core, 'node')}"
