"""What the compiler refuses though it runs in the simulator, foreseen in the compiler's words: warnings.

The functions that decide are the compiler's own. ``tests/check/test_foreseen.py`` lists its codes, and which are foreseen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ttl.analysis.dominance import inside
from ttl.check.context import Context
from ttl.diag import Diagnostic, Severity
from ttl.dialects import ttl as dialect
from ttl.ir.failure import placed
from ttl.passes.movement.nodes import one_device
from ttl.passes.movement.semaphores import match_range
from ttl.passes.pipes.convert_pipes import foreseen


def check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    """Findings TTL1414, TTL1415, TTL1417 and TTL1418 of an operation on one device."""
    if one_device(context.grid) is not None:
        return []
    return [replace(finding, severity=Severity.WARNING) for finding in _refused(operation, context)]


def _refused(operation: dialect.OperationOp, context: Context) -> Iterator[Diagnostic]:
    yield from foreseen(operation)
    for kernel in operation.kernels:
        for op in inside(kernel):
            if not isinstance(op, dialect.SemaphoreSetOp):
                continue
            remote = op.semaphore.owner
            if isinstance(remote, dialect.GetRemoteMulticastSemaphoreOp):
                finding = match_range(remote, context.grid)
                if finding is not None:
                    yield placed(finding, op)
