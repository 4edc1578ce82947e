"""Which dataflow buffers of a node may be one ring on the chip, and which may lie in the same memory.

A kernel has a sequence of *uses* of buffers, in its order. Two proofs are made of the sequences of all kernels of a
node, and neither depends on when anything happens on another kernel:

*One stream.* Buffers whose blocks one kernel pushes and one kernel pops may be one ring if the blocks come out in the
order in which they go in: over all of the buffers, the reserves, pushes, waits and pops are the same sequence. The ring
has the blocks of all of them, so that every order of events that was possible before is possible with it, and no kernel
waits that did not wait before.

*Over before.* A buffer is over before another begins, in every order of events, if one kernel pops the last block of
the first before it reserves any block of the second, and every block of the first is popped: then both may lie in the
same memory.

See docs/adr/0054-shared-buffers.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from ttl.protocol.sequences import Choice, Repeat, length, repeated, written_out
from ttl.protocol.sequences import Sequence as Uses


class RingUse(IntEnum):
    """The use that a kernel makes of a block of a buffer."""

    RESERVE = 0
    PUSH = 1
    WAIT = 2
    POP = 3

    def of(self, buffer: int) -> int:
        """The number that stands for this use of a buffer in sequences."""
        return buffer * len(RingUse) + self


class Usage:
    """The uses of all kernels. ``nodes``: the sequences of each node's kernels; of like nodes, one is enough."""

    def __init__(self, nodes: Iterable[tuple[Uses, ...]]) -> None:
        self._nodes = tuple(dict.fromkeys(nodes))

    def one_stream(self, members: Iterable[int]) -> bool:
        """Whether the blocks of some buffers come out of one ring in the order in which they go in."""
        chosen = frozenset(members)
        return all(
            len({word for word, _ in self._words(chosen, kernels)}) == 1
            and all(kernel is not None for _, kernel in self._words(chosen, kernels))
            for kernels in self._nodes
        )

    def pushed(self, buffer: int) -> int:
        """Return how many blocks of a buffer are pushed at most, on any node."""
        return max((_count(kernels, RingUse.PUSH.of(buffer)) for kernels in self._nodes), default=0)

    def over_before(self, first: int, second: int) -> bool:
        """Whether a buffer is over before another begins, on every node and in every order of events."""
        used = all(any(self.ends([buffer])) for buffer in (first, second))
        return used and all(_over_before(first, second, kernels) for kernels in self._nodes)

    def ends(self, members: Iterable[int]) -> tuple[frozenset[int], frozenset[int]]:
        """The kernels, by number, that reserve blocks of some buffers, and those that wait for some."""
        chosen = tuple(members)
        producers, consumers = (
            frozenset(
                number
                for kernels in self._nodes
                for number, uses in enumerate(kernels)
                if _has(uses, frozenset(map(use.of, chosen)))
            )
            for use in (RingUse.RESERVE, RingUse.WAIT)
        )
        return producers, consumers

    def _words(self, chosen: frozenset[int], kernels: tuple[Uses, ...]) -> Iterator[tuple[Uses, int | None]]:
        """Yield, for each use, the buffers in order and the kernel that does it: -1 for no kernel, None for several."""
        for use in RingUse:
            meaning = {use.of(buffer): buffer for buffer in chosen}
            words = [translated(uses, meaning) for uses in kernels]
            own = [(written_out(word), number) for number, word in enumerate(words) if word]
            yield own[0] if len(own) == 1 else ((), None if own else -1)


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferUsers:
    """The uses of a node's buffers by its kernels, as far as they decide which buffers may share memory."""

    usage: Usage
    kernels: Sequence[str]
    """The names of the kernels, by their numbers in ``usage``."""
    fixed: Collection[int]
    """Buffers that other nodes write into, and that lie where these expect them."""
    free_order: bool
    """Whether only buffers and pipes determine how far a kernel is ahead of another."""
    counts: Sequence[int]
    """Blocks of each buffer."""
    unread: Collection[int]
    """Buffers whose blocks may be popped without having been read.

    Three processors run a compute kernel: the processor that fills a block is behind the processor that pops another
    block only if something was computed from that.
    """

    def may_grow(self, buffer: int) -> bool:
        """Whether a buffer may have more blocks: that is not observable, or no kernel ever waits for room in it."""
        return self.free_order or self.usage.pushed(buffer) <= self.counts[buffer]

    def apart(self, one: int, other: int) -> bool:
        """Whether two buffers may use the same memory, in which each has as many blocks as there is room for."""
        may_grow = self.may_grow(one) and self.may_grow(other)
        return may_grow and (self.over_before(one, other) or self.over_before(other, one))

    def over_before(self, first: int, second: int) -> bool:
        """Whether a buffer is over before another begins: its memory is not touched any more."""
        return first not in self.unread and self.usage.over_before(first, second)


