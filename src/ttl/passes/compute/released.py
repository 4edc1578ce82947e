"""Values that are stored after a block they are computed from was given back."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.dialects import ttl as dialect
from ttl.passes.building import detach
from ttl.passes.compute.groups import with_buffer
from ttl.passes.compute.moving import compute_before, pop_before
from ttl.passes.compute.spills import Spills
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import computed_in, leaves, operands_of, stores_of
from ttl.passes.positions import ancestor_in, is_available, precedes


def compute_before_release(kernel: dialect.KernelOp, spills: Spills) -> bool:
    """Compute one such value, or as much of it as needs the block, before that; False where there is none."""
    for store in stores_of(kernel):
        for read in leaves(store.value):
            pop = pop_before(read, store)
            if pop is None or _store_before(store, pop):
                continue
            value = _needs_now(store.value, read, pop)
            if computed_in(value):
                compute_before(value, pop)
            spills.spill(value, "the block it is computed from is given back before it is used")
            return True
    return False


def _store_before(store: dialect.BlockStoreOp, pop: Operation) -> bool:
    """Compute and store before a block is given back, where everything else is there."""
    place = ancestor_in(pop, store.parent) if store.parent is not None else None
    moved = with_buffer(store)
    if place is not pop or not (len(moved) > 1 or is_available(store.block, pop)):
        return False
    acquires = [dialect.acquired_from(read.block) for read in leaves(store.value)]
    if any(acquire is None or not precedes(acquire, pop) for acquire in acquires):
        return False
    compute_before(store.value, pop)
    for op in moved:
        detach(op)
        insert([op], InsertPoint.before(pop), op.location)
    return True


def _needs_now(value: SSAValue, read: dialect.BlockReadOp, pop: Operation) -> SSAValue:
    """The largest part of an expression that needs a block, and nothing that is acquired after it is given back."""
    while True:
        acquires = [dialect.acquired_from(each.block) for each in leaves(value)]
        if all(acquire is not None and precedes(acquire, pop) for acquire in acquires):
            return value
        value = next(each for each in operands_of(value) if read in leaves(each))
