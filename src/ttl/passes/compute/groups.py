"""Stores that one region computes: beside each other, of one shape, with values in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import is_available, walked
from ttl.dialects import ttl as dialect
from ttl.passes.building import detach
from ttl.passes.compute import in_registers
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import leaves, tree
from ttl.passes.compute.views import reduced_within, tile_shape, type_of
from ttl.passes.marks import is_made

# Operations that may stand between stores of a group: they have no effect on blocks.
_TRANSPARENT = (dialect.BlockComputeOp, dialect.RetypeOp, dialect.BlockReadOp, dialect.BlockViewOp)


def group_of(store: dialect.BlockStoreOp) -> list[dialect.BlockStoreOp]:
    """The stores that are computed together with a store, including the store itself, in order."""
    near = stores_beside(store)
    group = [store]
    values = _computed_with(store)
    changed = True
    while changed:
        changed = False
        for op in near:
            if op in group or not may_join(store, op):
                continue
            if any(_same_block(op.block, other.block) for other in group):
                continue
            if any(_same_block(read.block, other.block) for other in group for read in leaves(op.value)):
                continue
            own = _computed_with(op)
            if own & values:
                group.append(op)
                values |= own
                changed = True
    return [item for item in near if item in group]


def stores_beside(op: Operation) -> list[dialect.BlockStoreOp]:
    """The stores around an operation, with no operation in between that has an effect on blocks, in order."""
    own = [op] if isinstance(op, dialect.BlockStoreOp) else []
    return [*[*_neighbours(op, backwards=True)][::-1], *own, *_neighbours(op, backwards=False)]


def _computed_with(store: dialect.BlockStoreOp) -> set[SSAValue]:
    """Return the values of a store, one of which another store must share to be computed with it.

    These are the values of its expression, and all values that one loop keeps in the registers for it.
    """
    return {*tree(store.value), *in_registers.kept_in([store.value])}


def groups_of(stores: Iterable[dialect.BlockStoreOp]) -> Iterator[list[dialect.BlockStoreOp]]:
    """The groups of stores beside each other, in order."""
    done: set[Operation] = set()
    for store in stores:
        if store not in done:
            group = group_of(store)
            done.update(group)
            yield group


def join(stores: Sequence[dialect.BlockStoreOp]) -> bool:
    """Move stores beside each other, so that they become one region; return whether that is possible.

    They move to the last of them; nothing else moves.
    """
    first = stores[0]
    block = first.parent
    if any(op.parent is not block for op in stores) or block is None:
        return False
    if not all(may_join(first, op) for op in stores[1:]):
        return False
    if len(group_of(first)) > 1 and all(op in group_of(first) for op in stores):
        return True
    last = stores[-1]
    for other in stores[:-1]:
        following = other.next_op
        while following is not None and following is not last:
            if isinstance(following, dialect.ReleaseOp) and (
                following.block is other.block
                or any(read.block is following.block for read in leaves(other.value))
            ):
                return False
            if following.regions:
                return False
            if isinstance(following, dialect.BlockStoreOp) and following.block is other.block:
                return False  # it stores into the same block
            following = following.next_op
        if any(read.block is other.block for op in stores for read in leaves(op.value)):
            return False
    for other in stores[:-1]:
        detach(other)
        insert([other], InsertPoint.before(last), other.location)
    return True


def may_join(one: dialect.BlockStoreOp, other: dialect.BlockStoreOp) -> bool:
    """Whether one section of the registers could compute both stores, wherever they are.

    After a reduction within tiles, the packer writes only the lanes of its result, for all tiles of the section.
    """
    if tile_shape(type_of(one.value)) != tile_shape(type_of(other.value)):
        return False
    return _lanes(one) == _lanes(other)


def may_store_at(store: Operation, place: Operation) -> bool:
    """Return whether a store can move up to the operation of its value: its block and buffer are not used between them."""
    if (
        not isinstance(store, dialect.BlockStoreOp)
        or store.parent is not place.parent
        or not may_join(store, store)
    ):
        return False
    with_it = with_buffer(store)
    reserve = dialect.acquired_from(store.block)
    if reserve is None or (len(with_it) == 1 and not is_available(store.block, place)):
        return False
    between = {use.operation for used in (store.block, reserve.dfb) for use in used.uses} - {
        *with_it,
        reserve,
    }
    op = place.next_op
    while op is not None and op is not store:
        if any(item in between for item in walked(op)):
            return False
        op = op.next_op
    return True


def move_beside(store: dialect.BlockStoreOp, wait: Operation) -> None:
    """Move a store beside the store in front of a wait, which comes in the order reserve, store, push, wait."""
    push = wait.prev_op
    assert push is not None and push.prev_op is not None
    with_it = with_buffer(store)
    for op in with_it:
        detach(op)
    insert([store], InsertPoint.before(push.prev_op), store.location)
    if len(with_it) > 1:
        first, _, *pushes = with_it
        reserve = dialect.acquired_from(push.operands[0])
        assert reserve is not None
        insert([first], InsertPoint.before(reserve), first.location)
        insert(pushes, InsertPoint.before(wait), store.location)


def with_buffer(store: dialect.BlockStoreOp) -> list[Operation]:
    """A store; in a buffer of the compiler, with the reserve and the pushes of its block, in order."""
    reserve = dialect.acquired_from(store.block)
    if reserve is None or not isinstance(dfb := reserve.dfb.owner, dialect.CreateDfbOp) or not is_made(dfb):
        return [store]
    pushes = [use.operation for use in store.block.uses if isinstance(use.operation, dialect.DfbPushOp)]
    return [reserve, store, *pushes]


def _same_block(one: SSAValue, other: SSAValue) -> bool:
    """Whether two blocks are the same block, or parts of the same block."""
    acquire = dialect.acquired_from(one)
    return one is other or (acquire is not None and acquire is dialect.acquired_from(other))


def _lanes(store: dialect.BlockStoreOp) -> frozenset[str]:
    return frozenset(filter(None, map(reduced_within, tree(store.value))))


def _neighbours(start: Operation, *, backwards: bool) -> Iterator[dialect.BlockStoreOp]:
    op = start.prev_op if backwards else start.next_op
    while op is not None:
        if isinstance(op, dialect.BlockStoreOp):
            yield op
        elif not isinstance(op, _TRANSPARENT) and not op.name.startswith("arith."):
            return
        op = op.prev_op if backwards else op.next_op
