"""The shard solver: one layout for each operation of a chain.

Every operation has the set of layouts that it may still choose. An edge of the chain has the compatible pairs of
layouts; the sets are narrowed until nothing changes. If an edge has no pair left, the operand gets a new layout in
between, which makes all pairs compatible. Among the remaining layouts, those are chosen that use the most cores over
the rest of the chain.

Sets are integers with one bit for each layout, so that there may be any number of layouts. An edge that gets a new
layout does not change the sets that were narrowed before it, so that continuing from there has the same result as the
restart of the real solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainEdge:
    """An operand that another operation of the chain produces, by the positions of both operations in the chain.

    ``pairs`` has for each candidate of the producer the set of compatible candidates of the consumer.
    """

    producer: int
    consumer: int
    pairs: tuple[int, ...]
    resharded: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Solution:
    """The choice of the solver.

    ``chosen`` is the position of each operation's layout; ``allowed`` are the candidates left before the first choice; ``usage``
    are the cores that each candidate uses over the rest of the chain; ``resharded`` are the edges, by position, that get a new
    layout.
    """

    chosen: tuple[int, ...]
    allowed: tuple[int, ...]
    usage: tuple[tuple[int, ...], ...]
    resharded: frozenset[int]


def pairs_of(producers: int, consumers: int, compatible: Callable[[int, int], bool]) -> tuple[int, ...]:
    """The compatible pairs of an edge: for each candidate of the producer, the set of candidates of the consumer."""
    return tuple(
        sum(1 << other for other in range(consumers) if compatible(one, other)) for one in range(producers)
    )


class ShardSolver:
    """The solver of one chain.

    ``volumes``: the number of cores that each candidate of each operation uses; ``is_block``: whether the candidate is
    block-sharded; ``allowed``: the initial sets. Edges are in the order of their consumers.
    """

    def __init__(
        self,
        volumes: Sequence[Sequence[int]],
        is_block: Sequence[Sequence[bool]],
        edges: Sequence[ChainEdge],
        allowed: Sequence[int] | None = None,
    ) -> None:
        self._volumes = volumes
        self._is_block = is_block
        self._sets = [(1 << len(one)) - 1 for one in volumes] if allowed is None else list(allowed)
        self._edges = list(edges)
        self._at: list[list[int]] = [[] for _ in volumes]
        for index, edge in enumerate(edges):
            self._at[edge.producer].append(index)
            self._at[edge.consumer].append(index)
        self._built = [False] * len(edges)

    def solve(self) -> Solution:
        """Narrow the sets, then choose from the first operation to the last."""
        for index in range(len(self._edges)):
            self._built[index] = True
            if not self._narrow([index]):
                self._edges[index] = _all_pairs(self._edges[index], self._volumes)
        allowed = tuple(self._sets)
        usage = self._usage()
        chosen = []
        for op, sets in enumerate(usage):
            best = self._best(op, sets)
            chosen.append(best)
            self._sets[op] = 1 << best
            self._narrow(list(self._at[op]))
        resharded = frozenset(index for index, edge in enumerate(self._edges) if edge.resharded)
        return Solution(chosen=tuple(chosen), allowed=allowed, usage=usage, resharded=resharded)

    def _narrow(self, waiting: list[int]) -> bool:
        """Remove candidates without a partner on some edge. If a set would be empty, keep all sets and return False."""
        before: dict[int, int] = {}
        while waiting:
            index = waiting.pop()
            edge = self._edges[index]
            if not self._built[index] or edge.resharded:
                continue
            producers, consumers = self._sets[edge.producer], self._sets[edge.consumer]
            left, reached = 0, 0
            for one in _members(producers):
                partners = edge.pairs[one] & consumers
                if partners:
                    left |= 1 << one
                    reached |= partners
            for op, old, new in ((edge.producer, producers, left), (edge.consumer, consumers, reached)):
                if new == old:
                    continue
                before.setdefault(op, old)
                self._sets[op] = new
                waiting += [other for other in self._at[op] if other != index]
            if not left:
                for op, old in before.items():
                    self._sets[op] = old
                return False
        return True

    def _usage(self) -> tuple[tuple[int, ...], ...]:
        """The cores that each candidate uses together with the best candidates that may follow it.

        They are computed from the last operation to the first.
        """
        operands = [0] * len(self._volumes)
        for edge in self._edges:
            operands[edge.consumer] += 1
        usage: list[tuple[int, ...]] = [()] * len(self._volumes)
        for op in reversed(range(len(self._volumes))):
            out = [edge for edge in map(self._edges.__getitem__, self._at[op]) if edge.producer == op]
            usage[op] = tuple(
                cores
                + sum(
                    max((usage[edge.consumer][one] for one in self._reachable(edge, position)), default=0)
                    // operands[edge.consumer]
                    for edge in out
                )
                for position, cores in enumerate(self._volumes[op])
            )
        return tuple(usage)

    def _reachable(self, edge: ChainEdge, position: int) -> Iterator[int]:
        return _members(edge.pairs[position] & self._sets[edge.consumer])

    def _best(self, op: int, usage: Sequence[int]) -> int:
        """The candidate with the most cores; among equals, the last one that is not block-sharded, else the first."""
        best: int | None = None
        for one in _members(self._sets[op]):
            is_better = best is None or usage[one] > usage[best]
            if is_better or (usage[one] == usage[best or 0] and not self._is_block[op][one]):
                best = one
        assert best is not None, "a set that was narrowed has something left"
        return best


def _all_pairs(edge: ChainEdge, volumes: Sequence[Sequence[int]]) -> ChainEdge:
    everything = (1 << len(volumes[edge.consumer])) - 1
    return replace(edge, pairs=(everything,) * len(volumes[edge.producer]), resharded=True)


def _members(of: int) -> Iterator[int]:
    while of:
        lowest = of & -of
        yield lowest.bit_length() - 1
        of ^= lowest
