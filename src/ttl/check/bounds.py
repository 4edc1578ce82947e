"""Slices of tensors that leave the tensor, or are empty, on some node in some turn of a loop (TTL0507, TTL0509)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ttl.analysis.dominance import inside
from ttl.analysis.points import points
from ttl.analysis.scalars import Slots
from ttl.check.context import Context
from ttl.check.regions.accesses import bounds_at, extents_of, values_of, where_and_when
from ttl.check.regions.places import placed
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.rules.slices import slice_error

# Points of one slice that are looked at.
_BUDGET = 1 << 18


def check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    """One finding for each slice that is illegal somewhere: at the first point where it is."""
    slots = Slots(context.grid)
    found = []
    for kernel in operation.kernels:
        for op in inside(kernel):
            if isinstance(op, dialect.TensorSliceOp):
                finding = _check_slice(op, kernel, slots, context)
                if finding is not None:
                    found.append(finding)
    return found


def _check_slice(
    part: dialect.TensorSliceOp, kernel: dialect.KernelOp, slots: Slots, context: Context
) -> Diagnostic | None:
    extents, layout = extents_of(part.accessor.type)
    if _always_inside(part, extents):
        return None
    at = points(part, of=values_of(part), slots=slots, budget=_BUDGET)
    if (
        at is None
    ):  # too many, perhaps: a point beyond the tensor is among the extreme ones, if the slice moves evenly
        at = points(part, of=values_of(part), slots=slots, budget=_BUDGET, turns="ends")
    if at is None or not at.size:
        return None
    bounds = bounds_at(part, at)
    if bounds is None:
        return None
    low, high = bounds
    limit = np.array([extent if extent >= 0 else np.iinfo(np.int64).max for extent in extents])
    bad = ((low < 0) | (high > limit) | (high <= low)).any(axis=1)
    if not bad.any():
        return None
    point = int(np.argmax(bad))
    index = tuple(
        int(start) if single else slice(int(start), int(stop))
        for single, start, stop in zip(part.single, low[point], high[point], strict=True)
    )
    finding = slice_error(index, _with_unknown(extents, index), layout)
    return placed(finding.noting(where_and_when(kernel, at, point, context.grid)), part)


def _always_inside(part: dialect.TensorSliceOp, extents: tuple[int, ...]) -> bool:
    """Whether constants say it all: the usual case of a whole dimension."""
    for offset, size, extent in zip(part.offsets, part.sizes, extents, strict=True):
        start = dialect.constant_of(offset)
        if start is None or extent < 0 or not 0 <= start < start + size <= extent:
            return False
    return True


def _with_unknown(extents: tuple[int, ...], index: tuple[Any, ...]) -> tuple[int, ...]:
    """Extents for a message: where one is symbolic, as large as the index needs."""
    return tuple(
        extent if extent >= 0 else (entry.stop if isinstance(entry, slice) else entry + 1)
        for extent, entry in zip(extents, index, strict=True)
    )