def translated(sequence: Uses, meaning: Mapping[int, int]) -> Uses:
    """A sequence with the parts that have a meaning, each replaced by its meaning; other parts are left out."""
    items: list[int | Repeat | Choice] = []
    for item in sequence:
        if isinstance(item, Repeat):
            items.extend(repeated(item.count, translated(item.body, meaning)))
        elif isinstance(item, int) and item in meaning:
            items.append(meaning[item])
    return tuple(items)


def _count(kernels: Iterable[Uses], code: int) -> int:
    return sum(length(translated(uses, {code: code})) for uses in kernels)


def _over_before(first: int, second: int, kernels: tuple[Uses, ...]) -> bool:
    of_first = frozenset(use.of(first) for use in RingUse)
    begin = frozenset({RingUse.RESERVE.of(second), RingUse.WAIT.of(second)})
    counts = {_count(kernels, code) for code in of_first}
    if len(counts) != 1:
        return False
    ends = [uses for uses in kernels if _has(uses, frozenset({RingUse.POP.of(first)}))]
    begins = [uses for uses in kernels if _has(uses, frozenset({RingUse.RESERVE.of(second)}))]
    # On a node where a buffer is not used, it is over before any other begins, and begins after any other is over.
    if (not ends and max(counts) == 0) or (not begins and not any(_has(uses, begin) for uses in kernels)):
        return True
    if len(ends) != 1 or len(begins) != 1 or ends[0] is not begins[0]:
        return False
    last = max(place for place, item in enumerate(ends[0]) if _has((item,), of_first))
    return last < min(place for place, item in enumerate(ends[0]) if _has((item,), begin))


def _has(uses: Uses, codes: frozenset[int]) -> bool:
    return any(_has(item.body, codes) if isinstance(item, Repeat) else item in codes for item in uses)


def rings(kinds: Sequence[Hashable | None], users: BufferUsers, most: int) -> list[list[int]]:
    """The buffers, by number, of each ring, so that there are no more rings than ``most`` if that can be proved.

    ``kinds``: buffers of one ring have equal kinds; a buffer with None is a ring by itself.
    """
    result: list[list[int]] = []
    surplus, usage = len(kinds) - most, users.usage
    for number, kind in enumerate(kinds):
        home: list[int] | None = None
        # An unused buffer has nothing to share.
        if surplus > 0 and kind is not None and users.may_grow(number) and any(usage.ends([number])):
            home = next(
                (
                    ring
                    for ring in result
                    if kinds[ring[0]] == kind
                    and users.may_grow(ring[0])
                    and usage.one_stream([*ring, number])
                ),
                None,
            )
        if home is None:
            result.append([number])
        else:
            home.append(number)
            surplus -= 1
    return result


def memory(
    sizes: Sequence[int], units: Sequence[int], apart: Callable[[int, int], bool], movable: Iterable[int]
) -> dict[int, int]:
    """By the number of each buffer that uses another one's memory: the number of that owner, which is no smaller.

    A ring is all of its memory, so the size of an owner is a whole number of units (blocks) of each buffer that uses
    its memory. ``apart``: whether two buffers are never in use at the same time.
    """
    owners: list[list[int]] = []
    result: dict[int, int] = {}
    for number in sorted(movable, key=lambda number: -sizes[number]):
        for group in owners:
            if sizes[group[0]] % units[number] == 0 and all(apart(number, other) for other in group):
                result[number] = group[0]
                group.append(number)
                break
        else:
            owners.append([number])
    return result
