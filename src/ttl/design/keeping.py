"""Blocks that a node reads only once: loads leave loops, neighbouring loads merge, parts of all iterations are kept.

Where a load stays in a loop that its index depends on, iterations may still read overlapping parts (a window of
rows), or an outer loop may read all of it again and again (rows of a factor). It is then read outside of the loop, as
one block of all that the iterations need, and each iteration takes its part (``KeptPart``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from ttl.analysis.polynomials import Indeterminate, Polynomial
from ttl.design.graph import (
    Graph,
    GraphValue,
    Index,
    IndexEntry,
    Item,
    KeptPart,
    Load,
    Loop,
    Store,
    Sum,
    items,
    loops_in,
)
from ttl.design.spread import Nest, NodeShare, Spreading, iterations_of, share_of
from ttl.rows.types import TILE


@dataclass(slots=True)
class ProgramWithParts:
    """A program with loads at the places where they are read, and the changes to some of them."""

    body: list[Item]
    reasons: dict[Load, str]
    """For each load that was made from other loads, the reason."""
    firsts: list[Loop]
    """Loops whose first iteration on a node is referred to outside of the loop."""
    joined: tuple[str, ...]
    """The tensors whose neighbouring loads were merged."""
    kept: tuple[str, ...]
    """The tensors with a load that was moved out of a loop on which its index depends."""


def first_of(loop: Loop) -> Indeterminate:
    """Return the start of a spread loop's first iteration on a node."""
    return Indeterminate(f"{loop.name}_start", loop.number)


def with_loads_outside(
    graph: Graph, body: list[Item], nests: dict[Loop, Nest], spreading: Spreading
) -> ProgramWithParts:
    """Return the body with each load as far outside as possible; ``nests`` then has the loops of the result."""
    return _PartCollector(graph, nests, spreading).kept(body)


