"""What a tile program may not do with memory: its loads run ahead of its stores, and its nodes do not wait for each other.

Asked once a program is planned, when it is known which loops are spread over nodes. Where the index of a part has for each
loop an entry of its own, different turns have different parts; otherwise the turns are counted out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from ttl.analysis.polynomials import Indeterminate
from ttl.design.graph import Graph, Index, Item, Load, Loop, Store
from ttl.diag import Diagnostic
from ttl.rules import design as rules

# Tiles and turns that are counted out, at most; what would be more is taken for a conflict.
_MOST = 1 << 18

Chain = tuple[Loop, ...]
Place = tuple[int, ...]


def conflict(graph: Graph) -> Diagnostic | None:
    """The first load or store whose result would depend on what runs first."""
    accesses = list(_accesses(graph.body, ()))
    is_spread = any(_spread(chain) for _, chain in accesses)
    stores: dict[str, list[tuple[Store, Chain]]] = {}
    for item, chain in accesses:
        if isinstance(item, Store):
            before = stores.setdefault(item.tensor, [])
            finding = _between_nodes(item, chain, before, is_spread)
            before.append((item, chain))
        else:
            finding = _load(item, chain, stores, accesses)
        if finding is not None:
            return finding.at(item.span)
    return None


def _accesses(body: list[Item], chain: Chain) -> Iterator[tuple[Load | Store, Chain]]:
    for item in body:
        if isinstance(item, Loop):
            yield from _accesses(item.body, (*chain, item))
        elif isinstance(item, Load | Store):
            yield item, chain


def _load(
    load: Load,
    chain: Chain,
    stores: dict[str, list[tuple[Store, Chain]]],
    accesses: list[tuple[Load | Store, Chain]],
) -> Diagnostic | None:
    """What is wrong with a load of a tensor that is stored to, too: each turn has to load before it stores, and parts of its own."""
    if load.tensor in stores:
        return rules.loaded_after_store(load.tensor).also(stores[load.tensor][0][0].span, "stored here")
    for store, other in accesses:
        if not isinstance(store, Store) or store.tensor != load.tensor:
            continue
        if store.index != load.index:
            return rules.read_and_written(load.tensor).also(store.span, "stored here")
        common = tuple(loop for loop in chain if loop in other)
        if not _are_apart(load.index, common, common):
            loops = [loop for loop in common if loop.number not in _loops(load.index)] or common
            return rules.loaded_in_other_turns(load.tensor, loops[0].what).also(store.span, "stored here")
    return None


def _between_nodes(
    store: Store, chain: Chain, before: Sequence[tuple[Store, Chain]], is_spread: bool
) -> Diagnostic | None:
    """What is wrong with a store that a node does to what another node stores to."""
    spread = _spread(chain)
    if not spread and is_spread:
        return rules.stored_by_all(store.tensor)
    if not _are_apart(store.index, spread, chain):
        return rules.stored_by_nodes(store.tensor)
    for other, its in before:
        if _spread(its) == spread and other.index == store.index:
            continue
        if (spread or _spread(its)) and not _share_nothing(store.index, chain, other.index, its):
            return rules.stored_by_nodes(store.tensor).also(other.span, "stored here")
    return None


def _spread(chain: Chain) -> Chain:
    return tuple(loop for loop in chain if loop.kind == "spatial")


def _loops(index: Index) -> set[object]:
    return {term.key for entry in index for term in entry.start.indeterminates}


def _are_apart(index: Index, loops: Chain, chain: Chain) -> bool:
    """Whether turns of ``loops`` have different parts, whatever the other loops of the chain do."""
    if all(loop.count == 1 or _has_own_entry(index, loop) for loop in loops):
        return True
    owner: dict[Place, Place] = {}
    numbers = [chain.index(loop) for loop in loops]
    for turn, place in _places(index, chain):
        own = tuple(turn[number] for number in numbers)
        if owner.setdefault(place, own) != own:
            return False
    return _counted(index, chain) <= _MOST


def _has_own_entry(index: Index, loop: Loop) -> bool:
    """Whether an entry moves by at least its size from turn to turn, and with no other loop."""
    for entry in index:
        terms = [term for term in entry.start.terms if term]
        if len(terms) == 1 and len(terms[0]) == 1 and terms[0][0].key == loop.number:
            return abs(entry.start.terms[terms[0]]) * loop.step >= entry.size
    return False


def _share_nothing(first: Index, chain: Chain, second: Index, other: Chain) -> bool:
    """Whether two stores have no place in common that different nodes store to."""
    if _counted(first, chain) + _counted(second, other) > _MOST:
        return False
    same = _spread(chain) == _spread(other)
    owner = {place: _of_node(turn, chain) for turn, place in _places(first, chain)}
    return all(
        place not in owner or (same and owner[place] == _of_node(turn, other))
        for turn, place in _places(second, other)
    )


def _of_node(turn: Place, chain: Chain) -> Place:
    return tuple(start for start, loop in zip(turn, chain, strict=True) if loop.kind == "spatial")


def _counted(index: Index, chain: Chain) -> int:
    return prod(loop.count for loop in chain) * prod(entry.size for entry in index)


def _places(index: Index, chain: Chain) -> Iterator[tuple[Place, Place]]:
    """Every turn of the loops of a chain with each tile of its part; none where there are too many."""
    if _counted(index, chain) > _MOST:
        return
    loops = [Indeterminate(loop.name, loop.number) for loop in chain]
    for turn in product(*(range(0, loop.units, loop.step) for loop in chain)):
        values = dict(zip(loops, turn, strict=True))
        starts = [(entry.start.at(values), entry.size) for entry in index]
        sides = [range(start, start + size) for start, size in starts]
        for place in product(*sides):
            yield turn, place
