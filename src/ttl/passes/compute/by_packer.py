"""Sums that the packer makes: ``y_blk += expression`` in a loop is packed onto what is in L1 already, iteration by iteration.

The first contribution is packed as any result is; each one after it is added to what the block holds, and rounded to
the type of the buffer there. What is not known to be right on cards is refused: the two have to be distinguished, for with
registers of 32 bits, and on Wormhole for blocks of several tiles, cards give wrong sums (tt-lang #425).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import UnitAttr, i1
from xdsl.ir import Block, Operation, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import walked
from ttl.analysis.loops import bound, runs_at_least_once
from ttl.dialects import ttl as dialect
from ttl.passes.building import Building
from ttl.passes.compute.carried import LOOPS
from ttl.passes.compute.modes import ComputeMode
from ttl.passes.compute.trees import tree
from ttl.passes.compute.views import tile_shape
from ttl.rows.dtypes import BFLOAT16

# On what reserves a block: that the packer adds up what is stored into it.
ADDED_UP = "ttl.added_up"


def additions(operation: dialect.OperationOp) -> Iterator[dialect.BlockAccumulateOp]:
    """Where something is added to a block in a loop that does not acquire it."""
    for kernel in operation.kernels:
        for op in walked(kernel):
            if isinstance(op, dialect.BlockAccumulateOp):
                acquire = dialect.acquired_from(op.block)
                if acquire is None or op.parent is not acquire.parent:
                    yield op


def tiles_of(op: dialect.BlockAccumulateOp) -> int:
    """Tiles of the block that is added to."""
    assert isinstance(op.block.type, dialect.BlockMemoryType)
    return prod(tile_shape(op.block.type.block_type))


def reason_against(op: dialect.BlockAccumulateOp, mode: ComputeMode) -> str | None:
    """Why the packer cannot add up what a loop adds to a block; None where it can."""
    if mode.fp32_dest:
        return "the registers are 32 bits wide here, with which cards add up wrongly"
    if tiles_of(op) > 1 and not mode.chip.packer_adds_blocks:
        return f"the block has {tiles_of(op)} tiles, and {mode.chip.title} adds rightly to blocks of one tile only"
    assert isinstance(op.block.type, dialect.BlockMemoryType)
    dtype = op.block.type.block_type.dtype
    if dtype is not BFLOAT16:
        return f"the block is of {dtype.name}, and only sums in bfloat16 are known to be right"
    if any(_is_reduction(value) for value in tree(op.value)):
        return "a reduction is added, of which the packer writes a part of each tile"
    return _reason_of_place(op)


def _reason_of_place(op: dialect.BlockAccumulateOp) -> str | None:
    acquire = op.block.owner
    if not isinstance(acquire, dialect.DfbReserveOp) or op.offsets:
        return "only a whole block that this kernel reserved is added to by the packer"
    for user in (use.operation for use in op.block.uses):
        if user is not op and not (isinstance(user, dialect.DfbPushOp) and user.parent is acquire.parent):
            return "the block is also stored into, read or handed over elsewhere"
    place = op.parent_op()
    while place is not None and place.parent is not None:
        if not isinstance(place, LOOPS) or not runs_at_least_once(place):
            return "it is not certain that there is a first contribution, which is stored and not added"
        if place.parent is acquire.parent:
            return None
        place = place.parent_op()
    return "the block is reserved elsewhere"


def mark(op: dialect.BlockAccumulateOp) -> None:
    """Let the packer add up what is added to a block."""
    acquire = op.block.owner
    assert isinstance(acquire, Operation)
    acquire.attributes[ADDED_UP] = UnitAttr()


def is_added_up(block: SSAValue) -> bool:
    """Whether the packer adds up what is stored into a block."""
    return isinstance(block.owner, dialect.DfbReserveOp) and ADDED_UP in block.owner.attributes


def is_later(build: Building, block: SSAValue) -> SSAValue:
    """Whether a contribution is not the first: 1 where a loop since the block was reserved is past its first iteration, else 0."""
    assert isinstance(block.owner, Operation)
    later: SSAValue | None = None
    inner: Block | None = build.block
    while inner is not None and inner is not block.owner.parent:
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
