"""Loops whose carried value stays in the registers: a sum over the turns of a loop is never written to memory.

The section of DST begins before the loop with the first value, each turn computes on it in its place, and it ends
with the store after the loop. In between nothing else can be computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from xdsl.dialects.builtin import StringAttr, TensorType, UnitAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.dialects import ttl as dialect
from ttl.passes.building import detach
from ttl.passes.compute.carried import LOOPS
from ttl.passes.compute.modes import compute_mode, make_room
from ttl.passes.compute.moving import pop_before
from ttl.passes.compute.places import plan
from ttl.passes.compute.regions import RegionBuilder, Unbuildable
from ttl.passes.compute.scalers import scalers_of
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import computed_in, leaves, stores_of, tree
from ttl.passes.compute.views import tile_shape, type_of
from ttl.passes.marks import WHY
from ttl.passes.positions import ancestor_in, kernel_of

MARK = "ttl.in_dst"


def is_marked(loop: Operation) -> bool:
    """Whether a loop keeps its value in the registers."""
    return MARK in loop.attributes


def marked(kernel: dialect.KernelOp) -> Iterator[Operation]:
    """Those of a kernel, outer ones first."""
    return iter([op for op in kernel.walk() if is_marked(op)])


def is_kept(value: SSAValue) -> bool:
    """Whether a value is in the registers: the result of such a loop, or what it carries."""
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        return loop is not None and is_marked(loop) and value is argument_of(loop)
    return isinstance(value.owner, Operation) and is_marked(value.owner)


def kept_in(values: Iterable[SSAValue]) -> list[SSAValue]:
    """What the registers hold of what values are computed from, each once."""
    found = [each for value in values for each in tree(value, through=is_kept) if is_kept(each)]
    return list(dict.fromkeys(found))


def argument_of(loop: Operation) -> SSAValue:
    """What a loop that carries one value has it as in its body."""
    return loop.regions[0].block.args[-1]


def initial_of(loop: Operation) -> SSAValue:
    """What a loop that carries one value begins with."""
    return loop.operands[-1]


def yielded_by(loop: Operation) -> SSAValue:
    """What a turn of a loop that carries one value ends with."""
    end = loop.regions[0].block.last_op
    assert end is not None
    return end.operands[-1]


def keep(operation: dialect.OperationOp, loop: Operation) -> bool:
    """Mark a loop, and those nested in it, if its value can stay in the registers."""
    chain = _chain(loop)
    if not chain:
        return False
    kernel = kernel_of(loop)
    needed = _tiles_needed(operation, kernel, chain)
    if needed is None or not make_room(operation, needed):
        return False
    for each in chain:
        each.attributes[MARK] = UnitAttr()
    chain[0].attributes[WHY] = StringAttr(
        f"the sum stays in the registers over the loop: {prod(_space(chain[0]))} tiles of {compute_mode(operation).capacity}"
    )
    return True


def _chain(loop: Operation) -> list[Operation]:
    """The loop and the loops inside of it that only hand its value on; empty where it is more than that."""
    if len(loop.results) != 1 or not isinstance(loop.results[0].type, TensorType):
        return []
    if any(isinstance(op, dialect.BlockStoreOp | dialect.PrintOp) for op in loop.walk()):
        return []
    value, argument = yielded_by(loop), argument_of(loop)
    inner = value.owner
    if isinstance(inner, LOOPS):
        if inner.parent is not loop.regions[0].block or len([*argument.uses]) != 1:
            return []
        if initial_of(inner) is not argument or len([*value.uses]) != 1:
            return []
        rest = _chain(inner)
        return [loop, *rest] if rest else []
    if not computed_in(value) or len([*value.uses]) != 1:
        return []
    own = tree(value)
    users = [use.operation for use in argument.uses]
    if not all(any(user is each.owner for each in own) for user in users):
        return []
    if any(
        isinstance(each, LOOPS) and each.results and _is_tensor(each.results[0]) for each in _nested(loop)
    ):
        return []
    place = value.owner
    assert isinstance(place, Operation)
    if place.parent is not loop.regions[0].block:
        return []
    return [] if any(pop_before(read, place) for read in leaves(value)) else [loop]


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def _nested(loop: Operation) -> Iterator[Operation]:
    return (op for op in loop.walk() if op is not loop)


def _space(loop: Operation) -> tuple[int, ...]:
    return tile_shape(type_of(loop.results[0]))


def _tiles_needed(
    operation: dialect.OperationOp, kernel: dialect.KernelOp, chain: list[Operation]
) -> int | None:
    """Tiles of the registers that the first value and one turn need; None where they cannot be computed there."""
    outer, inner = chain[0], chain[-1]
    initial, value = initial_of(outer), yielded_by(inner)
    if any(pop_before(read, outer) for read in leaves(initial)):
        return None
    space = _space(outer)
    fp32 = compute_mode(operation).fp32_dest
    count = 1
    for stored, held in ((initial, []), (value, [argument_of(inner)])):
        scalers = scalers_of(operation, kernel, [stored])
        try:
            region = RegionBuilder(space, held, scalers).build([(stored, None)], outer)
        except Unbuildable:
            return None
        made = plan(region, fp32_dest=fp32)
        in_place = made.places.get(made.order[-1]) == 0 if made.order else False
        region.erase()
        if not in_place or (held and made.begins):
            return None
        count = max(count, made.count)
    return count * prod(space)


def ends_in_one_store(operation: dialect.OperationOp, loop: Operation) -> bool:
    """Whether the value of a marked loop ends in one store after it, with nothing computed in between.

    What is computed in between for something else is moved behind the store.
    """
    (result,) = loop.results
    kernel = kernel_of(loop)
    mode = compute_mode(operation)
    stores = [store for store in stores_of(kernel) if result in tree(store.value, through=is_kept)]
    if len(stores) != 1 or stores[0].parent is not loop.parent:
        return False
    (store,) = stores
    if tile_shape(type_of(store.value)) != _space(loop):
        return False
    own = tree(store.value)
    if not all(
        any(use.operation is each.owner for each in own) or use.operation is store for use in result.uses
    ):
        return False
    for each in own:
        if any(_outside(use.operation, own, store) for use in each.uses) and each is not result:
            return False
    scalers = scalers_of(operation, kernel, [store.value])
    try:
        region = RegionBuilder(_space(loop), [result], scalers).build([(store.value, store.block)], store)
    except Unbuildable:
        return False
    made = plan(region, fp32_dest=mode.fp32_dest)
    region.erase()
    if made.begins or made.count * prod(_space(loop)) > mode.capacity:
        return False
    if any(pop_before(read, store) for read in leaves(store.value)):
        return False
    return _clear(loop, store, own)


def _outside(user: Operation, own: list[SSAValue], store: Operation) -> bool:
    return user is not store and not any(user is each.owner for each in own)


def _clear(loop: Operation, store: dialect.BlockStoreOp, own: list[SSAValue]) -> bool:
    """Move values for others behind the store; False where something else is computed in between."""
    moved = []
    op = loop.next_op
    while op is not None and op is not store:
        if isinstance(op, dialect.BlockStoreOp) or any(
            isinstance(each, dialect.BlockStoreOp) for each in op.walk() if op.regions
        ):
            return False
        if isinstance(op, LOOPS) and any(_is_tensor(each) for each in op.results):
            return False
        if op.results and computed_in(op.results[0]) and op.results[0] not in own:
            if any(pop_before(read, store) for read in leaves(op.results[0])) or any(
                (place := ancestor_in(use.operation, store.parent)) is not None  # type: ignore[arg-type]
                and place.is_before_in_block(store)
                and not (place.results and computed_in(place.results[0]))
                for use in op.results[0].uses
            ):
                return False
            moved.append(op)
        op = op.next_op
    for each in reversed(moved):
        detach(each)
        insert([each], InsertPoint.after(store), each.location)
    return True
