"""Parts of values as parts of blocks: a part is read from a buffer, and a replaced part is stored over the value."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import is_available, walked
from ttl.dialects import ttl as dialect
from ttl.passes.building import Building, erase
from ttl.passes.compute.spills import Spills
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.views import type_of


def settle_parts(kernel: dialect.UserKernelOp, spills: Spills) -> None:
    """Leave no ``ttl.block_part`` and no ``ttl.block_insert``: values that have parts go through buffers."""
    for op in walked(kernel):
        if isinstance(op, dialect.BlockInsertOp):
            _through_buffer(op, spills)
    for op in walked(kernel):
        if isinstance(op, dialect.BlockPartOp):
            _read_part(op, spills)
    for op in walked(kernel)[::-1]:
        if isinstance(op, dialect.BlockInsertOp):
            _store_parts(op)


def _through_buffer(op: dialect.BlockInsertOp, spills: Spills) -> None:
    """Put a value with a replaced part into a buffer, unless its only use is a store or another replacement."""
    uses = [use.operation for use in op.result.uses]
    if not uses:
        return
    if len(uses) == 1 and uses[0].parent is op.parent:
        (user,) = uses
        is_stored = isinstance(user, dialect.BlockStoreOp) and not user.offsets
        if is_stored or (isinstance(user, dialect.BlockInsertOp) and user.whole is op.result):
            return
    spills.spill(op.result, "a sub-view of it is stored into, and it is read afterwards")


def _read_part(op: dialect.BlockPartOp, spills: Spills) -> None:
    """Read a part from the block that its value is read from; a computed value goes through a buffer first."""
    value = op.whole
    if not _can_be_read(value, op):
        spills.spill(value, "a sub-view of it is read, and only a block in a buffer has sub-views")
        value = op.whole
    retyped = value.owner if isinstance(value.owner, dialect.RetypeOp) else None
    read = value.owner if retyped is None else retyped.value.owner
    assert isinstance(read, dialect.BlockReadOp)
    at = (read.next_op if _all_available(op, read) else op) or op
    build = Building(at, place=op)
    offsets = [*op.offsets]
    if read.offsets:
        offsets = [
            build.value(build.sum(first, second)) for first, second in zip(read.offsets, offsets, strict=True)
        ]
    part = dialect.BlockReadOp(read.block, offsets, type_of(op.result).shape)
    insert([part], InsertPoint.before(at), op.location)
    result: SSAValue = part.result
    if result.type != op.result.type:
        typed = dialect.RetypeOp(result, type_of(op.result))
        insert([typed], InsertPoint.after(part), op.location)
        result = typed.result
    op.result.replace_all_uses_with(result)
    erase(op)


def _can_be_read(value: SSAValue, op: dialect.BlockPartOp) -> bool:
    """Whether a value is read from a block, at a place where the offsets of the part are already available."""
    owner = value.owner
    if isinstance(owner, dialect.RetypeOp):
        owner = owner.value.owner
    return isinstance(owner, dialect.BlockReadOp) and _all_available(op, owner)


def _all_available(op: dialect.BlockPartOp, place: Operation) -> bool:
    return all(is_available(offset, place) for offset in op.offsets)


def _store_parts(op: dialect.BlockInsertOp) -> None:
    """Replace each store of a value with a replaced part by a store of the value, and one of the part over it."""
    for use in list(op.result.uses):
        store = use.operation
        assert isinstance(store, dialect.BlockStoreOp)
        whole = dialect.BlockStoreOp(store.block, op.whole)
        part = dialect.BlockStoreOp(store.block, op.part, op.offsets)
        insert([whole, part], InsertPoint.before(store), op.location)
        erase(store)
    erase(op)


def view_parts(kernel: dialect.UserKernelOp) -> None:
    """Read and store parts of blocks through views of them, which regions take as they take blocks."""
    for op in walked(kernel):
        if isinstance(op, dialect.BlockReadOp | dialect.BlockStoreOp) and op.offsets:
            view = dialect.BlockViewOp(op.block, op.offsets, op.shape)
            insert([view], InsertPoint.before(op), op.location)
            new_op = (
                dialect.BlockReadOp(view.result)
                if isinstance(op, dialect.BlockReadOp)
                else dialect.BlockStoreOp(view.result, op.value)
            )
            new_op.attributes |= op.attributes
            insert([new_op], InsertPoint.before(op), op.location)
            for old, new in zip(op.results, new_op.results, strict=True):
                old.replace_all_uses_with(new)
            erase(op)
