"""Buffers in the memory of tensors: published once and first, without interfering copies (TTL0349, TTL0355)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation

from ttl.analysis.dominance import inside
from ttl.analysis.points import points
from ttl.analysis.scalars import Slots
from ttl.check.backing import backing_of, fillings
from ttl.check.context import CheckContext, placed
from ttl.check.regions import accesses, boxes_of
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.protocol.grid import coordinate
from ttl.rules.backing import published_again, touched
from ttl.rules.labels import COPIED_INTO, PUBLISHED


@dataclass(frozen=True, kw_only=True, slots=True)
class _Filling:
    """An operation that reserves or publishes blocks, and how often it does so on each node."""

    kernel: dialect.UserKernelOp
    op: Operation
    is_publish: bool
    times: Counter[int]
    order: int


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Findings of one operation."""
    slots = Slots(context.grid)
    by_buffer: defaultdict[dialect.CreateDfbOp, list[_Filling]] = defaultdict(list)
    for order, (kernel, reserve, resident) in enumerate(fillings(operation)):
        op: Operation = reserve if resident is None else resident
        at = points(op, slots=slots)
        if at is None:
            continue
        times = Counter(np.asarray(at.nodes).tolist())
        dfb = reserve.dfb.owner
        assert isinstance(dfb, dialect.CreateDfbOp)
        by_buffer[dfb].append(
            _Filling(kernel=kernel, op=op, is_publish=resident is not None, times=times, order=order)
        )
    findings = [finding for dfb, places in by_buffer.items() for finding in _published_late(dfb, places)]
    for dfb, places in by_buffer.items():
        findings += _touched(operation, dfb, [place for place in places if place.is_publish], slots, context)
    return findings


def _published_late(dfb: dialect.CreateDfbOp, places: list[_Filling]) -> Iterator[Diagnostic]:
    count, name = dfb.result.type.block_count, dfb.buffer_name.data
    before: Counter[int] = Counter()
    first: _Filling | None = None
    for place in places:
        if place.is_publish:
            again = any(number > count for number in (before + place.times).values())
            reserved = any(
                not other.is_publish
                and other.kernel is place.kernel
                and other.times.keys() & place.times.keys()
                for other in places[: places.index(place)]
            )
            if again or reserved:
                finding = placed(published_again(name, is_published=again), place.op)
                earlier = first or place
                yield finding.also(span_of(earlier.op), PUBLISHED) if again else finding
                return
            first = first or place
            before += place.times


def _touched(
    operation: dialect.OperationOp,
    dfb: dialect.CreateDfbOp,
    publishes: list[_Filling],
    slots: Slots,
    context: CheckContext,
) -> Iterator[Diagnostic]:
    """Find copies into the memory of a buffer that has been published, or that another kernel publishes."""
    backing = backing_of(dfb)
    assert backing is not None
    for access in accesses(operation) or () if publishes else ():
        if not access.writes or access.tensor is not dfb.memory:
            continue
        boxes = boxes_of(access, 0, slots, context.grid, every=False)
        for publish in publishes if boxes is not None else ():
            order = {op: number for number, op in enumerate(inside(access.kernel))}
            if publish.kernel is access.kernel and order[access.copy] < order[publish.op]:
                continue
            assert boxes is not None
            for node in publish.times:
                pages = np.array(backing.pages(coordinate(node, context.grid, len(context.grid))))
                own = boxes.where(boxes.node == node)
                low, high = own.low[:, None, 1:], own.high[:, None, 1:]
                if len(own) and ((low <= pages) & (pages < high)).all(axis=2).any():
                    finding = placed(touched(dfb.buffer_name.data), access.copy, COPIED_INTO)
                    yield finding.also(span_of(publish.op), PUBLISHED)
                    return
