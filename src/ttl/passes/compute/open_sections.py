"""Sections of the registers that begin before a block is given back that they are computed from.

From there to what goes on in the registers, the kernel gives blocks back and waits for others, in the order of the
program, and computes nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import comes_before, precedes, walked
from ttl.dialects import ttl as dialect
from ttl.passes.compute.moving import compute_before, is_needed_after, pop_before
from ttl.passes.compute.regions import RegionBuilder
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import leaves, tree
from ttl.passes.compute.views import tile_shape, type_of
from ttl.passes.marks import is_made


def start_for(values: Sequence[SSAValue], end: Operation) -> Operation | None:
    """Before which operation values are computed that an operation begins with: itself, or what gives a block back.

    None where the registers cannot hold them from there on.
    """
    reads = list(dict.fromkeys(read for value in values for read in leaves(value)))
    pops = [pop for read in reads if (pop := pop_before(read, end)) is not None]
    if not pops:
        return end
    if any(pop.parent is not end.parent for pop in pops):
        return None
    start = pops[0]
    for pop in pops:
        start = pop if comes_before(pop, start) else start
    own = list(dict.fromkeys(item for value in values for item in tree(value)))
    users = {end, *(value.owner for value in own)}
    if any(
        use.operation not in users for value in (*own, *(read.result for read in reads)) for use in value.uses
    ):
        return None
    if not all(_is_there(read, start) for read in reads) or any(map(_reduces, own)):
        return None
    op: Operation | None = start
    while op is not None and op is not end:
        if any(_disturbs(item, own, end) for item in walked(op)):
            return None
        op = op.next_op
    return start


def begin_at(start: Operation, values: Sequence[SSAValue], end: Operation) -> Sequence[SSAValue]:
    """Compute values into the registers before an operation; the same values, as what the registers hold."""
    for value in values:
        compute_before(value, start)
    region = RegionBuilder(tile_shape(type_of(values[0]))).build([(value, None) for value in values], end)
    insert([region], InsertPoint.before(start), end.location)
    return region.values


def _is_there(read: dialect.BlockReadOp, start: Operation) -> bool:
    """Whether a block of the program's, of which it is known when it is given back, is acquired before a place."""
    acquire, dfb = dialect.acquired_from(read.block), dialect.dfb_of(read.block)
    result = dfb is None or (isinstance(dfb.owner, dialect.CreateDfbOp) and is_made(dfb.owner))
    return acquire is not None and not result and precedes(acquire, start)


def _reduces(value: SSAValue) -> bool:
    """Whether the section would end with the lanes of a reduction."""
    op = value.owner
    return isinstance(op, dialect.BlockComputeOp) and op.row.family == "reduction"


def _disturbs(op: Operation, own: Collection[SSAValue], end: Operation) -> bool:
    """Whether an operation needs the registers, or values could be stored before it that others need later."""
    match op:
        case dialect.BlockReadOp():
            return False
        case dialect.BlockStoreOp() | dialect.PrintOp() | dialect.ComputeRegionOp():
            return True
        case dialect.DfbPopOp():
            return is_needed_after(op, (end,))
    return any(isinstance(value.type, TensorType) and value not in own for value in op.results)
