"""The report of the emulated chip when no processor can continue: the waits, in the words of the hardware.

For a program that was compiled from an operation it stands below the report that every execution gives
(``ttl.emu.stalled``); for other kernels it is the whole report (TTL1504).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ttl.diag import DeadlockError, error
from ttl.diag.words import counted, listed
from ttl.emu.program import ROLES
from ttl.emu.standing import (
    BUILT,
    OPEN,
    RUNS,
    TRANSFERS,
    ConnectionState,
    Processor,
    ResourceMap,
    RingState,
    semaphore_text,
)
from ttl.protocol.chips import name_at, names_at
from ttl.rules.waiting import KernelOnNode, Wait, together, wait_cycle, wanted
from ttl.sim.diaries import DST, LINK, MATH, OPERAND, PAGES, POLL, SEMAPHORE, SOURCE, SPACE
from ttl.source.spans import Span, user_span

# The most that a report shows of each: groups of nodes, buffers of a node, nodes of a group, processors of a cycle.
_GROUPS = 4
_BUFFERS = 8
_COORDS = 4
_STEPS = 6
# Waits for another processor of the same kernel, and the role of that processor. The cause of such a wait is the wait
# of a processor for something outside of the kernel.
INSIDE = {SOURCE: 3, OPERAND: 2, DST: 4, MATH: 3}
INSIDE_WORDS = {
    SOURCE: "waits for a free source register",
    OPERAND: "waits for operands from the unpacker",
    DST: "waits for free registers of DST",
    MATH: "waits for results in DST",
    POLL: "polls memory that does not change",
    TRANSFERS: "waits for its own transfers",
    RUNS: "is in its kernel and waits for something unknown",
}


class ChipDeadlockError(DeadlockError):
    """No processor of the emulated chip can continue: TTL1504. ``standing`` is the chip, until its next program.

    ``on_the_chip`` has all of its facts in one note, for a report in other words. ``place`` returns the place of the
    error, if no line of a kernel is known.
    """

    def __init__(self, standing: ResourceMap, place: Callable[[], Span | None] = user_span) -> None:
        words = _Words(standing)
        cycle = words.cycle()
        first = next(filter(_matters, standing.processors), None)
        way_out = None if first is None else words.way_out(first)
        text = "kernels wait forever"
        if cycle:
            text = f"deadlock: {together(list(map(words.who, cycle)))}"
        diagnostic = error("TTL1504", text, notes=words.notes(), help=way_out or ())
        if first is None or first.span is None:
            super().__init__(diagnostic.at(place()))
        else:
            super().__init__(diagnostic.at(first.span, "waits here"))
        self.standing = standing
        self.on_the_chip = "\n".join(("on the chip:", *diagnostic.notes))


def _matters(processor: Processor) -> bool:
    """Return whether a processor waits for something outside its kernel."""
    return not processor.done and processor.waits not in INSIDE and processor.waits != RUNS


@dataclass(frozen=True, slots=True)
class _Words:
    standing: ResourceMap

    def buffer(self, index: int) -> str:
        buffers = self.standing.program.circular_buffers
        names = {buffer.index: buffer.name for buffer in buffers}
        return names.get(index) or (f"circular buffer {index}" if index >= 0 else "a circular buffer")

    def coord(self, core: int) -> tuple[int, ...]:
        return self.standing.chip.coordinate(core)

    def who(self, processor: Processor) -> KernelOnNode:
        """The kernel of a processor; for a compute kernel, with the role of the processor."""
        name = processor.name
        if processor.role > 1:
            name = f"{name} ({ROLES[processor.role]})"
        alone = len({other.core for other in self.standing.processors}) == 1
        return KernelOnNode(name, self.coord(processor.core), alone)

    def semaphore(self, processor: Processor) -> str:
        known = processor.what >= 0
        return semaphore_text(self.standing.program, processor.semaphore) if known else "a semaphore"

    def wait(self, processor: Processor) -> Wait:
        if processor.waits == SEMAPHORE:
            return Wait("semaphore", self.semaphore(processor), processor.amount, processor.exact)
        if processor.waits == LINK:
            return Wait("space", f"a slot of {self.standing.chip.link_name(processor.what)}")
        return Wait("data" if processor.waits == PAGES else "space", self.buffer(processor.what))

    def notes(self) -> tuple[str, ...]:
        """Notes on the cores, those in equal states together, and on the cycle of waits."""
        notes = self._groups()
        cycle = self.cycle()
        if cycle:
            steps = [
                (self.who(processor), self.wait(processor), self.who(following))
                for processor, following in zip(cycle, (*cycle[1:], cycle[0]), strict=True)
            ]
            notes.append(wait_cycle(steps[:_STEPS], len(cycle)))
        return (*notes, *_link_notes(self.standing))

    def way_out(self, processor: Processor) -> str | None:
        """Return the event that would let a processor continue, in words; None where that is not known."""
        ring = self.standing.rings.get((processor.core, processor.what))
        held = ring.pushed - ring.popped if ring is not None else 0
        needs, amount = f"{processor.name} needs", processor.amount
        if amount < 0:
            return None
        match processor.waits:
            case 1 if ring is not None or processor.clock >= 0:  # a dump may lack counts
                more = counted(amount - held, "more page")
                return f"{needs} {more} of {self.buffer(processor.what)} to be pushed: {held} of {amount} are there"
            case 2 if ring is not None:
                more = counted(amount - (ring.pages - held), "page")
                return f"{needs} {more} of {self.buffer(processor.what)} to be popped: {held} of {ring.pages} are in use"
            case 3 if processor.now >= 0:
                value = wanted(amount, exact=processor.exact)
                return f"{needs} {self.wait(processor).what} to be {value}: it is {processor.now}"
        return None

    def cycle(self) -> list[Processor]:
        """Processors of which each waits for the next one, and the last for the first; empty if there is no cycle."""
        at = {(it.core, it.role): it for it in self.standing.processors if not it.done}
        for start in at.values():
            path: list[Processor] = []
            processor: Processor | None = start
            while processor is not None and processor not in path:
                path.append(processor)
                processor = at.get(self._server(processor))
            if processor is not None:
                cycle = list(filter(_matters, path[path.index(processor) :]))
                if cycle:
                    return cycle
        return []

    def _server(self, processor: Processor) -> tuple[int, int]:
        """The core and role of the processor that would have to act: mostly of the same core; -1 where it is not known.

        For a semaphore over several chips, it is the processor that changed it last from another core.
        """
        core = processor.core
        if processor.waits in (PAGES, SPACE):
            ring = self.standing.rings.get((core, processor.what))
            if ring is None:
                return core, -1
            return core, ring.pushing if processor.waits == PAGES else ring.popping
        if processor.waits == SEMAPHORE and self.standing.chip.system is not None:
            word = self.standing.semaphores.get((core, processor.semaphore))
            return (core, -1) if word is None or word.by < 0 else divmod(word.by, len(ROLES))
        return core, INSIDE.get(processor.waits, -1)

    def _groups(self) -> list[str]:
        cores: dict[int, list[Processor]] = {}
        for processor in self.standing.processors:
            cores.setdefault(processor.core, []).append(processor)
        groups: dict[object, list[int]] = {}
        ended = 0
        for core, processors in cores.items():
            if all(it.done for it in processors):
                ended += 1
                continue
            state = tuple((e.role, e.kernel, e.done, e.waits, e.what, e.file, e.line) for e in processors)
            groups.setdefault(state, []).append(core)
        shown = [self._describe(group, cores[group[0]]) for group in list(groups.values())[:_GROUPS]]
        left = list(groups.values())[_GROUPS:]
        if left:
            shown.append(f"{sum(map(len, left))} more nodes in {len(left)} other states")
        if ended:
            shown.append(f"all kernels ended on {counted(ended, 'node')}")
        return shown

    def _describe(self, cores: list[int], processors: Sequence[Processor]) -> str:
        more = ", ..." if len(cores) > _COORDS else ""
        place = names_at(list(map(self.coord, cores[:_COORDS]))) + more
        lines = [
            f"on {name_at(self.coord(cores[0]))}:" if len(cores) == 1 else f"on {len(cores)} nodes, {place}:"
        ]
        kernels: dict[str, list[Processor]] = {}
        for processor in processors:
            kernels.setdefault(processor.name, []).append(processor)
        used: list[int] = []
        for name, members in kernels.items():
            waiting = list(filter(_matters, members)) or [
                processor for processor in members if not processor.done
            ]
            if not waiting:
                lines.append(f"  {name} ended")
            for processor in waiting:
                lines.append(f"  {self._line(processor)}")
                if processor.waits in (PAGES, SPACE):
                    used.append(processor.what)
        for index in list(dict.fromkeys(used))[:_BUFFERS]:
            ring = self.standing.rings.get((cores[0], index))
            if ring is not None:
                counts = f"{ring.pushed} pushed, {ring.popped} popped"
                lines.append(f"  {self.buffer(index)}: {_fill(ring)}; {counts}")
        return "\n".join(lines)

    def _changed(self, processor: Processor) -> str:
        """Return the end of a sentence: the processor that last changed a semaphore over several chips from elsewhere.

        It is empty on one chip.
        """
        if self.standing.chip.system is None or not self.standing.goes_on:  # a dump does not show it
            return ""
        word = self.standing.semaphores.get((processor.core, processor.semaphore))
        if word is None or word.by < 0:
            return " and no other core has changed it"
        by = self.standing.processor(*divmod(word.by, len(ROLES)))
        return (
            ""
            if by is None
            else f", last changed by another core: {by.name} on {name_at(self.coord(by.core))}"
        )

    def _line(self, processor: Processor) -> str:
        """``write (brisc) waits for y_dfb, 1 page of it at write.cpp:17, since cycle 830``."""
        waits, amount = processor.waits, processor.amount
        words = INSIDE_WORDS.get(waits, "cannot continue")
        if waits in (PAGES, SPACE):
            words = str(self.wait(processor)) + (f", {counted(amount, 'page')} of it" if amount >= 0 else "")
        elif waits == SEMAPHORE:
            words = str(self.wait(processor)) if amount >= 0 else f"waits for {self.semaphore(processor)}"
        elif waits == LINK:
            words = str(self.wait(processor))
        value = ""
        if waits == SEMAPHORE and processor.now >= 0:
            value = f", where it is {processor.now}{self._changed(processor)}"
        place = f" at {processor.file}:{processor.line}" if processor.line else ""
        since = f", since cycle {processor.clock:,}" if processor.clock >= 0 else ""
        return f"{processor.name} ({ROLES[processor.role]}) {words}{place}{value}{since}"


def _fill(ring: RingState) -> str:
    parts = [f"{ring.pushed - ring.popped} of {counted(ring.pages, 'page')} full"]
    if ring.reserved:
        parts.append(f"{ring.reserved} reserved")
    return listed(parts)


# The most that a report shows of each.
_LINKS = 4
_CONNECTIONS = 4


def _link_notes(standing: ResourceMap) -> Iterator[str]:
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
