"""Parts of tensors that are written twice (TTL0906), or read and written in no order (TTL1101).

Accesses are ordered by the program within a kernel. Kernels of a node that share dataflow buffers wait for each other, and so
do the ends of a pipe and kernels that use the same semaphore, if a kernel waits for it. Accesses that are joined in this way
count as ordered, whatever the order is (a happens-before relation that is too large): only accesses between which there is no
communication at all are certain to be in no order. The findings occur in every run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.ir import OpResult, SSAValue

from ttl.analysis.dominance import inside, of_kinds
from ttl.analysis.pipe_ends import pipe_ends
from ttl.analysis.points import points
from ttl.analysis.scalars import Slots
from ttl.check.context import CheckContext, placed, where
from ttl.check.regions import (
    Access,
    BackedAccess,
    Boxes,
    Integers,
    accesses,
    backed_accesses,
    backed_boxes,
    boxes_of,
    cells_of,
    equal_to_earlier,
    extents_of,
    given_to_cpp,
    unordered_meeting,
)
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.protocol.chips import NODE_DIMS, chip_count, nodes_per_chip
from ttl.protocol.grid import grid_size
from ttl.rows.types import Layout
from ttl.rules.leftovers import (
    both_written,
    first_written,
    never_written,
    written_again,
    written_twice,
)
from ttl.rules.races import read_and_written

_MOST_CHIPS = 64
"""The most chips that are all checked; of more chips, only those at the ends and in the middle of each axis."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Touched:
    """All accesses to one tensor."""

    operation: dialect.OperationOp
    grid: tuple[int, ...]
    tensor: SSAValue
    accesses: list[Access | BackedAccess]
    boxes: Boxes

    @property
    def name(self) -> str:
        """The name of the tensor's argument."""
        index = list(self.operation.body.block.args).index(self.tensor)  # type: ignore[arg-type]
        return self.operation.argument_names[index]

    @property
    def layout(self) -> Layout:
        """Whether slices of it count tiles or elements."""
        first = self.accesses[0]
        return Layout.TILE if isinstance(first, BackedAccess) else extents_of(first.slice.accessor.type)[1]

    @property
    def is_backed(self) -> bool:
        """Whether its memory holds buffers."""
        return any(isinstance(access, BackedAccess) for access in self.accesses)

    def access(self, box: int) -> Access | BackedAccess:
        """Return the access of a box."""
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


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Findings for each tensor argument that is written."""
    all_accesses = accesses(operation)
    if all_accesses is None:
        return []
    by_tensor: dict[SSAValue, list[Access | BackedAccess]] = defaultdict(list)
    touching: list[Access | BackedAccess] = [*all_accesses, *backed_accesses(operation)]
    for access in touching:
        by_tensor[access.tensor].append(access)
    slots = Slots(context.grid)
    if chip_count(context.grid) > _MOST_CHIPS:
        slots.looked_at = some_nodes(context.grid)
    findings = []
    opaque = given_to_cpp(operation)
    for tensor, own in by_tensor.items():
        if tensor not in opaque and any(access.writes for access in own):
            touched = _boxes(operation, tensor, own, slots, context)
            if touched is not None:
                findings += _check_tensor(touched)
    return findings


def some_nodes(grid: tuple[int, ...]) -> Integers:
    """The nodes of the first two, the last two and the middle chips along each axis of a mesh."""
    mesh = grid[:-NODE_DIMS]
    axes = [np.unique(np.clip([0, 1, extent // 2, extent - 2, extent - 1], 0, extent - 1)) for extent in mesh]
    chips = np.ravel_multi_index(np.meshgrid(*axes, indexing="ij"), mesh).ravel()
    nodes = nodes_per_chip(grid)
    return (chips[:, None] * nodes + np.arange(nodes)).ravel()


def _boxes(
    operation: dialect.OperationOp,
    tensor: SSAValue,
    touching: list[Access | BackedAccess],
    slots: Slots,
    context: CheckContext,
) -> _Touched | None:
    parts = []
    for number, access in enumerate(touching):
        boxes = (
            backed_boxes(access, number, slots, context.grid)
            if isinstance(access, BackedAccess)
            else boxes_of(access, number, slots, context.grid, every=access.writes)
        )
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
    never_read = bool(writing.all()) and not touched.is_backed
    findings = _written_twice(touched) if never_read else []
    if findings:
        return findings
    if never_read:
        findings = _never_written(touched)
    kernels = list(touched.operation.kernels)
    kernel = np.array([kernels.index(access.kernel) for access in touched.accesses])[boxes.access]
    # Usually no two kernels touch the same part; then their order does not matter.
    meeting = unordered_meeting(boxes, writing, kernel * (int(boxes.node.max(initial=0)) + 1) + boxes.node)
    if meeting is not None:
        meeting = unordered_meeting(boxes, writing, components(touched.operation)[kernel, boxes.node])
    if meeting is None:
        return findings
    first, second = meeting
    return [_no_order(touched, first, second) if not writing[second] else _both_write(touched, first, second)]


def _never_written(touched: _Touched) -> list[Diagnostic]:
    """Find a part that no node writes, although every node writes some part (TTL0908)."""
    first = touched.accesses[0]
    assert isinstance(first, Access)
    extents, layout = extents_of(first.slice.accessor.type)
    left = untouched(touched.boxes, extents, touched.grid)
    if left is None:
        return []
    part, count = left
    finding = never_written(touched.name, part, count, extents, layout, touched.grid)
    return [finding.at(span_of(touched.accesses[0].copy), "every node writes its part here")]


def _written_twice(touched: _Touched) -> list[Diagnostic]:
    """Find parts that are written twice, by the places of the two writes, as the simulator counts them."""
    boxes = touched.boxes
    # Nodes in order, the kernels of a node in program order.
    boxes = boxes.where(np.lexsort((boxes.iteration, boxes.access, boxes.node)))
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
    some_chips = chip_count(touched.grid) > _MOST_CHIPS
    for box in again.tolist():
        pairs[int(boxes.access[earlier[box]]), int(boxes.access[box])].append(box)
    return [
        _overwritten(ordered, int(earlier[written[0]]), written[0], 1 if some_chips else len(written))
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


# --- the order of accesses -------------------------------------------------------------------------------------


def components(operation: dialect.OperationOp) -> Integers:
    """Number of the component of each kernel on each node, an array (kernels, nodes)."""
    grid = operation.grid.extents
    kernels, nodes = operation.kernels, prod(grid)
    parent = list(range(len(kernels) * nodes))

    def root(vertex: int) -> int:
        while parent[vertex] != vertex:
            parent[vertex] = parent[parent[vertex]]
            vertex = parent[vertex]
        return vertex

    def join(vertices: Iterable[int]) -> None:
        first: int | None = None
        for vertex in vertices:
            if first is None:
                first = root(vertex)
            else:
                parent[root(vertex)] = first

    used = [_resources_of(kernel) for kernel in kernels]
    for group in _groups([buffers for buffers, _ in used]):
        for node in range(nodes):
            join(kernel * nodes + node for kernel in group)
    # ``publishing`` checks the accesses to a tensor whose memory is a buffer's.
    backed = backed_accesses(operation)
    published = {access.tensor for access in backed if not access.writes}
    touching = (*backed, *(accesses(operation) or ())) if published else ()
    tensors = [{access.tensor for access in touching if access.kernel is kernel} for kernel in kernels]
    for group in _groups([touched & published for touched in tensors]):
        for node in range(nodes):
            join(kernel * nodes + node for kernel in group)
    # A kernel that changes a node's semaphore is joined with the kernels that wait for it there.
    for pairs in _changes_and_waits(operation, Slots(grid)):
        join(kernel * nodes + node for kernel, node in pairs)
    for net in {net for _, nets in used for net in nets}:
        users = [kernel for kernel, (_, nets) in enumerate(used) if net in nets]
        ends = pipe_ends(net, grid)
        if ends is None:
            join(kernel * nodes + node for kernel in users for node in range(nodes))
            continue
        for source, destinations in ends:
            join(kernel * nodes + node for kernel in users for node in (source, *destinations))
    return np.array([root(vertex) for vertex in range(len(parent))], np.int64).reshape(len(kernels), nodes)


def _resources_of(kernel: dialect.UserKernelOp) -> tuple[set[SSAValue], set[SSAValue]]:
    """Dataflow buffers and pipe nets that a kernel uses."""
    buffers: set[SSAValue] = set()
    nets: set[SSAValue] = set()
    for op in inside(kernel):
        for operand in op.operands:
            match operand.type:
                case dialect.DataflowBufferType():
                    buffers.add(operand)
                case dialect.PipeNetType():
                    if isinstance(op, dialect.IfPipeSrcOp | dialect.IfPipeDstOp):
                        nets.add(operand)
    return buffers, nets


_Changes = dialect.SemaphoreSetOp | dialect.SemaphoreIncOp


def _changes_and_waits(operation: dialect.OperationOp, slots: Slots) -> Iterator[set[tuple[int, int]]]:
    """Yield for each semaphore that is waited for the kernels, with their nodes, that wait for it or change it."""
    waits: dict[SSAValue, dict[int, set[int]]] = defaultdict(dict)
    changes: dict[SSAValue, list[tuple[int, Integers | None]]] = defaultdict(list)
    for number, kernel in enumerate(operation.kernels):
        ops: list[dialect.SemaphoreWaitOp | _Changes]
        ops = of_kinds(kernel, dialect.SemaphoreWaitOp, dialect.SemaphoreSetOp, dialect.SemaphoreIncOp)
        for op in ops:
            if isinstance(op, dialect.SemaphoreWaitOp):
                at = points(op, of=(), slots=slots)
                nodes = range(slots.nodes) if at is None else np.unique(at.nodes).tolist()
                waits[op.operands[0]].setdefault(number, set()).update(nodes)
            else:
                changes[_local(op.operands[0])].append((number, _reached(op, slots)))
    for semaphore, waiting in waits.items():
        by_node: dict[int, set[tuple[int, int]]] = {}
        for number, nodes in waiting.items():
            for node in nodes:
                by_node.setdefault(node, set()).add((number, node))
        for number, reached in changes[semaphore]:
            if reached is None:  # possibly of all nodes
                anywhere = {(number, node) for node in range(slots.nodes)}
                by_node = dict.fromkeys(by_node, anywhere.union(*by_node.values()))
                continue
            for node, target in reached.tolist():
                if target in by_node:
                    by_node[target].add((number, node))
        yield from by_node.values()


def _reached(op: _Changes, slots: Slots) -> Integers | None:
    """Return the nodes that change a semaphore, and the nodes that own it, as rows (node, owner); None if not known."""
    semaphore = op.operands[0]
    remote = semaphore.op if isinstance(semaphore, OpResult) else None
    if isinstance(remote, dialect.GetRemoteMulticastSemaphoreOp):
        return None
    given = list(remote.node) if isinstance(remote, dialect.GetRemoteSemaphoreOp) else []
    at = points(op, of=given, slots=slots)
    values = [] if at is None else [at.value(value) for value in given]
    columns = [column for column in values if column is not None]
    if at is None or len(columns) < len(given):
        return None
    meant = at.nodes
    if given:
        sizes = grid_size(slots.grid, len(given))
        meant = np.ravel_multi_index(
            tuple(np.clip(column, 0, size - 1) for column, size in zip(columns, sizes, strict=True)), sizes
        )
    return np.unique(np.stack((at.nodes, meant), axis=1), axis=0)


def _local(remote: SSAValue) -> SSAValue:
    op = remote.op if isinstance(remote, OpResult) else None
    if isinstance(op, dialect.GetRemoteSemaphoreOp | dialect.GetRemoteMulticastSemaphoreOp):
        return op.semaphore
    return remote


def _groups(used: list[set[SSAValue]]) -> Iterable[list[int]]:
    """Yield for each resource the kernels that use it."""
    for resource in set().union(*used):
        group = [kernel for kernel, values in enumerate(used) if resource in values]
        if group:
            yield group


Part = tuple[tuple[int, int], ...]


def untouched(boxes: Boxes, extents: Sequence[int], grid: tuple[int, ...]) -> tuple[Part, int] | None:
    """Return rows, columns or planes of a tensor that no box touches, and how many of the kind there are in all.

    Corners that are left out (above a diagonal, say) may be intended. None where all of the tensor is touched, where
    not every one of several nodes touches it, and where that is not known: for symbolic shapes, and on a mesh, each
    of whose devices has memory of its own (the first dimension of a box).
    """
    nodes = prod(grid)
    if nodes < 2 or len(grid) > 2 or min(extents) < 0 or len(set(boxes.node.tolist())) < nodes:
        return None
    cells = cells_of(boxes.low[:, 1:], boxes.high[:, 1:], extents)
    if cells is None:
        return None
    cuts, counts = cells
    for axis, cut in enumerate(cuts):
        others = tuple(other for other in range(counts.ndim) if other != axis)
        free = np.flatnonzero(counts.sum(axis=others) == 0)
        if len(free):
            # From the first untouched index on, as far as they are contiguous.
            first = last = int(free[0])
            while last + 1 in free:
                last += 1
            part = [(0, extent) for extent in extents]
            part[axis] = (int(cut[first]), int(cut[last + 1]))
            return tuple(part), int(sum(cut[index + 1] - cut[index] for index in free)) * prod(
                extents
            ) // extents[axis]
    return None
