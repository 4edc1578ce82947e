"""Semaphores of other nodes: coordinates and ranges that leave the grid on some node (TTL0603, TTL0602)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ttl.analysis.dominance import enclosing_kernel, inside
from ttl.analysis.points import distinct, points
from ttl.analysis.scalars import Slots
from ttl.check.context import Context
from ttl.check.regions.accesses import where_and_when
from ttl.check.regions.places import placed
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.protocol.grid import resolve_coord, resolve_range

# Points of one call that are looked at.
_BUDGET = 1 << 16
_Remote = dialect.GetRemoteSemaphoreOp | dialect.GetRemoteMulticastSemaphoreOp


def check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    """One finding for each call that names a node outside the grid: at the first point where it does."""
    slots = Slots(context.grid)
    found = []
    for op in inside(operation):
        if isinstance(op, _Remote) and _varies(op):
            finding = _check_call(op, slots, context)
            if finding is not None:
                found.append(finding)
    return found


def _check_call(op: _Remote, slots: Slots, context: Context) -> Diagnostic | None:
    given = list(op.operands[1:])
    at = points(op, of=given, slots=slots, budget=_BUDGET)
    if at is None or not at.size:
        return None
    columns = [at.value(each) for each in given]
    if any(column is None for column in columns):
        return None
    for point, numbers in distinct(np.array(columns, np.int64).reshape(len(given), at.size).T):
        finding = _outside(op, numbers, context.grid)
        if finding is not None:
            kernel = enclosing_kernel(op)
            if kernel is not None:
                finding = finding.noting(where_and_when(kernel, at, point, context.grid))
            return placed(finding, op)
    return None


def _outside(op: _Remote, numbers: tuple[int, ...], grid: tuple[int, ...]) -> Diagnostic | None:
    found: Any
    if isinstance(op, dialect.GetRemoteSemaphoreOp):
        found = resolve_coord(numbers if len(numbers) > 1 else numbers[0], grid)
    elif numbers:
        middle = len(numbers) // 2
        found = resolve_range(tuple(map(_entry, numbers[:middle], numbers[middle:])), grid)
    else:
        return None
    return found if isinstance(found, Diagnostic) else None


def _entry(start: int, stop: int) -> int | slice:
    return start if stop == start + 1 else slice(start, stop)


def _varies(op: _Remote) -> bool:
    """Whether it was not looked at when the program was read."""
    return any(dialect.constant_of(each) is None for each in op.operands[1:])
