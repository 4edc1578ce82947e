"""Conflicts of memory in a tile program: its loads run ahead of its stores, and its nodes do not wait for each other.

They are looked for with every choice of sizes, once it is known which loops are spread over nodes. If the index of a part has
an entry of its own for each loop, different iterations have different parts; otherwise the iterations are enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from ttl.analysis.polynomials import Indeterminate
from ttl.design.graph import Graph, Index, Item, Load, Loop, Store, loops_in
from ttl.diag import Diagnostic
from ttl.rules import design as rules

# The most tiles and iterations that are enumerated; beyond that a conflict is assumed.
_MOST = 1 << 18

# The most tiles or elements of a dimension: the base of the numbers that stand for places.
_WIDEST = 1 << 16

Chain = tuple[Loop, ...]
Numbers = np.ndarray[Any, np.dtype[np.int64]]


def conflict(graph: Graph) -> Diagnostic | None:
    """Return the finding about the first load or store whose result would depend on the order of execution, or None."""
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
    """Return the finding about a load of a tensor that is also stored to; None if each iteration loads its own parts first."""
    if load.tensor in stores:
        return rules.loaded_after_store(load.tensor).also(stores[load.tensor][0][0].span, "stored here")
    for store, other in accesses:
        if not isinstance(store, Store) or store.tensor != load.tensor:
            continue
        if store.index != load.index:
            return rules.read_and_written(load.tensor).also(store.span, "stored here")
        common = tuple(loop for loop in chain if loop in other)
        if not _are_apart(load.index, common, common):
            loops = [loop for loop in common if loop.number not in loops_in(load.index)] or common
            return rules.loaded_in_other_iterations(load.tensor, loops[0].what).also(
                store.span, "stored here"
            )
    return None


def _between_nodes(
    store: Store, chain: Chain, before: Sequence[tuple[Store, Chain]], is_spread: bool
) -> Diagnostic | None:
    """Return the finding about a store to a part that another node stores to as well; None for a correct store."""
    spread = _spread(chain)
    if not spread and is_spread:
        return rules.stored_by_all(store.tensor)
    named = loops_in(store.index)
    without = next((loop for loop in spread if loop.count > 1 and loop.number not in named), None)
    if without is not None:
        return rules.stored_by_several(store.tensor, without.what)
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


def _are_apart(index: Index, loops: Chain, chain: Chain) -> bool:
    """Whether iterations of ``loops`` access different parts, for any iterations of the other loops of the chain."""
    if all(loop.count == 1 or _has_own_entry(index, loop) for loop in loops):
        return True
    if _counted(index, chain) > _MOST:
        return False
    owners, places = _owned(index, chain, loops)
    return len(np.unique(np.stack([owners, places]), axis=1).T) == len(np.unique(places))


def _has_own_entry(index: Index, loop: Loop) -> bool:
    """Whether an index entry depends on this loop only, and moves by at least its size in each iteration."""
    for entry in index:
        terms = [term for term in entry.start.terms if term]
        if len(terms) == 1 and len(terms[0]) == 1 and terms[0][0].key == loop.number:
            return abs(entry.start.terms[terms[0]]) * loop.step >= entry.size
    return False


def _share_nothing(first: Index, chain: Chain, second: Index, other: Chain) -> bool:
    """Whether different nodes never store to the same place by these two stores."""
    if _counted(first, chain) + _counted(second, other) > _MOST:
        return False
    same = _spread(chain) == _spread(other)
    owners, places = _owned(first, chain, _spread(chain))
    others, again = _owned(second, other, _spread(other))
    known = dict(zip(places.tolist(), owners.tolist(), strict=True))
    return all(
        place not in known or (same and known[place] == owner)
        for owner, place in zip(others.tolist(), again.tolist(), strict=True)
    )


def _counted(index: Index, chain: Chain) -> int:
    return prod(loop.count for loop in chain) * prod(entry.size for entry in index)


def _owned(index: Index, chain: Chain, loops: Chain) -> tuple[Numbers, Numbers]:
    """Return two numbers for every tile in every iteration of a chain: the iteration of ``loops``, and the place."""
    counts = [loop.count for loop in chain]
    iterations = [at.ravel() for at in np.indices(counts)] if chain else []
    values: dict[Indeterminate, Any] = {
        Indeterminate(loop.name, loop.number): iteration * loop.step
        for loop, iteration in zip(chain, iterations, strict=True)
    }
    owner = np.zeros(prod(counts), np.int64)
    for loop, iteration in zip(chain, iterations, strict=True):
        if loop in loops:
            owner = owner * loop.count + iteration
    place = np.zeros((prod(counts), 1), np.int64)
    for entry in index:
        start = entry.start.at(values) + np.zeros(prod(counts), np.int64)
        tiles = start[:, None] + np.arange(entry.size)
        place = (place[:, :, None] * _WIDEST + tiles[:, None, :]).reshape(len(place), -1)
    return np.repeat(owner, place.shape[1]), place.ravel()
