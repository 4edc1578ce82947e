"""Loops whose iterations are added up, spread over parts of the grid: each part has a sum of its own, and the first one adds them.

That pays where the other loops leave nodes idle: a product of few rows along many columns, sums of few rows.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ttl.design.graph import CarriedValue, Compute, Graph, Item, Load, Loop, Store, Sum, items, uses
from ttl.design.spread import chain_of, nests_of
from ttl.rows.row import Op
from ttl.rows.table import ADD, MAX

# The operations that accumulate, with their neutral elements.
_NEUTRAL: dict[Op, float] = {ADD: 0.0, MAX: -math.inf}


def summable(graph: Graph) -> list[Loop]:
    """Return the loops whose iterations may be divided over nodes.

    They carry only sums or maxima, and no store comes before them.
    """
    nests = nests_of(graph.body)
    if len(nests) != 1 or any(isinstance(item, Store) for item in graph.body):
        return []
    loops = []
    for item in chain_of(nests[0])[-1].body:
        if any(isinstance(one, Store) for one in items([item])):
            break
        if isinstance(item, Loop) and item.kind == "temporal" and item.count > 1 and item.carried:
            count = uses(item.body)
            dtypes = {tensor.dtype for tensor in graph.tensors.values()}
            if all(
                operation_of(carried, item) is not None
                and count.get(carried.inside) == 1
                and carried.inside.dtype in dtypes
                for carried in item.carried
            ):
                loops.append(item)
    return loops


def operation_of(carried: CarriedValue, loop: Loop) -> Op | None:
    """Return the operation by which a loop accumulates a value, from its neutral element; None for any other value."""
    last = next((one for one in loop.body if isinstance(one, Compute) and one.value is carried.after), None)
    if last is None or last.op not in _NEUTRAL or carried.inside not in last.operands:
        return None
    begins = not hasattr(carried.before, "extents") and carried.before == _NEUTRAL[last.op]
    return last.op if begins else None


def with_sum(graph: Graph, number: int, parts: int) -> list[Item]:
    """Return the program in which the first part of the nodes executes the items after a loop, with the total sums."""
    chain = chain_of(nests_of(graph.body)[0])
    body = chain[-1].body
    at = next(at for at, item in enumerate(body) if isinstance(item, Loop) and item.number == number)
    loop = body[at]
    assert isinstance(loop, Loop)
    sums = [(carried, operation_of(carried, loop)) for carried in loop.carried]
    what = Sum([(carried, op) for carried, op in sums if op is not None], parts, body[at + 1 :], loop.span)
    inner: list[Item] = [*body[: at + 1], what]
    for outer in reversed(chain):
        before = chain[chain.index(outer) - 1].body if outer is not chain[0] else graph.body
        changed = replace(outer, body=inner)
        inner = [changed if item is outer else item for item in before]
    return inner


def likeness(graph: Graph, carried: CarriedValue) -> str:
    """Return the name of a tensor with the element type of a sum, preferably of one that is stored to."""
    stored = [item.tensor for item in items(graph.body) if isinstance(item, Store)]
    loaded = [item.tensor for item in items(graph.body) if isinstance(item, Load)]
    return next(name for name in (*stored, *loaded) if graph.tensors[name].dtype == carried.inside.dtype)
