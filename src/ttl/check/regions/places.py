"""Where a finding is: the place of an operation of the IR, and the calls it was inlined through."""

from __future__ import annotations

from xdsl.ir import Operation

from ttl.diag import Diagnostic
from ttl.ir.locations import chain_of, span_of

_CALLED = "called from here"


def placed(finding: Diagnostic, op: Operation, label: str = "") -> Diagnostic:
    """The finding at the place of an operation."""
    finding = finding.at(span_of(op), label)
    for call in chain_of(op):
        finding = finding.also(call, _CALLED)
    return finding
