"""Computing a value earlier than the program does: whether its blocks are held there, and moving its operations."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import is_available, precedes
from ttl.dialects import ttl as dialect
from ttl.passes.building import detach
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import computed_in


def pop_before(read: dialect.BlockReadOp, place: Operation) -> Operation | None:
    """Return the operation that releases the block of a read before a place; None where the block is held until then."""
    for use in read.block.uses:
        if isinstance(use.operation, dialect.DfbPopOp) and precedes(use.operation, place):
            return use.operation
    return None


def is_needed_after(pop: dialect.DfbPopOp, known: Collection[Operation]) -> bool:
    """Whether operations other than ``known`` compute from a block after it is released.

    The values that these need are going to be computed, and stored, before the release.
    """
    reads = [use.operation for use in pop.block.uses if isinstance(use.operation, dialect.BlockReadOp)]
    return any(_is_used_after(read.result, pop, known) for read in reads)


def _is_used_after(value: SSAValue, place: Operation, known: Collection[Operation]) -> bool:
    users = [use.operation for use in value.uses if use.operation not in known]
    return any(
        _is_used_after(user.results[0], place, known)
        if user.results and computed_in(user.results[0])
        else precedes(place, user)
        for user in users
    )


def compute_before(value: SSAValue, place: Operation) -> bool:
    """Move the operation that computes a value, and those it depends on that come later, before a place.

    Returns whether an operation moved out of, or into, a loop or a branch.
    """
    owner = value.owner
    if is_available(value, place) or not isinstance(owner, Operation):
        return False
    crossed = owner.parent is not place.parent
    for operand in owner.operands:
        crossed |= compute_before(operand, place)
    detach(owner)
    insert([owner], InsertPoint.before(place), owner.location)
    return crossed
