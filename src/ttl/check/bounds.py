"""Accesses that are out of bounds on some node in some iteration of a loop: slices of tensors (TTL0507, TTL0509) and
the copies of them (TTL0515), sub-views of blocks (TTL0363), members of lists (TTL1316), elements of blocks
(TTL0352), nodes of remote semaphores (TTL0602, TTL0603).

Each operation gets at most one finding: at the first point of its iteration domain where it is illegal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, get_args

import numpy as np
from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import of_kinds
from ttl.analysis.points import IterationDomain, distinct, points
from ttl.analysis.scalars import Slots
from ttl.check.context import CheckContext, placed, where_and_when
from ttl.check.flow.tree import USES
from ttl.check.regions import bounds_at, extents_of, values_of
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.semaphores import MULTICAST
from ttl.dialects.structure import enclosing_kernel
from ttl.ir.locations import span_of
from ttl.protocol.grid import resolve_coord, resolve_range
from ttl.rules.copies import Direction, match_extents
from ttl.rules.distribution import beyond
from ttl.rules.elements import INDEX, READ, WRITE, match_coordinates
from ttl.rules.labels import BUFFER_MADE
from ttl.rules.python import index_error
from ttl.rules.semaphores import multicast_increment, semaphore_value
from ttl.rules.slices import slice_error
from ttl.rules.views import outside

OpT = TypeVar("OpT", bound=Operation)
# The most points that are checked for one slice, copy, lookup or call.
_BUDGET = 1 << 18
_BUDGET_OF_CALL = 1 << 16


class _Illegal(NamedTuple):
    """A finding and the point at which it occurs."""

    finding: Diagnostic
    at: IterationDomain
    point: int


def _findings(
    operation: dialect.OperationOp,
    context: CheckContext,
    classes: tuple[type[OpT], ...],
    look: Callable[[OpT, Slots], _Illegal | None],
) -> list[Diagnostic]:
    slots = Slots(context.grid)
    findings = []
    for op in of_kinds(operation, *classes):
        illegal = look(op, slots)
        if illegal is not None:
            finding, kernel = illegal.finding, enclosing_kernel(op)
            if kernel is not None:
                finding = finding.noting(where_and_when(kernel, illegal.at, illegal.point, context.grid))
            findings.append(placed(finding, op))
    return findings


# --- slices of tensors ----------------------------------------------------------------------------------------


def check_slices(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Slices that leave their tensor, or are empty."""
    return _findings(operation, context, (dialect.TensorSliceOp,), _slice)


def _slice(part: dialect.TensorSliceOp, slots: Slots) -> _Illegal | None:
    extents, layout = extents_of(part.accessor.type)
    if _always_inside(part, extents) and part.shard_of is None:
        return None
    at = points(part, of=values_of(part), slots=slots, budget=_BUDGET)
    if at is None:
        # There may be too many points. If the slice moves linearly, an extreme point shows whether it leaves the
        # tensor.
        at = points(part, of=values_of(part), slots=slots, budget=_BUDGET, iterations="ends")
    bounds = None if at is None or not at.size else bounds_at(part, at)
    if at is None or bounds is None:
        return None
    low, high = bounds
    beyond_shard = None if part.shard_of is None else _beyond_shard(part.shard_of, at, low, high)
    if beyond_shard is not None:
        return beyond_shard
    limit = np.array([extent if extent >= 0 else np.iinfo(np.int64).max for extent in extents])
    bad = ((low < 0) | (high > limit) | (high <= low)).any(axis=1)
    if not bad.any():
        return None
    point = int(np.argmax(bad))
    index = tuple(
        int(start) if single else slice(int(start), int(stop))
        for single, start, stop in zip(part.single, low[point], high[point], strict=True)
    )
    return _Illegal(slice_error(index, _with_unknown(extents, index), layout), at, point)