class _PartCollector:
    def __init__(self, graph: Graph, nests: dict[Loop, Nest], spreading: Spreading) -> None:
        self._graph, self._nests, self._spreading = graph, nests, spreading
        self._together = {
            loop for nest in nests.values() for share in nest.shares for loop in share.loops[1:]
        }
        self._stored = {item.tensor for item in items(graph.body) if isinstance(item, Store)}
        self._reasons: dict[Load, str] = {}
        self._firsts: dict[int, Loop] = {}
        self._joined: dict[str, None] = {}
        self._kept: dict[str, None] = {}
        # The load that each merged load became part of.
        self._wider: dict[Load, Load] = {}

    def kept(self, body: list[Item]) -> ProgramWithParts:
        """Return the transformed program."""
        outer, inner = self._visited(body, ())
        body = [*outer, *inner]
        for item in items(body):
            if isinstance(item, KeptPart):
                while item.load in self._wider:
                    item.load = self._wider[item.load]
        return ProgramWithParts(
            body, self._reasons, list(self._firsts.values()), tuple(self._joined), tuple(self._kept)
        )

    def _visited(self, body: list[Item], around: tuple[Loop, ...]) -> tuple[list[Item], list[Item]]:
        """Return the loads that leave the innermost of the loops around a body, and the remaining items."""
        loop = around[-1] if around else None
        outer: list[Item] = []
        stays: list[Item] = []
        for item in body:
            if isinstance(item, Loop):
                lifted, inner = self._visited(item.body, (*around, item))
                copy = replace(item, body=inner)
                self._renew(item, copy)
                for load in lifted:
                    (outer if self._leaves(load, loop) else stays).append(load)
                stays.append(copy)
            elif isinstance(item, Sum):
                # Only some of the nodes execute its body, so no load leaves it.
                stays.append(replace(item, body=self._visited(item.body, ())[1]))
            else:
                (outer if self._leaves(item, loop) else stays).append(item)
        if self._spreading.joined:
            outer, stays = self._with_joined(outer), self._with_joined(stays)
        if around and self._spreading.kept:
            stays, wide = self._with_windows(stays, around)
            outer += wide
        return outer, stays

    def _renew(self, old: Loop, new: Loop) -> None:
        """Replace a loop by its new object everywhere, including in nests."""
        if old.number in self._firsts:
            self._firsts[old.number] = new
        for first, nest in list(self._nests.items()):
            for share in nest.shares:
                share.loops = tuple(new if one is old else one for one in share.loops)
            if first is old:
                self._nests[new] = self._nests.pop(old)

    def _leaves(self, item: Item, loop: Loop | None) -> bool:
        """Whether an item is a load that can leave a loop. Loops that are spread together count as one."""
        if loop is None or not isinstance(item, Load) or item.tensor in self._stored:
            # Parts of a load outside stay with the items that use them.
            return False
        if (loop in self._nests and len(self._nests) > 1) or loop.number in loops_in(item.index):
            return False
        if iterations_of(loop, self._nests) == 1:
            return item.tensor in self._spreading.kept
        if item in self._reasons and self._spreading.kept:
            self._kept[item.tensor] = None
        share = share_of(loop, self._nests)
        others = set() if share is None else {one.number for one in share.loops}
        return not (loop in self._together and loops_in(item.index) & others)

    # --- neighbours -------------------------------------------------------------------------------------------

    def _with_joined(self, body: list[Item]) -> list[Item]:
        """Merge loads of neighbouring parts in a body, if no element is read in vain."""
        groups: dict[object, list[Load]] = {}
        for item in body:
            if isinstance(item, Load) and item.tensor not in self._stored:
                offsets = [entry.start.terms.get((), 0) for entry in item.index]
                free = tuple(
                    (entry.start - Polynomial.constant(offset), entry.size, entry.single)
                    for entry, offset in zip(item.index, offsets, strict=True)
                )
                groups.setdefault((item.tensor, free), []).append(item)
        for group in groups.values():
            index = self._hull(group)
            if index is not None:
                text = f"{len(group)} loads of neighbouring parts are one"
                body = self._replaced(body, group, self._made(group[0], index, text))
                self._joined[group[0].tensor] = None
        return body

    def _hull(self, group: list[Load]) -> Index | None:
        """Return the part that covers those of all loads, which differ by constants.

        None for a single load, if elements would be read in vain, or if the loads differ in a dimension whose last
        block has padding.
        """
        first, shape = group[0], self._graph.tensors[group[0].tensor].shape
        entries = []
        for dimension, entry in enumerate(first.index):
            offsets = [load.index[dimension].start.terms.get((), 0) for load in group]
            low, high = min(offsets), max(offsets)
            if low == high:
                entries.append(entry)
                continue
            if self._has_tail(shape, dimension):
                return None
            start = entry.start + Polynomial.constant(low - offsets[0])
            entries.append(IndexEntry(start, high - low + entry.size))
        is_filled = _volume(tuple(entries)) <= len(group) * _volume(first.index)
        return tuple(entries) if len(group) > 1 and is_filled else None

    @staticmethod
    def _has_tail(shape: tuple[int, ...], dimension: int) -> bool:
        """Whether blocks along a dimension may end in padding, which parts of a block cannot express."""
        return dimension >= len(shape) - 2 and shape[dimension] % TILE != 0

    # --- windows ----------------------------------------------------------------------------------------------

    def _with_windows(self, body: list[Item], around: tuple[Loop, ...]) -> tuple[list[Item], list[Item]]:
        """Replace loads in a loop's body by parts of larger loads, which are returned: they cover all iterations."""
        loop, wide = around[-1], []
        for item in list(body):
            if not isinstance(item, Load) or item.tensor not in self._spreading.kept:
                continue
            index = self._window(item, loop)
            if index is None:
                continue
            iterations = iterations_of(loop, self._nests)
            overlaps = _volume(index) < iterations * _volume(item.index)
            again = [other for other in around[:-1] if iterations_of(other, self._nests) > 1]
            if iterations > 1:
                again = [other for other in again if other.number not in loops_in(index)]
            if overlaps or again:
                what = f"all that {iterations} iterations of {loop.name} need of it is kept, and each takes its part"
                whole = self._made(item, index, what if iterations > 1 else "")
                body = self._replaced(body, [item], whole)[1:]
                wide.append(whole)
                if iterations > 1:
                    self._kept[item.tensor] = None
        return body, [*wide]

    def _window(self, load: Load, loop: Loop) -> Index | None:
        """Return the part that a node's iterations of a loop need together.

        None if the index does not depend on the loop, if the tensor is stored to, or if the part is not a block: the
        index is not linear in the loop, a node's iterations are not consecutive, the last block has padding, or
        elements would be read in vain.
        """
        iterations, share = iterations_of(loop, self._nests), share_of(loop, self._nests)
        if load.tensor in self._stored or loop.number not in loops_in(load.index):
            return None
        if share is not None and not self._is_piece(share, loop):
            return None
        variable = Indeterminate(loop.name, loop.number)
        is_first_iteration = share is None or share.nodes == 1
        first = Polynomial.constant(0) if is_first_iteration else Polynomial.of(first_of(loop))
        shape, entries = self._graph.tensors[load.tensor].shape, []
        for dimension, entry in enumerate(load.index):
            factor = entry.start.terms.get((variable,), 0)
            rest = entry.start - Polynomial.of(variable).scaled(factor)
            if loop.number in {term.key for term in rest.indeterminates}:
                return None
            if factor == 0:
                entries.append(entry)
                continue
            if factor < 0 or self._has_tail(shape, dimension):
                return None
            size = factor * loop.step * (iterations - 1) + entry.size
            entries.append(IndexEntry(rest + first.scaled(factor), size))
        index = tuple(entries)
        if _volume(index) > iterations * _volume(load.index):
            return None
        if not is_first_iteration:
            self._firsts[loop.number] = loop
        return index

    def _is_piece(self, share: NodeShare, loop: Loop) -> bool:
        """Whether each node has the same number of consecutive iterations of a loop, or a single one."""
        if not share.even or (loop in self._nests and len(self._nests) > 1):
            return False
        is_alone = share.loops[0] is loop and all(other is loop or other.count == 1 for other in share.loops)
        return share.iterations == 1 or (is_alone and not share.in_turn)

    # --- both -------------------------------------------------------------------------------------------------

    def _made(self, load: Load, index: Index, reason: str) -> Load:
        """Make a load like another one, but of a larger part."""
        own = iter(load.value.extents)
        extents, rank = [], len(load.index)
        for dimension, (entry, old) in enumerate(zip(index, load.index, strict=True)):
            extent = None if old.single else next(own)
            if entry.single:
                continue
            unit = TILE if dimension >= rank - 2 else 1
            extents.append(extent if entry == old and extent is not None else entry.size * unit)
        whole = Load(GraphValue(tuple(extents), load.value.dtype), load.tensor, index, load.span)
        self._reasons[whole] = "; ".join(text for text in (self._reasons.get(load), reason) if text)
        return whole

    def _replaced(self, body: list[Item], group: list[Load], whole: Load) -> list[Item]:
        """Return a body that starts with a larger load, and has parts of it in place of the loads in a group."""
        replaced: list[Item] = [whole]
        for item in body:
            if not isinstance(item, Load) or item not in group:
                replaced.append(item)
                continue
            if item not in self._reasons:
                replaced.append(KeptPart(item.value, whole, item.index, item.span))
            self._wider[item] = whole
        return replaced


def _volume(index: Index) -> int:
    return prod(entry.size for entry in index)
