"""``ttl-hand-over``: results leave the compute kernel in parts, where another kernel copies them to a tensor.

A block that several sections of the registers compute is handed over section by section, and the kernel that copies it
waits for the pages it copies next. So a node begins to write when the first section is done, and not when the last one is.
The contents of the block do not change: a program cannot tell that its first tiles came earlier.

Blocks that are read from a tensor can arrive in parts, too, where the compile option ``arrivals`` asks for it for their
buffer: the kernel that reads a block waits for so many pages, and hands them over, before it reads the next ones, and
the compute kernel waits for each tile where it first needs it (``ttkernel-late-waits``). It begins sooner then, but
waits more often.

Expects: regions with sub-blocks (``ttl-subblock``), and copies as they are in the program. Guarantees: a push with
``ttl.parts`` is of a block that one region writes in the order of its pages, that many in each section; a wait with
``ttl.parts`` is for a block that is copied to a tensor, as a whole and once, that many pages at a time. For buffers of
``arrivals``, a reserve with ``ttl.parts`` is of a block that one copy fills, that many pages at a time, its push has
the same attribute, and the wait for that copy is marked ``ttl.implied``; the compute kernel's waits have ``ttl.parts``,
too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, prod
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr, i64
from xdsl.ir import Operation, SSAValue

from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import kernel_of
from ttl.dialects.tiles import space_of
from ttl.ir.failure import NotLowered
from ttl.passes.buffers.holding import holdings
from ttl.passes.buffers.l1 import block_pages
from ttl.passes.choices import (
    ChoicePoint,
    ChoosingPass,
    illegal,
    named,
    operations_of,
    point,
    unknown_names,
)
from ttl.passes.compute.requirements import is_carried
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import IMPLIED, PARTS, WHY
from ttl.passes.movement.pages_of_slice import Axis, axes, can_be_split, pages_of, sizes_of
from ttl.passes.subblock import subblock_of
from ttl.rows.types import Layout

# The least pages of a wait: it costs about as much as issuing the write of one page.
_LEAST = 4


_WHOLE = "whole"


@dataclass(frozen=True)
class HandOver(ChoosingPass):
    """Hand results that are copied to a tensor over section by section.

    ``arrivals`` has, for some buffers, the number of pages of the parts in which blocks that are read from a tensor are
    handed to the compute kernel: ``x_dfb:8``.
    """

    name = "ttl-hand-over"
    contract: ClassVar = Contract(
        needs=(PassFact.SYNC, PassFact.SECTIONS), gives=(PassFact.HANDED,), before=(PassFact.NUMBERS,)
    )
    arrivals: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        named("arrivals", self.arrivals)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        asked = named("arrivals", self.arrivals)
        problems: list[Diagnostic] = []
        for operation in operations_of(op):
            single = _one_at_a_time(operation)
            for item in operation.body.block.ops:
                if isinstance(item, dialect.CreateDfbOp):
                    _mark(item, single.get(item.result, []))
            if asked:
                problems += _arrive(_arrivals(operation, single), asked, operation)
        if problems:
            raise NotLowered(problems)

    def choices(self, module: ModuleOp) -> Iterator[ChoicePoint]:
        asked = named("arrivals", self.arrivals)
        for operation in operations_of(module):
            for name, arrival in _arrivals(operation, _one_at_a_time(operation)).items():
                why = "asked for" if name in asked else "one barrier for all of a block"
                yield point(f"arrivals.{name}", asked.get(name, _WHOLE), arrival.legal, why, arrival.dfb)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Arrival:
    """A buffer whose blocks are read from tensors, each as a whole and by itself, for a compute kernel."""

    dfb: dialect.CreateDfbOp
    fills: list[_Fill]
    waits: list[dialect.DfbWaitOp]
    pages: list[int]
    """The possible numbers of pages of a part."""

    @property
    def legal(self) -> list[str]:
        return [_WHOLE, *map(str, self.pages)]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Fill:
    """The operations that fill a block: reserve, copy, wait and push, in one block of code."""

    reserve: dialect.DfbReserveOp
    wait: dialect.WaitOp
    push: dialect.DfbPushOp
    loops: list[Axis]


def _arrive(
    arrivals: Mapping[str, _Arrival], asked: Mapping[str, str], operation: dialect.OperationOp
) -> list[Diagnostic]:
    """Mark the operations on blocks that arrive in parts; returns errors for values that are not possible."""
    problems = unknown_names("arrivals", "buffer filled from a tensor", asked, [*arrivals], operation)
    for name, arrival in arrivals.items():
        value = asked.get(name, _WHOLE)
        if value not in arrival.legal:
            reason = f"its pages cannot be read in parts of {value}"
            problems.append(illegal(f"arrivals.{name}", value, reason, arrival.legal, arrival.dfb))
        elif value != _WHOLE:
            for fill in arrival.fills:
                fill.wait.attributes[IMPLIED] = UnitAttr()
            parted = [op for fill in arrival.fills for op in (fill.reserve, fill.push)]
            for op in (*parted, *arrival.waits):
                op.attributes[PARTS] = IntegerAttr(int(value), i64)
            for fill in arrival.fills:
                fill.wait.attributes[WHY] = StringAttr(f"its tiles are handed over {value} at a time")
    return problems


def _arrivals(
    operation: dialect.OperationOp, single: Mapping[SSAValue, Sequence[dialect.AcquireOp]]
) -> dict[str, _Arrival]:
    """The buffers whose blocks can arrive in parts, by name; those that share a name are left out."""
    dfbs = [item for item in operation.body.block.ops if isinstance(item, dialect.CreateDfbOp)]
    names = Counter(item.buffer_name.data for item in dfbs)
    arrivals = ((item.buffer_name.data, _arrival(item, single.get(item.result, []))) for item in dfbs)
    return {name: arrival for name, arrival in arrivals if arrival is not None and names[name] == 1}


def _arrival(dfb: dialect.CreateDfbOp, single: Sequence[dialect.AcquireOp]) -> _Arrival | None:
    acquires = [use.operation for use in dfb.result.uses]
    reserves = [op for op in acquires if isinstance(op, dialect.DfbReserveOp)]
    waits = [op for op in acquires if isinstance(op, dialect.DfbWaitOp)]
    fills = [fill for op in reserves if (fill := _fill(op)) is not None]
    if (
        dfb.result.type.block_type.layout is not Layout.TILE
        or not fills
        or len(fills) < len(reserves)
        or not waits
        or not all(isinstance(kernel_of(op), dialect.ComputeKernelOp) for op in waits)
        or not {*reserves, *waits} <= {*single}
    ):
        return None
    total = block_pages(dfb.result.type.block_type)
    pages = [
        part
        for part in range(1, total)
        if total % part == 0
        and all(prod(count for count, _ in fill.loops) == total for fill in fills)
        and all(can_be_split(fill.loops, part) for fill in fills)
    ]
    return _Arrival(dfb=dfb, fills=fills, waits=waits, pages=pages) if pages else None


def _fill(reserve: dialect.DfbReserveOp) -> _Fill | None:
    """Return how a block is filled, if that is by one copy with a wait of its own, after which the block is pushed."""
    users = [use.operation for use in reserve.result.uses]
    copies = [op for op in users if isinstance(op, dialect.CopyOp) and op.dst is reserve.result]
    pushes = [op for op in users if isinstance(op, dialect.DfbPushOp)]
    if len(users) != 2 or len(copies) != 1 or len(pushes) != 1:
        return None
    (copy,), (push,) = copies, pushes
    waits = [use.operation for use in copy.result.uses]
    if len(waits) != 1 or not isinstance(copy.src.type, dialect.SliceType):
        return None
    (wait,) = waits
    if not isinstance(wait, dialect.WaitOp) or {wait.parent, push.parent, reserve.parent} != {copy.parent}:
        return None
    return _Fill(reserve=reserve, wait=wait, push=push, loops=_pages_in_order(copy.src, reserve.result))


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
    """The pages of each output that every section writes, if sections write pages in order; else None."""
    space, subblock = space_of(region), subblock_of(region)
    assert space is not None
    pages = prod(subblock)
    uneven = any(extent % size for extent, size in zip(space[-2:], subblock) if len(subblock) > 1)
    if is_carried(region) or pages >= prod(space) or prod(space) % pages or uneven:
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
        loops = _pages_in_order(copies[0].dst, wait.result)
        if prod(count for count, _ in loops) != total:
            continue
        for part in range(pages, total, pages):
            if part >= _LEAST and can_be_split(loops, part):
                yield wait, part
                break


def _pages_in_order(end: SSAValue, block: SSAValue) -> list[Axis]:
    """The loops over the pages that a block is copied to or from; empty if the other end is no slice of a tensor."""
    slice_ = end.owner
    if not isinstance(slice_, dialect.TensorSliceOp) or not isinstance(block.type, dialect.BlockMemoryType):
        return []
    accessor = slice_.accessor.type
    assert isinstance(accessor, dialect.AccessorType)
    pages = pages_of(accessor)
    if pages is None or accessor.layout is not Layout.TILE:
        return []
    return axes(sizes_of(slice_, block.type.shape), pages.strides)


def _one_at_a_time(operation: dialect.OperationOp) -> dict[SSAValue, list[dialect.AcquireOp]]:
    """Return, by buffer, the reserves and waits of kernels that never hold two blocks of the buffer at that end."""
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