def _beyond_shard(
    of: dialect.DistTensorType, at: IterationDomain, low: np.ndarray, high: np.ndarray
) -> _Illegal | None:
    """Return the first point at which a part leaves the node's own shard (TTL0536), or an error of the distribution."""
    grid = at.slots.grid
    distribution = of.over(grid)
    if isinstance(distribution, Diagnostic):
        return _Illegal(distribution, at, 0)
    nodes = np.asarray(at.nodes)
    rows = grid[1] if len(grid) > 1 else 1
    for axis, origin in enumerate(distribution.origin(nodes // rows, nodes % rows)):
        start, stop, extent = low[:, axis] - origin, high[:, axis] - origin, distribution.shard[axis]
        bad = (start < 0) | (stop > extent)
        if bad.any():
            point = int(np.argmax(bad))
            finding = beyond(axis, int(start[point]), int(stop[point]), extent, distribution.layout)
            return _Illegal(finding, at, point)
    return None


def check_views(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Sub-views that leave their block."""

    def look(op: Any, slots: Slots) -> _Illegal | None:
        return _view(op, slots) if op.offsets else None

    return _findings(operation, context, USES, look)


def _view(op: Any, slots: Slots) -> _Illegal | None:
    """Return the first point at which a sub-view is not inside its block."""
    given = list(op.offsets)
    block = op.block.type.block_type
    at = points(op, of=given, slots=slots, budget=_BUDGET)
    if at is None:
        at = points(op, of=given, slots=slots, budget=_BUDGET, iterations="ends")
    if at is None or not at.size:
        return None
    for axis, (offset, size, extent) in enumerate(zip(given, op.shape, block.shape, strict=True)):
        start = at.value(offset)
        if start is None:
            continue
        starts = np.broadcast_to(start, (at.size,))
        bad = (starts < 0) | (starts + size > extent)
        if bad.any():
            point = int(np.argmax(bad))
            first = int(starts[point])
            dfb = dialect.dfb_of(op.block)
            name = (
                dfb.owner.buffer_name.data
                if dfb is not None and isinstance(dfb.owner, dialect.CreateDfbOp)
                else ""
            )
            return _Illegal(outside(first, first + size, axis, block, name), at, point)
    return None


def _always_inside(part: dialect.TensorSliceOp, extents: tuple[int, ...]) -> bool:
    """Whether constants show that a part is inside its tensor, as for a whole dimension."""
    for offset, size, extent in zip(part.offsets, part.sizes, extents, strict=True):
        start = dialect.constant_of(offset)
        if start is None or extent < 0 or not 0 <= start < start + size <= extent:
            return False
    return True


def _with_unknown(extents: tuple[int, ...], index: tuple[Any, ...]) -> tuple[int, ...]:
    """Return extents for a message; a symbolic extent is as large as the index needs."""
    return tuple(
        extent if extent >= 0 else (entry.stop if isinstance(entry, slice) else entry + 1)
        for extent, entry in zip(extents, index, strict=True)
    )


# --- slices whose size varies ---------------------------------------------------------------------------------


def check_sizes(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Find copies whose ends differ in size. Sizes that are constant were compared when the program was read."""
    return _findings(operation, context, (dialect.CopyOp,), _copy)


def _copy(copy: dialect.CopyOp, slots: Slots) -> _Illegal | None:
    ends = _ends(copy)
    if ends is None:
        return None
    part, block, direction = ends
    dfb = dialect.dfb_of(block)
    op = None if dfb is None else dfb.owner
    if not part.dynamic_sizes or not isinstance(op, dialect.CreateDfbOp):
        return None
    at = points(copy, of=values_of(part), slots=slots, budget=_BUDGET)
    bounds = None if at is None else bounds_at(part, at)
    if at is None or bounds is None:
        return None
    low, high = bounds
    assert isinstance(block.type, dialect.BlockMemoryType)
    for point, extents in distinct(high - low):
        if min(extents) < 1:
            return None  # the slice itself has a finding
        finding = match_extents(extents, part.single, op.buffer_name.data, block.type.block_type, direction)
        if finding is not None:
            return _Illegal(finding.also(span_of(op), BUFFER_MADE), at, point)
    return None


def _ends(copy: dialect.CopyOp) -> tuple[dialect.TensorSliceOp, SSAValue, Direction] | None:
    """Return the slice and the block of a copy between the two, and its direction."""
    src, dst = copy.src.owner, copy.dst.owner
    if isinstance(src, dialect.TensorSliceOp):
        return src, copy.dst, "into"
    if isinstance(dst, dialect.TensorSliceOp):
        return dst, copy.src, "from"
    return None


# --- lists of integers ----------------------------------------------------------------------------------------


def check_lookups(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Indices that are not in their list."""
    return _findings(operation, context, (dialect.LookupOp,), _lookup)


def _lookup(op: dialect.LookupOp, slots: Slots) -> _Illegal | None:
    at = points(op, of=[op.index], slots=slots, budget=_BUDGET)
    index = None if at is None else at.value(op.index)
    if at is None or index is None:
        return None
    length = len(op.members)
    bad = (index < 0) | (index >= length)
    if not bad.any():
        return None
    point = int(np.argmax(bad))
    # Negative indices have the length added already.
    given = int(index[point]) if index[point] >= 0 else int(index[point]) - length
    return _Illegal(index_error(op.list_name, given, length), at, point)


# --- elements of blocks ----------------------------------------------------------------------------------------

_Element = dialect.ElementReadOp | dialect.ReadIndexOp | dialect.ElementWriteOp
_ELEMENTS: tuple[type[_Element], ...] = (dialect.ElementReadOp, dialect.ReadIndexOp, dialect.ElementWriteOp)


def check_elements(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Coordinates beyond their block."""
    return _findings(operation, context, _ELEMENTS, _element)


def _element(op: _Element, slots: Slots) -> _Illegal | None:
    given, dfb = [*op.coordinates], dialect.dfb_of(op.block)
    create = None if dfb is None else dfb.owner
    if not isinstance(create, dialect.CreateDfbOp):
        return None
    at = points(op, of=given, slots=slots, budget=_BUDGET)
    columns = [] if at is None else [at.value(value) for value in given]
    if at is None or not at.size or any(column is None for column in columns):
        return None
    rows = np.array(columns, np.int64).reshape(len(given), at.size).T
    bad = ((rows < 0) | (rows >= np.array(op.block_type.elements))).any(axis=1)
    if not bad.any():
        return None
    point = int(np.argmax(bad))
    function = READ if isinstance(op, dialect.ElementReadOp) else INDEX
    function = WRITE if isinstance(op, dialect.ElementWriteOp) else function
    coordinates = tuple(rows[point].tolist())
    finding = match_coordinates(function, create.buffer_name.data, op.block_type, coordinates)
    assert finding is not None
    return _Illegal(finding.also(span_of(create), BUFFER_MADE), at, point)


# --- semaphores of other nodes --------------------------------------------------------------------------------

_Changes = dialect.SemaphoreWaitOp | dialect.SemaphoreSetOp | dialect.SemaphoreIncOp
_Remote = dialect.GetRemoteSemaphoreOp | dialect.GetRemoteMulticastSemaphoreOp


def check_remote(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Semaphores of nodes that leave the grid."""
    increments = of_kinds(operation, dialect.SemaphoreIncOp)
    several = [placed(multicast_increment(), op) for op in increments if op.semaphore.type == MULTICAST]
    changes: list[_Changes] = of_kinds(operation, *get_args(_Changes))
    values = (
        (op, semaphore_value(dialect.constant_of(op.value)))
        for op in changes
        if dialect.constant_of(op.value) is not None
    )
    wrong = [placed(finding, op) for op, finding in values if isinstance(finding, Diagnostic)]
    return several + wrong + _findings(operation, context, get_args(_Remote), _call)


def _call(op: _Remote, slots: Slots) -> _Illegal | None:
    given = list(op.operands[1:])
    at = points(op, of=given, slots=slots, budget=_BUDGET_OF_CALL)
    if at is None or not at.size:
        return None
    columns = [at.value(value) for value in given]
    if any(column is None for column in columns):
        return None
    for point, numbers in distinct(np.array(columns, np.int64).reshape(len(given), at.size).T):
        finding = _outside(op, numbers, slots.grid)
        if finding is not None:
            return _Illegal(finding, at, point)
    return None


def _outside(op: _Remote, numbers: tuple[int, ...], grid: tuple[int, ...]) -> Diagnostic | None:
    finding: Any
    if isinstance(op, dialect.GetRemoteSemaphoreOp):
        finding = resolve_coord(numbers if len(numbers) > 1 else numbers[0], grid)
    elif numbers:
        middle = len(numbers) // 2
        finding = resolve_range(tuple(map(_entry, numbers[:middle], numbers[middle:])), grid)
    else:
        return None
    return finding if isinstance(finding, Diagnostic) else None


def _entry(start: int, stop: int) -> int | slice:
    return start if stop == start + 1 else slice(start, stop)
