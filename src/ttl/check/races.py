"""Parts of tensors that are written twice (TTL0906), or read and written in no order (TTL1101).

Accesses are ordered by the program within a kernel, and between kernels by whatever they communicate through:
``regions.order``. What is found here happens in every run.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from ttl.analysis.scalars import Slots
from ttl.check.context import Context
from ttl.check.regions.accesses import Access, accesses, boxes_of, extents_of, where
from ttl.check.regions.boxes import Boxes, equal_to_earlier, unordered_meeting
from ttl.check.regions.order import components
from ttl.check.regions.places import placed
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.ops.types import Layout
from ttl.rules.leftovers import both_written, first_written, written_again, written_twice
from ttl.rules.races import read_and_written


@dataclass(frozen=True, kw_only=True, slots=True)
class _Touched:
    """Everything that touches one tensor."""

    operation: dialect.OperationOp
    grid: tuple[int, ...]
    tensor: SSAValue
    accesses: list[Access]
    boxes: Boxes

    @property
    def name(self) -> str:
        """The name of the argument that the tensor is."""
        index = list(self.operation.body.block.args).index(self.tensor)  # type: ignore[arg-type]
        return self.operation.argument_names[index]

    @property
    def layout(self) -> Layout:
        """Whether slices of it count tiles or elements."""
        return extents_of(self.accesses[0].slice.accessor.type)[1]

    def access(self, box: int) -> Access:
        """The access a box is of."""
        return self.accesses[int(self.boxes.access[box])]

    def who(self, box: int) -> str:
        """``kernel read on node (0, 1)``."""
        return where(self.access(box).kernel, int(self.boxes.node[box]), self.grid)

    def bounds(self, box: int) -> tuple[tuple[int, int], ...]:
        """Start and stop in each dimension; the first dimension of a box is the device."""
        return self.boxes.bounds(box)[1:]

    def part(self, box: int) -> str:
        """``[0:1, 2:4]``."""
        return "[" + ", ".join(f"{start}:{stop}" for start, stop in self.bounds(box)) + "]"


def check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    """Findings for each tensor argument that is written."""
    all_accesses = accesses(operation)
    if all_accesses is None:
        return []
    by_tensor: dict[SSAValue, list[Access]] = defaultdict(list)
    for access in all_accesses:
        by_tensor[access.tensor].append(access)
    slots = Slots(context.grid)
    found = []
    for tensor, touching in by_tensor.items():
        if any(access.writes for access in touching):
            touched = _boxes(operation, tensor, touching, slots, context)
            if touched is not None:
                found += _check_tensor(touched)
    return found


def _boxes(
    operation: dialect.OperationOp, tensor: SSAValue, touching: list[Access], slots: Slots, context: Context
) -> _Touched | None:
    parts = []
    for number, access in enumerate(touching):
        boxes = boxes_of(access, number, slots, context.grid, every=access.writes)
        if boxes is None:
            return None
        parts.append(boxes)
    return _Touched(
        operation=operation,
        grid=context.grid,
        tensor=tensor,
        accesses=touching,
        boxes=Boxes.joined(parts),
    )


def _check_tensor(touched: _Touched) -> list[Diagnostic]:
    boxes = touched.boxes
    writing = np.array([access.writes for access in touched.accesses])[boxes.access]
    never_read = bool(writing.all())
    found = _written_twice(touched) if never_read else []
    if found:
        return found
    kernels = list(touched.operation.kernels)
    kernel = np.array([kernels.index(access.kernel) for access in touched.accesses])[boxes.access]
    # Usually no two kernels touch the same part at all; then nobody need know what orders them.
    meeting = unordered_meeting(boxes, writing, kernel * (int(boxes.node.max(initial=0)) + 1) + boxes.node)
    if meeting is not None:
        meeting = unordered_meeting(boxes, writing, components(touched.operation)[kernel, boxes.node])
    if meeting is None:
        return []
    first, second = meeting
    return [_no_order(touched, first, second) if not writing[second] else _both_write(touched, first, second)]


def _written_twice(touched: _Touched) -> list[Diagnostic]:
    """Parts that are written again, by the places of the two writes, as the simulator counts them."""
    boxes = touched.boxes
    # Nodes run in order, the kernels of a node in the order of the program.
    boxes = boxes.where(np.lexsort((boxes.turn, boxes.access, boxes.node)))
    ordered = _Touched(
        operation=touched.operation,
        grid=touched.grid,
        tensor=touched.tensor,
        accesses=touched.accesses,
        boxes=boxes,
    )
    earlier = equal_to_earlier(boxes)
    again = np.flatnonzero(earlier != np.arange(len(boxes)))
    pairs: dict[tuple[int, int], list[int]] = defaultdict(list)
    for box in again.tolist():
        pairs[int(boxes.access[earlier[box]]), int(boxes.access[box])].append(box)
    return [
        _overwritten(ordered, int(earlier[written[0]]), written[0], len(written))
        for written in pairs.values()
    ]


def _overwritten(touched: _Touched, first: int, second: int, count: int) -> Diagnostic:
    who_first, who_second = touched.who(first), touched.who(second)
    finding = written_twice(touched.bounds(second), touched.layout, count, in_order=who_first == who_second)
    return placed(finding, touched.access(second).copy, written_again(who_second)).also(
        span_of(touched.access(first).copy), first_written(who_first)
    )


def _both_write(touched: _Touched, first: int, second: int) -> Diagnostic:
    finding = both_written(touched.name, touched.part(first), touched.part(second), touched.layout)
    return placed(finding, touched.access(second).copy, f"written here, by {touched.who(second)}").also(
        span_of(touched.access(first).copy), f"written here, by {touched.who(first)}"
    )


def _no_order(touched: _Touched, write: int, read: int) -> Diagnostic:
    finding = read_and_written(
        touched.operation.operation_name,
        touched.name,
        touched.part(read),
        touched.part(write),
        touched.layout,
    )
    return placed(finding, touched.access(read).copy, f"read here, by {touched.who(read)}").also(
        span_of(touched.access(write).copy), f"written here, by {touched.who(write)}"
    )
