"""The report when no processor of the emulated chip can go on, in the words of the simulator's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ttl.diag import Diagnostic, error
from ttl.diag.words import counted, listed
from ttl.emu.chip import EmulatedChip
from ttl.emu.program import Program
from ttl.rules.waiting import Wait, Who, together, wait_cycle, wanted
from ttl.source.spans import Span

# What a report shows of each: groups of nodes, buffers of a node, nodes of a group, steps of a circle.
_GROUPS = 4
_BUFFERS = 8
_COORDS = 4
_STEPS = 6
_PAGES, _SPACE, _SEMAPHORE, _SOURCE, _OPERAND, _DST, _MATH, _POLL = range(1, 9)
# Processors of one kernel that wait for each other: why they do is what the others wait for.
_INSIDE = frozenset({_SOURCE, _OPERAND, _DST, _MATH})
_INSIDE_WORDS = {
    _SOURCE: "waits for a free source register",
    _OPERAND: "waits for operands from the unpacker",
    _DST: "waits for free registers of DST",
    _MATH: "waits for results in DST",
    _POLL: "polls memory that nobody changes",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Stuck:
    """A processor when nothing could go on: ``waits`` says for what, with the numbers of the runtime."""

    core: int
    role: int
    kernel: str
    processor: str
    done: bool
    clock: int
    waits: int
    what: int
    amount: int
    now: int
    exact: bool
    place: str
    span: Span | None

    @property
    def matters(self) -> bool:
        """Whether it waits for something outside its kernel."""
        return not self.done and self.waits not in _INSIDE

    @property
    def name(self) -> str:
        """The kernel; of a compute kernel also which of its processors."""
        return self.kernel if self.role < 2 else f"{self.kernel} ({self.processor})"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ring:
    """A circular buffer of one core."""

    pages: int
    pushed: int
    popped: int
    reserved: int
    waited: int
    producer: int
    consumer: int


@dataclass(frozen=True, slots=True)
class _Facts:
    stuck: Sequence[Stuck]
    rings: Mapping[tuple[int, int], _Ring]
    names: Mapping[int, str]
    program: Program
    chip: EmulatedChip

    def buffer(self, index: int) -> str:
        return self.names.get(index, f"circular buffer {index}")

    def coord(self, core: int) -> tuple[int, int]:
        return core % self.chip.columns, core // self.chip.columns

    def wait(self, each: Stuck) -> str:
        if each.waits == _PAGES:
            return f"{Wait('data', self.buffer(each.what))}, {counted(each.amount, 'page')} of it"
        if each.waits == _SPACE:
            return f"{Wait('space', self.buffer(each.what))}, {counted(each.amount, 'page')} of it"
        if each.waits == _SEMAPHORE:
            return str(self.known(each))
        return _INSIDE_WORDS.get(each.waits, "cannot go on")

    def known(self, each: Stuck) -> Wait:
        if each.waits == _SEMAPHORE:
            number = each.what % 1024 // 16
            names = {semaphore.id: semaphore.name for semaphore in self.program.semaphores}
            return Wait("semaphore", f"semaphore {names.get(number) or number}", each.amount, each.exact)
        kind = "data" if each.waits == _PAGES else "space"
        return Wait("data" if kind == "data" else "space", self.buffer(each.what))

    def who(self, each: Stuck) -> Who:
        return Who(each.name, self.coord(each.core), len({other.core for other in self.stuck}) == 1)


def deadlock(
    stuck: Sequence[Stuck], buffers: Sequence[tuple[int, ...]], program: Program, chip: EmulatedChip
) -> Diagnostic:
    """TTL1504: who waits for what, at which line, and what would have to happen."""
    names = {each.index: each.name or f"circular buffer {each.index}" for each in program.circular_buffers}
    rings = {
        (core, index): _Ring(
            pages=pages, pushed=pushed, popped=popped, reserved=reserved, waited=waited,
            producer=producer, consumer=consumer,
        )
        for core, index, pages, pushed, popped, reserved, waited, producer, consumer in buffers
    }  # fmt: skip
    facts = _Facts(stuck, rings, names, program, chip)
    circle = _circle(facts)
    text = "kernels wait forever"
    if circle:
        text = f"deadlock: {together([facts.who(each) for each in circle])}"
    notes = _groups(facts)
    if circle:
        following = (*circle[1:], circle[0])
        steps = [
            (facts.who(each), facts.known(each), facts.who(after))
            for each, after in zip(circle, following, strict=True)
        ]
        notes.append(wait_cycle(steps[:_STEPS], len(circle)))
    first = next((each for each in stuck if each.matters), None)
    return error("TTL1504", text, notes=tuple(notes), help=(_way_out(first, facts) if first else None) or ())


def _way_out(each: Stuck, facts: _Facts) -> str | None:
    """What would have to happen for a processor to go on."""
    ring = facts.rings.get((each.core, each.what))
    held = ring.pushed - ring.popped if ring is not None else 0
    name = facts.buffer(each.what)
    if each.waits == _PAGES:
        return f"{each.kernel} needs {counted(each.amount - held, 'more page')} of {name} to be pushed: {held} of {each.amount} are there"
    if each.waits == _SPACE and ring is not None:
        needed = each.amount - (ring.pages - held)
        return f"{each.kernel} needs {counted(needed, 'page')} of {name} to be popped: {held} of {ring.pages} are in use"
    if each.waits == _SEMAPHORE:
        return f"{each.kernel} needs {facts.known(each).what} to be {wanted(each.amount, exact=each.exact)}: it is {each.now}"
    return None


def _circle(facts: _Facts) -> list[Stuck]:
    """Processors of which each waits for the next one, and the last for the first; none where that is not known."""
    at = {(each.core, each.role): each for each in facts.stuck if not each.done}
    for start in at.values():
        seen: list[Stuck] = []
        each: Stuck | None = start
        while each is not None and each not in seen:
            seen.append(each)
            each = at.get((each.core, _server(each, facts)))
        if each is not None:
            found = [one for one in seen[seen.index(each) :] if one.matters]
            if found:
                return found
    return []


def _server(each: Stuck, facts: _Facts) -> int:
    """The processor of the same core that would have to do something; -1 where that is not known."""
    match each.waits:
        case 1 | 2:
            ring = facts.rings.get((each.core, each.what))
            if ring is None:
                return -1
            return ring.producer if each.waits == _PAGES else ring.consumer
        case 4 | 7:  # a free source register, results in DST: the mathematics
            return 3
        case 5:
            return 2
        case 6:
            return 4
    return -1


def _groups(facts: _Facts) -> list[str]:
    """Cores in equal states, described together."""
    cores: dict[int, list[Stuck]] = {}
    for each in facts.stuck:
        cores.setdefault(each.core, []).append(each)
    groups: dict[object, list[int]] = {}
    ended = 0
    for core, members in cores.items():
        if all(each.done for each in members):
            ended += 1
            continue
        key = tuple(
            (each.role, each.kernel, each.done, each.waits, each.what, each.place) for each in members
        )
        groups.setdefault(key, []).append(core)
    shown = [_describe(found, cores[found[0]], facts) for found in list(groups.values())[:_GROUPS]]
    left = list(groups.values())[_GROUPS:]
    if left:
        shown.append(f"{sum(map(len, left))} more nodes in {len(left)} other states")
    if ended:
        shown.append(f"all kernels ended on {counted(ended, 'node')}")
    return shown


def _describe(cores: list[int], members: Sequence[Stuck], facts: _Facts) -> str:
    coords = [str(facts.coord(core)) for core in cores]
    head = f"on node {coords[0]}:" if len(coords) == 1 else f"on {len(coords)} nodes, {_some(coords)}:"
    lines = [head]
    kernels: dict[str, list[Stuck]] = {}
    for each in members:
        kernels.setdefault(each.kernel, []).append(each)
    used: list[int] = []
    for kernel, processors in kernels.items():
        waiting = [each for each in processors if each.matters] or [
            each for each in processors if not each.done
        ]
        if not waiting:
            lines.append(f"  {kernel} ended")
        for each in waiting:
            value = f", where it is {each.now}" if each.waits == _SEMAPHORE else ""
            lines.append(
                f"  {each.name} {facts.wait(each)} at {each.place}{value}, since cycle {each.clock:,}"
            )
            if each.waits in (_PAGES, _SPACE):
                used.append(each.what)
    for index in list(dict.fromkeys(used))[:_BUFFERS]:
        ring = facts.rings.get((cores[0], index))
        if ring is not None:
            lines.append(
                f"  {facts.buffer(index)}: {_fill(ring)}; {ring.pushed} pushed, {ring.popped} popped"
            )
    return "\n".join(lines)


def _fill(ring: _Ring) -> str:
    parts = [f"{ring.pushed - ring.popped} of {counted(ring.pages, 'page')} full"]
    if ring.reserved:
        parts.append(f"{ring.reserved} reserved")
    return listed(parts)


def _some(coords: Sequence[str]) -> str:
    return ", ".join(coords[:_COORDS]) + (", ..." if len(coords) > _COORDS else "")
