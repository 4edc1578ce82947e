"""Slices whose size depends on the node or on a loop, against the blocks they are copied from or to (TTL0515)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ttl.analysis.dominance import inside
from ttl.analysis.points import Points, distinct, points
from ttl.analysis.scalars import Slots
from ttl.check.context import Context
from ttl.check.regions.accesses import bounds_at, values_of, where_and_when
from ttl.check.regions.places import placed
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.rules.copies import Direction, match_extents
from ttl.rules.labels import BUFFER_MADE

# Points of one copy that are looked at.
_BUDGET = 1 << 18


def check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    """One finding for each copy whose ends differ somewhere: at the first point where they do.

    Sizes that are known everywhere are compared when the program is read.
    """
    slots = Slots(context.grid)
    found = []
    for kernel in operation.kernels:
        for op in inside(kernel):
            if isinstance(op, dialect.CopyOp):
                finding = _check_copy(op, kernel, slots, context)
                if finding is not None:
                    found.append(finding)
    return found


def _check_copy(
    copy: dialect.CopyOp, kernel: dialect.KernelOp, slots: Slots, context: Context
) -> Diagnostic | None:
    ends = _ends(copy)
    if ends is None:
        return None
    part, block, direction = ends
    dfb = dialect.dfb_of(block)
    made = None if dfb is None else dfb.owner
    if not part.dynamic_sizes or not isinstance(made, dialect.CreateDfbOp):
        return None
    at = points(copy, of=values_of(part), slots=slots, budget=_BUDGET)
    bounds = None if at is None else bounds_at(part, at)
    if at is None or bounds is None:
        return None
    low, high = bounds
    assert isinstance(block.type, dialect.BlockMemoryType)
    for point, extents in distinct(high - low):
        if min(extents) < 1:
            return None  # which is wrong with the slice itself
        finding = match_extents(extents, part.single, made.buffer_name.data, block.type.block_type, direction)
        if finding is not None:
            return _placed(finding, copy, made, kernel, at, point, context)
    return None


def _placed(
    finding: Diagnostic,
    copy: dialect.CopyOp,
    made: dialect.CreateDfbOp,
    kernel: dialect.KernelOp,
    at: Points,
    point: int,
    context: Context,
) -> Diagnostic:
    told = placed(finding.noting(where_and_when(kernel, at, point, context.grid)), copy)
    return told.also(span_of(made), BUFFER_MADE)


def _ends(copy: dialect.CopyOp) -> tuple[dialect.TensorSliceOp, SSAValue, Direction] | None:
    """The slice and the block of a copy between the two, and which way it goes."""
    src, dst = copy.src.owner, copy.dst.owner
    if isinstance(src, dialect.TensorSliceOp):
        return src, copy.dst, "into"
    if isinstance(dst, dialect.TensorSliceOp):
        return dst, copy.src, "from"
    return None
