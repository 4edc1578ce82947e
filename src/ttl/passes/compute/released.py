"""Values that are stored after a block they are computed from was given back."""

from __future__ import annotations

from typing import Protocol

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import ancestor_in, is_available, precedes
from ttl.dialects import ttl as dialect
from ttl.passes.building import detach
from ttl.passes.compute.groups import with_buffer
from ttl.passes.compute.moving import compute_before, pop_before
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import computed_in, leaves, operands_of


class Changes(Protocol):
    """Who has to know what is changed."""

    def spill(self, value: SSAValue, why: str) -> None:
        """Put a value into a buffer."""

    def leaves(self, store: dialect.BlockStoreOp) -> None:
        """A store is about to move, with the buffer that the compiler made for it."""

    def moved(self, store: dialect.BlockStoreOp, *, crossed: bool) -> None:
        """A store, or what it is computed from, has moved; ``crossed``: out of a loop or a branch, or into one."""


def compute_before_release(store: dialect.BlockStoreOp, changes: Changes) -> bool:
    """Compute what is stored, or as much of it as needs the block, before that; False where there is no need to."""
    for read in leaves(store.value):
        pop = pop_before(read, store)
        if pop is None or _store_before(store, pop, changes):
            continue
        value = _needs_now(store.value, read, pop)
        if computed_in(value):
            changes.moved(store, crossed=compute_before(value, pop))
        changes.spill(value, "the block it is computed from is given back before it is used")
        return True
    return False


def _store_before(store: dialect.BlockStoreOp, pop: Operation, changes: Changes) -> bool:
    """Compute and store before a block is given back, where everything else is there."""
    place = ancestor_in(pop, store.parent) if store.parent is not None else None
    moved = with_buffer(store)
    if place is not pop or not (len(moved) > 1 or is_available(store.block, pop)):
        return False
    acquires = [dialect.acquired_from(read.block) for read in leaves(store.value)]
    if any(acquire is None or not precedes(acquire, pop) for acquire in acquires):
        return False
    changes.leaves(store)
    crossed = compute_before(store.value, pop)
    for op in moved:
        detach(op)
        insert([op], InsertPoint.before(pop), op.location)
    changes.moved(store, crossed=crossed)
    return True


def _needs_now(value: SSAValue, read: dialect.BlockReadOp, pop: Operation) -> SSAValue:
    """The largest part of an expression that needs a block, and nothing that is acquired after it is given back."""
    while True:
        acquires = [dialect.acquired_from(op.block) for op in leaves(value)]
        if all(acquire is not None and precedes(acquire, pop) for acquire in acquires):
            return value
        value = next(operand for operand in operands_of(value) if read in leaves(operand))
