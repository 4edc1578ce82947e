"""What the compiler refuses though it runs in the simulator, foreseen in the compiler's words: warnings.

``tests/check/test_foreseen.py`` lists the codes of the compiler, and which of them are foreseen.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ttl.analysis.network import not_possible
from ttl.check.context import CheckContext
from ttl.diag import Diagnostic, Severity
from ttl.dialects import ttl as dialect
from ttl.ir.failure import placed


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Findings TTL1414, TTL1415 and TTL1417 of an operation on one device."""
    if prod(context.grid[:-2]) != 1:
        return []
    return [
        replace(placed(finding, op), severity=Severity.WARNING)
        for op, finding in not_possible(operation, context.grid)
    ]
