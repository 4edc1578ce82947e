"""Computations after a loop that keeps values in the registers, which the loop's section can include."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import ancestor_in, comes_before, walked
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import kernel_of
from ttl.passes.building import detach
from ttl.passes.compute import in_registers
from ttl.passes.compute.carried import LOOPS
from ttl.passes.compute.groups import group_of, join
from ttl.passes.compute.modes import compute_mode
from ttl.passes.compute.moving import is_needed_after, pop_before
from ttl.passes.compute.places import plan
from ttl.passes.compute.promote import WRAPS
from ttl.passes.compute.regions import RegionBuilder, Unbuildable
from ttl.passes.compute.scalers import scalers_in
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import computed_in, leaves, stores_of, tree
from ttl.passes.compute.views import tile_shape, type_of


def stores_after(loop: Operation) -> list[dialect.BlockStoreOp]:
    """The stores after a marked loop that use its values; empty if they cannot be computed in the section of the loop.

    That is so if a store is not in the block of code of the loop, the values have other uses, one of them is cut off by
    a buffer (``WRAPS``), a block is released before the last store, or shapes differ.
    """
    results = [value.result for value in in_registers.values_of(loop)]
    stores = [
        store
        for store in stores_of(kernel_of(loop))
        if not {*results}.isdisjoint(tree(store.value, through=in_registers.is_kept))
    ]
    if not stores or any(store.parent is not loop.parent for store in stores):
        return []
    own = list(dict.fromkeys(value for store in stores for value in tree(store.value)))
    users = {*stores, *(value.owner for value in own)}
    if any(use.operation not in users for value in (*results, *own) for use in value.uses):
        return []
    if any(isinstance(value.owner, Operation) and WRAPS in value.owner.attributes for value in own):
        return []  # it goes through a buffer of its own
    last = stores[-1]
    if any(pop_before(read, last) for store in stores for read in leaves(store.value)):
        return []
    space = tile_shape(type_of(results[0]))
    return stores if all(tile_shape(type_of(store.value)) == space for store in stores) else []


def can_go_on(operation: dialect.OperationOp, loop: Operation, stores: list[dialect.BlockStoreOp]) -> bool:
    """Whether the section of a loop can continue with the stores after it, whose scalers the kernel has to have."""
    return _fits(operation, loop, stores) and _to_move(loop, stores) is not None


def bring_together(loop: Operation, stores: list[dialect.BlockStoreOp]) -> bool:
    """Move stores beside each other, and other computations behind them; return whether the stores are one group."""
    last = stores[-1]
    for op in reversed(_to_move(loop, stores) or ()):
        detach(op)
        insert([op], InsertPoint.after(last), op.location)
    return len(stores) == 1 or (join(stores) and group_of(last) == stores)


def _fits(operation: dialect.OperationOp, loop: Operation, stores: list[dialect.BlockStoreOp]) -> bool:
    """Whether one region can compute the stores from values in the registers, within their capacity."""
    held = [value.result for value in in_registers.values_of(loop)]
    space = tile_shape(type_of(held[0]))
    outputs = [(store.value, store.block) for store in stores]
    try:
        scalers = scalers_in(kernel_of(loop), [store.value for store in stores])
        region = RegionBuilder(space, held, scalers).build(outputs, stores[-1])
    except Unbuildable:
        return False
    mode = compute_mode(operation)
    new_plan = plan(region, fp32_dest=mode.fp32_dest)
    region.erase()
    return not new_plan.begins and new_plan.count * prod(space) <= mode.capacity


def _to_move(loop: Operation, stores: list[dialect.BlockStoreOp]) -> list[Operation] | None:
    """Return the operations before the last store that compute values for others and can move behind it.

    None where an operation in between prevents that.
    """
    last = stores[-1]
    own = {value for store in stores for value in tree(store.value)}
    ops = []
    op = loop.next_op
    while op is not None and op is not last:
        if any(item not in stores for item in walked(op) if isinstance(item, dialect.BlockStoreOp)):
            return None
        if isinstance(op, LOOPS) and in_registers.values_of(op):
            return None
        if isinstance(op, dialect.DfbPopOp) and is_needed_after(op, stores):
            return None
        if op.results and computed_in(op.results[0]) and op.results[0] not in own:
            if not _may_wait(op, last):
                return None
            ops.append(op)
        op = op.next_op
    return ops


def _may_wait(op: Operation, last: dialect.BlockStoreOp) -> bool:
    """Return whether a value can be computed behind a store: its blocks are held, and it has no use before."""
    block = last.parent
    assert block is not None
    if any(pop_before(read, last) for read in leaves(op.results[0])):
        return False
    for use in op.results[0].uses:
        place = ancestor_in(use.operation, block)
        if place is None or not comes_before(place, last):
            continue
        if not (place.results and computed_in(place.results[0])):
            return False
    return True
