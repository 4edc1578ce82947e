"""``ttl-hand-over``: results leave the compute kernel in parts, where another kernel copies them to a tensor.

A block that several sections of the registers compute is handed over section by section, and the kernel that copies it
waits for the pages it copies next. So a node begins to write when the first section is done, and not when the last one is.
What a block is does not change: nobody can tell that its first tiles came earlier.

Expects: regions with sub-blocks (``ttl-subblock``), and copies as they are in the program. Guarantees: a push with
``ttl.parts`` is of a block that one region writes in the order of its pages, that many in each section; a wait with
``ttl.parts`` is for a block that is copied to a tensor, as a whole and once, that many pages at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd, prod

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ttl.dialects import ttl as dialect
from ttl.dialects.tiles import space_of
from ttl.ir.failure import NotLowered
from ttl.ops.types import Layout
from ttl.passes.buffers.holding import holdings
from ttl.passes.buffers.l1 import block_pages
from ttl.passes.marks import PARTS, WHY
from ttl.passes.movement.pages_of_slice import Axis, axes, can_be_split, pages_of, sizes_of
from ttl.passes.subblock import is_carried, subblock_of

# A wait costs about as much as issuing the write of a page: it should be for some of them.
_LEAST = 4


@dataclass(frozen=True)
class HandOver(ModulePass):
    """Results that are copied to a tensor leave the compute kernel section by section."""

    name = "ttl-hand-over"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in [entry for entry in op.walk() if isinstance(entry, dialect.OperationOp)]:
            single = _one_at_a_time(operation)
            for item in operation.body.block.ops:
                if isinstance(item, dialect.CreateDfbOp):
                    _mark(item, single.get(item.result, []))


def _mark(dfb: dialect.CreateDfbOp, single: Sequence[dialect.AcquireOp]) -> None:
    if dfb.result.type.block_type.layout is not Layout.TILE:
        return
    pushes = [*_pushes(single)]
    if not pushes:
        return
    together = gcd(*(pages for _, pages in pushes))
    total = block_pages(dfb.result.type.block_type)
    waits = [*_waits(single, together, total)]
    if not waits:
        return
    for op, pages in (*pushes, *waits):
        op.attributes[PARTS] = IntegerAttr(pages, i64)
    for op, pages in waits:
        op.attributes[WHY] = StringAttr(
            f"its tiles are copied as they come, {pages} at a time: sections hand over {together} each"
        )


def _pushes(single: Sequence[dialect.AcquireOp]) -> Iterator[tuple[Operation, int]]:
    """The pushes of blocks that sections fill one after the other, with the pages of each section."""
    for reserve in single:
        if not isinstance(reserve, dialect.DfbReserveOp):
            continue
        users = [use.operation for use in reserve.result.uses]
        regions = [op for op in users if isinstance(op, dialect.ComputeRegionOp)]
        pushes = [op for op in users if isinstance(op, dialect.DfbPushOp)]
        if len(users) == 2 and len(regions) == len(pushes) == 1 and regions[0].parent is pushes[0].parent:
            pages = _pages_of_section(regions[0])
            if pages is not None:
                yield pushes[0], pages


def _pages_of_section(region: dialect.ComputeRegionOp) -> int | None:
    """Pages of each output that every section writes, if they are the next ones; None where it is otherwise."""
    space, subblock = space_of(region), subblock_of(region)
    assert space is not None
    pages = prod(subblock)
    if is_carried(region) or pages >= prod(space) or prod(space) % pages:
        return None
    in_order = len(subblock) == 1 or subblock[-1] == space[-1] or subblock[0] == 1
    return pages if in_order else None


def _waits(single: Sequence[dialect.AcquireOp], pages: int, total: int) -> Iterator[tuple[Operation, int]]:
    """The waits for blocks that are only copied to tensors, with the pages that are waited for each time."""
    for wait in single:
        if not isinstance(wait, dialect.DfbWaitOp):
            continue
        users = [use.operation for use in wait.result.uses]
        copies = [op for op in users if isinstance(op, dialect.CopyOp) and op.src is wait.result]
        others = [op for op in users if op not in copies]
        if len(copies) != 1 or copies[0].parent is not wait.parent:
            continue
        if not all(isinstance(op, dialect.DfbPopOp) for op in others):
            continue
        loops = _pages_in_order(copies[0], wait.result)
        if prod(count for count, _ in loops) != total:
            continue
        for part in range(pages, total, pages):
            if part >= _LEAST and can_be_split(loops, part):
                yield wait, part
                break


def _pages_in_order(copy: dialect.CopyOp, block: SSAValue) -> list[Axis]:
    """The loops over the pages that a block is copied to; none where it is copied elsewhere."""
    slice_ = copy.dst.owner
    if not isinstance(slice_, dialect.TensorSliceOp) or not isinstance(block.type, dialect.BlockMemoryType):
        return []
    accessor = slice_.accessor.type
    assert isinstance(accessor, dialect.AccessorType)
    pages = pages_of(accessor)
    if pages is None or accessor.layout is not Layout.TILE:
        return []
    return axes(sizes_of(slice_, block.type.shape), pages.strides)


def _one_at_a_time(operation: dialect.OperationOp) -> dict[SSAValue, list[dialect.AcquireOp]]:
    """By buffer, the blocks that kernels reserve, and those they wait for, where they never hold two of them."""
    one: dict[SSAValue, list[dialect.AcquireOp]] = {}
    for kernel in operation.kernels:
        try:
            held = holdings(kernel)
        except NotLowered:
            continue  # a later pass says so
        ends: dict[tuple[type[Operation], SSAValue], list[dialect.AcquireOp]] = {}
        for op in held:
            ends.setdefault((type(op), op.dfb), []).append(op)
        for (_, dfb), own in ends.items():
            if not any(held[op] for op in own):
                one.setdefault(dfb, []).extend(own)
    return one
