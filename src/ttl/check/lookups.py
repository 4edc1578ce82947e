"""Lists of integers whose index is not in the list, on some node in some turn of a loop (TTL1316)."""

from __future__ import annotations

import numpy as np

from ttl.analysis.dominance import inside
from ttl.analysis.points import points
from ttl.analysis.scalars import Slots
from ttl.check.context import Context
from ttl.check.regions.accesses import where_and_when
from ttl.check.regions.places import placed
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.rules.python import index_error

# Points of one lookup that are looked at.
_BUDGET = 1 << 18


def check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    """One finding for each lookup that is illegal somewhere: at the first point where it is."""
    slots = Slots(context.grid)
    found = []
    for kernel in operation.kernels:
        for op in inside(kernel):
            if not isinstance(op, dialect.LookupOp):
                continue
            at = points(op, of=[op.index], slots=slots, budget=_BUDGET)
            index = None if at is None else at.value(op.index)
            if at is None or index is None:
                continue
            length = len(op.members)
            bad = (index < 0) | (index >= length)
            if bad.any():
                point = int(np.argmax(bad))
                # What is not negative was counted from the end of the list before.
                given = int(index[point]) if index[point] >= 0 else int(index[point]) - length
                finding = index_error(op.list_name, given, length)
                found.append(placed(finding.noting(where_and_when(kernel, at, point, context.grid)), op))
    return found
