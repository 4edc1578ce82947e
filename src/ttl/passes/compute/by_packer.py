"""Sums that the packer adds up: ``y_blk += expression`` is packed onto the block in L1 in each iteration of a loop.

So is ``total += expression``, if a loop carries the total and it is only stored: its initial value is stored before the
loop. If there is no initial value, or it is zero, the first contribution is packed like any result. Each later one is
added to the contents of the block, and rounded to the type of the buffer there. Cases that are not known to be right on
cards are refused: with registers of 32 bits, and on Wormhole for blocks of several tiles, cards give wrong sums
(tt-lang #425).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TypeAlias

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import StringAttr, i1
from xdsl.ir import Block, Operation, OpResult, SSAValue, Use
from xdsl.rewriter import InsertPoint

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import ancestor_in, walked
from ttl.analysis.loops import bound, runs_at_least_once
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import RetypeOp
from ttl.passes.building import Building, erase
from ttl.passes.compute.carried import LOOPS, Carried, carried, without
from ttl.passes.compute.modes import ComputeMode
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import leaves, tree
from ttl.passes.compute.views import tile_shape
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.table import ADD, FILL

# An attribute of a reserve: the packer adds up the values that are stored into its block; "begun" after a first store.
ADDED_UP = "ttl.added_up"
Sum: TypeAlias = dialect.BlockAccumulateOp | dialect.BlockStoreOp
"""An operation that adds to a block, or that stores a sum which a loop carries."""
Step: TypeAlias = tuple[dialect.BlockComputeOp, SSAValue, SSAValue]
"""An addition to a carried sum: the operation, the sum before it, and the value that it adds."""
_NOT_WHOLE = "only a whole block that this kernel reserved is added to by the packer"
_ELSEWHERE = "the block is also stored into, read or handed over elsewhere"
_UNCERTAIN = "it is not certain that there is a first contribution, which is stored and not added"
_REDUCES = "a reduction is added, of which the packer writes a part of each tile"


def sums(operation: dialect.OperationOp) -> Iterator[Sum]:
    """Yield operations that add to a block in a loop that does not acquire it, and stores of sums that loops carry."""
    for kernel in operation.kernels:
        for op in walked(kernel):
            if isinstance(op, dialect.BlockAccumulateOp):
                acquire = dialect.acquired_from(op.block)
                if acquire is None or op.parent is not acquire.parent:
                    yield op
            elif isinstance(op, dialect.BlockStoreOp) and _steps(op):
                yield op


def _steps(store: dialect.BlockStoreOp) -> list[Step]:
    """The additions of a stored sum, in order, if a loop carries the sum and it is only stored; else empty."""
    result = store.value
    if not isinstance(result.owner, LOOPS) or not isinstance(result, OpResult) or not result.has_one_use():
        return []
    return _steps_of(carried(result.owner, result.index)) or []


def _steps_of(own: Carried) -> list[Step] | None:
    value: SSAValue = own.argument
    steps: list[Step] = []
    while (use := value.get_unique_use()) is not None:
        user = use.operation
        if user is own.end:
            return steps if use.index == own.place else None
        if isinstance(user, LOOPS):
            inner = _inner(use)
            within = _steps_of(inner)
            if within is None:
                return None
            steps += within
            value = inner.result
        elif (
            isinstance(user, dialect.BlockComputeOp) and user.row is ADD and user.parent is own.argument.block
        ):
            steps.append((user, value, user.operands[1 - use.index]))
            value = user.result
        else:
            return None
    return None


def _inner(use: Use) -> Carried:
    """Return the value carried by an inner loop whose initial value is the one used there."""
    loop = use.operation
    return carried(loop, use.index - len(loop.operands) + len(loop.results))


def tiles_of(op: Sum) -> int:
    """Tiles of the block that is added to."""
    assert isinstance(op.block.type, dialect.BlockMemoryType)
    return prod(tile_shape(op.block.type.block_type))


def reason_against(op: Sum, mode: ComputeMode) -> str | None:
    """Return why the packer cannot add up the contributions of a loop to a block; None where it can."""
    # This reason comes first: a sum that stays a value makes the registers 32 bits wide, which would be reported
    # instead.
    reason = _reason_of_steps(op) if isinstance(op, dialect.BlockStoreOp) else None
    if reason is not None:
        return reason
    if mode.fp32_dest:
        return "the registers are 32 bits wide here, with which cards add up wrongly"
    if tiles_of(op) > 1 and not mode.chip.packer_adds_blocks:
        return f"the block has {tiles_of(op)} tiles, and {mode.chip.title} adds rightly to blocks of one tile only"
    assert isinstance(op.block.type, dialect.BlockMemoryType)
    dtype = op.block.type.block_type.dtype
    if dtype is not BFLOAT16:
        return f"the block is of {dtype.name}, and only sums in bfloat16 are known to be right"
    if isinstance(op, dialect.BlockStoreOp):
        return None
    if any(_is_reduction(value) for value in tree(op.value)):
        return _REDUCES
    return _reason_of_place(op)


def _reason_of_steps(store: dialect.BlockStoreOp) -> str | None:
    acquire, loop = store.block.owner, store.value.owner
    if not isinstance(acquire, dialect.DfbReserveOp) or store.offsets:
        return _NOT_WHOLE
    if any(user is not store and not _hands_over(user, acquire) for user in _users(store.block)):
        return _ELSEWHERE
    assert isinstance(loop, LOOPS) and isinstance(store.value, OpResult)
    if not store.parent is loop.parent is acquire.parent or not acquire.is_before_in_block(loop):
        return "the block is reserved after the loop that makes the sum, and has to be there before it"
    if any(_is_reduction(value) for _, _, added in _steps(store) for value in tree(added)):
        return _REDUCES
    if _place_of(carried(loop, store.value.index).initial, acquire) is None:
        return "the initial value of the sum is computed before the block is reserved"
    return None


def _place_of(begin: SSAValue, acquire: Operation) -> Operation | None:
    """Return the operation after which the initial value of a sum can be stored into a block, or None.

    That is where it is computed, since blocks that it reads may be released later. If it is computed before the reserve
    of the block, it is the reserve, or None if it reads blocks. None, too, if it is computed in another block of code.
    """
    owner = begin.owner
    if not isinstance(owner, Operation) or owner.parent is not acquire.parent:
        return None
    if acquire.is_before_in_block(owner):
        return owner
    return None if leaves(begin) else acquire


def as_additions(operation: dialect.OperationOp) -> None:
    """Turn sums that loops carry into additions to blocks, where the packer can do these at their places."""
    for op in list(sums(operation)):
        if isinstance(op, dialect.BlockStoreOp) and _reason_of_steps(op) is None:
            _added_to_block(op)


def _added_to_block(store: dialect.BlockStoreOp) -> list[dialect.BlockAccumulateOp]:
    acquire, loop = store.block.owner, store.value.owner
    assert isinstance(acquire, Operation) and isinstance(loop, LOOPS) and isinstance(store.value, OpResult)
    outer = carried(loop, store.value.index)
    additions = []
    for step, before, added in _steps(store):
        addition = dialect.BlockAccumulateOp(store.block, added)
        insert([addition], InsertPoint.before(step), step.location)
        step.result.replace_all_uses_with(before)
        erase(step)
        additions.append(addition)
    _hand_on(outer)
    if len(additions) > 1 or not _is_zero(store.value) or not _is_certain(additions[0], acquire):
        place = _place_of(store.value, acquire)
        assert place is not None
        insert([dialect.BlockStoreOp(store.block, store.value)], InsertPoint.after(place), store.location)
    erase(store)
    return additions


def _hand_on(own: Carried) -> None:
    """Remove a carried value from a loop, and from loops inside it, that only pass it on."""
    while (use := own.argument.get_unique_use()) is not None and isinstance(use.operation, LOOPS):
        _hand_on(_inner(use))
    own.result.replace_all_uses_with(own.initial)
    without(own)


def _is_zero(value: SSAValue) -> bool:
    while isinstance(value.owner, RetypeOp):
        value = value.owner.value
    op = value.owner
    return isinstance(op, dialect.BlockComputeOp) and op.row is FILL and not op.operands and op.params[0] == 0


def _reason_of_place(op: dialect.BlockAccumulateOp) -> str | None:
    acquire = op.block.owner
    if not isinstance(acquire, dialect.DfbReserveOp) or op.offsets:
        return _NOT_WHOLE
    begun = _begins(acquire, op)
    for user in _users(op.block):
        again = begun is not None and isinstance(user, dialect.BlockAccumulateOp) and not user.offsets
        if user in (op, begun) or _hands_over(user, acquire) or (again and user.parent is not acquire.parent):
            continue
        return _ELSEWHERE
    return None if begun is not None or _is_certain(op, acquire) else _UNCERTAIN


def _is_certain(op: Operation, acquire: Operation) -> bool:
    """Whether an operation certainly runs once its block is reserved: all loops around it run at least once."""
    place = op.parent_op()
    while place is not None and isinstance(place, LOOPS) and runs_at_least_once(place):
        if place.parent is acquire.parent:
            return True
        place = place.parent_op()
    return False


def _begins(acquire: dialect.DfbReserveOp, op: dialect.BlockAccumulateOp) -> dialect.BlockStoreOp | None:
    """The store of the initial value of a block, before anything is added to it, or None."""
    assert acquire.parent is not None
    around = ancestor_in(op, acquire.parent)
    for user in _users(acquire.result):
        if isinstance(user, dialect.BlockStoreOp) and not user.offsets and user.parent is acquire.parent:
            return user if around is not None and user.is_before_in_block(around) else None
    return None


def _users(block: SSAValue) -> list[Operation]:
    return [use.operation for use in block.uses]


def _hands_over(user: Operation, acquire: Operation) -> bool:
    return isinstance(user, dialect.DfbPushOp) and user.parent is acquire.parent


def mark(op: Sum) -> None:
    """Let the packer add up the contributions to a block."""
    for addition in [op] if isinstance(op, dialect.BlockAccumulateOp) else _added_to_block(op):
        acquire = addition.block.owner
        assert isinstance(acquire, dialect.DfbReserveOp)
        begun = _begins(acquire, addition) is not None
        acquire.attributes[ADDED_UP] = StringAttr("begun" if begun else "")


def is_added_up(block: SSAValue) -> bool:
    """Whether the packer adds up the values that are stored into a block."""
    return isinstance(block.owner, dialect.DfbReserveOp) and ADDED_UP in block.owner.attributes


def is_later(build: Building, block: SSAValue) -> SSAValue | None:
    """Whether packed tiles are added to the contents of a block, as a value 1 or 0; None for its initial value.

    For a block without an initial value it is 1 if a loop around, behind the reserve, is past its first iteration.
    """
    acquire = block.owner
    assert isinstance(acquire, Operation)
    if acquire.attributes[ADDED_UP] == StringAttr("begun"):
        return None if build.block is acquire.parent else build.value(1)
    later: SSAValue | None = None
    inner: Block | None = build.block
    while inner is not None and inner is not acquire.parent:
        loop = inner.parent_op()
        assert isinstance(loop, scf.ForOp | affine.ForOp)
        first = integer_of(loop.lb) if isinstance(loop, scf.ForOp) else bound(loop.lowerBoundMap)
        assert first is not None
        beyond = build.result(arith.CmpiOp(inner.args[0], build.value(first), "ne"))
        later = beyond if later is None else build.result(arith.OrIOp(later, beyond, i1))
        inner = loop.parent
    assert later is not None
    return build.result(arith.SelectOp(later, build.value(1), build.value(0)))


def _is_reduction(value: SSAValue) -> bool:
    op = value.owner
    return isinstance(op, dialect.BlockComputeOp) and op.row.family == "reduction"
