"""What follows a loop that keeps values in the registers, where the section it is computed in can go on with it."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import ancestor_in, comes_before, kernel_of
from ttl.dialects import ttl as dialect
from ttl.passes.building import detach
from ttl.passes.compute import in_registers
from ttl.passes.compute.carried import LOOPS
from ttl.passes.compute.groups import group_of, join
from ttl.passes.compute.modes import compute_mode
from ttl.passes.compute.moving import is_needed_after, pop_before
from ttl.passes.compute.places import plan
from ttl.passes.compute.promote import WRAPS
from ttl.passes.compute.regions import RegionBuilder, Unbuildable
from ttl.passes.compute.scalers import scalers_of
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import computed_in, leaves, stores_of, tree
from ttl.passes.compute.views import tile_shape, type_of


def ends_in_one_section(operation: dialect.OperationOp, loop: Operation) -> bool:
    """Whether the values of a marked loop end in stores after it that one section can compute.

    The stores are brought together, and what is computed in between for something else is moved behind them.
    """
    results = [each.result for each in in_registers.values_of(loop)]
    stores = [
        store
        for store in stores_of(kernel_of(loop))
        if not {*results}.isdisjoint(tree(store.value, through=in_registers.is_kept))
    ]
    if not stores or any(store.parent is not loop.parent for store in stores):
        return False
    own = list(dict.fromkeys(each for store in stores for each in tree(store.value)))
    users = {*stores, *(each.owner for each in own)}
    if any(use.operation not in users for value in (*results, *own) for use in value.uses):
        return False
    if any(isinstance(each.owner, Operation) and WRAPS in each.owner.attributes for each in own):
        return False  # it goes through a buffer of its own
    last = stores[-1]
    if any(pop_before(read, last) for store in stores for read in leaves(store.value)):
        return False
    return (
        _fits(operation, loop, stores)
        and _clear(loop, stores, own)
        and (len(stores) == 1 or (join(stores) and group_of(last) == stores))
    )


def _fits(operation: dialect.OperationOp, loop: Operation, stores: list[dialect.BlockStoreOp]) -> bool:
    """Whether one region can compute the stores from the registers, in those that there are."""
    held = [each.result for each in in_registers.values_of(loop)]
    space = tile_shape(type_of(held[0]))
    if any(tile_shape(type_of(store.value)) != space for store in stores):
        return False
    scalers = scalers_of(operation, kernel_of(loop), [store.value for store in stores])
    outputs = [(store.value, store.block) for store in stores]
    try:
        region = RegionBuilder(space, held, scalers).build(outputs, stores[-1])
    except Unbuildable:
        return False
    mode = compute_mode(operation)
    made = plan(region, fp32_dest=mode.fp32_dest)
    region.erase()
    return not made.begins and made.count * prod(space) <= mode.capacity


def _clear(loop: Operation, stores: list[dialect.BlockStoreOp], own: list[SSAValue]) -> bool:
    """Move values for others behind the stores; False where something else is computed in between."""
    last = stores[-1]
    moved = []
    op = loop.next_op
    while op is not None and op is not last:
        if any(each not in stores for each in op.walk() if isinstance(each, dialect.BlockStoreOp)):
            return False
        if isinstance(op, LOOPS) and in_registers.values_of(op):
            return False
        if isinstance(op, dialect.DfbPopOp) and is_needed_after(op, stores):
            return False
        if op.results and computed_in(op.results[0]) and op.results[0] not in own:
            if not _may_wait(op, last):
                return False
            moved.append(op)
        op = op.next_op
    for each in reversed(moved):
        detach(each)
        insert([each], InsertPoint.after(last), each.location)
    return True


def _may_wait(op: Operation, last: dialect.BlockStoreOp) -> bool:
    """Whether a value can be computed behind a store: its blocks are held, and nobody needs it before."""
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
